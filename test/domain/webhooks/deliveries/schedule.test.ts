import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { WEBHOOK_RETRIES } from "../../../../src/domain/webhooks/deliveries/delivery-attempt.ts"
import { backoffMs } from "../../../../src/jobs/retries.ts"
import { WEBHOOK_FIRST_RETRY_MS, WEBHOOK_LONGEST_RETRY_MS } from "../../../../src/platform/limits.ts"

const { maxAttempts } = WEBHOOK_RETRIES
const millis = (attempt: number, random: number) => backoffMs(WEBHOOK_RETRIES.backoff, attempt, random)
/** The pauses between the first try and the last. */
const pauses = Array.from({ length: maxAttempts - 1 }, (_, index) => index + 1)
const attempt = fc.integer({ min: 1, max: maxAttempts - 1 })
const random = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
const DAY = 24 * 60 * 60 * 1000

describe("the retry schedule", () => {
  it("comes back within 90 seconds the first time, whatever the dice say", () => {
    fc.assert(fc.property(random, (dice) => millis(1, dice) > 0 && millis(1, dice) < 90_000))
    expect(millis(1, 0.5)).toBe(WEBHOOK_FIRST_RETRY_MS)
  })

  it("never shortens its pauses, and never waits longer than its longest, without jitter", () => {
    for (const n of pauses) {
      expect(millis(n + 1, 0.5)).toBeGreaterThanOrEqual(millis(n, 0.5))
      expect(millis(n, 0.5)).toBeLessThanOrEqual(WEBHOOK_LONGEST_RETRY_MS)
    }
    expect(millis(maxAttempts - 1, 0.5)).toBe(WEBHOOK_LONGEST_RETRY_MS)
  })

  it("lasts about three days", () => {
    const total = pauses.reduce((sum, n) => sum + millis(n, 0.5), 0)
    expect(total).toBeGreaterThan(2.5 * DAY)
    expect(total).toBeLessThan(3.5 * DAY)
  })

  it("is spread by a quarter to both sides, and no further", () => {
    fc.assert(
      fc.property(attempt, random, (n, dice) => {
        const steady = millis(n, 0.5)
        return Math.abs(millis(n, dice) - steady) <= steady / 4 + 1
      })
    )
    expect(millis(3, 0)).toBe(millis(3, 0.5) * 0.75)
    expect(millis(3, 1)).toBe(millis(3, 0.5) * 1.25)
  })

  it("stays at its longest pause however often it is asked", () => {
    fc.assert(
      fc.property(fc.integer({ min: maxAttempts, max: 1_000_000 }), (n) => millis(n, 0.5) === WEBHOOK_LONGEST_RETRY_MS)
    )
  })
})
