import ical, {
  escape as escapedText,
  foldLines,
  ICalCalendarMethod,
  ICalEventBusyStatus,
  ICalEventTransparency
} from "ical-generator"

// What our iCalendar feeds (RFC 5545) are made of: a beginning, all-day events, an end.

export const ICALENDAR_TYPE = "text/calendar; charset=utf-8"

export interface Heading {
  /** Undefined: it is called by its address. */
  readonly name?: string
  readonly product: string
  /** Seconds after which it is to be fetched again. */
  readonly refreshSeconds: number
}

/** A calendar has at least one component (RFC 5545, 3.6), also one without an event: a zone that nothing refers to. */
const ZONE = [
  "BEGIN:VTIMEZONE",
  "TZID:Etc/UTC",
  "BEGIN:STANDARD",
  "DTSTART:19700101T000000",
  "TZOFFSETFROM:+0000",
  "TZOFFSETTO:+0000",
  "TZNAME:UTC",
  "END:STANDARD",
  "END:VTIMEZONE",
  ""
].join("\r\n")

const END = "END:VCALENDAR"

/** All that comes before the events. */
export const icalendarBeginning = ({ name, product, refreshSeconds }: Heading): string => {
  const calendar = ical({
    // The library escapes the texts of events, but not the name.
    ...(name === undefined ? {} : { name: escapedText(oneLine(name), false) }),
    prodId: { company: "Latchkey", product, language: "EN" },
    method: ICalCalendarMethod.PUBLISH,
    ttl: refreshSeconds
  })
  return `${calendar.toString().slice(0, -END.length)}${ZONE}`
}

/** All that comes after the events. */
export const ICALENDAR_END = `${END}\r\n`

/** Days on which somebody is busy. */
export interface BusyDays {
  readonly uid: string
  readonly summary: string
  readonly start: string
  /** Exclusive. */
  readonly end: string
}

/** Each as an all-day event. */
export const busyEvents = (all: ReadonlyArray<BusyDays>, stamp: Date): string => {
  const calendar = ical()
  const events = all.map(({ uid, summary, start, end }) =>
    calendar
      .createEvent({
        id: uid,
        stamp,
        start: midnight(start),
        end: midnight(end),
        allDay: true,
        summary: oneLine(summary),
        transparency: ICalEventTransparency.OPAQUE,
        busystatus: ICalEventBusyStatus.BUSY
      })
      .toString()
  )
  return foldLines(events.join(""))
}

const midnight = (date: string): Date => new Date(`${date}T00:00:00Z`)

const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, " ")
