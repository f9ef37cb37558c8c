import { hash } from "node:crypto"
import { startOfDay } from "../../contract/time.ts"
import type { PropertyFeed } from "../../domain/calendars/property-feeds/PropertyFeeds.ts"
import type { FeedBusyPeriod } from "../../domain/calendars/property-feeds/rules.ts"
import { ICALENDAR_END, renderBusyEvents, renderIcalendarStart } from "../pages/icalendar.ts"

/** What tells the events of a feed from those of any other. */
interface PropertyFeedSource {
  readonly token: string
  /** Host of the service. */
  readonly host: string
}

/** As marketplaces put it in theirs: nothing about who comes, and nothing of what the host calls the property. */
const EVENT_SUMMARIES = { stay: "Reserved", closed: "Not available", "not let": "Not available" } as const

const FEED_START = renderIcalendarStart({ product: "Property feed", refreshSeconds: 15 * 60 })

/** A feed as it is sent. The same content is the same text the whole day of the merchant, whose beginning is its stamp. */
export const renderFeedText = (
  busyPeriods: ReadonlyArray<FeedBusyPeriod>,
  { today, time_zone }: FeedDay,
  source: PropertyFeedSource
): string => {
  const events = busyPeriods.map(({ reason, start, end }) => ({
    uid: eventUid(source, reason, start),
    summary: EVENT_SUMMARIES[reason],
    start,
    end
  }))
  return [FEED_START, renderBusyEvents(events, startOfDay(today, time_zone)), ICALENDAR_END].join("")
}

type FeedDay = Pick<PropertyFeed, "today" | "time_zone">

// It has nothing in it that its reader does not know, so nothing can be found out by it. What is not let at all goes on so
// while the first day of the feed moves.
const eventUid = ({ token, host }: PropertyFeedSource, reason: FeedBusyPeriod["reason"], start: string): string =>
  `${hash("sha256", `${token} ${reason} ${reason === "not let" ? "" : start}`).slice(0, 32)}@${host}`
