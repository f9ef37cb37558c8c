import ical, {
  escape as escapedText,
  foldLines,
  ICalCalendarMethod,
  ICalEventBusyStatus,
  ICalEventTransparency
} from "ical-generator"

// What our iCalendar feeds (RFC 5545) are made of: a beginning, all-day events, an end.

export const ICALENDAR_TYPE = "text/calendar; charset=utf-8"

interface IcalendarHeader {
  /** Undefined: it is called by its address. */
  readonly name?: string
  readonly product: string
  /** Seconds after which it is to be fetched again. */
  readonly refreshSeconds: number
}

/** A calendar has at least one component (RFC 5545, 3.6), also one without an event: a zone that nothing refers to. */
const UTC_TIME_ZONE = [
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

const END_LINE = "END:VCALENDAR"

/** All that comes before the events. */
export const renderIcalendarStart = ({ name, product, refreshSeconds }: IcalendarHeader): string => {
  const calendar = ical({
    // The library escapes the texts of events, but not the name.
    ...(name === undefined ? {} : { name: escapedText(toOneLine(name), false) }),
    prodId: { company: "Latchkey", product, language: "EN" },
    method: ICalCalendarMethod.PUBLISH,
    ttl: refreshSeconds
  })
  return `${calendar.toString().slice(0, -END_LINE.length)}${UTC_TIME_ZONE}`
}

/** All that comes after the events. */
export const ICALENDAR_END = `${END_LINE}\r\n`

/** Days on which somebody is busy. */
interface IcalendarBusyPeriod {
  readonly uid: string
  readonly summary: string
  readonly start: string
  /** Exclusive. */
  readonly end: string
}

/** Each as an all-day event. */
export const renderBusyEvents = (periods: ReadonlyArray<IcalendarBusyPeriod>, stamp: Date): string => {
  const calendar = ical()
  const events = periods.map(({ uid, summary, start, end }) =>
    calendar
      .createEvent({
        id: uid,
        stamp,
        start: toUtcMidnight(start),
        end: toUtcMidnight(end),
        allDay: true,
        summary: toOneLine(summary),
        transparency: ICalEventTransparency.OPAQUE,
        busystatus: ICalEventBusyStatus.BUSY
      })
      .toString()
  )
  return foldLines(events.join(""))
}

const toUtcMidnight = (date: string): Date => new Date(`${date}T00:00:00Z`)

const toOneLine = (text: string): string => text.replace(/\p{Cc}+/gu, " ")
