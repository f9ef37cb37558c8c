import { hash } from "node:crypto"
import { startOfDay } from "../../contract/time.ts"
import type { OpenedFeed } from "../../domain/calendars/property-feeds/PropertyFeeds.ts"
import type { Busy } from "../../domain/calendars/property-feeds/rules.ts"
import { busyEvents, ICALENDAR_END, icalendarBeginning } from "../pages/icalendar.ts"

/** What tells the events of a feed from those of any other. */
interface FeedSource {
  readonly token: string
  /** Host of the service. */
  readonly host: string
}

/** As marketplaces put it in theirs: nothing about who comes, and nothing of what the host calls the property. */
const SUMMARY = { stay: "Reserved", closed: "Not available", "not let": "Not available" } as const

const BEGINNING = icalendarBeginning({ product: "Property feed", refreshSeconds: 15 * 60 })

/** A feed as it is sent. The same content is the same text the whole day of the merchant, whose beginning is its stamp. */
export const feedText = (busy: ReadonlyArray<Busy>, { today, time_zone }: Day, source: FeedSource): string => {
  const events = busy.map(({ reason, start, end }) => ({
    uid: uidOf(source, reason, start),
    summary: SUMMARY[reason],
    start,
    end
  }))
  return [BEGINNING, busyEvents(events, startOfDay(today, time_zone)), ICALENDAR_END].join("")
}

type Day = Pick<OpenedFeed, "today" | "time_zone">

// It has nothing in it that its reader does not know, so nothing can be found out by it. What is not let at all goes on so
// while the first day of the feed moves.
const uidOf = ({ token, host }: FeedSource, reason: Busy["reason"], start: string): string =>
  `${hash("sha256", `${token} ${reason} ${reason === "not let" ? "" : start}`).slice(0, 32)}@${host}`
