import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { type Backoff, backoffMs, nextAttemptAt } from "../../src/jobs/retries.ts"

const backoff: fc.Arbitrary<Backoff> = fc.record({
  firstMs: fc.integer({ min: 1, max: 60_000 }),
  longestMs: fc.integer({ min: 60_000, max: 24 * 60 * 60 * 1000 }),
  jitter: fc.double({ min: 0, max: 1, noNaN: true })
})
const random = fc.double({ min: 0, max: 1, noNaN: true })

describe("a backoff", () => {
  it("doubles from the first pause to the longest, and stays there however often it is asked", () => {
    fc.assert(
      fc.property(backoff, fc.integer({ min: 1, max: 100_000 }), (each, nth) => {
        assert.strictEqual(backoffMs(each, 1), each.firstMs)
        assert.strictEqual(backoffMs(each, nth + 1), Math.min(2 * backoffMs(each, nth), each.longestMs))
      })
    )
  })

  it("is spread to both sides by its jitter and no further", () => {
    fc.assert(
      fc.property(backoff, fc.integer({ min: 1, max: 40 }), random, (each, nth, dice) => {
        const steady = backoffMs(each, nth)
        assert.isAtMost(Math.abs(backoffMs(each, nth, dice) - steady), steady * each.jitter + 1)
        assert.closeTo(backoffMs(each, nth, 0), steady * (1 - each.jitter), 1)
        assert.closeTo(backoffMs(each, nth, 1), steady * (1 + each.jitter), 1)
      })
    )
  })
})

describe("work that failed", () => {
  it("is due again after its pause as often as it has tries, and then is a dead letter", () => {
    fc.assert(
      fc.property(backoff, fc.integer({ min: 1, max: 30 }), random, (each, maxAttempts, dice) => {
        const now = Date.parse("2031-02-03T04:05:06Z")
        const next = (failures: number) => nextAttemptAt({ backoff: each, maxAttempts }, failures, now, dice)
        for (let failures = 1; failures < maxAttempts; failures++) {
          assert.strictEqual(next(failures)?.getTime(), now + backoffMs(each, failures, dice))
        }
        assert.isUndefined(next(maxAttempts))
        assert.isUndefined(next(maxAttempts + 1))
      })
    )
  })
})
