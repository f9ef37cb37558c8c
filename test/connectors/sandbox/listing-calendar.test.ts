import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import {
  applyInventories,
  applyPrices,
  applyRestrictions,
  findDay,
  indexDaysByDate
} from "../../../src/connectors/sandbox/listing-calendar.ts"
import type { SandboxListingRequest } from "../../../src/connectors/sandbox/marketplace-requests.ts"
import { createListing } from "../../../src/connectors/sandbox/new-listing.ts"
import { addDays } from "../../../src/contract/time.ts"
import type { DayRangeRestrictions } from "../../../src/domain/channels/port/listing-days.ts"
import { AVAILABILITY_END_DAYS, LISTING_RANGES_MAX } from "../../../src/platform/limits.ts"
import { measureProcessorTime } from "../../support/processor-time.ts"

const TODAY = "2027-05-01"
const opened: SandboxListingRequest = { channel_type: "booking.com" }
const listing = createListing(opened, "300-77", "EUR")
const noDays = indexDaysByDate(listing, [])

const spans = fc
  .tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 6 }))
  .map(([from, length]) => ({ start_date: addDays(TODAY, from), end_date: addDays(TODAY, from + length) }))
const restrictedRanges = fc.array(
  fc.tuple(
    spans,
    fc.record(
      { closed_on_arrival: fc.boolean(), min_stay_through: fc.integer({ min: 1, max: 9 }) },
      { requiredKeys: ["closed_on_arrival"] }
    )
  )
)

const names = (date: string) => (range: { readonly start_date: string; readonly end_date: string }) =>
  range.start_date <= date && date <= range.end_date

describe("what a host says of days", () => {
  it("is what the last range says that names a day", () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(spans, fc.integer({ min: 0, max: 9 })), { minLength: 1 }), (said) => {
        const ranges = said.map(([span, inventory]) => ({ ...span, inventory }))
        const days = indexDaysByDate(listing, Result.getOrThrow(applyInventories(listing, noDays, ranges, new Map())))
        for (let at = 0; at <= 30; at++) {
          const date = addDays(TODAY, at)
          assert.strictEqual(findDay(listing, days, date).offered, ranges.findLast(names(date))?.inventory ?? null)
        }
      })
    ))

  it("leaves each restriction that it does not name as the last range said it that did", () =>
    fc.assert(
      fc.property(restrictedRanges, (said) => {
        const ranges = said.map(([span, rules]): DayRangeRestrictions => ({ ...span, ...rules }))
        const days = indexDaysByDate(
          listing,
          Result.getOrThrow(applyRestrictions("booking.com", listing, noDays, ranges))
        )
        for (let at = 0; at <= 30; at++) {
          const date = addDays(TODAY, at)
          const expected = Object.assign(
            {},
            ...ranges.filter(names(date)).map(({ start_date: _start, end_date: _end, ...rules }) => rules)
          )
          assert.deepStrictEqual(findDay(listing, days, date).restrictions, expected)
        }
      })
    ))

  it("is soon reckoned, be it as much as one call can say: nobody else is served meanwhile", () => {
    const days = { start_date: TODAY, end_date: addDays(TODAY, AVAILABILITY_END_DAYS) }
    const ranges = Array.from({ length: LISTING_RANGES_MAX }, (_, at) => ({ ...days, price: at + 1 }))
    const { result: changed, processorMs } = measureProcessorTime(() =>
      Result.getOrThrow(applyPrices(listing, noDays, ranges))
    )
    assert.lengthOf(changed, AVAILABILITY_END_DAYS + 1)
    assert.isTrue(
      changed.every(({ price }) => price === String(LISTING_RANGES_MAX) || price === `${LISTING_RANGES_MAX}.00`)
    )
    // About 20 ms; a second and more where each day of each range is looked at as a date.
    assert.isBelow(processorMs, 400)
  })
})
