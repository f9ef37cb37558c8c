import cluster, { type Worker } from "node:cluster"
import { Context, Deferred, Effect, Layer, Option, Schema } from "effect"
import { makeCounting } from "./counting.ts"
import { handedOver } from "./handed-over.ts"
import { WorkersMeasured } from "./WorkersMeasured.ts"
import { type FromParent, FromWorker } from "./words.ts"

/** How a process ended: its status, or the signal that ended it. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | null
}

/** A worker: a process that serves on the port of its parent. */
export interface WorkerProcess {
  readonly pid: number | undefined
  /** Waits until it serves; what a start prints. */
  readonly ready: Effect.Effect<string>
  /** Waits until it has ended. */
  readonly ended: Effect.Effect<Ended>
  /** Asks it to end as the whole service ends. */
  readonly stop: Effect.Effect<void>
  /** Asks it to end because another serves in its place. */
  readonly retire: Effect.Effect<void>
  readonly kill: Effect.Effect<void>
}

/** Starts workers. */
export class WorkerProcesses extends Context.Service<
  WorkerProcesses,
  {
    readonly start: Effect.Effect<WorkerProcess>
    /** What they counted. */
    readonly measured: Pick<WorkersMeasured, "all" | "ready">
  }
>()("latchkey/workers/WorkerProcesses") {
  /**
   * Processes of this same program and its arguments, which have the port from this one: it takes connections and hands them
   * out in turn. A worker whose parent is gone, however that ended, ends at once.
   */
  static readonly layer = Layer.sync(WorkerProcesses, () => {
    cluster.schedulingPolicy = cluster.SCHED_RR
    const counted = makeCounting()
    const measured = new WorkersMeasured()
    return { start: Effect.sync(() => following(cluster.fork(), counted, measured)), measured }
  })
}

const heardFrom = Schema.decodeUnknownOption(FromWorker)

const following = (
  worker: Worker,
  counted: ReturnType<typeof makeCounting>,
  measured: WorkersMeasured
): WorkerProcess => {
  const ready = Deferred.makeUnsafe<string>()
  const ended = Deferred.makeUnsafe<Ended>()
  const tell = (words: FromParent) => {
    // Who has gone needs no answer: its end is heard by itself.
    if (worker.isConnected()) worker.send(words, () => {})
  }
  const closeHandedOver = handedOver(worker)
  measured.began(worker.id, () => tell({ measure: true }))
  worker.on("message", (words: unknown) => {
    const heard = Option.getOrUndefined(heardFrom(words))
    if (heard === undefined) return
    if ("asks" in heard) tell({ told: counted(heard.asks) })
    else if ("measured" in heard) measured.said(worker.id, heard.measured, heard.ready)
    else Deferred.doneUnsafe(ready, Effect.succeed(heard.ready))
  })
  // It could not be begun, or not be told something: the first has no exit.
  worker.on("error", () => {
    if (worker.process.pid !== undefined) return
    measured.ended(worker.id)
    Deferred.doneUnsafe(ended, Effect.succeed({ code: 1, signal: null }))
  })
  // Its last words may come after its exit, but not after its channel is closed.
  const heardOut = () => {
    if (!worker.isDead() || worker.isConnected()) return
    measured.ended(worker.id)
    closeHandedOver()
  }
  worker.on("disconnect", heardOut)
  worker.on("exit", (code: number | null, signal: string | null) => {
    heardOut()
    Deferred.doneUnsafe(ended, Effect.succeed({ code, signal }))
  })
  const signalled = (signal: NodeJS.Signals) => Effect.sync(() => void worker.process.kill(signal))
  return {
    pid: worker.process.pid,
    ready: Deferred.await(ready),
    ended: Deferred.await(ended),
    stop: signalled("SIGTERM"),
    retire: Effect.sync(() => tell({ retire: true })),
    kill: signalled("SIGKILL")
  }
}
