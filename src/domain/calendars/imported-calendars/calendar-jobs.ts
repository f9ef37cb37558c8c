import { Clock, DateTime, Effect, Layer, Random } from "effect"
import { CurrentActor, systemActor } from "../../../contract/actor.ts"
import { releasePermitForExternalAct } from "../../../contract/permit-release.ts"
import { addDays, dateInZone, toDayNumber } from "../../../contract/time.ts"
import { backlogSql } from "../../../jobs/backlog-statements.ts"
import { defineJobs, startJobs } from "../../../jobs/job-runner.ts"
import { RETENTION_INTERVAL_MS } from "../../../jobs/retention.ts"
import { type Backoff, backoffMs } from "../../../jobs/retries.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { repeatPeriodically } from "../../../jobs/WorkSchedule.ts"
import {
  AVAILABILITY_END_DAYS,
  CALENDAR_FEED_MS,
  CALENDAR_FETCH_EVERY_MS,
  CALENDAR_FETCH_LONGEST_MS
} from "../../../platform/limits.ts"
import { CurrentSealer, openOrWarn } from "../../../platform/sealing/CurrentSealer.ts"
import { calendarAddressBinding } from "../../../platform/sealing/sealed-columns.ts"
import { calendarFetches } from "../../../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../../../platform/telemetry/metrics/metric-updates.ts"
import { annotateSpan, recordFailure } from "../../../platform/telemetry/spans.ts"
import { loadReceiverPolicy } from "../../webhooks/deliveries/receiver-url.ts"
import { CalendarStays } from "../calendar-stays/CalendarStays.ts"
import { deletePastStayLinks } from "../calendar-stays/retention.ts"
import { CalendarQueue } from "./CalendarQueue.ts"
import { toCalendarUpdate } from "./calendar-update.ts"
import { CONCURRENT_FETCHES_MAX, calendarBacklog } from "./claim-statements.ts"
import type { FetchedBy } from "./completion-statements.ts"
import { FeedReader } from "./FeedReader.ts"
import { hasCurrentReaderVersion } from "./feed-digest.ts"
import { type FetchFailure, fetchFeed, toFetchFailure } from "./feed-request.ts"
import type { CalendarUpdate, ClaimedCalendar, ImportHorizon } from "./imported-calendar.ts"
import { deletePastImportedDays, rescheduleAfterClockSetback } from "./retention.ts"

const REGULAR_INTERVAL: Backoff = { firstMs: CALENDAR_FETCH_EVERY_MS, longestMs: CALENDAR_FETCH_EVERY_MS, jitter: 0.1 }
const FAILURE_BACKOFF: Backoff = { firstMs: CALENDAR_FETCH_EVERY_MS, longestMs: CALENDAR_FETCH_LONGEST_MS, jitter: 0.1 }

export const importHorizonOf = ({ time_zone }: Pick<ClaimedCalendar, "time_zone">, now: number): ImportHorizon => {
  const first = dateInZone(now, time_zone)
  return { first, last: addDays(first, AVAILABILITY_END_DAYS) }
}

type FetchAttempt =
  | { readonly outcome: "read"; readonly update: CalendarUpdate }
  | { readonly outcome: "unchanged"; readonly first: string }
  | FetchFailure

/**
 * Returns undefined if even an unchanged feed must be read: it was read for an earlier horizon or by an earlier reader
 * version.
 */
const validatorsOf = (calendar: ClaimedCalendar, { last }: ImportHorizon) =>
  calendar.applied_to !== null && calendar.applied_to >= last && hasCurrentReaderVersion(calendar.digest)
    ? calendar
    : undefined

/** Limits the download, not the wait for a reader thread. */
const withFeedTimeout = Effect.timeoutOrElse({
  duration: CALENDAR_FEED_MS,
  orElse: () => Effect.succeed(toFetchFailure("its download took too long"))
})

const attemptFetch = Effect.fnUntraced(function* (
  calendar: ClaimedCalendar
): Effect.fn.Return<FetchAttempt, never, ImportServices> {
  const now = yield* Clock.currentTimeMillis
  const horizon = importHorizonOf(calendar, now)
  const validators = validatorsOf(calendar, horizon)
  const url = yield* openOrWarn(
    yield* CurrentSealer,
    calendarAddressBinding(calendar.operator_id, calendar.id),
    calendar.url
  )
  if (url === undefined)
    return toFetchFailure("its address cannot be decrypted: remove the calendar and import it again")
  const policy = yield* loadReceiverPolicy
  const response = yield* withFeedTimeout(fetchFeed(url, validators, policy, now))
  if (response.outcome === "failed") return response
  const isUnchanged = response.outcome === "unchanged" || response.digest === validators?.digest
  if (isUnchanged) return { outcome: "unchanged" as const, first: horizon.first }
  const { read } = yield* FeedReader
  const [first, last] = [toDayNumber(horizon.first), toDayNumber(horizon.last)]
  const ownHost = policy.publicUrl.hostname
  const reading = yield* read({ bytes: response.bytes, zone: calendar.time_zone, first, last, ownHost })
  if (reading.outcome === "broken") return toFetchFailure(reading.reason)
  return { outcome: "read" as const, update: toCalendarUpdate(calendar, reading, horizon, response) }
})

const toLogAnnotations = ({ operator_id, property_id, id, host }: ClaimedCalendar) => ({
  operator_id,
  property_id,
  calendar_id: id,
  host
})

/** `superseded`: another fetch began meanwhile, so the result was not stored. */
export interface CalendarFetchResult {
  readonly outcome: FetchAttempt["outcome"] | "superseded"
  readonly busy_days: number | undefined
  readonly changed_days: number
  readonly error: string | undefined
}

const SUPERSEDED_RESULT: CalendarFetchResult = {
  outcome: "superseded",
  busy_days: undefined,
  changed_days: 0,
  error: undefined
}

/** Brings the stays of a calendar in line with its bookings. Returns whether a stay was created, moved or cancelled. */
const syncStays = Effect.fnUntraced(function* (
  calendar: ClaimedCalendar,
  { bookings, last }: CalendarUpdate
): Effect.fn.Return<boolean, never, ImportServices> {
  if (bookings === undefined) return false
  const { operator_id, id, attempts, property_id, time_zone } = calendar
  const result = yield* (yield* CalendarStays).syncStays({
    operatorId: operator_id,
    calendarId: id,
    attempts,
    propertyId: property_id,
    timeZone: time_zone,
    ...bookings
  })
  if (result === undefined) return false
  const outcome = {
    channelType: bookings.channelType,
    problems: result.problems,
    applied_to: result.nextRead === "none" ? last : null,
    isDueNow: result.nextRead === "now"
  }
  yield* (yield* CalendarQueue).completeStaySync(calendar, outcome, yield* DateTime.nowAsDate)
  return result.hasChanges
})

const storeFetchOutcome = Effect.fnUntraced(function* (
  calendar: ClaimedCalendar,
  attempt: FetchAttempt,
  by: FetchedBy
): Effect.fn.Return<CalendarFetchResult, never, ImportServices> {
  const queue = yield* CalendarQueue
  const now = yield* DateTime.nowAsDate
  const random = yield* Random.next
  const dateAfter = (ms: number) => new Date(now.getTime() + ms)
  const nextRegularFetch = dateAfter(backoffMs(REGULAR_INTERVAL, 1, random))
  yield* annotateSpan("latchkey.outcome", attempt.outcome)
  if (attempt.outcome === "read") {
    const stored = yield* queue.apply(calendar, attempt.update, nextRegularFetch, now, by)
    if (stored === undefined) return SUPERSEDED_RESULT
    // A fetch by a caller has no claim, and storing its days has raised `attempts`.
    const appliedCalendar = by === "caller" ? { ...calendar, attempts: calendar.attempts + 1 } : calendar
    const hasChangedStays = yield* syncStays(appliedCalendar, attempt.update)
    if (stored.changed_days > 0 || hasChangedStays) yield* (yield* WakeUp).wake
    const { unblocksDays, unreadable } = attempt.update
    return { outcome: "read", ...stored, error: unblocksDays ? undefined : (unreadable ?? undefined) }
  }
  if (attempt.outcome === "unchanged") {
    const recorded = yield* queue.completeUnchanged(calendar, attempt.first, nextRegularFetch, now)
    return recorded === undefined
      ? SUPERSEDED_RESULT
      : { outcome: "unchanged", busy_days: undefined, changed_days: 0, error: undefined }
  }
  yield* recordFailure(attempt.outcome, { "latchkey.outcome": attempt.outcome })
  const { reason, retryAfterMs = 0 } = attempt
  const pause = backoffMs(FAILURE_BACKOFF, calendar.failures + 1, random)
  const nextFetch = dateAfter(Math.max(pause, retryAfterMs))
  const recorded = yield* queue.fail(calendar, reason, nextFetch, now, by)
  if (recorded === undefined) return SUPERSEDED_RESULT
  return { outcome: "failed", busy_days: undefined, changed_days: 0, error: reason }
})

/** Counts only a stored outcome, because a failed write is repeated. */
const recordFetchAttempt = (calendar: ClaimedCalendar, attempt: FetchAttempt, by: FetchedBy) =>
  Effect.tap(storeFetchOutcome(calendar, attempt, by), () =>
    incrementCounter(calendarFetches.withLabels({ outcome: attempt.outcome }))
  )

type ImportServices =
  | CalendarQueue
  | CalendarStays
  | FeedReader
  | CurrentActor
  | WakeUp
  | Effect.Services<ReturnType<typeof fetchFeed>>

/**
 * Reads the feed even if it is unchanged. Ends the claim of a worker that claimed the calendar earlier. If a worker
 * claims it during the fetch, the result is not stored.
 */
export const fetchCalendarNow = (
  calendar: ClaimedCalendar
): Effect.Effect<CalendarFetchResult, never, ImportServices> =>
  Effect.flatMap(releasePermitForExternalAct(attemptFetch({ ...calendar, applied_to: null })), (attempt) =>
    recordFetchAttempt(calendar, attempt, "caller")
  )

const logFetchProblem = (calendar: ClaimedCalendar, result: CalendarFetchResult) => {
  if (result.error === undefined) return Effect.void
  const warn = (message: string) =>
    Effect.annotateLogs(Effect.logWarning(message, result.error), toLogAnnotations(calendar))
  if (result.outcome === "failed" && calendar.failures === 0) return warn("an imported calendar cannot be read")
  const isFirstPartialRead = result.outcome === "read" && calendar.unreadable === null
  return isFirstPartialRead ? warn("an imported calendar can only be read in part") : Effect.void
}

const asWorker = Effect.provideService(CurrentActor, systemActor("service", "import calendar"))

export const calendarJobs = defineJobs({
  name: "importing calendars",
  maxInProgress: CONCURRENT_FETCHES_MAX,
  backoff: FAILURE_BACKOFF,
  queue: CalendarQueue,
  attempt: (calendar: ClaimedCalendar) => asWorker(attemptFetch(calendar)),
  complete: (calendar, attempt) =>
    Effect.flatMap(asWorker(recordFetchAttempt(calendar, attempt, "worker")), (result) =>
      logFetchProblem(calendar, result)
    ),
  toRootSpan: ({ id, host }) => ({
    name: "import calendar",
    kind: "client",
    attributes: () => ({ "latchkey.calendar": id, "latchkey.host": host })
  }),
  toLogAnnotations,
  notStoredMessage: "the result of a calendar import could not be saved",
  backlog: [{ kind: "calendars", statement: (sql, time) => backlogSql(sql, calendarBacklog(sql, time)) }]
})

/** A queue of their own, because the handlers' queue uses the connections for requests. */
export const layerCalendarJobs = Layer.mergeAll(
  Layer.effectDiscard(startJobs(calendarJobs)),
  Layer.effectDiscard(repeatPeriodically("retention of imported days", RETENTION_INTERVAL_MS, deletePastImportedDays)),
  Layer.effectDiscard(
    repeatPeriodically("retention of links of calendar stays", RETENTION_INTERVAL_MS, deletePastStayLinks)
  ),
  Layer.effectDiscard(
    repeatPeriodically("rescheduling of late calendars", RETENTION_INTERVAL_MS, rescheduleAfterClockSetback)
  )
).pipe(Layer.provide([Layer.fresh(CalendarQueue.layer), CalendarStays.layer, FeedReader.layer]))
