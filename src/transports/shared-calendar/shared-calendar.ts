import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { Places } from "../../admission/concurrency/Places.ts"
import type { Answer } from "../../contract/envelope.ts"
import { addressOf, CALENDAR_PREFIX } from "../../domain/calendars/calendar-share-links/address.ts"
import { placeOfPage } from "../../domain/calendars/calendar-share-links/rules.ts"
import { type OpenedLink, SharedCalendars } from "../../domain/calendars/calendar-share-links/SharedCalendars.ts"
import { PublicUrl } from "../../platform/installation.ts"
import { SHARED_PAGE_PROPERTIES } from "../../platform/limits.ts"
import { partsOfTarget } from "../http/target.ts"
import { documentResponse, PRIVATE_HEADERS } from "../pages/document.ts"
import { ICALENDAR_TYPE } from "../pages/icalendar.ts"
import { isLooking, onlyLooking, plainText, recorded, retryAfter } from "../pages/secret-address.ts"
import { makeFeed } from "./feed-stream.ts"
import {
  busyPage,
  calendarPage,
  failedPage,
  invalidPage,
  noSuchPage,
  refusedPage,
  sectionOf,
  tooManyPage
} from "./page.ts"
import { askedNumber, PAGES_MAX, PARTS_MAX, pagePlace } from "./paging.ts"
import { inSlices } from "./slices.ts"
import { makeViews } from "./views.ts"

const FEED_ENDING = ".ics"
const FEED_HEADERS = { ...PRIVATE_HEADERS, "content-disposition": 'inline; filename="calendar.ics"' }

type Response = HttpServerResponse.HttpServerResponse

/** What is asked for: by which token, and which page or part, undefined when there can be no such one. */
interface Asked {
  readonly token: string
  readonly number: number | undefined
}

/** Months a page shows, this one included. */
export const PAGE_MONTHS = 6

const showPage = (calendars: SharedCalendars["Service"], publicUrl: string) =>
  Effect.fnUntraced(function* (link: OpenedLink, { token, number }: Asked) {
    if (number === undefined) return documentResponse(noSuchPage, 404)
    const { part, before } = placeOfPage(number)
    const { total, properties } = yield* calendars.part(link, part)
    const shown = properties.slice(before, before + SHARED_PAGE_PROPERTIES)
    if (shown.length === 0 && number > 1) return documentResponse(noSuchPage, 404)
    const known = yield* calendars.days(link, shown, { past: 0, months: PAGE_MONTHS })
    const { today } = link
    const sections = yield* inSlices(known, (property, index) => sectionOf(property, index, { today, total }))
    const feedUrl = `${addressOf(publicUrl, token)}${FEED_ENDING}${part === 1 ? "" : `?part=${part}`}`
    const place = pagePlace(number, total)
    return documentResponse(calendarPage({ today, total, place, properties: known, feedUrl, part }, sections))
  })

const showFeed = (feedOf: Effect.Success<typeof makeFeed>) =>
  Effect.fnUntraced(function* (link: OpenedLink, { token, number }: Asked) {
    const stream = number === undefined ? Option.none() : yield* feedOf(link, token, number)
    return Option.match(stream, {
      onNone: () => plainText("part: this feed has fewer parts.\n", 404),
      onSome: (body) => HttpServerResponse.stream(body, { contentType: ICALENDAR_TYPE, headers: FEED_HEADERS })
    })
  })

/** What is asked for by a path and its query: the page or the feed. */
const askedFor = (url: string): { readonly view: "page" | "feed"; readonly asked: Asked } => {
  const [path, query] = partsOfTarget(url)
  const name = path.slice(CALENDAR_PREFIX.length)
  if (!name.endsWith(FEED_ENDING)) {
    return { view: "page", asked: { token: name, number: askedNumber(query, "page", PAGES_MAX) } }
  }
  const token = name.slice(0, -FEED_ENDING.length)
  return { view: "feed", asked: { token, number: askedNumber(query, "part", PARTS_MAX) } }
}

/**
 * What share links open, below {@link CALENDAR_PREFIX}: a page for people, and with `.ics` a feed for their calendars.
 * Whoever has the address may look; there is no other credential.
 */
export const makeSharedCalendar = Effect.gen(function* () {
  const calendars = yield* SharedCalendars
  const places = yield* Places
  const counted = yield* makeViews
  const page = showPage(calendars, yield* PublicUrl)
  const show = {
    // Whoever opens a link works in a place of the operator who shares it, until the page is built.
    page: (link: OpenedLink, asked: Asked) => places.within(link.operator_id, page(link, asked)),
    feed: showFeed(yield* makeFeed)
  }

  const answer = Effect.fnUntraced(function* (view: "page" | "feed", asked: Asked) {
    const { invalid, tooMany } = REFUSALS[view]
    const link = yield* calendars.open(asked.token)
    if (Option.isNone(link)) return invalid
    const wait = yield* counted(link.value, view)
    return Option.isSome(wait) ? tooMany(wait.value) : yield* show[view](link.value, asked)
  })

  return (request: HttpServerRequest): Effect.Effect<Response> => {
    if (!isLooking(request)) return Effect.succeed(onlyLooking)
    const { view, asked } = askedFor(request.url)
    return recorded(request, `calendar ${view}`, answer(view, asked), REFUSALS[view])
  }
})

/** What the door of the calendar answers that may not be opened as it was asked for: over plain HTTP. */
export const calendarRefusal = ({ envelope }: Answer, request: HttpServerRequest): Response =>
  (request.url.split("?", 1)[0] ?? "").endsWith(FEED_ENDING)
    ? plainText(`${envelope.error_msg}\n`, envelope.error_code)
    : documentResponse(refusedPage(envelope.error_msg), envelope.error_code)

const PAGE_REFUSALS = {
  busy: (seconds: number) => retryAfter(documentResponse(busyPage, 503), seconds),
  invalid: documentResponse(invalidPage, 404),
  failed: documentResponse(failedPage, 500),
  tooMany: (seconds: number) => retryAfter(documentResponse(tooManyPage(seconds), 429), seconds)
}

const FEED_REFUSALS = {
  busy: (seconds: number) =>
    retryAfter(plainText("The service is busy: wait for Retry-After seconds.\n", 503), seconds),
  invalid: plainText("Share link invalid.\n", 404),
  failed: plainText("The calendar cannot be read now: try again later.\n", 500),
  tooMany: (seconds: number) =>
    retryAfter(plainText("Too many requests: wait for Retry-After seconds.\n", 429), seconds)
}

const REFUSALS = { page: PAGE_REFUSALS, feed: FEED_REFUSALS }
