import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { ConcurrencyLimiter } from "../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { releasePermitForExternalAct, releasePermitWhile } from "../../../src/contract/permit-release.ts"
import { EMBEDDED_PERMITS, FEED_WAITING_READS_MAX, PERMIT_WAIT_MS } from "../../../src/platform/limits.ts"

/** What a call does: it waits for its first permit, works with a permit, waits without one, or is over. */
type CallState = "queued" | "working" | "released" | "over"

/** Starts a call that works, releases its permit until it is resumed, and works again until it is ended. */
const startCall = Effect.fnUntraced(function* (operator: number) {
  const limiter = yield* ConcurrencyLimiter
  const [releasing, resuming, ending] = [
    yield* Deferred.make<void>(),
    yield* Deferred.make<void>(),
    yield* Deferred.make<void>()
  ]
  let state: CallState = "queued"
  const setState = (newState: CallState) =>
    Effect.sync(() => {
      state = newState
    })
  const work = setState("working").pipe(
    Effect.andThen(Deferred.await(releasing)),
    Effect.andThen(releasePermitWhile(Effect.andThen(setState("released"), Deferred.await(resuming)))),
    Effect.andThen(setState("working")),
    Effect.andThen(Deferred.await(ending))
  )
  const fiber = yield* Effect.forkChild(
    Effect.onExit(limiter.withPermit(operator, work), () => setState("over")),
    { startImmediately: true }
  )
  return {
    fiber,
    state: () => state,
    release: Deferred.succeed(releasing, undefined),
    resume: Deferred.succeed(resuming, undefined),
    end: Deferred.succeed(ending, undefined),
    interrupt: Fiber.interrupt(fiber)
  }
})

type StartedCall = Effect.Success<ReturnType<typeof startCall>>

/** Lets every fiber run that can. */
const runFibers = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })

const countWorking = (calls: ReadonlyArray<StartedCall>) => calls.filter(({ state }) => state() === "working").length

/** Counts the free permits by new calls of many operators: all of them, unless a permit was lost or released twice. */
const countFree = Effect.gen(function* () {
  const calls = yield* Effect.forEach(
    Array.from({ length: 12 }, (_, n) => 1_000 + n),
    startCall
  )
  yield* runFibers
  const count = countWorking(calls)
  yield* Effect.forEach(calls, ({ interrupt }) => interrupt)
  return count
})

const withPermits = (permits: number) => Effect.provide(ConcurrencyLimiter.layer(permits))

describe("releasing a permit while a call waits", () => {
  it.effect("gives the permit to the next call, and queues for one again afterwards", () =>
    Effect.gen(function* () {
      const first = yield* startCall(1)
      const second = yield* startCall(2)
      assert.deepStrictEqual([first.state(), second.state()], ["working", "queued"])
      yield* first.release
      yield* runFibers
      assert.deepStrictEqual([first.state(), second.state()], ["released", "working"])
      yield* first.resume
      yield* runFibers
      assert.deepStrictEqual([first.state(), second.state()], ["released", "working"])
      yield* second.release
      yield* runFibers
      assert.deepStrictEqual([first.state(), second.state()], ["working", "released"])
    }).pipe(withPermits(1))
  )

  it.effect(`${FEED_WAITING_READS_MAX} waiting calls do not delay a quiet caller on ${EMBEDDED_PERMITS} permits`, () =>
    Effect.gen(function* () {
      const limiter = yield* ConcurrencyLimiter
      const waitingCalls = yield* Effect.forEach(
        Array.from({ length: FEED_WAITING_READS_MAX }, () => 1),
        startCall
      )
      for (const each of waitingCalls) yield* each.release
      yield* runFibers
      assert.deepStrictEqual(
        waitingCalls.map(({ state }) => state()),
        waitingCalls.map(() => "released")
      )
      assert.strictEqual(yield* countFree, EMBEDDED_PERMITS)
      assert.strictEqual(yield* limiter.withPermit(2, Effect.succeed("answered")), "answered")
    }).pipe(withPermits(EMBEDDED_PERMITS))
  )

  it.effect.each(["released", "queued again"] as const)(
    "a call that is interrupted while %s neither keeps a permit nor releases one twice",
    (moment) =>
      Effect.gen(function* () {
        const first = yield* startCall(1)
        yield* first.release
        const second = yield* startCall(2)
        yield* runFibers
        if (moment === "queued again") yield* first.resume
        yield* runFibers
        yield* first.interrupt
        assert.strictEqual(yield* countFree, 0)
        yield* second.interrupt
        assert.strictEqual(yield* countFree, 1)
      }).pipe(withPermits(1))
  )

  it.effect("fails with a ServerError when no permit is free again in time", () =>
    Effect.gen(function* () {
      const first = yield* startCall(1)
      yield* first.release
      const second = yield* startCall(2)
      yield* first.resume
      yield* runFibers
      yield* TestClock.adjust(PERMIT_WAIT_MS)
      const error = yield* Effect.flip(Fiber.join(first.fiber))
      assert.strictEqual(error._tag, "ServerError")
      assert.strictEqual(yield* countFree, 0)
      yield* second.interrupt
      assert.strictEqual(yield* countFree, 1)
    }).pipe(withPermits(1))
  )

  it.effect("returns or fails as the effect does, and holds a permit again then", () =>
    Effect.gen(function* () {
      const limiter = yield* ConcurrencyLimiter
      const runReleased = <A, E>(waiting: Effect.Effect<A, E>) =>
        limiter.withPermit(
          1,
          Effect.flatMap(Effect.exit(releasePermitWhile(waiting)), (exit) => Effect.map(countFree, (n) => [exit, n]))
        )
      assert.deepStrictEqual(yield* runReleased(Effect.succeed(1)), [Exit.succeed(1), 0])
      assert.deepStrictEqual(yield* runReleased(Effect.fail("failed")), [Exit.fail("failed"), 0])
      assert.strictEqual(yield* countFree, 1)
    }).pipe(withPermits(1))
  )

  it.effect("continues without a permit after an external act if none is free in time", () =>
    Effect.gen(function* () {
      const limiter = yield* ConcurrencyLimiter
      for (const exit of [Exit.succeed("done"), Exit.fail("failed")]) {
        const over = yield* Deferred.make<void>()
        const acting = releasePermitForExternalAct(Effect.andThen(Deferred.await(over), exit))
        const first = yield* Effect.forkChild(limiter.withPermit(1, Effect.exit(acting)), { startImmediately: true })
        const second = yield* startCall(2)
        assert.strictEqual(second.state(), "working")
        yield* Deferred.succeed(over, undefined)
        yield* runFibers
        assert.isUndefined(first.pollUnsafe(), "waits for a permit first")
        yield* TestClock.adjust(PERMIT_WAIT_MS)
        assert.deepStrictEqual(yield* Fiber.join(first), exit)
        assert.strictEqual(yield* countFree, 0)
        yield* second.interrupt
        assert.strictEqual(yield* countFree, 1)
      }
    }).pipe(withPermits(1))
  )

  it.effect("nested or concurrent releases neither release a second permit nor acquire one", () =>
    Effect.gen(function* () {
      const limiter = yield* ConcurrencyLimiter
      yield* limiter.withPermit(1, releasePermitWhile(releasePermitWhile(Effect.void)))
      yield* limiter.withPermit(
        1,
        Effect.all([releasePermitWhile(Effect.yieldNow), releasePermitWhile(runFibers)], { concurrency: 2 })
      )
      assert.strictEqual(yield* countFree, 2)
    }).pipe(withPermits(2))
  )

  it.effect("runs the effect as it is without a limiter", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* releasePermitWhile(Effect.succeed(1)), 1)
      const limiter = yield* ConcurrencyLimiter
      assert.strictEqual(yield* limiter.withPermit(1, releasePermitWhile(Effect.succeed(2))), 2)
    }).pipe(Effect.provide(ConcurrencyLimiter.layerUnbounded))
  )

  const step = fc.record({
    call: fc.nat(7),
    does: fc.constantFrom("release", "resume", "end", "interrupt", "expires")
  })

  it.effect("never runs more calls than there are permits, and loses no permit (any order of steps)", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 40 }), (permits, steps) =>
          Effect.runPromise(
            Effect.gen(function* () {
              const calls = yield* Effect.forEach([1, 1, 1, 1, 2, 2, 3, 4], startCall)
              for (const { call: index, does } of steps) {
                const each = calls[index]
                if (does === "expires") yield* TestClock.adjust(PERMIT_WAIT_MS)
                else if (each !== undefined) yield* each[does]
                if (steps.length % 2 === 0) yield* runFibers
                assert.isAtMost(countWorking(calls), permits)
              }
              yield* runFibers
              assert.isAtMost(countWorking(calls), permits)
              yield* Effect.forEach(calls, ({ interrupt }) => interrupt)
              assert.strictEqual(yield* countFree, permits)
            }).pipe(withPermits(permits), Effect.provide(TestClock.layer()), Effect.scoped)
          )
        ),
        { numRuns: 200 }
      )
    )
  )
})
