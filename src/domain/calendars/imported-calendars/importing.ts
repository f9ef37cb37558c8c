import { Clock, DateTime, Effect, Layer, Random } from "effect"
import { Acting, byItself } from "../../../contract/acting.ts"
import { addDays, dateInZone, dayNumber } from "../../../contract/time.ts"
import { periodically } from "../../../jobs/loop.ts"
import { RETENTION_MS } from "../../../jobs/retention.ts"
import { type Backoff, pauseOf } from "../../../jobs/retries.ts"
import { attemptOnce, makeTimedWork } from "../../../jobs/timed-work.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import {
  AVAILABILITY_END_DAYS,
  CALENDAR_FEED_MS,
  CALENDAR_FETCH_EVERY_MS,
  CALENDAR_FETCH_LONGEST_MS
} from "../../../platform/limits.ts"
import { calendarAddress } from "../../../platform/sealing/places.ts"
import { openedOrTold, Sealing } from "../../../platform/sealing/Sealing.ts"
import { calendarFetches } from "../../../platform/telemetry/metrics/declared.ts"
import { countOne } from "../../../platform/telemetry/metrics/measuring.ts"
import { asRoot, record, recordFailure } from "../../../platform/telemetry/spans.ts"
import { receiverPolicy } from "../../webhooks/deliveries/receiver-url.ts"
import { toApplicable } from "./applicable.ts"
import { CalendarQueue } from "./CalendarQueue.ts"
import type { Applicable, Reach, TakenCalendar } from "./calendar.ts"
import { FeedReader } from "./FeedReader.ts"
import { isOfThisReader } from "./feed-digest.ts"
import { fetchFeed, type NotFetched, notFetched } from "./fetching.ts"
import { retain } from "./retention.ts"
import { bringNear } from "./set-back.ts"
import { FETCHING_ROOM } from "./taking.ts"

/** Between two fetches, each a tenth sooner or later, so that what was added together is not fetched together for ever. */
const STEADY: Backoff = { firstMs: CALENDAR_FETCH_EVERY_MS, longestMs: CALENDAR_FETCH_EVERY_MS, jitter: 0.1 }
/** Of a calendar that fails: the same time, doubling up to two hours. */
const FAILING: Backoff = { firstMs: CALENDAR_FETCH_EVERY_MS, longestMs: CALENDAR_FETCH_LONGEST_MS, jitter: 0.1 }

export const reachOf = ({ time_zone }: Pick<TakenCalendar, "time_zone">, now: number): Reach => {
  const first = dateInZone(now, time_zone)
  return { first, last: addDays(first, AVAILABILITY_END_DAYS) }
}

/** What a fetch came to. */
type Ended =
  | { readonly outcome: "read"; readonly said: Applicable }
  | { readonly outcome: "unchanged"; readonly first: string }
  | NotFetched

/**
 * Returns the calendar if an unchanged feed need not be read again. Returns undefined if days have come within reach since it
 * was read, or if an earlier version of the reader read it.
 */
const knownOf = (calendar: TakenCalendar, { last }: Reach) =>
  calendar.applied_to !== null && calendar.applied_to >= last && isOfThisReader(calendar.digest) ? calendar : undefined

/** The time is that of the host alone: waiting for others to be read first is none of its doing. */
const inTime = Effect.timeoutOrElse({
  duration: CALENDAR_FEED_MS,
  orElse: () => Effect.succeed(notFetched("its download took too long"))
})

/** One fetch, for less than a worker has the calendar to itself. */
const attemptOf = Effect.fnUntraced(function* (calendar: TakenCalendar): Effect.fn.Return<Ended, never, Services> {
  const now = yield* Clock.currentTimeMillis
  const reach = reachOf(calendar, now)
  const known = knownOf(calendar, reach)
  const url = yield* openedOrTold(yield* Sealing, calendarAddress(calendar.operator_id, calendar.id), calendar.url)
  if (url === undefined) return notFetched("its address cannot be decrypted: remove the calendar and import it again")
  const answer = yield* inTime(fetchFeed(url, known, yield* receiverPolicy, now))
  if (answer.outcome === "failed") return answer
  const isSame = answer.outcome === "unchanged" || answer.digest === known?.digest
  if (isSame) return { outcome: "unchanged" as const, first: reach.first }
  const { read } = yield* FeedReader
  const [first, last] = [dayNumber(reach.first), dayNumber(reach.last)]
  const reading = yield* read({ bytes: answer.bytes, zone: calendar.time_zone, first, last })
  if (reading.outcome === "broken") return notFetched(reading.why)
  return { outcome: "read" as const, said: toApplicable(calendar, reading, reach, answer) }
})

const about = ({ operator_id, property_id, id, host }: TakenCalendar) =>
  Effect.annotateLogs({ operator_id, property_id, calendar_id: id, host })

/** What came of a fetch, once it is written down, or that another was begun since; of what is unchanged nobody asks how much it is. */
export interface Came {
  readonly outcome: Ended["outcome"] | "overtaken"
  readonly busy_days: number | undefined
  readonly changed_days: number
  readonly error: string | undefined
}

const OVERTAKEN: Came = { outcome: "overtaken", busy_days: undefined, changed_days: 0, error: undefined }

/** Writes down how a fetch ended, and wakes whoever hands out the event. */
const settle = Effect.fnUntraced(function* (
  calendar: TakenCalendar,
  ended: Ended
): Effect.fn.Return<Came, never, Services> {
  const queue = yield* CalendarQueue
  const now = yield* DateTime.nowAsDate
  const random = yield* Random.next
  const later = (ms: number) => new Date(now.getTime() + ms)
  const steady = later(pauseOf(STEADY, 1, random))
  yield* record("latchkey.outcome", ended.outcome)
  yield* countOne(calendarFetches.of({ outcome: ended.outcome }))
  if (ended.outcome === "read") {
    const applied = yield* queue.apply(calendar, ended.said, steady, now)
    if (applied === undefined) return OVERTAKEN
    if (applied.changed_days > 0) yield* (yield* WakeUp).wake
    const { opensDays, unreadable } = ended.said
    return { outcome: "read", ...applied, error: opensDays ? undefined : (unreadable ?? undefined) }
  }
  if (ended.outcome === "unchanged") {
    const settled = yield* queue.unchanged(calendar, ended.first, steady, now)
    return settled === undefined
      ? OVERTAKEN
      : { outcome: "unchanged", busy_days: undefined, changed_days: 0, error: undefined }
  }
  yield* recordFailure(ended.outcome, { "latchkey.outcome": ended.outcome })
  const { reason, retryAfterMs = 0 } = ended
  const pause = pauseOf(FAILING, calendar.failures + 1, random)
  const nextFetch = later(Math.max(pause, retryAfterMs))
  const counted = yield* queue.failed(calendar, reason, nextFetch, now)
  if (counted === undefined) return OVERTAKEN
  return { outcome: "failed", busy_days: undefined, changed_days: 0, error: reason }
})

type Services = CalendarQueue | FeedReader | Acting | WakeUp | Effect.Services<ReturnType<typeof fetchFeed>>

/** Fetches a calendar that was taken, whole, in front of whoever asked for it, and answers what came of it. */
export const fetchNow = (calendar: TakenCalendar): Effect.Effect<Came, never, Services> =>
  Effect.flatMap(attemptOf({ ...calendar, applied_to: null }), (ended) => settle(calendar, ended))

const rootOf = (calendar: TakenCalendar) => ({
  name: "import calendar",
  kind: "client" as const,
  attributes: () => ({ "latchkey.calendar": calendar.id, "latchkey.host": calendar.host })
})

/** Logs a warning at the first fetch that fails, and at the first feed with unreadable parts. The calendar keeps the error. */
const logProblem = (calendar: TakenCalendar, came: Came) => {
  if (came.error === undefined) return Effect.void
  const warn = (message: string) => about(calendar)(Effect.logWarning(message, came.error))
  if (came.outcome === "failed" && calendar.failures === 0) return warn("an imported calendar cannot be read")
  const isFirstInPart = came.outcome === "read" && calendar.unreadable === null
  return isFirstInPart ? warn("an imported calendar can only be read in part") : Effect.void
}

/** Fetches a calendar that was taken, and writes down how it ended. */
export const importCalendar = (calendar: TakenCalendar): Effect.Effect<void, never, Services> =>
  attemptOnce({
    attempt: attemptOf(calendar),
    settle: (ended: Ended) => Effect.flatMap(settle(calendar, ended), (came) => logProblem(calendar, came)),
    handBack: Effect.flatMap(CalendarQueue, (queue) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => queue.handBack(calendar, now))
    )
  }).pipe(
    (tried) => asRoot(rootOf(calendar), tried),
    Effect.catchCause((cause) =>
      about(calendar)(Effect.logWarning("the result of a calendar import could not be saved", cause))
    )
  )

/** What takes calendars that are due and fetches them. */
export const makeImporting = Effect.flatMap(CalendarQueue, (queue) =>
  makeTimedWork({
    what: "importing calendars",
    room: FETCHING_ROOM,
    take: queue.take,
    run: (calendar: TakenCalendar) =>
      Effect.provideService(importCalendar(calendar), Acting, byItself("service", "import calendar"))
  })
)

/** The worker of this process, over a database and the door it asks by. Handlers have a queue too, on the connections of requests. */
export const layerImporting = Layer.mergeAll(
  Layer.effectDiscard(Effect.flatMap(makeImporting, ({ polling }) => polling)),
  Layer.effectDiscard(periodically("retention of imported days", RETENTION_MS, retain)),
  Layer.effectDiscard(periodically("rescheduling of late calendars", RETENTION_MS, bringNear))
).pipe(Layer.provide([Layer.fresh(CalendarQueue.layer), FeedReader.layer]))
