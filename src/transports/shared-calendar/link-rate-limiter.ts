import { Effect } from "effect"
import { type Bucket, windowOf } from "../../admission/windows/rate-window.ts"
import type { OpenedLink } from "../../domain/calendars/calendar-share-links/SharedCalendars.ts"
import { SHARED_FEEDS_A_MINUTE, SHARED_PAGES_A_MINUTE } from "../../platform/limits.ts"
import { makeRateLimiter } from "../pages/rate-limiter.ts"

const MINUTE = windowOf("1m")

const toRateLimitBucket = ({ operator_id, id }: OpenedLink, view: "page" | "feed"): Bucket => ({
  key: `{op:${operator_id}}:share_link:${id}:${view}`,
  scope: "share_link",
  window: MINUTE,
  max: view === "page" ? SHARED_PAGES_A_MINUTE : SHARED_FEEDS_A_MINUTE
})

/** Counts a view of a link; when there were too many this minute, the whole seconds until the next. */
export const makeLinkRateLimiter = Effect.map(
  makeRateLimiter,
  (checkRateLimit) => (link: OpenedLink, view: "page" | "feed") => checkRateLimit(toRateLimitBucket(link, view))
)
