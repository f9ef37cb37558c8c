import { Array as Arr, Cause, DateTime, Effect, Layer } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { fairBacklogSql } from "../../../jobs/fair-queue.ts"
import { type AttemptEnd, defineJobs, startJobs } from "../../../jobs/job-runner.ts"
import { RETENTION_INTERVAL_MS } from "../../../jobs/retention.ts"
import type { Backoff } from "../../../jobs/retries.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { repeatPeriodically } from "../../../jobs/WorkSchedule.ts"
import { LISTING_RANGES_MAX } from "../../../platform/limits.ts"
import { channelPushes } from "../../../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../../../platform/telemetry/metrics/metric-updates.ts"
import { annotateSpan, recordFailure } from "../../../platform/telemetry/spans.ts"
import { parseTraceparent } from "../../../platform/telemetry/traceparent.ts"
import { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import { CHANNEL_ACTION_TIMEOUT_MS } from "../../channels/port/channel-api-errors.ts"
import { describeChannelError } from "../../channels/port/error-descriptions.ts"
import { type ChannelError, ChannelUnavailable } from "../../channels/port/errors.ts"
import type { DayRangeInventory } from "../../channels/port/listing-days.ts"
import { CurrentPricePushes } from "./CurrentPricePushes.ts"
import { clipRanges, pushHorizonOf, toCalendarInventories, toHostInventories } from "./listing-inventory.ts"
import { PushQueue } from "./PushQueue.ts"
import type { ClaimedPush, PushInProgress, PushOutcome, PushSpan } from "./push.ts"
import { PUSH_TABLE, PUSHING_ROOM } from "./push-statements.ts"
import { deleteOldPushes } from "./retention.ts"
import { type DayRange, findCoveringRange, keepSupportedRestrictions } from "./rules.ts"

export const PUSH_BACKOFF: Backoff = { firstMs: 5_000, longestMs: 15 * 60 * 1000, jitter: 0.25 }

/** `emptyReason`: why a push without ranges is not sent. */
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

/** An automatic push may have more ranges than one message to a channel allows. */
const sendInChunks = <Range>(
  ranges: ReadonlyArray<Range>,
  send: (chunk: ReadonlyArray<Range>) => Effect.Effect<unknown, ChannelError>
) => Effect.forEach(Arr.chunksOf(ranges, LISTING_RANGES_MAX), send, { discard: true })

const sendInventories =
  (claimedPush: ClaimedPush, inventories: ReadonlyArray<DayRangeInventory>) => (gateway: ChannelGateway["Service"]) =>
    sendInChunks(inventories, (chunk) =>
      gateway.pushInventories(toChannelAccountTarget(claimedPush), {
        listingId: claimedPush.listing_id,
        inventories: chunk
      })
    )

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

const limitToInventory = Effect.fnUntraced(function* (
  claimedPush: ClaimedPush,
  requested: ReadonlyArray<DayRangeInventory>
) {
  const span = findCoveringRange(requested)
  const listingInventory =
    span === undefined ? undefined : yield* Effect.flatMap(PushQueue, (queue) => queue.loadInventory(claimedPush, span))
  return listingInventory === undefined ? requested : toHostInventories(listingInventory, requested)
})

/** Removes past days from base prices, which can wait for days. A channel would refuse the push because of them. */
const removePastDays = <Range extends DayRange>(
  { time_zone }: ClaimedPush,
  ranges: ReadonlyArray<Range>
): Effect.Effect<ReadonlyArray<Range>> =>
  time_zone === null
    ? Effect.succeed(ranges)
    : Effect.map(DateTime.nowAsDate, (now) => clipRanges(ranges, pushHorizonOf(dateInZone(now, time_zone))))

/** Returns undefined if another worker has the claim. */
const buildMessage = Effect.fnUntraced(function* (claimedPush: ClaimedPush) {
  const { content, push_id, listing_id: listingId, channel_type, obsolete_reason } = claimedPush
  if (push_id === null) return yield* buildCalendarMessage(claimedPush)
  const push = { claimedPush, push_id, ranges: undefined }
  if (obsolete_reason !== null)
    return { push, emptyReason: obsolete_reason, ranges: [], send: () => Effect.void } satisfies PushMessage
  const emptyReason = `${channel_type} supports none of these restrictions`
  const account = toChannelAccountTarget(claimedPush)
  switch (content.kind) {
    case "prices": {
      const prices = yield* removePastDays(claimedPush, content.ranges)
      return {
        push,
        emptyReason: "its days have passed",
        ranges: prices,
        send: (gateway) => sendInChunks(prices, (chunk) => gateway.pushPrices(account, { listingId, prices: chunk }))
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
      const restrictions = keepSupportedRestrictions(channel_type, yield* removePastDays(claimedPush, content.ranges))
      return {
        push,
        emptyReason,
        ranges: restrictions,
        send: (gateway) =>
          sendInChunks(restrictions, (chunk) => gateway.pushRestrictions(account, { listingId, restrictions: chunk }))
      } satisfies PushMessage
    }
    case "availability":
      return undefined
  }
})

/** Only `failed` is attempted again. */
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

/** Treats a defect of a connector as an unreachable channel, so that it does not block other pushes. */
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
 * Logs no warning if a calendar push (changed availability) finds no connector, because each changed night would cause
 * one.
 */
const storePushOutcome = Effect.fnUntraced(function* ({ push, outcome }: PushAttempt, end: AttemptEnd) {
  const queue = yield* PushQueue
  const { now } = end
  yield* annotateSpan("latchkey.outcome", outcome.end)
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
      if (recorded !== undefined) yield* queueMissedPrices(push, recorded, now)
      const isQuiet = outcome.end === "unserved" && push.claimedPush.content.kind === "availability"
      if (recorded === undefined || isQuiet) return
      yield* recordFailure(outcome.end, { "latchkey.outcome": outcome.end })
      return yield* withPushLogs(Effect.logWarning("the channel refused a change of a listing", outcome.reason))
    }
    case "failed":
      yield* recordFailure(outcome.end, { "latchkey.outcome": outcome.end })
      return yield* withPushLogs(postponePush(push, outcome.reason, end))
  }
})

interface MissedValues {
  readonly misses_prices: boolean
  readonly misses_stay_lengths: boolean
}

/**
 * Base prices of dead letters are queued again, behind the other pushes of the listing. So are base prices that a new
 * ratio left out for a direct price, if the channel did not accept that price.
 */
const queueMissedPrices = Effect.fnUntraced(function* (
  { claimedPush: { operator_id, listing_row } }: PushInProgress,
  { misses_prices, misses_stay_lengths }: MissedValues,
  now: Date
) {
  if (!misses_prices && !misses_stay_lengths) return
  const listing = { operatorId: operator_id, listingRow: listing_row, needsStayLengths: misses_stay_lengths }
  yield* Effect.flatMap(CurrentPricePushes, (pushes) => pushes.queuePushes(listing, now))
  yield* (yield* WakeUp).wake
})

/** If a calendar push was given up, the next comparison finds its days. */
const postponePush = Effect.fnUntraced(function* (
  push: PushInProgress,
  reason: string,
  { now, nextAttempt }: AttemptEnd
) {
  const queue = yield* PushQueue
  const givenUp = yield* queue.fail(push, reason, nextAttempt(), now)
  if (givenUp === undefined || givenUp.pushes === 0) return
  yield* Effect.logWarning(`${givenUp.pushes} changes of a listing were given up`, reason)
  yield* queueMissedPrices(push, givenUp, now)
  if (givenUp.of_calendar) yield* queue.compareSoon(push.claimedPush, now)
})

export const PUSH_POLL_GAP_MS = 100

export const pushJobs = defineJobs({
  name: "pushing to channels",
  maxInProgress: PUSHING_ROOM,
  backoff: PUSH_BACKOFF,
  queue: PushQueue,
  attempt: attemptPush,
  // A failed write is repeated, so only a stored outcome is counted.
  complete: (_push, attempt, end) =>
    attempt === undefined
      ? Effect.void
      : Effect.andThen(
          storePushOutcome(attempt, end),
          incrementCounter(channelPushes.withLabels({ outcome: attempt.outcome.end }))
        ),
  toRootSpan: ({ traceparent, channel_type, push_id }) => ({
    name: "push",
    kind: "consumer",
    parent: parseTraceparent(traceparent),
    attributes: () => ({ "latchkey.channel": channel_type, "latchkey.push": push_id ?? "of the calendar" })
  }),
  notStoredMessage: "the outcome of a push to a channel could not be saved",
  wakeUpLoop: { name: "waking the push worker", gapMs: PUSH_POLL_GAP_MS },
  backlog: [{ kind: "pushes", statement: (sql, time) => fairBacklogSql(sql, PUSH_TABLE, time) }]
})

export const layerPushJobs = Layer.merge(
  Layer.effectDiscard(startJobs(pushJobs)),
  Layer.effectDiscard(repeatPeriodically("retention of pushes", RETENTION_INTERVAL_MS, deleteOldPushes))
).pipe(Layer.provide(PushQueue.layer))
