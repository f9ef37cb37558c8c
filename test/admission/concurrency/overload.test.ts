import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ConcurrencyLimiter, isPermitRejection } from "../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { FairPermits, type QueuedCall } from "../../../src/admission/concurrency/FairPermits.ts"
import { BURST_WAIT_MS, OVERLOADED_AFTER_MS, OVERLOADED_WAIT_MS } from "../../../src/platform/limits.ts"

const PERMITS = 4
const CALL_MS = 100
/** Returns how many calls are served in so many milliseconds: each permit is released after CALL_MS. */
const countServedIn = (ms: number): number => (ms / CALL_MS) * PERMITS

/** Makes permits of which all are held, after many calls of CALL_MS each. */
const makeHeldPermits = (operator = 1) => {
  const clock = { now: 0 }
  const fairPermits = new FairPermits(PERMITS, 1_000, 1_000_000, () => clock.now)
  for (let nth = 0; nth < PERMITS; nth++) fairPermits.tryAcquire(operator)
  for (let nth = 0; nth < 1_000; nth++) {
    fairPermits.release(operator, CALL_MS)
    fairPermits.tryAcquire(operator)
  }
  const enqueueCalls = (of: number, calls: number) => {
    for (let nth = 0; nth < calls; nth++) fairPermits.enqueue(toCall(of))
  }
  /** Ends running calls, one after the other. Their permits go to queued calls. */
  const endCalls = (calls: number) => {
    for (let nth = 0; nth < calls; nth++) {
      clock.now += CALL_MS / PERMITS
      fairPermits.release(operator, CALL_MS)
    }
  }
  return { clock, fairPermits, enqueueCalls, endCalls }
}

const toCall = (operator: number): QueuedCall => ({ operator, bytes: 0, onPermit: () => {} })

describe("overload of permits", () => {
  it(`queues a burst that is served in ${BURST_WAIT_MS} ms, and rejects the next call`, () => {
    const { fairPermits, enqueueCalls } = makeHeldPermits()
    enqueueCalls(1, countServedIn(BURST_WAIT_MS) - 1)
    assert.isUndefined(fairPermits.findRejection(1, 0))
    enqueueCalls(1, 1)
    assert.strictEqual(fairPermits.findRejection(1, 0), "overloaded")
  })

  it(`queues only what is served in ${OVERLOADED_WAIT_MS} ms once more has been queued for ${OVERLOADED_AFTER_MS} ms`, () => {
    const { clock, fairPermits, enqueueCalls } = makeHeldPermits()
    enqueueCalls(1, countServedIn(OVERLOADED_WAIT_MS) + 1)
    for (let nth = 0; nth < OVERLOADED_AFTER_MS / CALL_MS - 1; nth++) {
      clock.now += CALL_MS
      fairPermits.release(1, CALL_MS)
      enqueueCalls(1, 1)
      assert.isUndefined(fairPermits.findRejection(1, 0), `after ${clock.now} ms`)
    }
    clock.now += CALL_MS
    assert.strictEqual(fairPermits.findRejection(1, 0), "overloaded")
    fairPermits.release(1, CALL_MS)
    fairPermits.release(1, CALL_MS)
    assert.isUndefined(fairPermits.findRejection(1, 0))
  })

  it("ends the overload when the queue has shrunk to half of that", () => {
    const { clock, fairPermits, enqueueCalls, endCalls } = makeHeldPermits()
    enqueueCalls(1, countServedIn(OVERLOADED_WAIT_MS) + 1)
    clock.now += OVERLOADED_AFTER_MS
    assert.strictEqual(fairPermits.findRejection(1, 0), "overloaded")
    endCalls(countServedIn(OVERLOADED_WAIT_MS) / 2)
    enqueueCalls(1, countServedIn(OVERLOADED_WAIT_MS) / 2)
    assert.strictEqual(fairPermits.findRejection(1, 0), "overloaded")
    endCalls(countServedIn(OVERLOADED_WAIT_MS) / 2 + 1)
    enqueueCalls(1, countServedIn(OVERLOADED_WAIT_MS) / 2 + 1)
    assert.isUndefined(fairPermits.findRejection(1, 0))
  })

  it("rejects the busy operator and queues a call of a quiet one", () => {
    const { clock, fairPermits, enqueueCalls } = makeHeldPermits()
    enqueueCalls(1, countServedIn(OVERLOADED_WAIT_MS) + 1)
    clock.now += OVERLOADED_AFTER_MS
    fairPermits.release(1, CALL_MS)
    assert.strictEqual(fairPermits.findRejection(1, 0), "overloaded")
    assert.isUndefined(fairPermits.findRejection(2, 0))
  })

  it("limits the wait of many operators with one call each, too", () => {
    const { clock, fairPermits, enqueueCalls } = makeHeldPermits()
    // The estimate gives an operator that is not alone half of the permits.
    for (let operator = 2; operator < 2 + countServedIn(OVERLOADED_WAIT_MS) / 2; operator++) enqueueCalls(operator, 1)
    enqueueCalls(1, countServedIn(OVERLOADED_WAIT_MS))
    clock.now += OVERLOADED_AFTER_MS
    fairPermits.release(1, CALL_MS)
    assert.strictEqual(fairPermits.findRejection(10_000, 0), "overloaded")
  })

  it("queues twice as many calls as there are permits while calls take long", () => {
    const clock = { now: 0 }
    const fairPermits = new FairPermits(PERMITS, 1_000, 1_000_000, () => clock.now)
    for (let nth = 0; nth < PERMITS; nth++) fairPermits.tryAcquire(1)
    for (let nth = 0; nth < 1_000; nth++) {
      fairPermits.release(1, BURST_WAIT_MS)
      fairPermits.tryAcquire(1)
    }
    for (let nth = 0; nth < 2 * PERMITS; nth++) {
      assert.isUndefined(fairPermits.findRejection(1, 0))
      fairPermits.enqueue(toCall(1))
    }
    assert.strictEqual(fairPermits.findRejection(1, 0), "overloaded")
  })

  it("estimates the duration of a call from the time without a release", () => {
    const { clock, fairPermits, enqueueCalls } = makeHeldPermits()
    enqueueCalls(1, 6 * PERMITS)
    clock.now += OVERLOADED_AFTER_MS - 1
    assert.isUndefined(fairPermits.findRejection(1, 0))
    clock.now += 1
    assert.strictEqual(fairPermits.findRejection(1, 0), "overloaded")
  })
})

describe("a call that would wait too long", () => {
  it.effect("is rejected at once with Retry-After, by findRejection and by withPermit", () =>
    Effect.gen(function* () {
      const limiter = yield* ConcurrencyLimiter
      const work = (ms: number) => limiter.withPermit(1, Effect.sleep(ms))
      const first = yield* Effect.forkChild(work(CALL_MS), { startImmediately: true })
      yield* TestClock.adjust(CALL_MS)
      yield* Fiber.join(first)
      const end = yield* Deferred.make<void>()
      yield* Effect.forkChild(limiter.withPermit(1, Deferred.await(end)), { startImmediately: true })
      assert.isUndefined(limiter.findRejection(1))
      const burst = BURST_WAIT_MS / CALL_MS
      for (let nth = 0; nth < burst; nth++) yield* Effect.forkChild(work(CALL_MS), { startImmediately: true })
      assert.isTrue(isPermitRejection(limiter.findRejection(1)))
      const rejection = yield* Effect.flip(work(CALL_MS))
      assert.isTrue(isPermitRejection(rejection))
      assert.isAbove(rejection.retryAfter ?? 0, 0)
      // A call of another operator waits for one call only.
      assert.isUndefined(limiter.findRejection(2))
    }).pipe(Effect.provide(ConcurrencyLimiter.layer(1)))
  )
})
