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

/** One statement reads the days of a piece, and the embedded database serves no other request during it. */
const PROPERTIES_PER_PIECE = 25

/** Includes the past month, so that the event of a current stay keeps its first night and its UID. */
export const FEED_SPAN = { pastMonths: 1, months: 13 }

const makeEventsRenderer = (
  calendars: SharedCalendars["Service"],
  link: OpenedLink,
  source: SharedFeedSource,
  now: Date
) =>
  Effect.fnUntraced(function* (properties: ReadonlyArray<SharedPropertySummary>) {
    const propertyCalendars = yield* calendars.listDays(link, properties, FEED_SPAN)
    return yield* Effect.forEach(propertyCalendars, (property) =>
      Effect.as(Effect.yieldNow, renderPropertyEvents(property, source, now))
    )
  })

const encodeFeed = (name: string, pieces: Stream.Stream<ReadonlyArray<string>, ServerError>) =>
  Stream.make(renderFeedStart(name)).pipe(
    Stream.concat(Stream.flatMap(pieces, (piece) => Stream.fromIterable(piece, { chunkSize: 1 }))),
    Stream.concat(Stream.make(FEED_END)),
    Stream.tapCause(logFailure),
    Stream.encodeText
  )

/**
 * Streams one numbered part of the feed in pieces of `PROPERTIES_PER_PIECE` properties, because a part can exceed 50
 * MB. Only one piece is in memory. Returns none if there is no such part.
 *
 * Only reading a piece needs a permit of the operator, so a slow reader holds none.
 *
 * The first piece is read before the response begins. A later failure cuts the connection, so that no reader takes half
 * a feed for a whole one.
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
