import cluster, { type Worker } from "node:cluster"
import { Context, Deferred, Effect, Layer, Option, Schema } from "effect"
import { trackConnectionHandover } from "./connection-handover.ts"
import { makeCountHandler } from "./count-handler.ts"
import { WorkerMetrics } from "./WorkerMetrics.ts"
import { type SupervisorMessage, WorkerMessage } from "./worker-messages.ts"

export interface ProcessEnd {
  readonly code: number | null
  readonly signal: string | null
}

export interface WorkerProcess {
  readonly pid: number | undefined
  /** Returns the start message, which the primary prints. */
  readonly awaitReady: Effect.Effect<string>
  readonly awaitEnd: Effect.Effect<ProcessEnd>
  readonly stop: Effect.Effect<void>
  /** Ends a replaced worker without waiting for its connections to drain. */
  readonly retire: Effect.Effect<void>
  readonly kill: Effect.Effect<void>
}

export class WorkerProcesses extends Context.Service<
  WorkerProcesses,
  {
    readonly start: Effect.Effect<WorkerProcess>
    readonly metrics: Pick<WorkerMetrics, "all" | "isReady">
  }
>()("latchkey/tools/workers/WorkerProcesses") {
  /** Node ends a worker whose primary has died. */
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
    // Send errors are ignored, because the `exit` event reports that a worker has ended.
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
  // A worker that could not be started has no exit event.
  worker.on("error", () => {
    if (worker.process.pid !== undefined) return
    metrics.removeWorker(worker.id)
    Deferred.doneUnsafe(ended, Effect.succeed({ code: 1, signal: null }))
  })
  // A worker's last messages may arrive after `exit`, but not after its IPC channel is closed.
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
