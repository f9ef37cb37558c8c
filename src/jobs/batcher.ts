import { Deferred, Effect, Exit, Queue } from "effect"
import { CurrentPool } from "../platform/database/statement-metrics.ts"

interface QueuedItem<A> {
  readonly item: A
  readonly done: Deferred.Deferred<void>
}

/**
 * Returns a function that adds an item to the next batch and waits until the batch ends. Items that arrive while a
 * batch runs share the next one. If a batch dies, its items run again one by one, so that one bad item fails alone.
 */
export const makeBatcher = Effect.fnUntraced(function* <A>(
  run: (items: ReadonlyArray<A>) => Effect.Effect<void>,
  maxBatchSize: number
) {
  const queue = yield* Queue.unbounded<QueuedItem<A>>()

  const tryRun = (items: ReadonlyArray<A>) => Effect.exit(Effect.suspend(() => run(items)))

  const runTogether = (batch: ReadonlyArray<QueuedItem<A>>) =>
    tryRun(batch.map(({ item }) => item)).pipe(
      Effect.flatMap((exit) =>
        Exit.isSuccess(exit) || batch.length === 1
          ? Effect.forEach(batch, ({ done }) => Deferred.done(done, exit), { discard: true })
          : Effect.forEach(batch, runAlone, { discard: true })
      )
    )
  const runAlone = (entry: QueuedItem<A>): Effect.Effect<void> =>
    Effect.flatMap(tryRun([entry.item]), (exit) => Deferred.done(entry.done, exit))

  // No spans, because a batch belongs to several traces.
  yield* Queue.takeBetween(queue, 1, maxBatchSize).pipe(
    Effect.flatMap(runTogether),
    Effect.forever,
    Effect.withTracerEnabled(false),
    Effect.provideService(CurrentPool, "background"),
    Effect.forkScoped
  )

  return (item: A): Effect.Effect<void> =>
    Effect.gen(function* () {
      const done = yield* Deferred.make<void>()
      yield* Queue.offer(queue, { item, done })
      yield* Deferred.await(done)
    })
})
