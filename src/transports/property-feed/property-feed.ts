import { hash } from "node:crypto"
import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { ConcurrencyLimiter } from "../../admission/concurrency/ConcurrencyLimiter.ts"
import { windowOf } from "../../admission/windows/rate-window.ts"
import type { ServiceResponse } from "../../contract/envelope.ts"
import { FEED_SUFFIX, FEEDS_PREFIX } from "../../domain/calendars/property-feeds/feed-url.ts"
import { type PropertyFeed, PropertyFeeds } from "../../domain/calendars/property-feeds/PropertyFeeds.ts"
import { PublicUrl } from "../../platform/installation.ts"
import { PROPERTY_FEED_READS_A_MINUTE } from "../../platform/limits.ts"
import { matchesEtag } from "../http/caching.ts"
import { PRIVATE_PAGE_HEADERS } from "../pages/html-page.ts"
import { ICALENDAR_TYPE } from "../pages/icalendar.ts"
import { makeRateLimiter } from "../pages/rate-limiter.ts"
import {
  isReadMethod,
  methodNotAllowed,
  plainTextResponse,
  traceAndLogResponse,
  withRetryAfter
} from "../pages/secret-url-responses.ts"
import { renderFeedText } from "./feed-text.ts"
import { renderHouseFeedText } from "./house-feed-text.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Readers must revalidate, because their requests show the service which version they have. */
const FEED_HEADERS = {
  ...PRIVATE_PAGE_HEADERS,
  "cache-control": "private, no-cache",
  "content-disposition": 'inline; filename="calendar.ics"'
}

/** Caches must not store guest data. */
const HOUSE_FEED_HEADERS = { ...FEED_HEADERS, "cache-control": "private, no-store" }

const MINUTE = windowOf("1m")

const toRateLimitBucket = ({ operator_id, id }: PropertyFeed) => ({
  key: `{op:${operator_id}}:property_feed:${id}`,
  scope: "property_feed" as const,
  window: MINUTE,
  max: PROPERTY_FEED_READS_A_MINUTE
})

const readToken = (url: string): string => {
  const [path = ""] = url.split("?", 1)
  return path.endsWith(FEED_SUFFIX) ? path.slice(FEEDS_PREFIX.length, -FEED_SUFFIX.length) : ""
}

const toFeedResponse = (text: string, feedHeaders: typeof FEED_HEADERS, ifNoneMatch: string | undefined): Response => {
  const etag = `"${hash("sha256", text, "base64url").slice(0, 32)}"`
  const headers = { ...feedHeaders, etag }
  return ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, etag)
    ? HttpServerResponse.empty({ status: 304, headers })
    : HttpServerResponse.text(text, { contentType: ICALENDAR_TYPE, headers })
}

/** The secret URL is the only credential of the feed. */
export const makePropertyFeedHandler = Effect.gen(function* () {
  const feeds = yield* PropertyFeeds
  const limiter = yield* ConcurrencyLimiter
  const checkRateLimit = yield* makeRateLimiter
  const host = new URL(yield* PublicUrl).hostname

  const renderFeed = Effect.fnUntraced(function* (feed: PropertyFeed, token: string, request: HttpServerRequest) {
    const ifNoneMatch = request.headers["if-none-match"]
    if (feed.houseCalendar !== null) {
      const houseText = renderHouseFeedText(yield* feeds.readHouseEvents(feed, feed.houseCalendar), feed, {
        token,
        host
      })
      return toFeedResponse(houseText, HOUSE_FEED_HEADERS, ifNoneMatch)
    }
    const content = yield* feeds.read(feed)
    if (Option.isNone(content)) return notFoundResponse
    const text = renderFeedText(content.value.busyPeriods, feed, { token, host })
    const response = toFeedResponse(text, FEED_HEADERS, ifNoneMatch)
    // After a 200 or 304 the reader has the current content, which the service records. HEAD transfers no content.
    if (request.method === "GET") yield* feeds.recordRead(feed, content.value)
    return response
  })

  const respond = Effect.fnUntraced(function* (request: HttpServerRequest) {
    const token = readToken(request.url)
    const feed = yield* feeds.open(token)
    if (Option.isNone(feed)) return notFoundResponse
    const retryAfterWait = yield* checkRateLimit(toRateLimitBucket(feed.value))
    if (Option.isSome(retryAfterWait)) return toTooManyResponse(retryAfterWait.value)
    return yield* limiter.withPermit(feed.value.operator_id, renderFeed(feed.value, token, request))
  })

  return (request: HttpServerRequest): Effect.Effect<Response> =>
    isReadMethod(request)
      ? traceAndLogResponse(request, "property feed", respond(request), { toBusyResponse, failedResponse })
      : Effect.succeed(methodNotAllowed)
})

export const toFeedErrorResponse = ({ envelope }: ServiceResponse): Response =>
  plainTextResponse(`${envelope.error_msg}\n`, envelope.error_code)

const notFoundResponse = plainTextResponse("There is no such feed.\n", 404)
const failedResponse = plainTextResponse("The feed cannot be read now: try again later.\n", 500)
const toBusyResponse = (seconds: number) =>
  withRetryAfter(plainTextResponse("The service is busy: wait for Retry-After seconds.\n", 503), seconds)
const toTooManyResponse = (seconds: number) =>
  withRetryAfter(plainTextResponse("Too many requests: wait for Retry-After seconds.\n", 429), seconds)
