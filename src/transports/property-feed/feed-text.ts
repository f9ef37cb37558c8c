import { hash } from "node:crypto"
import { startOfDay } from "../../contract/time.ts"
import type { PropertyFeed } from "../../domain/calendars/property-feeds/PropertyFeeds.ts"
import type { FeedBusyPeriod } from "../../domain/calendars/property-feeds/rules.ts"
import { ICALENDAR_END, renderBusyEvents, renderIcalendarStart } from "../pages/icalendar.ts"

export interface PropertyFeedSource {
  readonly token: string
  readonly host: string
}

/** Like the feeds of marketplaces, events contain no names of guests or properties. */
const EVENT_SUMMARIES = { stay: "Reserved", closed: "Not available", "not let": "Not available" } as const

const FEED_START = renderIcalendarStart({ product: "Property feed", refreshSeconds: 15 * 60 })

/** The events' time stamp is the start of the operator's day. So equal content gives equal text for the whole day. */
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

export type FeedDay = Pick<PropertyFeed, "today" | "time_zone">

// The reader knows the hashed values, so the hash reveals nothing. For an inactive property the hash leaves out the
// start, which moves with the feed's first day.
const eventUid = ({ token, host }: PropertyFeedSource, reason: FeedBusyPeriod["reason"], start: string): string =>
  `${hash("sha256", `${token} ${reason} ${reason === "not let" ? "" : start}`).slice(0, 32)}@${host}`
