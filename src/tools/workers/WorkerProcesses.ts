import cluster, { type Worker } from "node:cluster"
import { Context, Deferred, Effect, Layer, Option, Schema } from "effect"
import { trackConnectionHandover } from "./connection-handover.ts"
import { makeCountHandler } from "./count-handler.ts"
import { WorkerMetrics } from "./WorkerMetrics.ts"
import { type SupervisorMessage, WorkerMessage } from "./worker-messages.ts"

/** How a process ended: its status, or the signal that ended it. */
export interface ProcessEnd {
  readonly code: number | null
  readonly signal: string | null
}

/** A worker: a process that serves on the port of its parent. */
export interface WorkerProcess {
  readonly pid: number | undefined
  /** Waits until it serves; what a start prints. */
  readonly awaitReady: Effect.Effect<string>
  /** Waits until it has ended. */
  readonly awaitEnd: Effect.Effect<ProcessEnd>
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
    readonly metrics: Pick<WorkerMetrics, "all" | "isReady">
  }
>()("latchkey/tools/workers/WorkerProcesses") {
  /**
   * Processes of this same program and its arguments, which have the port from this one: it takes connections and hands them
   * out in turn. A worker whose parent is gone, however that ended, ends at once.
   */
  static readonly layer = Layer.sync(WorkerProcesses, () => {
    cluster.schedulingPolicy = cluster.SCHED_RR
    const handleCounts = makeCountHandler()
    const metrics = new WorkerMetrics()
    return { start: Effect.sync(() => wrapWorker(cluster.fork(), handleCounts, metrics)), metrics }
  })
}

const decodeMessage = Schema.decodeUnknownOption(WorkerMessage)

const wrapWorker = (
  worker: Worker,
  handleCounts: ReturnType<typeof makeCountHandler>,
  metrics: WorkerMetrics
): WorkerProcess => {
  const ready = Deferred.makeUnsafe<string>()
  const ended = Deferred.makeUnsafe<ProcessEnd>()
  const send = (message: SupervisorMessage) => {
    // Who has gone needs no answer: its end is heard by itself.
    if (worker.isConnected()) worker.send(message, () => {})
  }
  const closeConnections = trackConnectionHandover(worker)
  metrics.addWorker(worker.id, () => send({ measure: true }))
  worker.on("message", (message: unknown) => {
    const received = Option.getOrUndefined(decodeMessage(message))
    if (received === undefined) return
    if ("asks" in received) send({ told: handleCounts(received.asks) })
    else if ("measured" in received) metrics.receiveSnapshot(worker.id, received.measured, received.ready)
    else Deferred.doneUnsafe(ready, Effect.succeed(received.ready))
  })
  // It could not be begun, or not be told something: the first has no exit.
  worker.on("error", () => {
    if (worker.process.pid !== undefined) return
    metrics.removeWorker(worker.id)
    Deferred.doneUnsafe(ended, Effect.succeed({ code: 1, signal: null }))
  })
  // Its last words may come after its exit, but not after its channel is closed.
  const finishWhenClosed = () => {
    if (!worker.isDead() || worker.isConnected()) return
    metrics.removeWorker(worker.id)
    closeConnections()
  }
  worker.on("disconnect", finishWhenClosed)
  worker.on("exit", (code: number | null, signal: string | null) => {
    finishWhenClosed()
    Deferred.doneUnsafe(ended, Effect.succeed({ code, signal }))
  })
  const sendSignal = (signal: NodeJS.Signals) => Effect.sync(() => void worker.process.kill(signal))
  return {
    pid: worker.process.pid,
    awaitReady: Deferred.await(ready),
    awaitEnd: Deferred.await(ended),
    stop: sendSignal("SIGTERM"),
    retire: Effect.sync(() => send({ retire: true })),
    kill: sendSignal("SIGKILL")
  }
}
