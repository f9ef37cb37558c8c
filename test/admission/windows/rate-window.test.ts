import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import {
  retryAfterSeconds,
  type WindowLabel,
  windowEndSecond,
  windowIndex,
  windowOf
} from "../../../src/admission/windows/rate-window.ts"

const labels: ReadonlyArray<WindowLabel> = ["5s", "60s", "1m", "10m", "30m", "1h", "2h", "24h"]
const window = fc.constantFrom(...labels).map(windowOf)
const instant = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) })

describe("a window", () => {
  it("is as long as its label says", () => {
    assert.deepStrictEqual(
      labels.map((label) => windowOf(label).seconds),
      [5, 60, 60, 600, 1_800, 3_600, 7_200, 86_400]
    )
  })

  it("holds the instant, is aligned to the clock, and ends after whole seconds, at least one and at most its length", () => {
    fc.assert(
      fc.property(window, instant, (window, now) => {
        const release = windowEndSecond(window, now)
        const wait = retryAfterSeconds(window, now)
        assert.strictEqual(release % window.seconds, 0)
        assert.isAbove(release * 1_000, now)
        assert.isAtMost((release - window.seconds) * 1_000, now)
        assert.isTrue(Number.isInteger(wait) && wait >= 1 && wait <= window.seconds)
        // Whoever waits that long is in the next window, and a second earlier was not.
        assert.strictEqual(windowIndex(window, now + wait * 1_000), windowIndex(window, now) + 1)
        assert.isAtMost(now + (wait - 1) * 1_000, release * 1_000)
      })
    )
  })

  it("of a day is the UTC day", () => {
    const lastMillisecond = Date.UTC(2026, 2, 29, 23, 59, 59, 999)
    assert.strictEqual(retryAfterSeconds(windowOf("24h"), lastMillisecond), 1)
    assert.strictEqual(retryAfterSeconds(windowOf("24h"), lastMillisecond + 1), 86_400)
  })
})
