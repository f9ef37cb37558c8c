import { Array as Arr, Cause, DateTime, Effect, Layer, Random } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { repeatPeriodically } from "../../../jobs/loop.ts"
import { RETENTION_INTERVAL_MS } from "../../../jobs/retention.ts"
import { type Backoff, backoffMs } from "../../../jobs/retries.ts"
import { attemptOnce, makeTimedWorker } from "../../../jobs/timed-work.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { runWorkerWhenWoken } from "../../../jobs/woken-worker.ts"
import { LISTING_RANGES_MAX } from "../../../platform/limits.ts"
import { channelPushes } from "../../../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../../../platform/telemetry/metrics/metric-updates.ts"
import { annotateSpan, recordFailure, withRootSpan } from "../../../platform/telemetry/spans.ts"
import { parseTraceparent } from "../../../platform/telemetry/traceparent.ts"
import { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import { CHANNEL_ACTION_TIMEOUT_MS } from "../../channels/port/channel-api-errors.ts"
import { describeChannelError } from "../../channels/port/error-descriptions.ts"
import { type ChannelError, ChannelUnavailable } from "../../channels/port/errors.ts"
import type { DayRangeInventory } from "../../channels/port/listing-days.ts"
import { clipRanges, pushHorizonOf, toCalendarInventories, toHostInventories } from "./listing-inventory.ts"
import { PushQueue } from "./PushQueue.ts"
import type { ClaimedPush, PushInProgress, PushOutcome, PushSpan } from "./push.ts"
import { deleteOldPushes } from "./retention.ts"
import { findCoveringRange, keepSupportedRestrictions } from "./rules.ts"
import { PUSHING_ROOM } from "./taking.ts"

/** Of a channel that cannot be told: 5 s, doubling up to 15 min, each a quarter shorter or longer. */
export const PUSH_BACKOFF: Backoff = { firstMs: 5_000, longestMs: 15 * 60 * 1000, jitter: 0.25 }

/** What there is to tell of a push, and then how; `emptyReason` where that is nothing. */
interface PushMessage {
  readonly push: PushInProgress
  readonly ranges: ReadonlyArray<PushSpan>
  readonly emptyReason: string
  readonly send: (gateway: ChannelGateway["Service"]) => Effect.Effect<unknown, ChannelError>
}

const toChannelAccountTarget = ({ operator_id, account_id, channel_type }: ClaimedPush) => ({
  operatorId: operator_id,
  accountId: account_id,
  channelType: channel_type
})

/** Inventories of a listing, in as many calls as their ranges need, one after the other. */
const sendInventories =
  (claimedPush: ClaimedPush, inventories: ReadonlyArray<DayRangeInventory>) => (gateway: ChannelGateway["Service"]) =>
    Effect.forEach(
      Arr.chunksOf(inventories, LISTING_RANGES_MAX),
      (chunk) =>
        gateway.pushInventories(toChannelAccountTarget(claimedPush), {
          listingId: claimedPush.listing_id,
          inventories: chunk
        }),
      { discard: true }
    )

/** The calendar's own, as it is at this moment. Undefined: another worker has the lane. */
const buildCalendarMessage = Effect.fnUntraced(function* (claimedPush: ClaimedPush) {
  const queue = yield* PushQueue
  const now = yield* DateTime.nowAsDate
  const calendarPush = yield* queue.createCalendarPush(claimedPush, now)
  if (calendarPush === undefined) return undefined
  const horizon = pushHorizonOf(dateInZone(now, calendarPush.time_zone))
  const days = clipRanges(calendarPush.days, horizon)
  const span = findCoveringRange(days)
  const listingInventory = span === undefined ? undefined : yield* queue.loadInventory(claimedPush, span)
  const ranges = listingInventory?.linked === true ? toCalendarInventories(listingInventory, days) : []
  return {
    push: { claimedPush, push_id: calendarPush.push_id, ranges: ranges.length === 0 ? undefined : ranges },
    ranges,
    emptyReason: span === undefined ? "its days have passed" : "the listing is not mapped",
    send: sendInventories(claimedPush, ranges)
  } satisfies PushMessage
})

/** What the host said of this listing alone, as far as it can be sold. */
const limitToInventory = Effect.fnUntraced(function* (
  claimedPush: ClaimedPush,
  requested: ReadonlyArray<DayRangeInventory>
) {
  const span = findCoveringRange(requested)
  const listingInventory =
    span === undefined ? undefined : yield* Effect.flatMap(PushQueue, (queue) => queue.loadInventory(claimedPush, span))
  return listingInventory === undefined ? requested : toHostInventories(listingInventory, requested)
})

/** Works out what there is to tell. Undefined: another worker has the lane. */
const buildMessage = Effect.fnUntraced(function* (claimedPush: ClaimedPush) {
  const { told: content, push_id, listing_id: listingId, channel_type } = claimedPush
  if (push_id === null) return yield* buildCalendarMessage(claimedPush)
  const push = { claimedPush, push_id, ranges: undefined }
  const emptyReason = `${channel_type} supports none of these restrictions`
  const account = toChannelAccountTarget(claimedPush)
  switch (content.kind) {
    case "prices": {
      const prices = content.ranges
      return {
        push,
        emptyReason,
        ranges: prices,
        send: (gateway) => gateway.pushPrices(account, { listingId, prices })
      } satisfies PushMessage
    }
    case "inventories": {
      const inventories = yield* limitToInventory(claimedPush, content.ranges)
      return {
        push,
        emptyReason,
        ranges: inventories,
        send: sendInventories(claimedPush, inventories)
      } satisfies PushMessage
    }
    case "restrictions": {
      const restrictions = keepSupportedRestrictions(channel_type, content.ranges)
      return {
        push,
        emptyReason,
        ranges: restrictions,
        send: (gateway) => gateway.pushRestrictions(account, { listingId, restrictions })
      } satisfies PushMessage
    }
    case "availability":
      return undefined
  }
})

/** What no repetition would change is over; all else is tried again. */
const toPushOutcome = (error: ChannelError): PushOutcome => {
  const reason = describeChannelError(error)
  switch (error._tag) {
    case "ChannelRefused":
    case "ChannelAccountMissing":
      return { end: "refused", reason }
    case "ChannelNotServed":
      return { end: "unserved", reason }
    case "ChannelDisconnected":
    case "ChannelUnavailable":
      return { end: "failed", reason }
  }
}

/** One try, for less than the lease of a lane. A connector that breaks has failed, as one that is away: whatever else waits must not wait for it for ever. */
const sendMessage = Effect.fnUntraced(function* ({ ranges, emptyReason, send }: PushMessage) {
  const span = findCoveringRange(ranges)
  if (span === undefined) return { end: "nothing", reason: emptyReason } satisfies PushOutcome
  return yield* Effect.flatMap(ChannelGateway, send).pipe(
    Effect.timeoutOrElse({
      duration: CHANNEL_ACTION_TIMEOUT_MS,
      orElse: () => Effect.fail(new ChannelUnavailable({ code: 504 }))
    }),
    Effect.as<PushOutcome>({ end: "pushed", span }),
    Effect.catch((error) => Effect.succeed(toPushOutcome(error))),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) =>
        Effect.as(Effect.logError("a connector failed with a defect", cause), {
          end: "failed",
          reason: "the connector failed with a defect"
        } satisfies PushOutcome)
    )
  )
})

/** How a try ended, and of what. Undefined: another worker has the lane, and there was none. */
interface PushAttempt {
  readonly push: PushInProgress
  readonly outcome: PushOutcome
}

const attemptPush = Effect.fnUntraced(function* (claimedPush: ClaimedPush) {
  const message = yield* buildMessage(claimedPush)
  if (message === undefined) return undefined
  const outcome: PushOutcome = yield* sendMessage(message)
  return { push: message.push, outcome } satisfies PushAttempt
})

const annotateWithPush = ({ claimedPush: { operator_id, channel_type, listing_id }, push_id }: PushInProgress) =>
  Effect.annotateLogs({ operator_id, channel_type, listing_id, push_id })

/**
 * Writes down how a try ended, and wakes whoever hands out the event of a success. Nobody is warned of what the calendar has
 * to tell a channel that nothing here reaches: it would be said with each change of a night.
 */
const recordPushAttempt = Effect.fnUntraced(function* ({ push, outcome }: PushAttempt) {
  const queue = yield* PushQueue
  const now = yield* DateTime.nowAsDate
  yield* annotateSpan("latchkey.outcome", outcome.end)
  yield* incrementCounter(channelPushes.withLabels({ outcome: outcome.end }))
  const withPushLogs = annotateWithPush(push)
  switch (outcome.end) {
    case "pushed":
      yield* queue.complete(push, outcome.span, now)
      return yield* (yield* WakeUp).wake
    case "nothing":
      yield* queue.completeEmpty(push, outcome.reason, now)
      return
    case "unserved":
    case "refused": {
      const recorded = yield* queue.refuse(push, outcome.reason, now)
      const isQuiet = outcome.end === "unserved" && push.claimedPush.told.kind === "availability"
      if (recorded === undefined || isQuiet) return
      yield* recordFailure(outcome.end, { "latchkey.outcome": outcome.end })
      return yield* withPushLogs(Effect.logWarning("the channel refused a change of a listing", outcome.reason))
    }
    case "failed":
      yield* recordFailure(outcome.end, { "latchkey.outcome": outcome.end })
      return yield* withPushLogs(recordFailedPush(push, outcome.reason, now))
  }
})

/** It is tried again later. A calendar that could not be told for a day is compared with the channel's as soon as that answers. */
const recordFailedPush = Effect.fnUntraced(function* (push: PushInProgress, reason: string, now: Date) {
  const queue = yield* PushQueue
  const delayMs = backoffMs(PUSH_BACKOFF, push.claimedPush.failures + 1, yield* Random.next)
  const givenUp = yield* queue.fail(push, reason, new Date(now.getTime() + delayMs), now)
  if (givenUp === undefined || givenUp.pushes === 0) return
  yield* Effect.logWarning(`${givenUp.pushes} changes of a listing were given up`, reason)
  if (givenUp.of_calendar) yield* queue.compareSoon(push.claimedPush, now)
})

const toRootSpan = (push: ClaimedPush) => ({
  name: "push",
  kind: "consumer" as const,
  parent: parseTraceparent(push.traceparent),
  attributes: () => ({ "latchkey.channel": push.channel_type, "latchkey.push": push.push_id ?? "of the calendar" })
})

/** Makes one try of a push that was taken, and writes down how it ended. */
const runPush = (claimedPush: ClaimedPush): Effect.Effect<void, never, PushQueue | ChannelGateway | WakeUp> =>
  attemptOnce({
    attempt: attemptPush(claimedPush),
    complete: (attempt) => (attempt === undefined ? Effect.void : recordPushAttempt(attempt)),
    release: Effect.flatMap(PushQueue, (queue) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => queue.release(claimedPush, now))
    )
  }).pipe(
    (work) => withRootSpan(toRootSpan(claimedPush), work),
    Effect.catchCause((cause) => Effect.logWarning("the outcome of a push to a channel could not be saved", cause))
  )

/** What takes pushes that are due and makes them. */
export const makePushWorker = Effect.flatMap(PushQueue, (queue) =>
  makeTimedWorker({ name: "pushing to channels", maxInProgress: PUSHING_ROOM, claim: queue.take, run: runPush })
)

/** Milliseconds between two looks for something to push, however often changes wake the worker. */
export const PUSH_POLL_GAP_MS = 100

/** Tells channels what waits for them until the scope closes, in any number of processes on one database. */
const runPushes = Effect.flatMap(makePushWorker, (worker) =>
  runWorkerWhenWoken("waking the push worker", worker, PUSH_POLL_GAP_MS)
)

/** The worker of this process, over a database and the channels. */
export const layerPushWorker = Layer.merge(
  Layer.effectDiscard(runPushes),
  Layer.effectDiscard(repeatPeriodically("retention of pushes", RETENTION_INTERVAL_MS, deleteOldPushes))
).pipe(Layer.provide(PushQueue.layer))
