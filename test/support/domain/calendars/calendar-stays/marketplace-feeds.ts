// Feeds in the shapes that marketplaces write, with invented bookings. All dates lie after TODAY of import-service.ts.

export interface MarketplaceEvent {
  readonly uid?: string
  readonly start: string
  readonly end: string
  readonly summary: string
  readonly description?: string
}

const toBasicDate = (date: string): string => date.replaceAll("-", "")

const toFeed = (header: ReadonlyArray<string>, events: ReadonlyArray<ReadonlyArray<string>>): string =>
  ["BEGIN:VCALENDAR", ...header, ...events.flat(), "END:VCALENDAR", ""].join("\r\n")

/** Airbnb writes DTEND first, folds long lines, and escapes line breaks. */
export const toAirbnbFeed = (...events: ReadonlyArray<MarketplaceEvent>): string =>
  toFeed(
    ["PRODID;X-RICAL-TZSOURCE=TZINFO:-//Airbnb Inc//Hosting Calendar 1.0//EN", "CALSCALE:GREGORIAN", "VERSION:2.0"],
    events.map(({ uid = "none@airbnb.com", start, end, summary, description }) => [
      "BEGIN:VEVENT",
      "DTSTAMP:20270420T091500Z",
      `DTEND;VALUE=DATE:${toBasicDate(end)}`,
      `DTSTART;VALUE=DATE:${toBasicDate(start)}`,
      `UID:${uid}`,
      ...(description === undefined ? [] : [`DESCRIPTION:${description.slice(0, 60)}`, ` ${description.slice(60)}`]),
      `SUMMARY:${summary}`,
      "END:VEVENT"
    ])
  )

export const toAirbnbBooking = (code: string, start: string, end: string, phoneDigits = "4711"): MarketplaceEvent => ({
  uid: `1418fb94e984-${code.toLowerCase()}@airbnb.com`,
  start,
  end,
  summary: "Reserved",
  description: `Reservation URL: https://www.airbnb.com/hosting/reservations/details/${code}\\nPhone Number (Last 4 Digits): ${phoneDigits}`
})

export const toAirbnbBlock = (uid: string, start: string, end: string): MarketplaceEvent => ({
  uid: `${uid}@airbnb.com`,
  start,
  end,
  summary: "Airbnb (Not available)"
})

/** Booking.com names neither guests nor bookings: bookings and blocks look alike. */
export const toBookingComFeed = (...events: ReadonlyArray<MarketplaceEvent>): string =>
  toFeed(
    ["VERSION:2.0", "PRODID:-//admin.booking.com//BOOKING//EN", "CALSCALE:GREGORIAN", "METHOD:PUBLISH"],
    events.map(({ uid = "none@booking.com", start, end, summary }) => [
      "BEGIN:VEVENT",
      `DTSTART;VALUE=DATE:${toBasicDate(start)}`,
      `DTEND;VALUE=DATE:${toBasicDate(end)}`,
      `UID:${uid}`,
      `SUMMARY:${summary}`,
      "END:VEVENT"
    ])
  )

/** Vrbo writes the first name of the guest, in the language of the host. */
export const toVrboFeed = (...events: ReadonlyArray<MarketplaceEvent>): string =>
  toFeed(
    ["VERSION:2.0", "CALSCALE:GREGORIAN", "PRODID:-//HomeAway.com, Inc.//EN"],
    events.map(({ uid = "6f49cda7-0000", start, end, summary }) => [
      "BEGIN:VEVENT",
      `UID:${uid}`,
      "DTSTAMP:20270420T091500Z",
      `DTSTART;VALUE=DATE:${toBasicDate(start)}`,
      `DTEND;VALUE=DATE:${toBasicDate(end)}`,
      `SUMMARY:${summary}`,
      "END:VEVENT"
    ])
  )

/** Smoobu writes the guest's name, and events of an hour for the check-in and the check-out. */
export const toSmoobuFeed = (...events: ReadonlyArray<MarketplaceEvent>): string =>
  toFeed(
    ["VERSION:2.0", "PRODID:-//Smoobu//Smoobu Calendar//EN"],
    events.map(({ uid = "smoobu", start, end, summary }) => [
      "BEGIN:VEVENT",
      `UID:${uid}`,
      "DTSTAMP:20270420T091500Z",
      `DTSTART;VALUE=DATE:${toBasicDate(start)}`,
      `DTEND;VALUE=DATE:${toBasicDate(end)}`,
      `SUMMARY:${summary}`,
      "END:VEVENT",
      "BEGIN:VEVENT",
      `UID:${uid}-in`,
      `DTSTART:${toBasicDate(start)}T150000`,
      `DTEND:${toBasicDate(start)}T160000`,
      `SUMMARY:Check-in ${summary}`,
      "END:VEVENT",
      "BEGIN:VEVENT",
      `UID:${uid}-out`,
      `DTSTART:${toBasicDate(end)}T100000`,
      `DTEND:${toBasicDate(end)}T110000`,
      `SUMMARY:Check-out ${summary}`,
      "END:VEVENT"
    ])
  )
