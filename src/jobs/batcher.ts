import { Deferred, Effect, Exit, Queue } from "effect"
import { AskedBy } from "../platform/database/measured.ts"

interface Waiting<A> {
  readonly item: A
  readonly done: Deferred.Deferred<void>
}

/**
 * One effect for many items: what is asked for while the last batch runs goes together into the next one, up to `most`
 * at a time. Alone an item does not wait. A batch that dies is run again item by item, so that one bad item fails
 * alone. Ends with the scope.
 */
export const batcher = Effect.fnUntraced(function* <A>(
  run: (items: ReadonlyArray<A>) => Effect.Effect<void>,
  most: number
) {
  const waiting = yield* Queue.unbounded<Waiting<A>>()

  const runs = (items: ReadonlyArray<A>) => Effect.exit(Effect.suspend(() => run(items)))

  const together = (batch: ReadonlyArray<Waiting<A>>) =>
    runs(batch.map(({ item }) => item)).pipe(
      Effect.flatMap((exit) =>
        Exit.isSuccess(exit) || batch.length === 1
          ? Effect.forEach(batch, ({ done }) => Deferred.done(done, exit), { discard: true })
          : Effect.forEach(batch, apart, { discard: true })
      )
    )
  const apart = (one: Waiting<A>): Effect.Effect<void> =>
    Effect.flatMap(runs([one.item]), (exit) => Deferred.done(one.done, exit))

  // Untraced: a batch belongs to no one of those it runs for.
  yield* Queue.takeBetween(waiting, 1, most).pipe(
    Effect.flatMap(together),
    Effect.forever,
    Effect.withTracerEnabled(false),
    Effect.provideService(AskedBy, "background"),
    Effect.forkScoped
  )

  return (item: A): Effect.Effect<void> =>
    Effect.gen(function* () {
      const done = yield* Deferred.make<void>()
      yield* Queue.offer(waiting, { item, done })
      yield* Deferred.await(done)
    })
})
