import { Data, Effect } from "effect"
import { type Ended, type WorkerProcess, WorkerProcesses } from "./WorkerProcesses.ts"

/** Milliseconds beside its drain in which a worker ends by itself (http-server/stop.ts: 12 s); then it is ended. */
export const END_MS = 15_000

/** A worker ended before it served, and has said why. */
export class NeverServed extends Data.TaggedError("NeverServed")<{ readonly ended: Ended }> {}

export interface Lives {
  /** A new worker, which does not outlive the scope of all. */
  readonly begin: Effect.Effect<WorkerProcess>
  /** Waits for the end of a worker that was asked to end, and brings it about where that takes too long. */
  readonly ending: (worker: WorkerProcess) => Effect.Effect<Ended>
}

/** The lives of workers: when the scope closes, all that are alive are stopped, and waited for. */
export const makeLives = Effect.fnUntraced(function* (drainSeconds: number) {
  const { start } = yield* WorkerProcesses
  const scope = yield* Effect.scope
  const alive = new Set<WorkerProcess>()
  const ending: Lives["ending"] = (worker) => {
    const atLast = Effect.andThen(Effect.sleep(END_MS + drainSeconds * 1_000), worker.kill)
    return Effect.raceFirst(worker.ended, Effect.andThen(atLast, worker.ended))
  }
  yield* Effect.addFinalizer(() =>
    Effect.forEach(alive, (worker) => Effect.andThen(worker.stop, ending(worker)), {
      concurrency: "unbounded",
      discard: true
    })
  )
  const begin = Effect.uninterruptible(
    Effect.tap(start, (worker) => {
      alive.add(worker)
      return Effect.forkIn(
        Effect.map(worker.ended, () => alive.delete(worker)),
        scope
      )
    })
  )
  return { begin, ending } satisfies Lives
})

/** What a worker prints once it serves. */
export const served = (worker: WorkerProcess): Effect.Effect<string, NeverServed> =>
  Effect.raceFirst(
    worker.ready,
    Effect.flatMap(worker.ended, (ended) => Effect.fail(new NeverServed({ ended })))
  )
