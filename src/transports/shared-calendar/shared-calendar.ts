import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { ConcurrencyLimiter } from "../../admission/concurrency/ConcurrencyLimiter.ts"
import { type Bucket, windowOf } from "../../admission/windows/rate-window.ts"
import type { ServiceResponse } from "../../contract/envelope.ts"
import { locatePage } from "../../domain/calendars/calendar-share-links/rules.ts"
import { type OpenedLink, SharedCalendars } from "../../domain/calendars/calendar-share-links/SharedCalendars.ts"
import { SHARED_CALENDAR_PREFIX, shareLinkUrl } from "../../domain/calendars/calendar-share-links/share-link-url.ts"
import { PublicUrl } from "../../platform/installation.ts"
import { SHARED_FEEDS_A_MINUTE, SHARED_PAGE_PROPERTIES_MAX, SHARED_PAGES_A_MINUTE } from "../../platform/limits.ts"
import { splitTarget } from "../http/paths.ts"
import { PRIVATE_PAGE_HEADERS, toPageResponse } from "../pages/html-page.ts"
import { ICALENDAR_TYPE } from "../pages/icalendar.ts"
import { makeRateLimiter } from "../pages/rate-limiter.ts"
import {
  isReadMethod,
  methodNotAllowed,
  plainTextResponse,
  traceAndLogResponse,
  withRetryAfter
} from "../pages/secret-url-responses.ts"
import {
  busyPage,
  failedPage,
  invalidLinkPage,
  notFoundPage,
  propertySection,
  rejectedPage,
  renderCalendarPage,
  tooManyRequestsPage
} from "./calendar-page.ts"
import { makeFeedOpener } from "./feed-stream.ts"
import { PAGES_MAX, PARTS_MAX, pagePosition, readNumberParam } from "./pagination.ts"
import { mapInSlices } from "./slices.ts"

const MINUTE = windowOf("1m")

const toRateLimitBucket = ({ operator_id, id }: OpenedLink, view: "page" | "feed"): Bucket => ({
  key: `{op:${operator_id}}:share_link:${id}:${view}`,
  scope: "share_link",
  window: MINUTE,
  max: view === "page" ? SHARED_PAGES_A_MINUTE : SHARED_FEEDS_A_MINUTE
})

const makeLinkRateLimiter = Effect.map(
  makeRateLimiter,
  (checkRateLimit) => (link: OpenedLink, view: "page" | "feed") => checkRateLimit(toRateLimitBucket(link, view))
)

const FEED_ENDING = ".ics"
const FEED_HEADERS = { ...PRIVATE_PAGE_HEADERS, "content-disposition": 'inline; filename="calendar.ics"' }

type Response = HttpServerResponse.HttpServerResponse

/** `position` is a page or part number, or undefined if no link can have that number. */
interface CalendarRequest {
  readonly token: string
  readonly position: number | undefined
}

/** Includes the current month. */
export const PAGE_MONTHS = 6

const makePageRenderer = (calendars: SharedCalendars["Service"], publicUrl: string) =>
  Effect.fnUntraced(function* (link: OpenedLink, { token, position: pageNumber }: CalendarRequest) {
    if (pageNumber === undefined) return toPageResponse(notFoundPage, 404)
    const { partNumber: part, offset } = locatePage(pageNumber)
    const { total, properties } = yield* calendars.listPropertiesPage(link, part)
    const pageProperties = properties.slice(offset, offset + SHARED_PAGE_PROPERTIES_MAX)
    if (pageProperties.length === 0 && pageNumber > 1) return toPageResponse(notFoundPage, 404)
    const propertyCalendars = yield* calendars.listDays(link, pageProperties, { pastMonths: 0, months: PAGE_MONTHS })
    const { today } = link
    const sections = yield* mapInSlices(propertyCalendars, (property, index) =>
      propertySection(property, index, { today, total })
    )
    const feedUrl = `${shareLinkUrl(publicUrl, token)}${FEED_ENDING}${part === 1 ? "" : `?part=${part}`}`
    const position = pagePosition(pageNumber, total)
    return toPageResponse(
      renderCalendarPage({ today, total, position, properties: propertyCalendars, feedUrl, part }, sections)
    )
  })

const makeFeedRenderer = (openFeed: Effect.Success<typeof makeFeedOpener>) =>
  Effect.fnUntraced(function* (link: OpenedLink, { token, position }: CalendarRequest) {
    const stream = position === undefined ? Option.none() : yield* openFeed(link, token, position)
    return Option.match(stream, {
      onNone: () => plainTextResponse("part: this feed has fewer parts.\n", 404),
      onSome: (body) => HttpServerResponse.stream(body, { contentType: ICALENDAR_TYPE, headers: FEED_HEADERS })
    })
  })

const parseCalendarRequest = (
  url: string
): { readonly view: "page" | "feed"; readonly calendarRequest: CalendarRequest } => {
  const [path, query] = splitTarget(url)
  const name = path.slice(SHARED_CALENDAR_PREFIX.length)
  if (!name.endsWith(FEED_ENDING)) {
    return { view: "page", calendarRequest: { token: name, position: readNumberParam(query, "page", PAGES_MAX) } }
  }
  const token = name.slice(0, -FEED_ENDING.length)
  return { view: "feed", calendarRequest: { token, position: readNumberParam(query, "part", PARTS_MAX) } }
}

/** Serves share links: a page, and with `.ics` a feed. The secret URL is the only credential. */
export const makeSharedCalendarHandler = Effect.gen(function* () {
  const calendars = yield* SharedCalendars
  const limiter = yield* ConcurrencyLimiter
  const checkRateLimit = yield* makeLinkRateLimiter
  const renderPage = makePageRenderer(calendars, yield* PublicUrl)
  const renderers = {
    page: (link: OpenedLink, calendarRequest: CalendarRequest) =>
      limiter.withPermit(link.operator_id, renderPage(link, calendarRequest)),
    feed: makeFeedRenderer(yield* makeFeedOpener)
  }

  const respond = Effect.fnUntraced(function* (view: "page" | "feed", calendarRequest: CalendarRequest) {
    const { invalidLinkResponse, toTooManyRequestsResponse } = ERROR_RESPONSES[view]
    const link = yield* calendars.open(calendarRequest.token)
    if (Option.isNone(link)) return invalidLinkResponse
    const retryAfterWait = yield* checkRateLimit(link.value, view)
    return Option.isSome(retryAfterWait)
      ? toTooManyRequestsResponse(retryAfterWait.value)
      : yield* renderers[view](link.value, calendarRequest)
  })

  return (request: HttpServerRequest): Effect.Effect<Response> => {
    if (!isReadMethod(request)) return Effect.succeed(methodNotAllowed)
    const { view, calendarRequest } = parseCalendarRequest(request.url)
    return traceAndLogResponse(request, `calendar ${view}`, respond(view, calendarRequest), ERROR_RESPONSES[view])
  }
})

export const toCalendarErrorResponse = ({ envelope }: ServiceResponse, request: HttpServerRequest): Response =>
  (request.url.split("?", 1)[0] ?? "").endsWith(FEED_ENDING)
    ? plainTextResponse(`${envelope.error_msg}\n`, envelope.error_code)
    : toPageResponse(rejectedPage(envelope.error_msg), envelope.error_code)

const PAGE_ERROR_RESPONSES = {
  toBusyResponse: (seconds: number) => withRetryAfter(toPageResponse(busyPage, 503), seconds),
  invalidLinkResponse: toPageResponse(invalidLinkPage, 404),
  failedResponse: toPageResponse(failedPage, 500),
  toTooManyRequestsResponse: (seconds: number) =>
    withRetryAfter(toPageResponse(tooManyRequestsPage(seconds), 429), seconds)
}

const FEED_ERROR_RESPONSES = {
  toBusyResponse: (seconds: number) =>
    withRetryAfter(plainTextResponse("The service is busy: wait for Retry-After seconds.\n", 503), seconds),
  invalidLinkResponse: plainTextResponse("Share link invalid.\n", 404),
  failedResponse: plainTextResponse("The calendar cannot be read now: try again later.\n", 500),
  toTooManyRequestsResponse: (seconds: number) =>
    withRetryAfter(plainTextResponse("Too many requests: wait for Retry-After seconds.\n", 429), seconds)
}

const ERROR_RESPONSES = { page: PAGE_ERROR_RESPONSES, feed: FEED_ERROR_RESPONSES }
