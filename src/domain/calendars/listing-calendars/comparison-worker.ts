import { Cause, DateTime, Effect, Layer, Random } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { repeatForever } from "../../../jobs/loop.ts"
import { type Backoff, backoffMs } from "../../../jobs/retries.ts"
import { attemptOnce, makeTimedWorker } from "../../../jobs/timed-work.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { channelComparisons } from "../../../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../../../platform/telemetry/metrics/metric-updates.ts"
import { withRootSpan } from "../../../platform/telemetry/spans.ts"
import { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import { CHANNEL_ACTION_TIMEOUT_MS } from "../../channels/port/channel-api-errors.ts"
import { type ChannelError, ChannelUnavailable } from "../../channels/port/errors.ts"
import type { ListingDay } from "../../channels/port/listing-days.ts"
import {
  type ClaimedComparison,
  COMPARISON_SYNC_ROWS,
  CONCURRENT_COMPARISONS_MAX,
  ComparisonQueue
} from "./ComparisonQueue.ts"
import { computeNextComparisonAt, type Drift, findDrift } from "./drift.ts"
import { pushHorizonOf } from "./listing-inventory.ts"
import { PushQueue } from "./PushQueue.ts"
import type { PushSpan } from "./push.ts"

// The calendars of linked listings are compared with what their channels sell: every night, and once they are linked. What
// was lost on the way, whatever lost it, is found and told again.

/** Of a channel that cannot be read: a minute, doubling up to an hour, each a quarter shorter or longer. */
export const COMPARING_BACKOFF: Backoff = { firstMs: 60_000, longestMs: 60 * 60 * 1000, jitter: 0.25 }

/** Milliseconds until days are looked at again of which the channel sells less: by then what it sold has come in. */
export const SUSPECTED_RECHECK_MS = 5 * 60 * 1000

/** Milliseconds between two looks for listings that were linked, and between two for what is due to be compared. */
export const COMPARISON_SYNC_MS = 20_000
export const COMPARING_POLL_MS = 5_000
/** And at least: each look goes through all accounts there are, and at night there is one due whenever another ended. */
export const COMPARING_GAP_MS = 250

/** What the channel sells. Undefined: it is not to be asked before the next night; a failure is one that may pass. */
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

/** One look: the channel first, so that what changed here meanwhile is seen. */
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

const recordComparisonAttempt = Effect.fnUntraced(function* (
  comparison: ClaimedComparison,
  attempt: ComparisonAttempt
) {
  const queue = yield* ComparisonQueue
  const now = yield* DateTime.nowAsDate
  const random = yield* Random.next
  yield* incrementCounter(channelComparisons.withLabels({ outcome: attempt.end === "later" ? "failed" : "compared" }))
  if (attempt.end === "later") {
    const delayMs = backoffMs(COMPARING_BACKOFF, comparison.failures + 1, random)
    return yield* queue.fail(comparison, new Date(now.getTime() + delayMs), now)
  }
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

/** The last day that the channel could have been told of at the look before; undefined: there was none. */
const findLastComparedDay = ({ compared_at, time_zone }: ClaimedComparison): string | undefined =>
  compared_at === null ? undefined : pushHorizonOf(dateInZone(compared_at, time_zone)).end_date

/** That a listing was linked is no fault, nor that a day came into reach: of what they bring nobody is warned. */
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

const toRootSpan = (comparison: ClaimedComparison) => ({
  name: "compare",
  kind: "producer" as const,
  attributes: () => ({ "latchkey.channel": comparison.channel_type })
})

/** Looks at one listing's calendar, and writes down what it found. */
const runComparison = (comparison: ClaimedComparison) =>
  attemptOnce({
    attempt: attemptComparison(comparison),
    complete: (attempt: ComparisonAttempt) => recordComparisonAttempt(comparison, attempt),
    release: Effect.flatMap(ComparisonQueue, (queue) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => queue.release(comparison, now))
    )
  }).pipe(
    (work) => withRootSpan(toRootSpan(comparison), work),
    Effect.catchCause((cause) => Effect.logWarning("the result of a calendar comparison could not be saved", cause))
  )

/** What takes comparisons that are due and makes them. */
export const makeComparisonWorker = Effect.flatMap(ComparisonQueue, (queue) =>
  makeTimedWorker({
    name: "comparing calendars",
    maxInProgress: CONCURRENT_COMPARISONS_MAX,
    claim: queue.take,
    run: runComparison,
    pollMs: COMPARING_POLL_MS,
    gapMs: COMPARING_GAP_MS
  })
)

/** Takes up all that was linked since. */
export const syncAllComparisons = Effect.fnUntraced(function* (now: Date) {
  const queue = yield* ComparisonQueue
  while ((yield* queue.syncWithListings(now)) >= COMPARISON_SYNC_ROWS) yield* Effect.yieldNow
})

/** Compares until the scope closes, in any number of processes on one database. A start has other things to do first. */
const runComparisons = Effect.gen(function* () {
  const { startPolling, notifyChanged } = yield* makeComparisonWorker
  const syncAndWakeUp = Effect.andThen(Effect.flatMap(DateTime.nowAsDate, syncAllComparisons), notifyChanged)
  yield* Effect.forkScoped(
    repeatForever("comparing listing calendars", Effect.andThen(Effect.sleep(COMPARISON_SYNC_MS), syncAndWakeUp))
  )
  yield* startPolling
})

/** The worker of this process, over a database and the channels. */
export const layerComparisonWorker = Layer.effectDiscard(runComparisons).pipe(
  Layer.provide([ComparisonQueue.layer, PushQueue.layer])
)
