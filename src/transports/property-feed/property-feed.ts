import { hash } from "node:crypto"
import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { Places } from "../../admission/concurrency/Places.ts"
import { windowOf } from "../../admission/windows/window.ts"
import type { Answer } from "../../contract/envelope.ts"
import { FEED_ENDING, FEEDS_PREFIX } from "../../domain/calendars/property-feeds/address.ts"
import { type OpenedFeed, PropertyFeeds } from "../../domain/calendars/property-feeds/PropertyFeeds.ts"
import { PublicUrl } from "../../platform/installation.ts"
import { PROPERTY_FEED_READS_A_MINUTE } from "../../platform/limits.ts"
import { makeCounting } from "../pages/counting.ts"
import { PRIVATE_HEADERS } from "../pages/document.ts"
import { ICALENDAR_TYPE } from "../pages/icalendar.ts"
import { namesIt } from "../pages/if-none-match.ts"
import { isLooking, onlyLooking, plainText, recorded, retryAfter } from "../pages/secret-address.ts"
import { feedText } from "./text.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Who keeps it asks each time whether it still holds: what a reader was told is known only of reads that come here. */
const FEED_HEADERS = {
  ...PRIVATE_HEADERS,
  "cache-control": "private, no-cache",
  "content-disposition": 'inline; filename="calendar.ics"'
}

const MINUTE = windowOf("1m")

const bucketOf = ({ operator_id, id }: OpenedFeed) => ({
  key: `{op:${operator_id}}:property_feed:${id}`,
  scope: "property_feed" as const,
  window: MINUTE,
  max: PROPERTY_FEED_READS_A_MINUTE
})

/** The token in a path below {@link FEEDS_PREFIX}; the query says nothing. */
const tokenIn = (url: string): string => {
  const [path = ""] = url.split("?", 1)
  return path.endsWith(FEED_ENDING) ? path.slice(FEEDS_PREFIX.length, -FEED_ENDING.length) : ""
}

/** The text under its own name, a strong one: of its bytes. Who names it has it already. */
const feedResponse = (text: string, ifNoneMatch: string | undefined): Response => {
  const etag = `"${hash("sha256", text, "base64url").slice(0, 32)}"`
  const headers = { ...FEED_HEADERS, etag }
  return ifNoneMatch !== undefined && namesIt(ifNoneMatch, etag)
    ? HttpServerResponse.empty({ status: 304, headers })
    : HttpServerResponse.text(text, { contentType: ICALENDAR_TYPE, headers })
}

/** What marketplaces read of a property, below {@link FEEDS_PREFIX}: the address is the only credential. */
export const makePropertyFeed = Effect.gen(function* () {
  const feeds = yield* PropertyFeeds
  const places = yield* Places
  const counted = yield* makeCounting
  const host = new URL(yield* PublicUrl).hostname

  const show = Effect.fnUntraced(function* (feed: OpenedFeed, token: string, request: HttpServerRequest) {
    const content = yield* feeds.read(feed)
    if (Option.isNone(content)) return noSuchFeed
    const response = feedResponse(feedText(content.value.busy, feed, { token, host }), request.headers["if-none-match"])
    // HEAD tells nothing. Who is answered 304 is told too: that what there is now is what it has.
    if (request.method === "GET") yield* feeds.tell(feed, content.value)
    return response
  })

  const answer = Effect.fnUntraced(function* (request: HttpServerRequest) {
    const token = tokenIn(request.url)
    const feed = yield* feeds.open(token)
    if (Option.isNone(feed)) return noSuchFeed
    const wait = yield* counted(bucketOf(feed.value))
    if (Option.isSome(wait)) return tooMany(wait.value)
    return yield* places.within(feed.value.operator_id, show(feed.value, token, request))
  })

  return (request: HttpServerRequest): Effect.Effect<Response> =>
    isLooking(request)
      ? recorded(request, "property feed", answer(request), { busy, failed })
      : Effect.succeed(onlyLooking)
})

/** What this door answers that may not be opened as it was asked for: over plain HTTP. */
export const feedRefusal = ({ envelope }: Answer): Response => plainText(`${envelope.error_msg}\n`, envelope.error_code)

const noSuchFeed = plainText("There is no such feed.\n", 404)
const failed = plainText("The feed cannot be read now: try again later.\n", 500)
const busy = (seconds: number) =>
  retryAfter(plainText("The service is busy: wait for Retry-After seconds.\n", 503), seconds)
const tooMany = (seconds: number) =>
  retryAfter(plainText("Too many requests: wait for Retry-After seconds.\n", 429), seconds)
