import { Cause, DateTime, Effect, Layer } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { fairBacklogSql } from "../../../jobs/fair-queue.ts"
import { type AttemptEnd, defineJobs, makeJobRunner } from "../../../jobs/job-runner.ts"
import type { Backoff } from "../../../jobs/retries.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { repeatPeriodically } from "../../../jobs/WorkSchedule.ts"
import { channelComparisons } from "../../../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../../../platform/telemetry/metrics/metric-updates.ts"
import { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import { CHANNEL_ACTION_TIMEOUT_MS } from "../../channels/port/channel-api-errors.ts"
import { type ChannelError, ChannelUnavailable } from "../../channels/port/errors.ts"
import type { ListingDay } from "../../channels/port/listing-days.ts"
import {
  type ClaimedComparison,
  COMPARISON_SYNC_ROWS,
  COMPARISON_TABLE,
  CONCURRENT_COMPARISONS_MAX,
  ComparisonQueue
} from "./ComparisonQueue.ts"
import { computeNextComparisonAt, type Drift, findDrift } from "./drift.ts"
import { pushHorizonOf } from "./listing-inventory.ts"
import { PushQueue } from "./PushQueue.ts"
import type { PushSpan } from "./push.ts"

// Compares each mapped listing with its channel every night and after each mapping, so that lost pushes are sent again.

export const COMPARING_BACKOFF: Backoff = { firstMs: 60_000, longestMs: 60 * 60 * 1000, jitter: 0.25 }

/**
 * If the channel sells fewer rooms than are available, a booking may still be on its way. The listing is compared again
 * after this time.
 */
export const SUSPECTED_RECHECK_MS = 5 * 60 * 1000

/** Time between two searches for listings with a new mapping. */
export const COMPARISON_SYNC_MS = 20_000
export const COMPARING_POLL_MS = 5_000
/** Shortest pause between two polls. At night there are always due comparisons, and each poll reads all accounts. */
export const COMPARING_GAP_MS = 250

/** `later`: the channel is unreachable. `never`: only the next regular comparison tries again. */
const readChannelCalendar = Effect.fnUntraced(function* (
  comparison: ClaimedComparison,
  { start_date, end_date }: PushSpan
) {
  const gateway = yield* ChannelGateway
  const account = {
    operatorId: comparison.operator_id,
    accountId: comparison.account_id,
    channelType: comparison.channel_type
  }
  return yield* gateway
    .readCalendar(account, { listingId: comparison.listing_id, start: start_date, end: end_date })
    .pipe(
      Effect.timeoutOrElse({
        duration: CHANNEL_ACTION_TIMEOUT_MS,
        orElse: () => Effect.fail(new ChannelUnavailable({ code: 504 }))
      }),
      Effect.map((days): ChannelCalendarResult => ({ days })),
      Effect.catch((error) => Effect.succeed(toChannelCalendarResult(error))),
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.as(Effect.logError("a connector failed with a defect", cause), "later" as const)
      )
    )
})

type ChannelCalendarResult = { readonly days: ReadonlyArray<ListingDay> } | "later" | "never"

const toChannelCalendarResult = (error: ChannelError): ChannelCalendarResult => {
  switch (error._tag) {
    case "ChannelUnavailable":
    case "ChannelDisconnected":
      return "later"
    case "ChannelRefused":
    case "ChannelAccountMissing":
    case "ChannelNotServed":
      return "never"
  }
}

const NO_DRIFT: Drift = { more: [], fewer: [], suspected: [] }

/** Reads the channel first, so that the inventory includes changes made during the slow read. */
const attemptComparison = Effect.fnUntraced(function* (comparison: ClaimedComparison) {
  const horizon = pushHorizonOf(dateInZone(yield* DateTime.nowAsDate, comparison.time_zone))
  const result = yield* readChannelCalendar(comparison, horizon)
  if (result === "later") return { end: "later" as const }
  const listingInventory = yield* Effect.flatMap(PushQueue, (queue) => queue.loadInventory(comparison, horizon))
  const drift =
    result === "never" || listingInventory?.linked !== true
      ? NO_DRIFT
      : findDrift(listingInventory, result.days, comparison.suspected)
  return { end: "compared" as const, drift }
})

type ComparisonAttempt = Effect.Success<ReturnType<typeof attemptComparison>>

const storeComparison = Effect.fnUntraced(function* (
  comparison: ClaimedComparison,
  attempt: ComparisonAttempt,
  { now, random, nextAttempt }: AttemptEnd
) {
  const queue = yield* ComparisonQueue
  if (attempt.end === "later") return yield* queue.postpone(comparison, nextAttempt())
  const { drift } = attempt
  const driftedDays = [...drift.more, ...drift.fewer].toSorted()
  const nextDueAt =
    drift.suspected.length > 0
      ? new Date(now.getTime() + SUSPECTED_RECHECK_MS)
      : computeNextComparisonAt(now, comparison.time_zone, random)
  const hasMarkedDays = yield* queue.complete(
    comparison,
    { driftedDays, suspectedDays: drift.suspected, nextDueAt },
    now
  )
  if (!hasMarkedDays) return
  yield* logDrift(comparison, drift, driftedDays)
  yield* (yield* WakeUp).wake
})

/** A failed write is repeated, so only a stored comparison is counted. */
const completeComparison = (comparison: ClaimedComparison, attempt: ComparisonAttempt, end: AttemptEnd) =>
  Effect.andThen(
    storeComparison(comparison, attempt, end),
    incrementCounter(channelComparisons.withLabels({ outcome: attempt.end === "later" ? "failed" : "compared" }))
  )

const findLastComparedDay = ({ compared_at, time_zone }: ClaimedComparison): string | undefined =>
  compared_at === null ? undefined : pushHorizonOf(dateInZone(compared_at, time_zone)).end_date

/** No warning for a new mapping, or for days that have just come into the horizon. */
const logDrift = (comparison: ClaimedComparison, drift: Drift, days: ReadonlyArray<string>) => {
  const { operator_id, channel_type, listing_id } = comparison
  const lastComparedDay = findLastComparedDay(comparison)
  const log =
    lastComparedDay === undefined || drift.more.every((day) => day > lastComparedDay)
      ? Effect.logInfo("a channel's days of a listing differ and are sent again")
      : Effect.logWarning("a channel sells more of a listing than is available and is corrected")
  return Effect.annotateLogs(log, {
    operator_id,
    channel_type,
    listing_id,
    days: days.length,
    days_above_availability: drift.more.length,
    first_day: days[0],
    last_day: days.at(-1)
  })
}

export const comparisonJobs = defineJobs({
  name: "comparing calendars",
  maxInProgress: CONCURRENT_COMPARISONS_MAX,
  pollMs: COMPARING_POLL_MS,
  gapMs: COMPARING_GAP_MS,
  backoff: COMPARING_BACKOFF,
  queue: ComparisonQueue,
  attempt: attemptComparison,
  complete: completeComparison,
  toRootSpan: ({ channel_type }) => ({
    name: "compare",
    kind: "producer",
    attributes: () => ({ "latchkey.channel": channel_type })
  }),
  notStoredMessage: "the result of a calendar comparison could not be saved",
  backlog: [{ kind: "comparisons", statement: (sql, time) => fairBacklogSql(sql, COMPARISON_TABLE, time) }]
})

export const syncAllComparisons = Effect.fnUntraced(function* (now: Date) {
  const queue = yield* ComparisonQueue
  while ((yield* queue.syncWithListings(now)) >= COMPARISON_SYNC_ROWS) yield* Effect.yieldNow
})

/** The first sync waits one interval, because a starting process is busy. */
const runComparisons = Effect.gen(function* () {
  const { startPolling, notifyChanged } = yield* makeJobRunner(comparisonJobs)
  yield* repeatPeriodically("comparing listing calendars", COMPARISON_SYNC_MS, (now) =>
    Effect.andThen(syncAllComparisons(now), notifyChanged)
  )
  yield* startPolling
})

export const layerComparisonJobs = Layer.effectDiscard(runComparisons).pipe(
  Layer.provide([ComparisonQueue.layer, PushQueue.layer])
)
