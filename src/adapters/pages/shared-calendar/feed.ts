import { createHash } from "node:crypto"
import ical, {
  escape as escapedText,
  ICalCalendarMethod,
  ICalEventBusyStatus,
  ICalEventTransparency
} from "ical-generator"
import { SHARED_FEED_REFRESH_SECONDS } from "../../../limits.ts"
import { takenStretches } from "../../../resources/calendar-share-links/rules.ts"
import type { SharedCalendar } from "../../../resources/calendar-share-links/SharedCalendars.ts"
import { calendarName } from "./page.ts"

/** What tells the events of a feed from those of any other. */
export interface FeedSource {
  readonly token: string
  /** Host of the service. */
  readonly host: string
}

/**
 * The calendar as an iCalendar feed (RFC 5545): one event a taken stretch, from its first night to the day its last night
 * ends, without a word about why. An event keeps its UID as long as its stretch begins on the same day.
 */
export const feedOf = (calendar: SharedCalendar, source: FeedSource, now: Date): string => {
  const feed = ical({
    // The library escapes the texts of events, but not the name.
    name: escapedText(oneLine(calendarName(calendar)), false),
    prodId: { company: "Latchkey", product: "Shared calendar", language: "EN" },
    method: ICalCalendarMethod.PUBLISH,
    ttl: SHARED_FEED_REFRESH_SECONDS
  })
  for (const { id, title, days } of calendar.properties) {
    for (const { start, end } of takenStretches(days)) {
      feed.createEvent({
        id: uidOf(source, id, start),
        stamp: now,
        start: midnight(start),
        end: midnight(end),
        allDay: true,
        summary: `${oneLine(title)} – not available`,
        transparency: ICalEventTransparency.OPAQUE,
        busystatus: ICalEventBusyStatus.BUSY
      })
    }
  }
  // The library leaves out the end of the last line.
  return `${feed.toString()}\r\n`
}

// Hashed, because it would else tell ids that are nobody's business.
const uidOf = ({ token, host }: FeedSource, propertyId: number, start: string): string =>
  `${createHash("sha256").update(`${token} ${propertyId} ${start}`).digest("hex").slice(0, 32)}@${host}`

const midnight = (date: string): Date => new Date(`${date}T00:00:00Z`)

const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, " ")
