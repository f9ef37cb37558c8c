import ical, {
  escape as escapedText,
  foldLines,
  ICalCalendarMethod,
  ICalEventBusyStatus,
  ICalEventTransparency
} from "ical-generator"

export const ICALENDAR_TYPE = "text/calendar; charset=utf-8"

interface IcalendarHeader {
  readonly name?: string
  readonly product: string
  readonly refreshSeconds: number
}

/** A calendar needs at least one component, even without events (RFC 5545 section 3.6). */
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

export const ICALENDAR_END = `${END_LINE}\r\n`

interface IcalendarBusyPeriod {
  readonly uid: string
  readonly summary: string
  /** Each becomes one line, even if it has line breaks. */
  readonly descriptionLines?: ReadonlyArray<string>
  readonly start: string
  /** The day after the last busy day. */
  readonly end: string
}

export const renderBusyEvents = (periods: ReadonlyArray<IcalendarBusyPeriod>, stamp: Date): string => {
  const calendar = ical()
  const events = periods.map(({ uid, summary, descriptionLines, start, end }) =>
    calendar
      .createEvent({
        id: uid,
        stamp,
        start: toUtcMidnight(start),
        end: toUtcMidnight(end),
        allDay: true,
        summary: toOneLine(summary),
        ...(descriptionLines === undefined ? {} : { description: descriptionLines.map(toOneLine).join("\n") }),
        transparency: ICalEventTransparency.OPAQUE,
        busystatus: ICalEventBusyStatus.BUSY
      })
      .toString()
  )
  return foldLines(events.join(""))
}

const toUtcMidnight = (date: string): Date => new Date(`${date}T00:00:00Z`)

const toOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
