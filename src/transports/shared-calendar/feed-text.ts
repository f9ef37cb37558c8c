import { hash } from "node:crypto"
import { listUnavailablePeriods } from "../../domain/calendars/calendar-share-links/rules.ts"
import type { SharedProperty } from "../../domain/calendars/calendar-share-links/SharedCalendars.ts"
import { ICALENDAR_END, renderBusyEvents, renderIcalendarStart } from "../pages/icalendar.ts"

// A feed in pieces, because a whole one can have two hundred thousand events: its beginning, the events of each property,
// its end.

/** What tells the events of a feed from those of any other. */
export interface SharedFeedSource {
  readonly token: string
  /** Host of the service. */
  readonly host: string
}

const REFRESH_SECONDS = 60 * 60

/** All that comes before the events. */
export const renderFeedStart = (name: string): string =>
  renderIcalendarStart({ name, product: "Shared calendar", refreshSeconds: REFRESH_SECONDS })

/** All that comes after the events. */
export const FEED_END = ICALENDAR_END

/**
 * One event a taken stretch of the property, from its first night to the day its last night ends, without a word about
 * why. An event keeps its UID as long as its stretch begins on the same day.
 */
export const renderPropertyEvents = (
  { id, title, days }: SharedProperty,
  source: SharedFeedSource,
  now: Date
): string =>
  renderBusyEvents(
    listUnavailablePeriods(days).map(({ start, end }) => ({
      uid: eventUid(source, id, start),
      summary: `${title} – not available`,
      start,
      end
    })),
    now
  )

// Hashed, because it would else tell ids that are nobody's business.
const eventUid = ({ token, host }: SharedFeedSource, propertyId: number, start: string): string =>
  `${hash("sha256", `${token} ${propertyId} ${start}`).slice(0, 32)}@${host}`
