import { Effect } from "effect"
import { type Bucket, windowOf } from "../../../gate/windows/window.ts"
import { SHARED_FEEDS_A_MINUTE, SHARED_PAGES_A_MINUTE } from "../../../limits.ts"
import type { OpenedLink } from "../../../resources/calendar-share-links/SharedCalendars.ts"
import { makeCounting } from "../counting.ts"

const MINUTE = windowOf("1m")

const bucketOf = ({ operator_id, id }: OpenedLink, view: "page" | "feed"): Bucket => ({
  key: `{op:${operator_id}}:share_link:${id}:${view}`,
  scope: "share_link",
  window: MINUTE,
  max: view === "page" ? SHARED_PAGES_A_MINUTE : SHARED_FEEDS_A_MINUTE
})

/** Counts a view of a link; when there were too many this minute, the whole seconds until the next. */
export const makeViews = Effect.map(
  makeCounting,
  (counted) => (link: OpenedLink, view: "page" | "feed") => counted(bucketOf(link, view))
)
