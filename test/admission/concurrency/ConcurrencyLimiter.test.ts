import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ConcurrencyLimiter, SMALL_BODY_BYTES } from "../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { EVENT_LOOP_SLICE_MS } from "../../../src/admission/concurrency/EventLoopSlices.ts"
import { CONCURRENCY_PERMITS, PERMIT_WAIT_MS, QUEUED_BYTES, QUEUED_CALLS_MAX } from "../../../src/platform/limits.ts"

/** Starts a call. It begins when it has a permit and completes when `end` is completed. */
const startCall = Effect.fnUntraced(function* (operator: number, bytes = 0) {
  const limiter = yield* ConcurrencyLimiter
  const begun = yield* Deferred.make<void>()
  const end = yield* Deferred.make<string>()
  const work = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end))
  const fiber = yield* Effect.forkChild(limiter.withPermit(operator, work, bytes), { startImmediately: true })
  return { fiber, end, hasBegun: Deferred.isDone(begun), begun: Deferred.await(begun) }
})

const startCalls = (operator: number, count: number) =>
  Effect.forEach(Array.from({ length: count }), () => startCall(operator))

const countBegun = (all: ReadonlyArray<{ readonly hasBegun: Effect.Effect<boolean> }>) =>
  Effect.map(Effect.all(all.map(({ hasBegun }) => hasBegun)), (each) => each.filter((begun) => begun).length)

const withPermits = (permits: number) => Effect.provide(ConcurrencyLimiter.layer(permits))

describe("ConcurrencyLimiter", () => {
  it.effect(`runs ${CONCURRENCY_PERMITS} calls at once, and the next one when one has completed`, () =>
    Effect.gen(function* () {
      const all = yield* startCalls(1, CONCURRENCY_PERMITS + 1)
      assert.strictEqual(yield* countBegun(all), CONCURRENCY_PERMITS)
      const [first] = all
      if (first === undefined) return
      yield* Deferred.succeed(first.end, "answered")
      assert.strictEqual(yield* Fiber.join(first.fiber), "answered")
      yield* Effect.forEach(all, ({ begun }) => begun)
    }).pipe(Effect.provide(ConcurrencyLimiter.layer()))
  )

  it.effect(`delays work with more than ${SMALL_BODY_BYTES} bytes of input until its event-loop slice`, () =>
    Effect.gen(function* () {
      const limiter = yield* ConcurrencyLimiter
      const occupyEventLoop = Effect.sync(() => {
        const until = performance.now() + EVENT_LOOP_SLICE_MS
        while (performance.now() < until) {}
      })
      yield* limiter.withPermit(1, occupyEventLoop, SMALL_BODY_BYTES + 1)
      const [small, large] = [yield* startCall(1, SMALL_BODY_BYTES), yield* startCall(1, SMALL_BODY_BYTES + 1)]
      assert.deepStrictEqual([yield* small.hasBegun, yield* large.hasBegun], [true, false])
      yield* large.begun
    }).pipe(withPermits(2))
  )

  it.effect("runs the call of another operator before older queued calls of the first one", () =>
    Effect.gen(function* () {
      const greedy = yield* startCalls(1, 20)
      const other = yield* startCall(2)
      const [first] = greedy
      if (first === undefined) return
      yield* Deferred.succeed(first.end, "answered")
      yield* other.begun
      assert.strictEqual(yield* countBegun(greedy), 4)
    }).pipe(withPermits(4))
  )

  it.effect("releases the permit after a result, a failure, a defect and an interruption", () =>
    Effect.gen(function* () {
      const limiter = yield* ConcurrencyLimiter
      assert.strictEqual(yield* limiter.withPermit(1, Effect.succeed(1)), 1)
      assert.deepStrictEqual(yield* Effect.exit(limiter.withPermit(1, Effect.fail("failed"))), Exit.fail("failed"))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(limiter.withPermit(1, Effect.die("broken")))))
      const running = yield* startCall(1)
      yield* running.begun
      yield* Fiber.interrupt(running.fiber)
      assert.strictEqual(yield* limiter.withPermit(1, Effect.succeed(2)), 2)
    }).pipe(withPermits(1))
  )

  it.effect("removes an interrupted call from the queue", () =>
    Effect.gen(function* () {
      const working = yield* startCall(1)
      const interrupted = yield* startCall(1)
      const next = yield* startCall(1)
      yield* Fiber.interrupt(interrupted.fiber)
      yield* Deferred.succeed(working.end, "")
      yield* next.begun
      assert.isFalse(yield* interrupted.hasBegun)
    }).pipe(withPermits(1))
  )

  it.effect.each(["before", "after"] as const)(
    "releases the permit of a call that is interrupted in the same step, %s it got the permit",
    (order) =>
      Effect.gen(function* () {
        const limiter = yield* ConcurrencyLimiter
        const end = yield* Deferred.make<void>()
        const interruption = yield* Deferred.make<Effect.Effect<void>>()
        const interruptCall = Effect.flatten(Deferred.await(interruption))
        const ending = Deferred.await(end)
        yield* Effect.forkChild(
          order === "before"
            ? limiter.withPermit(1, Effect.andThen(ending, interruptCall))
            : Effect.andThen(limiter.withPermit(1, ending), interruptCall),
          { startImmediately: true }
        )
        const interrupted = yield* startCall(1)
        const next = yield* startCall(1)
        yield* Deferred.succeed(
          interruption,
          Effect.sync(() => interrupted.fiber.interruptUnsafe())
        )
        yield* Deferred.succeed(end, undefined)
        yield* next.begun
        assert.isFalse(yield* interrupted.hasBegun)
      }).pipe(withPermits(1))
  )

  it.effect("does not run calls that wait for nothing but a permit inside one another", () =>
    Effect.gen(function* () {
      const limiter = yield* ConcurrencyLimiter
      const working = yield* startCall(1)
      const quick = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: QUEUED_CALLS_MAX }, (_, n) => limiter.withPermit(1, Effect.succeed(n))),
          { concurrency: "unbounded" }
        ),
        { startImmediately: true }
      )
      yield* Deferred.succeed(working.end, "")
      assert.strictEqual((yield* Fiber.join(quick)).length, QUEUED_CALLS_MAX)
    }).pipe(withPermits(1))
  )

  it.effect(`queues ${QUEUED_CALLS_MAX} calls of an operator and rejects the next one at once with a ServerError`, () =>
    Effect.gen(function* () {
      const limiter = yield* ConcurrencyLimiter
      const started = yield* startCalls(1, 1 + QUEUED_CALLS_MAX)
      assert.strictEqual(yield* countBegun(started), 1)
      const exit = yield* Effect.exit(limiter.withPermit(1, Effect.void))
      const error = Exit.isFailure(exit) ? Cause.findErrorOption(exit.cause) : undefined
      assert.include(String(error), "ServerError")
      // The limit is per operator.
      const other = yield* startCall(2)
      for (const { end } of started.slice(0, 2)) yield* Deferred.succeed(end, "")
      yield* other.begun
    }).pipe(withPermits(1))
  )

  it.effect(
    `queues calls of an operator with ${QUEUED_BYTES} bytes in all and rejects one more byte at once with a ServerError`,
    () =>
      Effect.gen(function* () {
        const limiter = yield* ConcurrencyLimiter
        yield* startCall(1)
        const large = yield* startCall(1, QUEUED_BYTES - 1)
        yield* startCall(1, 1)
        const error = yield* Effect.flip(limiter.withPermit(1, Effect.void, 1))
        assert.strictEqual(error._tag, "ServerError")
        yield* Fiber.interrupt(large.fiber)
        const next = yield* startCall(1, 1)
        assert.isUndefined(next.fiber.pollUnsafe())
      }).pipe(withPermits(1))
  )

  it.effect("rejects a call after a bounded wait, with Retry-After, and removes it from the queue", () =>
    Effect.gen(function* () {
      const working = yield* startCall(1)
      const expired = yield* startCall(1)
      yield* TestClock.adjust(PERMIT_WAIT_MS - 1)
      const next = yield* startCall(1)
      assert.isUndefined(expired.fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      const error = yield* Effect.flip(Fiber.join(expired.fiber))
      assert.strictEqual(error._tag, "ServerError")
      assert.isAbove(error.retryAfter ?? 0, 0)
      yield* Deferred.succeed(working.end, "")
      yield* next.begun
      assert.isFalse(yield* expired.hasBegun)
    }).pipe(withPermits(1))
  )
})
