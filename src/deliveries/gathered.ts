import { Deferred, Effect, Exit, Queue } from "effect"

interface Waiting<A> {
  readonly item: A
  readonly done: Deferred.Deferred<void>
}

/**
 * One effect for many items: what is asked for while the last round runs goes together into the next one, up to `most`
 * at a time. Alone an item does not wait. A round that dies is run again item by item, so that one bad item fails
 * alone. Ends with the scope.
 */
export const gathered = Effect.fnUntraced(function* <A>(
  run: (items: ReadonlyArray<A>) => Effect.Effect<void>,
  most: number
) {
  const waiting = yield* Queue.unbounded<Waiting<A>>()

  const runs = (items: ReadonlyArray<A>) => Effect.exit(Effect.suspend(() => run(items)))

  const settle = (those: ReadonlyArray<Waiting<A>>) =>
    runs(those.map(({ item }) => item)).pipe(
      Effect.flatMap((exit) =>
        Exit.isSuccess(exit) || those.length === 1
          ? Effect.forEach(those, ({ done }) => Deferred.done(done, exit), { discard: true })
          : Effect.forEach(those, alone, { discard: true })
      )
    )
  const alone = (one: Waiting<A>): Effect.Effect<void> =>
    Effect.flatMap(runs([one.item]), (exit) => Deferred.done(one.done, exit))

  // Untraced: a round belongs to no one of those it runs for.
  yield* Queue.takeBetween(waiting, 1, most).pipe(
    Effect.flatMap(settle),
    Effect.forever,
    Effect.withTracerEnabled(false),
    Effect.forkScoped
  )

  return (item: A): Effect.Effect<void> =>
    Effect.gen(function* () {
      const done = yield* Deferred.make<void>()
      yield* Queue.offer(waiting, { item, done })
      yield* Deferred.await(done)
    })
})
