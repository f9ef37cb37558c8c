import { Clock, Effect, Option, Stream } from "effect"
import { ConcurrencyLimiter } from "../../admission/concurrency/ConcurrencyLimiter.ts"
import type { ServerError } from "../../contract/errors.ts"
import {
  type OpenedLink,
  SharedCalendars,
  type SharedPropertySummary
} from "../../domain/calendars/calendar-share-links/SharedCalendars.ts"
import { PublicUrl } from "../../platform/installation.ts"
import { logFailure } from "../pages/failure-cause.ts"
import { calendarName } from "./calendar-page.ts"
import { FEED_END, renderFeedStart, renderPropertyEvents, type SharedFeedSource } from "./feed-text.ts"
import { partPosition } from "./pagination.ts"
import { toSlices } from "./slices.ts"

/** Properties of a piece, whose days are read by one statement: the embedded database lets nobody else in between. */
const PROPERTIES_PER_PIECE = 25

/** Months a feed tells, and how many of them are past: a stay under way keeps its first night, and so its event. */
export const FEED_SPAN = { pastMonths: 1, months: 13 }

/** The events of each of these properties. */
const makeEventsRenderer = (
  calendars: SharedCalendars["Service"],
  link: OpenedLink,
  source: SharedFeedSource,
  now: Date
) =>
  Effect.fnUntraced(function* (properties: ReadonlyArray<SharedPropertySummary>) {
    const propertyCalendars = yield* calendars.listDays(link, properties, FEED_SPAN)
    // After each property everybody else's calls have their turn.
    return yield* Effect.forEach(propertyCalendars, (property) =>
      Effect.as(Effect.yieldNow, renderPropertyEvents(property, source, now))
    )
  })

/** The text of a feed, from its pieces. */
const encodeFeed = (name: string, pieces: Stream.Stream<ReadonlyArray<string>, ServerError>) =>
  Stream.make(renderFeedStart(name)).pipe(
    Stream.concat(Stream.flatMap(pieces, (piece) => Stream.fromIterable(piece, { chunkSize: 1 }))),
    Stream.concat(Stream.make(FEED_END)),
    Stream.tapCause(logFailure),
    Stream.encodeText
  )

/**
 * The feed of one part of a link, written while it is sent: a thousand properties can be fifty megabytes and more, of which no
 * more is kept than the events of one piece, and made no faster than it is taken. None when there is no such part.
 *
 * Each piece is read and built with a permit of the operator that shares the link, and sent without one, so a slow reader holds no permit.
 *
 * What can go wrong with the first statements goes wrong before the answer begins. If a later one fails, the connection
 * is cut, so that half a feed is not taken for a whole one.
 */
export const makeFeedOpener = Effect.gen(function* () {
  const calendars = yield* SharedCalendars
  const limiter = yield* ConcurrencyLimiter
  const host = new URL(yield* PublicUrl).hostname

  return Effect.fnUntraced(function* (link: OpenedLink, token: string, number: number) {
    const renderPiece = makeEventsRenderer(calendars, link, { token, host }, new Date(yield* Clock.currentTimeMillis))
    const firstPiece = Effect.gen(function* () {
      const part = yield* calendars.listPropertiesPage(link, number)
      const [first = [], ...others] = toSlices(part.properties, PROPERTIES_PER_PIECE)
      return { part, others, events: yield* renderPiece(first) }
    })
    const { part, others, events } = yield* limiter.withPermit(link.operator_id, firstPiece)
    if (part.properties.length === 0 && number > 1) return Option.none()
    const laterPieces = Stream.mapEffect(Stream.fromIterable(others), (piece) =>
      limiter.withPermit(link.operator_id, renderPiece(piece))
    )
    const { count } = partPosition(number, part.total)
    const name = count === 1 ? calendarName(part) : `${calendarName(part)} (part ${number} of ${count})`
    return Option.some(encodeFeed(name, Stream.concat(Stream.succeed(events), laterPieces)))
  })
})
