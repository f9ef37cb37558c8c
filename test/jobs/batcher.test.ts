import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { makeBatcher } from "../../src/jobs/batcher.ts"

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe("a batcher", () => {
  it.effect("runs one alone at once, and what comes meanwhile together, not more than allowed", () =>
    Effect.gen(function* () {
      const rounds: Array<ReadonlyArray<number>> = []
      const started = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const ask = yield* makeBatcher(
        (items: ReadonlyArray<number>) =>
          Effect.gen(function* () {
            rounds.push(items)
            yield* Deferred.succeed(started, undefined)
            yield* Deferred.await(goOn)
          }),
        3
      )
      const first = yield* Effect.forkChild(ask(0))
      yield* Deferred.await(started)
      const others = yield* Effect.forEach([1, 2, 3, 4], (item) =>
        Effect.forkChild(ask(item), { startImmediately: true })
      )
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.joinAll([first, ...others])
      assert.deepStrictEqual(rounds, [[0], [1, 2, 3], [4]])
    })
  )

  it.effect("lets one that cannot be done fail alone, whether it fails later or at once", () =>
    Effect.gen(function* () {
      for (const fail of [() => Effect.die("bad"), () => assert.fail("bad")]) {
        const done: Array<number> = []
        const ask = yield* makeBatcher(
          (items: ReadonlyArray<number>) =>
            items.includes(2)
              ? fail()
              : Effect.sync(() => {
                  done.push(...items)
                }),
          10
        )
        const exits = yield* Effect.forEach(numbers(5), (item) => Effect.exit(ask(item)), { concurrency: "unbounded" })
        assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, false, true, true])
        assert.sameMembers(done, [0, 1, 3, 4])
        // And it goes on.
        assert.isTrue(Exit.isSuccess(yield* Effect.exit(ask(7))))
      }
    })
  )

  it.effect("tells who asked why", () =>
    Effect.gen(function* () {
      const ask = yield* makeBatcher((_: ReadonlyArray<number>) => Effect.die("gone"), 10)
      const exit = yield* Effect.exit(ask(1))
      assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) === "gone")
    })
  )
})
