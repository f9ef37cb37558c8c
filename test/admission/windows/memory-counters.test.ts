import { assert, describe, it } from "@effect/vitest"
import { LIVE_BUCKETS, MemoryCounters } from "../../../src/admission/windows/memory-counters.ts"
import { type Bucket, type WindowLabel, windowOf } from "../../../src/admission/windows/rate-window.ts"

const bucket = (key: string, label: WindowLabel = "24h", max = 1): Bucket => ({
  key,
  scope: "conversation",
  window: windowOf(label),
  max
})
const DAY = 86_400_000

describe("the memory of the rate windows", () => {
  it("stays bounded over a day of a million distinct buckets, and is empty again a minute into the next", () => {
    const live = 1_000
    const lengths = ["5s", "60s", "30m", "2h", "24h"] as const
    const counts = new MemoryCounters(live)
    let largest = 0
    const CALLS = 200_000
    for (let call = 0; call < CALLS; call++) {
      const now = Math.floor((call * DAY) / CALLS)
      counts.admit(
        lengths.map((label) => bucket(`c${call}`, label)),
        [],
        now
      )
      largest = Math.max(largest, counts.size)
    }
    assert.isAtMost(largest, 2 * live * lengths.length)
    assert.isAbove(largest, live)
    counts.admit([bucket("next day")], [], DAY + 60_000)
    assert.strictEqual(counts.size, 1)
  })

  it("drops what expired at the next call a minute later, asked for or not", () => {
    const counts = new MemoryCounters()
    counts.count([bucket("a", "5s"), bucket("a", "60s"), bucket("a", "24h")], 0)
    assert.strictEqual(counts.size, 3)
    counts.admit([bucket("b", "24h")], [], 60_000)
    assert.strictEqual(counts.size, 2)
  })

  it(`counts ${LIVE_BUCKETS} buckets exactly and holds at most twice as many`, () => {
    const counts = new MemoryCounters()
    for (let at = 0; at < LIVE_BUCKETS; at++) counts.count([bucket(`k${at}`)], 0)
    const forgotten = () => {
      let found = 0
      for (let at = 0; at < LIVE_BUCKETS; at++) if (counts.admit([], [bucket(`k${at}`)], 0)._tag === "Admitted") found++
      return found
    }
    assert.strictEqual(forgotten(), 0)
    counts.count([bucket("one more")], 0)
    assert.strictEqual(counts.admit([], [bucket("one more")], 0)._tag, "Refused")
    for (let at = 0; at < 2 * LIVE_BUCKETS; at++) counts.count([bucket(`other${at}`)], 0)
    assert.isAtMost(counts.size, 2 * LIVE_BUCKETS)
    assert.strictEqual(forgotten(), LIVE_BUCKETS)
  })

  it("does not forget a full bucket whose owner keeps knocking", () => {
    const counts = new MemoryCounters(10)
    const banned = bucket("banned", "24h", 3)
    for (let at = 0; at < 3; at++) counts.count([banned], 0)
    for (let other = 0; other < 1_000; other++) {
      counts.count([bucket(`other${other}`)], 0)
      assert.strictEqual(counts.admit([banned], [], 0)._tag, "Refused")
    }
  })

  it("refuses no longer than a window when the clock was wrong and is set back", () => {
    const counts = new MemoryCounters()
    const years = 50 * 365 * DAY
    counts.count([bucket("a", "1m")], years)
    assert.strictEqual(counts.admit([bucket("a", "1m")], [], years)._tag, "Refused")
    assert.strictEqual(counts.admit([bucket("a", "1m")], [], 0)._tag, "Admitted")
    assert.strictEqual(counts.admit([bucket("a", "1m")], [], 59_999)._tag, "Refused")
    assert.strictEqual(counts.admit([bucket("a", "1m")], [], 60_000)._tag, "Admitted")
  })
})
