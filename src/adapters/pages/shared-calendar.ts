import { Cause, Clock, Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { PublicUrl } from "../../contract/installation.ts"
import { SHARED_CALENDAR_MONTHS, SHARED_FEED_MONTHS, SHARED_FEED_PAST_MONTHS } from "../../limits.ts"
import { addressOf, CALENDAR_PREFIX } from "../../resources/calendar-share-links/address.ts"
import { SharedCalendars } from "../../resources/calendar-share-links/SharedCalendars.ts"
import { documentResponse, PRIVATE_HEADERS } from "./document.ts"
import { feedOf } from "./shared-calendar/feed.ts"
import { calendarPage, failedPage, invalidPage } from "./shared-calendar/page.ts"

const FEED_ENDING = ".ics"
const FEED_TYPE = "text/calendar; charset=utf-8"

type Response = HttpServerResponse.HttpServerResponse

/**
 * What share links open, below {@link CALENDAR_PREFIX}: a page for people, and with `.ics` a feed for their calendars.
 * Whoever has the address may look; there is no other credential.
 */
export const makeSharedCalendar = Effect.gen(function* () {
  const calendars = yield* SharedCalendars
  const publicUrl = yield* PublicUrl
  const host = new URL(publicUrl).hostname

  const page = Effect.fnUntraced(function* (token: string) {
    const calendar = yield* calendars.open(token, { past: 0, months: SHARED_CALENDAR_MONTHS })
    return Option.match(calendar, {
      onNone: () => documentResponse(invalidPage, 404),
      onSome: (opened) => documentResponse(calendarPage(opened, `${addressOf(publicUrl, token)}${FEED_ENDING}`))
    })
  })

  const feed = Effect.fnUntraced(function* (token: string) {
    const calendar = yield* calendars.open(token, { past: SHARED_FEED_PAST_MONTHS, months: SHARED_FEED_MONTHS })
    if (Option.isNone(calendar)) return plainText("Share link invalid.\n", 404)
    const now = new Date(yield* Clock.currentTimeMillis)
    return HttpServerResponse.text(feedOf(calendar.value, { token, host }, now), {
      contentType: FEED_TYPE,
      headers: { ...PRIVATE_HEADERS, "content-disposition": 'inline; filename="calendar.ics"' }
    })
  })

  return (request: HttpServerRequest): Effect.Effect<Response> => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return Effect.succeed(HttpServerResponse.setHeader(plainText("Only GET and HEAD.\n", 405), "allow", "GET, HEAD"))
    }
    const [path = ""] = request.url.split("?", 1)
    const name = path.slice(CALENDAR_PREFIX.length)
    const isFeed = name.endsWith(FEED_ENDING)
    const answer = isFeed ? feed(name.slice(0, -FEED_ENDING.length)) : page(name)
    return recorded(isFeed ? "calendar feed" : "calendar page", answer, isFeed ? failedFeed : failedAnswer)
  }
})

const plainText = (text: string, status: number): Response =>
  HttpServerResponse.text(text, { status, headers: PRIVATE_HEADERS })

const failedAnswer = documentResponse(failedPage, 500)
const failedFeed = plainText("The calendar cannot be read at the moment.\n", 500)

/** With its span and its log line, neither of which knows the token. */
const recorded = Effect.fnUntraced(function* (name: string, answer: Effect.Effect<Response>, failed: Response) {
  const startedAt = yield* Clock.currentTimeMillis
  const response = yield* answer.pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.as(Effect.logError("defect", cause), failed)
    ),
    Effect.withSpan(name, { kind: "server" })
  )
  const endedAt = yield* Clock.currentTimeMillis
  yield* Effect.logInfo(name).pipe(Effect.annotateLogs({ status: response.status, ms: endedAt - startedAt }))
  return response
})
