import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { HouseEvent } from "../../../src/domain/calendars/property-feeds/house-calendar/house-events.ts"
import { HOUSE_FEED_VALUE_LENGTH } from "../../../src/platform/limits.ts"
import { renderHouseFeedText } from "../../../src/transports/property-feed/house-feed-text.ts"
import { assertValidCalendar } from "../../support/icalendar.ts"
import { readRentalControlCalendar } from "../../support/rental-control.ts"

const DAY = { today: "2027-05-01", time_zone: "Europe/Lisbon" }
const SOURCE = { token: "lkfeed_00000000000000000000000000", host: "api.example.test" }

const makeEvent = (overrides: Partial<HouseEvent> = {}): HouseEvent => ({
  stayId: 2,
  checkInDate: "2027-05-04",
  checkOutDate: "2027-05-07",
  checkInTime: "15:00",
  checkOutTime: "11:00",
  guestName: "Ada Lovelace",
  bookingId: "HM12345678",
  numberOfGuests: 2,
  phone: "+351912345678",
  doorCode: "4711",
  ...overrides
})

const EMPTY = {
  guestName: undefined,
  bookingId: undefined,
  numberOfGuests: undefined,
  phone: undefined,
  doorCode: undefined
}

const render = (...events: ReadonlyArray<HouseEvent>): string => {
  const text = renderHouseFeedText(events, DAY, SOURCE)
  assertValidCalendar(text)
  return text
}

describe("the text of a house calendar", () => {
  it("has the lines that Rental Control reads", () => {
    const text = render(makeEvent())
    assert.deepInclude(readRentalControlCalendar(text)[0], {
      summary: "Ada Lovelace",
      start: "2027-05-04",
      end: "2027-05-07",
      slotName: "Ada Lovelace",
      bookingId: "HM12345678",
      guests: "2",
      phone: "+351912345678",
      lastFour: "4711",
      checkInTime: "15:00",
      checkOutTime: "11:00",
      doorCode: "4711"
    })
    assert.notInclude(text, SOURCE.token)
  })

  it("is what the guide shows", () => {
    const guide = readFileSync("docs/guides/house-calendar.md", "utf8")
    const sample = /```text\n(.*?)```/s.exec(guide)?.[1]?.trimEnd() ?? assert.fail("the guide has no sample")
    const text = render(
      makeEvent({
        checkInDate: "2027-05-10",
        checkOutDate: "2027-05-13",
        doorCode: "5678"
      })
    )
    const lines = text.replaceAll("\r\n ", "").split("\r\n")
    for (const line of sample.replaceAll("\n ", "").split("\n")) assert.include(lines, line)
  })

  it("has an Airbnb code that Rental Control reads without the suffix", () => {
    for (const bookingId of ["HM12345678", "HM12345678-2"]) {
      const [event] = readRentalControlCalendar(render(makeEvent({ guestName: undefined, bookingId })))
      assert.strictEqual(event?.slotName, "HM12345678")
    }
  })

  it("leaves Rental Control the phone number where there is no code of four digits", () => {
    for (const doorCode of [undefined, "99#", "12345"]) {
      assert.strictEqual(readRentalControlCalendar(render(makeEvent({ doorCode })))[0]?.lastFour, "5678")
    }
  })

  it("without chosen fields has dates, times and the word Reserved", () => {
    const [event] = readRentalControlCalendar(render(makeEvent(EMPTY)))
    assert.deepInclude(event, { summary: "Reserved", lines: ["Check-in: 15:00", "Check-out: 11:00"] })
    assert.isUndefined(event?.slotName)
  })

  it("without stays is a calendar all the same", () => {
    assert.deepStrictEqual(readRentalControlCalendar(render()), [])
  })

  it("keeps every text in its line, whatever it has", () => {
    const attacks = [
      "x\nDoor code: 0000",
      "x\r\nEND:VEVENT\r\nPhone: 000000000",
      "x\u2028Guests: 9",
      "a; b, \\ c\u0085d"
    ]
    const text = fc.oneof(fc.constantFrom(...attacks), fc.string({ unit: "binary", maxLength: 120 }))
    fc.assert(
      fc.property(text, text, text, (guestName, bookingId, doorCode) => {
        const events = readRentalControlCalendar(
          render(makeEvent({ guestName, bookingId: `A${bookingId}`, doorCode: `1${doorCode}` }))
        )
        assert.lengthOf(events, 1)
        const names = events[0]?.lines.map((line) => line.split(":")[0])
        const fixedNames = ["Check-in", "Check-out", "Booking ID", "Guests", "Phone", "Door code"]
        assert.deepStrictEqual(names?.slice(0, 6), fixedNames)
        assert.deepStrictEqual(names?.slice(6), /^[0-9]{3}$/.test(doorCode) ? ["Last 4 Digits"] : [])
      }),
      { numRuns: 150 }
    )
  })

  it(`cuts a value after ${HOUSE_FEED_VALUE_LENGTH} characters`, () => {
    for (const length of [HOUSE_FEED_VALUE_LENGTH, HOUSE_FEED_VALUE_LENGTH + 1]) {
      const [event] = readRentalControlCalendar(render(makeEvent({ guestName: "🏠".repeat(length) })))
      assert.strictEqual(event?.summary, "🏠".repeat(HOUSE_FEED_VALUE_LENGTH))
    }
  })

  it("keeps the UID of a stay until the address is replaced", () => {
    const uidOf = (token: string, stayId = 2) =>
      readRentalControlCalendar(renderHouseFeedText([makeEvent({ ...EMPTY, stayId })], DAY, { ...SOURCE, token }))[0]
        ?.uid
    const uid = readRentalControlCalendar(render(makeEvent({ checkInDate: "2027-05-05" })))[0]?.uid
    assert.strictEqual(uidOf(SOURCE.token), uid)
    assert.notStrictEqual(uidOf(SOURCE.token, 3), uid)
    assert.notStrictEqual(uidOf("lkfeed_11111111111111111111111111"), uid)
  })
})
