import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { addDays, daysInRange } from "../../../../src/contract/time.ts"
import { isFeedToken, newFeedToken, toFeedUrl } from "../../../../src/domain/calendars/property-feeds/feed-url.ts"
import {
  type BusyDaysRow,
  feedDateRange,
  toBusyDateMultirange,
  toBusyPeriods
} from "../../../../src/domain/calendars/property-feeds/rules.ts"
import { AVAILABILITY_END_DAYS } from "../../../../src/platform/limits.ts"
import { redactSecrets } from "../../../../src/platform/telemetry/secret-redaction.ts"

const SPAN = { start: "2027-05-01", end: "2027-06-30" }
const TODAY = "2027-05-20"
const DAYS = daysInRange(SPAN.start, SPAN.end)

/** Of each day of the span, what there is: nothing, the stay 1 or 2, or it is closed. */
const kinds = fc.array(fc.constantFrom("free", 1, 2, "closed"), { minLength: DAYS, maxLength: DAYS })

const knownOf = (days: ReadonlyArray<string | number>): BusyDaysRow => {
  const held = days.flatMap((kind, day) => (typeof kind === "number" ? [{ day, kind }] : []))
  return {
    is_active: true,
    stay_days: held.map(({ day }) => day),
    stay_ids: held.map(({ kind }) => kind),
    unavailable_days: days.flatMap((kind, day) => (kind === "closed" ? [day] : [])),
    reported_days: "{}",
    is_report_recent: true
  }
}

const daysOf = (start: string, end: string) =>
  Array.from({ length: daysInRange(start, end) - 1 }, (_, day) => addDays(start, day))

describe("what is busy in a feed", () => {
  it("is each day that is not free, once, by a stay or another reason, in as few pieces as there are", () => {
    fc.assert(
      fc.property(kinds, (days) => {
        const busy = toBusyPeriods(knownOf(days), SPAN)
        const reasons = new Map(
          busy.flatMap(({ reason, start, end }) => daysOf(start, end).map((day) => [day, reason]))
        )
        assert.strictEqual(
          busy.reduce((sum, { start, end }) => sum + daysOf(start, end).length, 0),
          reasons.size
        )
        for (const [at, kind] of days.entries()) {
          const expected = typeof kind === "number" ? "stay" : kind === "closed" ? "closed" : undefined
          assert.strictEqual(reasons.get(addDays(SPAN.start, at)), expected)
        }
        const pieces = days.filter((kind, at) => kind !== "free" && kind !== days[at - 1]).length
        assert.strictEqual(busy.length, pieces)
        assert.deepStrictEqual(
          busy.map(({ start }) => start),
          busy.map(({ start }) => start).toSorted()
        )
      })
    )
  })

  it("is told as the days from today on, in stretches with a free day between them", () => {
    fc.assert(
      fc.property(kinds, (days) => {
        const told = toBusyDateMultirange(toBusyPeriods(knownOf(days), SPAN), TODAY)
        const stretches = Array.from(told.matchAll(/\[([\d-]+),([\d-]+)\)/g), ([, start = "", end = ""]) => ({
          start,
          end
        }))
        assert.deepStrictEqual(
          stretches.flatMap(({ start, end }) => daysOf(start, end)),
          days.flatMap((kind, at) => {
            const day = addDays(SPAN.start, at)
            return kind === "free" || day < TODAY ? [] : [day]
          })
        )
        for (const [at, { start }] of stretches.entries())
          assert.isTrue(at === 0 || (stretches[at - 1]?.end ?? "") < start)
      })
    )
  })

  it("is all of it, once, where the property is not let", () => {
    const known = { ...knownOf(Array.from({ length: DAYS }, () => 1)), is_active: false }
    const busy = toBusyPeriods(known, SPAN)
    assert.deepStrictEqual(busy, [{ reason: "not let", start: "2027-05-01", end: "2027-07-01" }])
    assert.strictEqual(toBusyDateMultirange(busy, TODAY), "{[2027-05-20,2027-07-01)}")
    assert.strictEqual(toBusyDateMultirange([], TODAY), "{}")
  })

  it("reaches from the month before this one to the last day that can be closed", () => {
    assert.deepStrictEqual(feedDateRange(TODAY), { start: "2027-04-01", end: addDays(TODAY, AVAILABILITY_END_DAYS) })
    assert.strictEqual(feedDateRange("2027-01-31").start, "2026-12-01")
  })
})

describe("the token of a feed", () => {
  it("has 130 random bits, is told from any other text, and leaves in no line of the log", () => {
    const tokens = Array.from({ length: 200 }, newFeedToken)
    assert.strictEqual(new Set(tokens).size, 200)
    for (const token of tokens) {
      assert.match(token, /^lkfeed_[0-9a-z]{26}$/)
      assert.isTrue(isFeedToken(token))
      assert.notInclude(redactSecrets(`GET ${toFeedUrl("https://api.example.test", token)}`), token.slice(7))
    }
    for (const odd of ["", "lkfeed_", `${tokens[0]}x`, ` ${tokens[0]}`, tokens[0]?.toUpperCase() ?? "", "lkcal_x"]) {
      assert.isFalse(isFeedToken(odd))
    }
  })
})
