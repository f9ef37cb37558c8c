import { assert, describe, it } from "@effect/vitest"
import { Result, Struct } from "effect"
import fc from "fast-check"
import { addDays } from "../../../../src/contract/time.ts"
import { CALENDAR_PUSH_CHANNELS } from "../../../../src/domain/calendars/listing-calendars/contract.ts"
import {
  findCoveringRange,
  findUnsupportedRestrictions,
  keepSupportedRestrictions,
  parseAdvanceHours,
  validatePushDates,
  validateResponseSize,
  validateRestrictions
} from "../../../../src/domain/calendars/listing-calendars/rules.ts"
import { CHANNELS_BY_RESTRICTION } from "../../../../src/domain/channels/port/listing-days.ts"
import { AVAILABILITY_END_DAYS, LISTING_CALENDAR_DAYS } from "../../../../src/platform/limits.ts"

const TODAY = "2027-05-10"

const told = (result: Result.Result<unknown, { readonly message: string }>): string =>
  Result.match(result, { onFailure: ({ message }) => message.split(":", 1)[0] ?? "", onSuccess: () => "fits" })

const near = fc.integer({ min: -5, max: AVAILABILITY_END_DAYS + 5 })
const range = fc
  .tuple(near, near)
  .map(([first, last]) => ({ start_date: addDays(TODAY, first), end_date: addDays(TODAY, last) }))

const last = addDays(TODAY, AVAILABILITY_END_DAYS)

const expected = ({ start_date, end_date }: { start_date: string; end_date: string }): string | undefined => {
  if (end_date < start_date || end_date > last) return start_date < TODAY && end_date >= start_date ? "start" : "end"
  return start_date < TODAY ? "start" : undefined
}

describe("ranges of days", () => {
  it("lie in order, from today on and within three years; the first that does not is named by its place", () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 5 }), (ranges) => {
        const wrong = ranges.findIndex((each) => expected(each) !== undefined)
        const named = ranges[wrong]
        const field = named === undefined ? "fits" : `prices[${wrong}].${expected(named)}_date`
        assert.strictEqual(told(validatePushDates("prices", ranges, TODAY)), field)
      })
    )
  })

  it("span from the first day of any to the last of any", () => {
    fc.assert(
      fc.property(fc.array(range, { minLength: 1, maxLength: 5 }), (ranges) => {
        const span = findCoveringRange(ranges)
        assert(span !== undefined)
        assert.isTrue(ranges.every((each) => span.start_date <= each.start_date && each.end_date <= span.end_date))
        assert.include(
          ranges.map((each) => each.start_date),
          span.start_date
        )
        assert.include(
          ranges.map((each) => each.end_date),
          span.end_date
        )
      })
    )
    assert.isUndefined(findCoveringRange([]))
  })

  it("of several listings fill one answer and no more", () => {
    const over = (days: number) => ({ start: TODAY, end: addDays(TODAY, days - 1) })
    assert.strictEqual(told(validateResponseSize(100, over(LISTING_CALENDAR_DAYS / 100))), "fits")
    assert.strictEqual(told(validateResponseSize(100, over(LISTING_CALENDAR_DAYS / 100 + 1))), "listings")
  })
})

const days = { start_date: TODAY, end_date: TODAY }
const nights = fc.integer({ min: 1, max: 30 })
const advance = fc
  .tuple(fc.integer({ min: 0, max: 999 }), fc.option(fc.integer({ min: 0, max: 99 })))
  .map(([count, hours]) => ({
    text: `${count}D${hours === null ? "" : `${hours}H`}`,
    hours: count * 24 + (hours ?? 0)
  }))

const restrictions = fc
  .record(
    {
      closed_on_arrival: fc.boolean(),
      closed_on_departure: fc.boolean(),
      min_stay_on_arrival: nights,
      max_stay_on_arrival: nights,
      min_stay_through: nights,
      max_stay_through: nights,
      min_advance_reservation: advance.map(({ text }) => text),
      max_advance_reservation: advance.map(({ text }) => text),
      exact_stay_on_arrival: nights
    },
    { requiredKeys: [] }
  )
  .map((each) => ({ ...days, ...each }))

describe("restrictions", () => {
  it("are told to a channel as far as it honours them, in order, and no range without one", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CALENDAR_PUSH_CHANNELS),
        fc.array(restrictions, { maxLength: 4 }),
        (channel, ranges) => {
          const isHonoured = (name: string) =>
            Object.entries(CHANNELS_BY_RESTRICTION).some(
              ([each, by]) => each === name && by.some((type) => type === channel)
            )
          const wanted = ranges
            .map((each) => Object.entries(each).filter(([name]) => name in days || isHonoured(name)))
            .filter((fields) => fields.length > 2)
            .map((fields) => Object.fromEntries(fields))
          assert.deepStrictEqual(
            keepSupportedRestrictions(channel, ranges).map((each) => ({ ...each })),
            wanted
          )
        }
      )
    )
  })

  it("are dropped exactly where no range that a channel is told of has them", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CALENDAR_PUSH_CHANNELS),
        fc.array(restrictions, { maxLength: 4 }),
        (channel, ranges) => {
          const names = (of: ReadonlyArray<object>) => new Set(of.flatMap((each) => Object.keys(each)))
          const [sent, honoured] = [names(ranges), names(keepSupportedRestrictions(channel, ranges))]
          const dropped = Struct.keys(CHANNELS_BY_RESTRICTION).filter((name) => sent.has(name) && !honoured.has(name))
          assert.deepStrictEqual(findUnsupportedRestrictions(channel, ranges), dropped)
        }
      )
    )
  })

  it("of a range are at least one", () => {
    assert.strictEqual(
      told(validateRestrictions([{ ...days, closed_on_arrival: false }, days])),
      "restrictions[1].start_date"
    )
  })

  it("allow no maximum below its minimum", () => {
    fc.assert(
      fc.property(nights, nights, advance, advance, (least, most, soonest, latest) => {
        const sound = (fields: object) => told(validateRestrictions([{ ...days, ...fields }]))
        for (const kind of ["stay_on_arrival", "stay_through"])
          assert.strictEqual(
            sound({ [`min_${kind}`]: least, [`max_${kind}`]: most }),
            most < least ? `restrictions[0].max_${kind}` : "fits"
          )
        assert.strictEqual(
          sound({ min_advance_reservation: soonest.text, max_advance_reservation: latest.text }),
          latest.hours < soonest.hours ? "restrictions[0].max_advance_reservation" : "fits"
        )
      })
    )
  })

  it("in advance are days and hours", () => {
    fc.assert(fc.property(advance, ({ text, hours }) => assert.strictEqual(parseAdvanceHours(text), hours)))
  })
})
