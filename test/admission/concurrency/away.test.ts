import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { Places } from "../../../src/admission/concurrency/Places.ts"
import { releasePermitForExternalAct, releasePermitWhile } from "../../../src/contract/permit-release.ts"
import { EMBEDDED_PERMITS, FEED_WAITING_READS_MAX, PERMIT_WAIT_MS } from "../../../src/platform/limits.ts"

/** Where a call is: it waits for a place, works in it, is away from it, or is over. */
type Where = "outside" | "working" | "away" | "over"

/** A call that works, goes away until it is called back, and works on until it is told to end. */
const visitor = Effect.fnUntraced(function* (operator: number) {
  const places = yield* Places
  const [leave, comeBack, end] = [
    yield* Deferred.make<void>(),
    yield* Deferred.make<void>(),
    yield* Deferred.make<void>()
  ]
  let where: Where = "outside"
  const is = (now: Where) =>
    Effect.sync(() => {
      where = now
    })
  const work = is("working").pipe(
    Effect.andThen(Deferred.await(leave)),
    Effect.andThen(releasePermitWhile(Effect.andThen(is("away"), Deferred.await(comeBack)))),
    Effect.andThen(is("working")),
    Effect.andThen(Deferred.await(end))
  )
  const fiber = yield* Effect.forkChild(
    Effect.onExit(places.within(operator, work), () => is("over")),
    { startImmediately: true }
  )
  return {
    fiber,
    where: () => where,
    leaves: Deferred.succeed(leave, undefined),
    comesBack: Deferred.succeed(comeBack, undefined),
    ends: Deferred.succeed(end, undefined),
    isGone: Fiber.interrupt(fiber)
  }
})

type Visitor = Effect.Success<ReturnType<typeof visitor>>

/** Lets everybody who can go on do so. */
const settled = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })

const working = (visitors: ReadonlyArray<Visitor>) => visitors.filter(({ where }) => where() === "working").length

/** How many calls get a place at once, of operators that hold none: all there are, when none was lost or made. */
const free = Effect.gen(function* () {
  const visitors = yield* Effect.forEach(
    Array.from({ length: 12 }, (_, n) => 1_000 + n),
    visitor
  )
  yield* settled
  const count = working(visitors)
  yield* Effect.forEach(visitors, ({ isGone }) => isGone)
  return count
})

const withPlaces = (places: number) => Effect.provide(Places.layer(places))

describe("away from a place", () => {
  it.effect("a call leaves it to the next, and waits for one again when it comes back", () =>
    Effect.gen(function* () {
      const first = yield* visitor(1)
      const second = yield* visitor(2)
      assert.deepStrictEqual([first.where(), second.where()], ["working", "outside"])
      yield* first.leaves
      yield* settled
      assert.deepStrictEqual([first.where(), second.where()], ["away", "working"])
      yield* first.comesBack
      yield* settled
      assert.deepStrictEqual([first.where(), second.where()], ["away", "working"])
      yield* second.leaves
      yield* settled
      assert.deepStrictEqual([first.where(), second.where()], ["working", "away"])
    }).pipe(withPlaces(1))
  )

  it.effect(
    `${FEED_WAITING_READS_MAX} calls that wait do not hold up a quiet caller on ${EMBEDDED_PERMITS} places`,
    () =>
      Effect.gen(function* () {
        const places = yield* Places
        const many = yield* Effect.forEach(
          Array.from({ length: FEED_WAITING_READS_MAX }, () => 1),
          visitor
        )
        for (const each of many) yield* each.leaves
        yield* settled
        assert.deepStrictEqual(
          many.map(({ where }) => where()),
          many.map(() => "away")
        )
        assert.strictEqual(yield* free, EMBEDDED_PERMITS)
        assert.strictEqual(yield* places.within(2, Effect.succeed("answered")), "answered")
      }).pipe(withPlaces(EMBEDDED_PERMITS))
  )

  it.effect.each(["away", "waiting to come back"] as const)(
    "a caller that goes away for good while its call is %s neither keeps a place nor gives one back twice",
    (moment) =>
      Effect.gen(function* () {
        const first = yield* visitor(1)
        yield* first.leaves
        const second = yield* visitor(2)
        yield* settled
        if (moment === "waiting to come back") yield* first.comesBack
        yield* settled
        yield* first.isGone
        assert.strictEqual(yield* free, 0)
        yield* second.isGone
        assert.strictEqual(yield* free, 1)
      }).pipe(withPlaces(1))
  )

  it.effect("who finds no place to come back to in time is told as any call that finds none", () =>
    Effect.gen(function* () {
      const first = yield* visitor(1)
      yield* first.leaves
      const second = yield* visitor(2)
      yield* first.comesBack
      yield* settled
      yield* TestClock.adjust(PERMIT_WAIT_MS)
      const error = yield* Effect.flip(Fiber.join(first.fiber))
      assert.strictEqual(error._tag, "ServerError")
      assert.strictEqual(yield* free, 0)
      yield* second.isGone
      assert.strictEqual(yield* free, 1)
    }).pipe(withPlaces(1))
  )

  it.effect("answers what it waited for, fails as that fails, and holds its place again then", () =>
    Effect.gen(function* () {
      const places = yield* Places
      const awaited = <A, E>(waiting: Effect.Effect<A, E>) =>
        places.within(
          1,
          Effect.flatMap(Effect.exit(releasePermitWhile(waiting)), (exit) => Effect.map(free, (n) => [exit, n]))
        )
      assert.deepStrictEqual(yield* awaited(Effect.succeed(1)), [Exit.succeed(1), 0])
      assert.deepStrictEqual(yield* awaited(Effect.fail("refused")), [Exit.fail("refused"), 0])
      assert.strictEqual(yield* free, 1)
    }).pipe(withPlaces(1))
  )

  it.effect("who acted outside goes on however that ended, without a place where there is none in time", () =>
    Effect.gen(function* () {
      const places = yield* Places
      for (const exit of [Exit.succeed("done"), Exit.fail("refused")]) {
        const over = yield* Deferred.make<void>()
        const acting = releasePermitForExternalAct(Effect.andThen(Deferred.await(over), exit))
        const first = yield* Effect.forkChild(places.within(1, Effect.exit(acting)), { startImmediately: true })
        const second = yield* visitor(2)
        assert.strictEqual(second.where(), "working")
        yield* Deferred.succeed(over, undefined)
        yield* settled
        assert.isUndefined(first.pollUnsafe(), "waits for a place first")
        yield* TestClock.adjust(PERMIT_WAIT_MS)
        assert.deepStrictEqual(yield* Fiber.join(first), exit)
        assert.strictEqual(yield* free, 0)
        yield* second.isGone
        assert.strictEqual(yield* free, 1)
      }
    }).pipe(withPlaces(1))
  )

  it.effect("within itself, or beside itself, neither gives back a second place nor takes one", () =>
    Effect.gen(function* () {
      const places = yield* Places
      yield* places.within(1, releasePermitWhile(releasePermitWhile(Effect.void)))
      yield* places.within(
        1,
        Effect.all([releasePermitWhile(Effect.yieldNow), releasePermitWhile(settled)], { concurrency: 2 })
      )
      assert.strictEqual(yield* free, 2)
    }).pipe(withPlaces(2))
  )

  it.effect("without places, what waits just runs", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* releasePermitWhile(Effect.succeed(1)), 1)
      const places = yield* Places
      assert.strictEqual(yield* places.within(1, releasePermitWhile(Effect.succeed(2))), 2)
    }).pipe(Effect.provide(Places.layerUnbounded))
  )

  const step = fc.record({
    visitor: fc.nat(7),
    does: fc.constantFrom("leaves", "comesBack", "ends", "isGone", "waits too long")
  })

  it.effect("whatever comes in whatever order, no more work at once than there are places, and none is lost", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 40 }), (places, steps) =>
          Effect.runPromise(
            Effect.gen(function* () {
              const visitors = yield* Effect.forEach([1, 1, 1, 1, 2, 2, 3, 4], visitor)
              for (const { visitor: index, does } of steps) {
                const each = visitors[index]
                if (does === "waits too long") yield* TestClock.adjust(PERMIT_WAIT_MS)
                else if (each !== undefined) yield* each[does]
                if (steps.length % 2 === 0) yield* settled
                assert.isAtMost(working(visitors), places)
              }
              yield* settled
              assert.isAtMost(working(visitors), places)
              yield* Effect.forEach(visitors, ({ isGone }) => isGone)
              assert.strictEqual(yield* free, places)
            }).pipe(withPlaces(places), Effect.provide(TestClock.layer()), Effect.scoped)
          )
        ),
        { numRuns: 200 }
      )
    )
  )
})
