import { hash } from "node:crypto"
import ical, {
  escape as escapedText,
  foldLines,
  ICalCalendarMethod,
  ICalEventBusyStatus,
  ICalEventTransparency
} from "ical-generator"
import { takenStretches } from "../../../resources/calendar-share-links/rules.ts"
import type { SharedProperty } from "../../../resources/calendar-share-links/SharedCalendars.ts"

// An iCalendar feed (RFC 5545) in pieces, because a whole one can have two hundred thousand events: its beginning, the
// events of each property, its end.

/** What tells the events of a feed from those of any other. */
export interface FeedSource {
  readonly token: string
  /** Host of the service. */
  readonly host: string
}

/** Seconds after which a calendar is asked to fetch the feed again. */
const REFRESH_SECONDS = 60 * 60

const END = "END:VCALENDAR"

/** All that comes before the events. */
export const feedBeginning = (name: string): string => {
  const feed = ical({
    // The library escapes the texts of events, but not the name.
    name: escapedText(oneLine(name), false),
    prodId: { company: "Latchkey", product: "Shared calendar", language: "EN" },
    method: ICalCalendarMethod.PUBLISH,
    ttl: REFRESH_SECONDS
  })
  return feed.toString().slice(0, -END.length)
}

/** All that comes after the events. */
export const FEED_END = `${END}\r\n`

/**
 * One event a taken stretch of the property, from its first night to the day its last night ends, without a word about
 * why. An event keeps its UID as long as its stretch begins on the same day.
 */
export const eventsOf = ({ id, title, days }: SharedProperty, source: FeedSource, now: Date): string => {
  const calendar = ical()
  const summary = `${oneLine(title)} – not available`
  const events = takenStretches(days).map(({ start, end }) =>
    calendar
      .createEvent({
        id: uidOf(source, id, start),
        stamp: now,
        start: midnight(start),
        end: midnight(end),
        allDay: true,
        summary,
        transparency: ICalEventTransparency.OPAQUE,
        busystatus: ICalEventBusyStatus.BUSY
      })
      .toString()
  )
  return foldLines(events.join(""))
}

// Hashed, because it would else tell ids that are nobody's business.
const uidOf = ({ token, host }: FeedSource, propertyId: number, start: string): string =>
  `${hash("sha256", `${token} ${propertyId} ${start}`).slice(0, 32)}@${host}`

const midnight = (date: string): Date => new Date(`${date}T00:00:00Z`)

const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, " ")
