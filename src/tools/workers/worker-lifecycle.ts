import { Data, Effect } from "effect"
import { type ProcessEnd, type WorkerProcess, WorkerProcesses } from "./WorkerProcesses.ts"

/** Milliseconds beside its drain in which a worker ends by itself (http-server/stop.ts: 12 s); then it is ended. */
export const WORKER_END_TIMEOUT_MS = 15_000

/** A worker ended before it served, and has said why. */
export class WorkerNeverReady extends Data.TaggedError("WorkerNeverReady")<{ readonly end: ProcessEnd }> {}

export interface WorkerLifecycle {
  /** A new worker, which does not outlive the scope of all. */
  readonly startWorker: Effect.Effect<WorkerProcess>
  /** Waits for the end of a worker that was asked to end, and brings it about where that takes too long. */
  readonly awaitEndOrKill: (worker: WorkerProcess) => Effect.Effect<ProcessEnd>
}

/** The lives of workers: when the scope closes, all that are alive are stopped, and waited for. */
export const makeWorkerLifecycle = Effect.fnUntraced(function* (drainSeconds: number) {
  const { start } = yield* WorkerProcesses
  const scope = yield* Effect.scope
  const alive = new Set<WorkerProcess>()
  const awaitEndOrKill: WorkerLifecycle["awaitEndOrKill"] = (worker) => {
    const killLate = Effect.andThen(Effect.sleep(WORKER_END_TIMEOUT_MS + drainSeconds * 1_000), worker.kill)
    return Effect.raceFirst(worker.awaitEnd, Effect.andThen(killLate, worker.awaitEnd))
  }
  yield* Effect.addFinalizer(() =>
    Effect.forEach(alive, (worker) => Effect.andThen(worker.stop, awaitEndOrKill(worker)), {
      concurrency: "unbounded",
      discard: true
    })
  )
  const startWorker = Effect.uninterruptible(
    Effect.tap(start, (worker) => {
      alive.add(worker)
      return Effect.forkIn(
        Effect.map(worker.awaitEnd, () => alive.delete(worker)),
        scope
      )
    })
  )
  return { startWorker, awaitEndOrKill } satisfies WorkerLifecycle
})

/** What a worker prints once it serves. */
export const awaitStartMessage = (worker: WorkerProcess): Effect.Effect<string, WorkerNeverReady> =>
  Effect.raceFirst(
    worker.awaitReady,
    Effect.flatMap(worker.awaitEnd, (end) => Effect.fail(new WorkerNeverReady({ end })))
  )
