import { assert, describe, it } from "@effect/vitest"
import { fromDayNumber, toDayNumber } from "../../../../src/contract/time.ts"
import { toCalendarBookings } from "../../../../src/domain/calendars/imported-calendars/calendar-update.ts"
import { readFeed } from "../../../../src/domain/calendars/imported-calendars/reading/feed.ts"
import { CALENDAR_BOOKINGS_MAX, CALENDAR_GUEST_NAME_LENGTH } from "../../../../src/platform/limits.ts"
import {
  toAirbnbBlock,
  toAirbnbBooking,
  toAirbnbFeed,
  toBookingComFeed,
  toSmoobuFeed,
  toVrboFeed
} from "../../../support/domain/calendars/calendar-stays/marketplace-feeds.ts"
import { TODAY, toCalendarText } from "../../../support/domain/calendars/imported-calendars/import-service.ts"

const read = (feed: string, ownHost = "pms.example") => {
  const reading = readFeed(Buffer.from(feed), {
    zone: "Europe/Berlin",
    first: toDayNumber(TODAY),
    last: toDayNumber("2030-04-20"),
    ownHost
  })
  return reading.outcome === "read" ? reading : assert.fail(reading.reason)
}

/** The bookings of a feed: nights, then what is known. */
const bookingsOf = (feed: string) =>
  read(feed).bookings.events.flatMap(({ from, before, booking }) =>
    booking === undefined
      ? []
      : [
          [
            `${fromDayNumber(from)}/${fromDayNumber(before)}`,
            booking.guestName ?? "",
            booking.confirmationCode ?? "",
            booking.phoneDigits ?? ""
          ].join(" ")
        ]
  )

const allDay = (uid: string, start: string, end: string, ...lines: ReadonlyArray<string>) => [
  "BEGIN:VEVENT",
  `UID:${uid}`,
  `DTSTART;VALUE=DATE:${start}`,
  `DTEND;VALUE=DATE:${end}`,
  ...lines,
  "END:VEVENT"
]

describe("the bookings of a feed", () => {
  it("of Airbnb have a code and digits, and its blocks are none", () => {
    const feed = toAirbnbFeed(
      toAirbnbBooking("HMABCDEF12", "2027-05-01", "2027-05-04", "0815"),
      toAirbnbBlock("block", "2027-05-10", "2027-05-12"),
      { uid: "plain@airbnb.com", start: "2027-06-01", end: "2027-06-02", summary: "Reserved" }
    )
    assert.deepStrictEqual(bookingsOf(feed), ["2027-05-01/2027-05-04  HMABCDEF12 0815", "2027-06-01/2027-06-02   "])
    assert.strictEqual(read(feed).bookings.origin, "airbnb")
  })

  it("of Booking.com are none, because its bookings look like its blocks", () => {
    const feed = toBookingComFeed({
      uid: "a@booking.com",
      start: "2027-05-01",
      end: "2027-05-03",
      summary: "CLOSED - Not available"
    })
    assert.deepStrictEqual(bookingsOf(feed), [])
    assert.strictEqual(read(feed).bookings.origin, "booking.com")
    assert.lengthOf(read(feed).days, 2)
  })

  it("of Vrbo have a first name, in the language of the host", () => {
    const feed = toVrboFeed(
      { uid: "1", start: "2027-05-01", end: "2027-05-03", summary: "Reserved - Ada" },
      { uid: "2", start: "2027-05-04", end: "2027-05-05", summary: "Réservée - Mélanie" },
      { uid: "3", start: "2027-05-06", end: "2027-05-07", summary: "Blocked" }
    )
    assert.deepStrictEqual(bookingsOf(feed), ["2027-05-01/2027-05-03 Ada  ", "2027-05-04/2027-05-05 Mélanie  "])
  })

  it("of Smoobu have the guest's name, and its check-ins and check-outs are none", () => {
    const feed = toSmoobuFeed(
      { uid: "a", start: "2027-05-01", end: "2027-05-03", summary: "Ada Lovelace" },
      { uid: "b", start: "2027-05-10", end: "2027-05-12", summary: "Blocked" }
    )
    assert.deepStrictEqual(bookingsOf(feed), ["2027-05-01/2027-05-03 Ada Lovelace  "])
  })

  it("of any other program need one of the three signs", () => {
    const signs = [
      ["SUMMARY:Reserved"],
      ["SUMMARY:Guest", "DESCRIPTION:Confirmation code: ABC1234"],
      ["SUMMARY:Guest", "DESCRIPTION:Phone (last 4 digits): 1234"]
    ]
    for (const lines of signs) {
      assert.lengthOf(bookingsOf(toCalendarText(...allDay("a", "20270501", "20270503", ...lines))), 1, lines.join())
    }
    const others = [
      ["SUMMARY:Ada Lovelace"],
      ["SUMMARY:Not available"],
      ["SUMMARY:Owner", "DESCRIPTION:Confirmation code: ABC1234"],
      [],
      ["SUMMARY:Reserved", "STATUS:CANCELLED"],
      ["SUMMARY:Reserved", "RRULE:FREQ=WEEKLY;COUNT=2"]
    ]
    for (const lines of others) {
      assert.deepStrictEqual(
        bookingsOf(toCalendarText(...allDay("a", "20270501", "20270503", ...lines))),
        [],
        lines.join()
      )
    }
  })

  it("are none in our own feeds, also when another program repeats them", () => {
    const event = allDay(`${"0a".repeat(16)}@pms.example`, "20270501", "20270503", "SUMMARY:Reserved")
    assert.deepStrictEqual(bookingsOf(toCalendarText(...event)), [])
    assert.lengthOf(bookingsOf(toCalendarText(...event).replace("pms.example", "other.example")), 1)
    const ownFeed = toCalendarText(...allDay("x", "20270501", "20270503", "SUMMARY:Reserved")).replace(
      "-//Test//Test//EN",
      "-//Latchkey//Property feed//EN"
    )
    assert.deepStrictEqual(bookingsOf(ownFeed), [])
  })

  it("are at most as many as the limit", () => {
    const feedOf = (count: number) =>
      toCalendarText(
        ...Array.from({ length: count }, (_, index) =>
          allDay(`u${index}`, "20270501", "20270502", "SUMMARY:Reserved")
        ).flat()
      )
    assert.include(read(feedOf(CALENDAR_BOOKINGS_MAX)).bookings, { hasMore: false })
    const { events, hasMore } = read(feedOf(CALENDAR_BOOKINGS_MAX + 1)).bookings
    assert.isTrue(hasMore)
    assert.lengthOf(events, CALENDAR_BOOKINGS_MAX)
  })

  it("have names of at most the limit's length, on one line", () => {
    const feedOf = (name: string) =>
      toVrboFeed({ uid: "1", start: "2027-05-01", end: "2027-05-03", summary: `Reserved - ${name}` })
    const names = [CALENDAR_GUEST_NAME_LENGTH, CALENDAR_GUEST_NAME_LENGTH + 1].map((length) => "a".repeat(length))
    for (const name of names) assert.deepStrictEqual(bookingsOf(feedOf(name)), [`2027-05-01/2027-05-03 ${names[0]}  `])
    assert.deepStrictEqual(bookingsOf(feedOf("Ada\\nLovelace")), ["2027-05-01/2027-05-03 Ada Lovelace  "])
  })

  it("get the channel of the host's choice, the feed's host, or the program, in this order", () => {
    const parsed = read(toAirbnbFeed())
    const channelOf = (channel_type: "agoda" | null, host: string) =>
      toCalendarBookings({ channel_type, host }, parsed).channelType
    assert.strictEqual(channelOf("agoda", "www.vrbo.com"), "agoda")
    assert.strictEqual(channelOf(null, "www.vrbo.com"), "vrbo")
    assert.strictEqual(channelOf(null, "www.airbnb.co.uk"), "airbnb")
    assert.strictEqual(channelOf(null, "notairbnb.com"), "airbnb")
    assert.isUndefined(toCalendarBookings({ channel_type: null, host: "127.0.0.1" }, read(toSmoobuFeed())).channelType)
  })
})
