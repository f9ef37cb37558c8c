import { hash } from "node:crypto"
import { listUnavailablePeriods } from "../../domain/calendars/calendar-share-links/rules.ts"
import type { SharedProperty } from "../../domain/calendars/calendar-share-links/SharedCalendars.ts"
import { ICALENDAR_END, renderBusyEvents, renderIcalendarStart } from "../pages/icalendar.ts"

export interface SharedFeedSource {
  readonly token: string
  readonly host: string
}

const REFRESH_SECONDS = 60 * 60

export const renderFeedStart = (name: string): string =>
  renderIcalendarStart({ name, product: "Shared calendar", refreshSeconds: REFRESH_SECONDS })

export const FEED_END = ICALENDAR_END

/**
 * One event for each unavailable period, without the reason. The UID stays as long as the period begins on the same
 * day.
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

// The UID is a hash, so that it does not reveal the property id.
const eventUid = ({ token, host }: SharedFeedSource, propertyId: number, start: string): string =>
  `${hash("sha256", `${token} ${propertyId} ${start}`).slice(0, 32)}@${host}`
