import { Effect, Option } from "effect"
import { RateWindows } from "../../../gate/windows/RateWindows.ts"
import { type Bucket, windowOf } from "../../../gate/windows/window.ts"
import { SHARED_FEEDS_A_MINUTE, SHARED_PAGES_A_MINUTE } from "../../../limits.ts"
import type { OpenedLink } from "../../../resources/calendar-share-links/SharedCalendars.ts"

const MINUTE = windowOf("1m")

const bucketOf = ({ operator_id, id }: OpenedLink, view: "page" | "feed"): Bucket => ({
  key: `{op:${operator_id}}:share_link:${id}:${view}`,
  scope: "share_link",
  window: MINUTE,
  max: view === "page" ? SHARED_PAGES_A_MINUTE : SHARED_FEEDS_A_MINUTE
})

/**
 * Counts a view of a link; when there were too many this minute, the whole seconds until the next. Whoever has a link
 * needs no account, so what it may cost is counted by link. Addresses that open nothing are never counted: they cost one
 * look at an index, and would fill the memory of the windows.
 */
export const makeViews = Effect.gen(function* () {
  const windows = yield* RateWindows
  return (link: OpenedLink, view: "page" | "feed"): Effect.Effect<Option.Option<number>> =>
    Effect.map(windows.admit([bucketOf(link, view)], []), (admission) =>
      admission._tag === "Refused" ? Option.some(admission.retryAfterSeconds) : Option.none()
    )
})
