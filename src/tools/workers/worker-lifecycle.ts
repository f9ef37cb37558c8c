import { Data, Effect } from "effect"
import { type ProcessEnd, type WorkerProcess, WorkerProcesses } from "./WorkerProcesses.ts"

/** Longer than the shutdown of a worker without its drain (transports/http-server/stop.ts: 12 s). */
export const WORKER_END_TIMEOUT_MS = 15_000

/** The worker has already reported the reason. */
export class WorkerNeverReady extends Data.TaggedError("WorkerNeverReady")<{ readonly end: ProcessEnd }> {}

export interface WorkerLifecycle {
  readonly startWorker: Effect.Effect<WorkerProcess>
  readonly awaitEndOrKill: (worker: WorkerProcess) => Effect.Effect<ProcessEnd>
}

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

export const awaitStartMessage = (worker: WorkerProcess): Effect.Effect<string, WorkerNeverReady> =>
  Effect.raceFirst(
    worker.awaitReady,
    Effect.flatMap(worker.awaitEnd, (end) => Effect.fail(new WorkerNeverReady({ end })))
  )
