import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { BUILDING_RUN_MS } from "../../../src/admission/concurrency/FairThread.ts"
import { Places, SMALL_BODY_BYTES } from "../../../src/admission/concurrency/Places.ts"
import { CONCURRENCY_PERMITS, PERMIT_WAIT_MS, QUEUED_BYTES, QUEUED_CALLS_MAX } from "../../../src/platform/limits.ts"

/** A call under way: it has begun once it has a place, and ends when it is told to. */
const call = Effect.fnUntraced(function* (operator: number, bytes = 0) {
  const places = yield* Places
  const begun = yield* Deferred.make<void>()
  const end = yield* Deferred.make<string>()
  const work = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end))
  const fiber = yield* Effect.forkChild(places.within(operator, work, bytes), { startImmediately: true })
  return { fiber, end, hasBegun: Deferred.isDone(begun), begun: Deferred.await(begun) }
})

const calls = (operator: number, count: number) => Effect.forEach(Array.from({ length: count }), () => call(operator))

const countBegun = (all: ReadonlyArray<{ readonly hasBegun: Effect.Effect<boolean> }>) =>
  Effect.map(Effect.all(all.map(({ hasBegun }) => hasBegun)), (each) => each.filter((begun) => begun).length)

const withPlaces = (places: number) => Effect.provide(Places.layer(places))

describe("working in places", () => {
  it.effect(`${CONCURRENCY_PERMITS} calls work at once; one more begins when one has ended`, () =>
    Effect.gen(function* () {
      const all = yield* calls(1, CONCURRENCY_PERMITS + 1)
      assert.strictEqual(yield* countBegun(all), CONCURRENCY_PERMITS)
      const [first] = all
      if (first === undefined) return
      yield* Deferred.succeed(first.end, "answered")
      assert.strictEqual(yield* Fiber.join(first.fiber), "answered")
      yield* Effect.forEach(all, ({ begun }) => begun)
    }).pipe(Effect.provide(Places.layer()))
  )

  it.effect(`work with more than ${SMALL_BODY_BYTES} bytes to read waits for its slice of the event loop`, () =>
    Effect.gen(function* () {
      const places = yield* Places
      const occupyThread = Effect.sync(() => {
        const until = performance.now() + BUILDING_RUN_MS
        while (performance.now() < until) {}
      })
      yield* places.within(1, occupyThread, SMALL_BODY_BYTES + 1)
      const [small, large] = [yield* call(1, SMALL_BODY_BYTES), yield* call(1, SMALL_BODY_BYTES + 1)]
      assert.deepStrictEqual([yield* small.hasBegun, yield* large.hasBegun], [true, false])
      yield* large.begun
    }).pipe(withPlaces(2))
  )

  it.effect("another operator's call begins next, before the many that waited longer", () =>
    Effect.gen(function* () {
      const greedy = yield* calls(1, 20)
      const other = yield* call(2)
      const [first] = greedy
      if (first === undefined) return
      yield* Deferred.succeed(first.end, "answered")
      yield* other.begun
      assert.strictEqual(yield* countBegun(greedy), 4)
    }).pipe(withPlaces(4))
  )

  it.effect("a place comes back from an answer, a failure, a defect and an interruption", () =>
    Effect.gen(function* () {
      const places = yield* Places
      assert.strictEqual(yield* places.within(1, Effect.succeed(1)), 1)
      assert.deepStrictEqual(yield* Effect.exit(places.within(1, Effect.fail("refused"))), Exit.fail("refused"))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(places.within(1, Effect.die("broken")))))
      const under = yield* call(1)
      yield* under.begun
      yield* Fiber.interrupt(under.fiber)
      assert.strictEqual(yield* places.within(1, Effect.succeed(2)), 2)
    }).pipe(withPlaces(1))
  )

  it.effect("a caller that goes away while it waits leaves its turn to the next", () =>
    Effect.gen(function* () {
      const working = yield* call(1)
      const gone = yield* call(1)
      const next = yield* call(1)
      yield* Fiber.interrupt(gone.fiber)
      yield* Deferred.succeed(working.end, "")
      yield* next.begun
      assert.isFalse(yield* gone.hasBegun)
    }).pipe(withPlaces(1))
  )

  it.effect.each(["before", "after"] as const)(
    "a caller that goes away in the same step, %s it is seated, does not take the place with it",
    (order) =>
      Effect.gen(function* () {
        const places = yield* Places
        const end = yield* Deferred.make<void>()
        const goes = yield* Deferred.make<Effect.Effect<void>>()
        const leaves = Effect.flatten(Deferred.await(goes))
        const ending = Deferred.await(end)
        yield* Effect.forkChild(
          order === "before"
            ? places.within(1, Effect.andThen(ending, leaves))
            : Effect.andThen(places.within(1, ending), leaves),
          { startImmediately: true }
        )
        const gone = yield* call(1)
        const next = yield* call(1)
        yield* Deferred.succeed(
          goes,
          Effect.sync(() => gone.fiber.interruptUnsafe())
        )
        yield* Deferred.succeed(end, undefined)
        yield* next.begun
        assert.isFalse(yield* gone.hasBegun)
      }).pipe(withPlaces(1))
  )

  it.effect("calls that wait for nothing but a place do not run inside one another", () =>
    Effect.gen(function* () {
      const places = yield* Places
      const working = yield* call(1)
      const quick = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: QUEUED_CALLS_MAX }, (_, n) => places.within(1, Effect.succeed(n))),
          { concurrency: "unbounded" }
        ),
        { startImmediately: true }
      )
      yield* Deferred.succeed(working.end, "")
      assert.strictEqual((yield* Fiber.join(quick)).length, QUEUED_CALLS_MAX)
    }).pipe(withPlaces(1))
  )

  it.effect(
    `${QUEUED_CALLS_MAX} calls of an operator may wait; one more is answered 500 at once, with when to retry`,
    () =>
      Effect.gen(function* () {
        const places = yield* Places
        const waiting = yield* calls(1, 1 + QUEUED_CALLS_MAX)
        assert.strictEqual(yield* countBegun(waiting), 1)
        const exit = yield* Effect.exit(places.within(1, Effect.void))
        const error = Exit.isFailure(exit) ? Cause.findErrorOption(exit.cause) : undefined
        assert.include(String(error), "ServerError")
        // Another operator has as many of its own.
        const other = yield* call(2)
        for (const { end } of waiting.slice(0, 2)) yield* Deferred.succeed(end, "")
        yield* other.begun
      }).pipe(withPlaces(1))
  )

  it.effect(
    `waiting calls of an operator keep ${QUEUED_BYTES} bytes; with one more a call is answered 500 at once`,
    () =>
      Effect.gen(function* () {
        const places = yield* Places
        yield* call(1)
        const large = yield* call(1, QUEUED_BYTES - 1)
        yield* call(1, 1)
        const error = yield* Effect.flip(places.within(1, Effect.void, 1))
        assert.strictEqual(error._tag, "ServerError")
        yield* Fiber.interrupt(large.fiber)
        const next = yield* call(1, 1)
        assert.isUndefined(next.fiber.pollUnsafe())
      }).pipe(withPlaces(1))
  )

  it.effect("a call waits for a bounded time, then it is told when to come back, and its turn is over", () =>
    Effect.gen(function* () {
      const working = yield* call(1)
      const late = yield* call(1)
      yield* TestClock.adjust(PERMIT_WAIT_MS - 1)
      const next = yield* call(1)
      assert.isUndefined(late.fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      const error = yield* Effect.flip(Fiber.join(late.fiber))
      assert.strictEqual(error._tag, "ServerError")
      assert.isAbove(error.retryAfter ?? 0, 0)
      yield* Deferred.succeed(working.end, "")
      yield* next.begun
      assert.isFalse(yield* late.hasBegun)
    }).pipe(withPlaces(1))
  )
})
