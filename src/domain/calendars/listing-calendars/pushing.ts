import { Array as Arr, Cause, DateTime, Effect, Layer, Random } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { periodically } from "../../../jobs/loop.ts"
import { RETENTION_MS } from "../../../jobs/retention.ts"
import { type Backoff, pauseOf } from "../../../jobs/retries.ts"
import { attemptOnce, makeTimedWork } from "../../../jobs/timed-work.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { workWhenWoken } from "../../../jobs/woken-work.ts"
import { LISTING_RANGES } from "../../../platform/limits.ts"
import { channelPushes } from "../../../platform/telemetry/metrics/declared.ts"
import { countOne } from "../../../platform/telemetry/metrics/measuring.ts"
import { asRoot, record, recordFailure } from "../../../platform/telemetry/spans.ts"
import { spanNamed } from "../../../platform/telemetry/traceparent.ts"
import { OUTWARD_ACT_MS } from "../../channels/port/api-errors.ts"
import { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import type { StockedDays } from "../../channels/port/days.ts"
import { type ChannelError, ChannelUnavailable } from "../../channels/port/errors.ts"
import { inWords } from "../../channels/port/in-words.ts"
import { PushQueue } from "./PushQueue.ts"
import type { Ended, PushInHand, Span, TakenPush } from "./push.ts"
import { retain } from "./retention.ts"
import { honouredOf, spanOf } from "./rules.ts"
import { asTheHostSaid, horizonOf, stockedBy, within } from "./stock.ts"
import { PUSHING_ROOM } from "./taking.ts"

/** Of a channel that cannot be told: 5 s, doubling up to 15 min, each a quarter shorter or longer. */
export const PUSH_BACKOFF: Backoff = { firstMs: 5_000, longestMs: 15 * 60 * 1000, jitter: 0.25 }

/** What there is to tell of a push, and then how; `why` where that is nothing. */
interface Message {
  readonly push: PushInHand
  readonly ranges: ReadonlyArray<Span>
  readonly why: string
  readonly send: (gateway: ChannelGateway["Service"]) => Effect.Effect<unknown, ChannelError>
}

const accountOf = ({ operator_id, account_id, channel_type }: TakenPush) => ({
  operatorId: operator_id,
  accountId: account_id,
  channelType: channel_type
})

/** Inventories of a listing, in as many calls as their ranges need, one after the other. */
const stocking = (lane: TakenPush, inventories: ReadonlyArray<StockedDays>) => (gateway: ChannelGateway["Service"]) =>
  Effect.forEach(
    Arr.chunksOf(inventories, LISTING_RANGES),
    (some) => gateway.pushInventories(accountOf(lane), { listingId: lane.listing_id, inventories: some }),
    { discard: true }
  )

/** The calendar's own, as it is at this moment. Undefined: another worker has the lane. */
const ofCalendar = Effect.fnUntraced(function* (lane: TakenPush) {
  const queue = yield* PushQueue
  const now = yield* DateTime.nowAsDate
  const drawn = yield* queue.drawUp(lane, now)
  if (drawn === undefined) return undefined
  const horizon = horizonOf(dateInZone(now, drawn.time_zone))
  const days = within(drawn.days, horizon)
  const span = spanOf(days)
  const stock = span === undefined ? undefined : yield* queue.stock(lane, span)
  const ranges = stock?.linked === true ? stockedBy(stock, days) : []
  return {
    push: { lane, push_id: drawn.push_id, ranges: ranges.length === 0 ? undefined : ranges },
    ranges,
    why: span === undefined ? "its days have passed" : "the listing is not mapped",
    send: stocking(lane, ranges)
  } satisfies Message
})

/** What the host said of this listing alone, as far as it can be sold. */
const inventoriesOf = Effect.fnUntraced(function* (lane: TakenPush, asked: ReadonlyArray<StockedDays>) {
  const span = spanOf(asked)
  const stock = span === undefined ? undefined : yield* Effect.flatMap(PushQueue, (queue) => queue.stock(lane, span))
  return stock === undefined ? asked : asTheHostSaid(stock, asked)
})

/** Works out what there is to tell. Undefined: another worker has the lane. */
const messageOf = Effect.fnUntraced(function* (lane: TakenPush) {
  const { told, push_id, listing_id: listingId, channel_type } = lane
  if (push_id === null) return yield* ofCalendar(lane)
  const push = { lane, push_id, ranges: undefined }
  const why = `${channel_type} supports none of these restrictions`
  const account = accountOf(lane)
  switch (told.kind) {
    case "prices": {
      const prices = told.ranges
      return {
        push,
        why,
        ranges: prices,
        send: (gateway) => gateway.pushPrices(account, { listingId, prices })
      } satisfies Message
    }
    case "inventories": {
      const inventories = yield* inventoriesOf(lane, told.ranges)
      return { push, why, ranges: inventories, send: stocking(lane, inventories) } satisfies Message
    }
    case "restrictions": {
      const restrictions = honouredOf(channel_type, told.ranges)
      return {
        push,
        why,
        ranges: restrictions,
        send: (gateway) => gateway.pushRestrictions(account, { listingId, restrictions })
      } satisfies Message
    }
    case "availability":
      return undefined
  }
})

/** What no repetition would change is over; all else is tried again. */
const endedBy = (error: ChannelError): Ended => {
  const reason = inWords(error)
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
const sent = Effect.fnUntraced(function* ({ ranges, why, send }: Message) {
  const span = spanOf(ranges)
  if (span === undefined) return { end: "nothing", reason: why } satisfies Ended
  return yield* Effect.flatMap(ChannelGateway, send).pipe(
    Effect.timeoutOrElse({
      duration: OUTWARD_ACT_MS,
      orElse: () => Effect.fail(new ChannelUnavailable({ code: 504 }))
    }),
    Effect.as<Ended>({ end: "pushed", span }),
    Effect.catch((error) => Effect.succeed(endedBy(error))),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) =>
        Effect.as(Effect.logError("a connector failed with a defect", cause), {
          end: "failed",
          reason: "the connector failed with a defect"
        } satisfies Ended)
    )
  )
})

/** How a try ended, and of what. Undefined: another worker has the lane, and there was none. */
interface Tried {
  readonly push: PushInHand
  readonly ended: Ended
}

const attemptOf = Effect.fnUntraced(function* (lane: TakenPush) {
  const message = yield* messageOf(lane)
  if (message === undefined) return undefined
  const ended: Ended = yield* sent(message)
  return { push: message.push, ended } satisfies Tried
})

const about = ({ lane: { operator_id, channel_type, listing_id }, push_id }: PushInHand) =>
  Effect.annotateLogs({ operator_id, channel_type, listing_id, push_id })

/**
 * Writes down how a try ended, and wakes whoever hands out the event of a success. Nobody is warned of what the calendar has
 * to tell a channel that nothing here reaches: it would be said with each change of a night.
 */
const settle = Effect.fnUntraced(function* ({ push, ended }: Tried) {
  const queue = yield* PushQueue
  const now = yield* DateTime.nowAsDate
  yield* record("latchkey.outcome", ended.end)
  yield* countOne(channelPushes.of({ outcome: ended.end }))
  const say = about(push)
  switch (ended.end) {
    case "pushed":
      yield* queue.pushed(push, ended.span, now)
      return yield* (yield* WakeUp).wake
    case "nothing":
      yield* queue.nothing(push, ended.reason, now)
      return
    case "unserved":
    case "refused": {
      const counted = yield* queue.refused(push, ended.reason, now)
      const isQuiet = ended.end === "unserved" && push.lane.told.kind === "availability"
      if (counted === undefined || isQuiet) return
      yield* recordFailure(ended.end, { "latchkey.outcome": ended.end })
      return yield* say(Effect.logWarning("the channel refused a change of a listing", ended.reason))
    }
    case "failed":
      yield* recordFailure(ended.end, { "latchkey.outcome": ended.end })
      return yield* say(failed(push, ended.reason, now))
  }
})

/** It is tried again later. A calendar that could not be told for a day is compared with the channel's as soon as that answers. */
const failed = Effect.fnUntraced(function* (push: PushInHand, reason: string, now: Date) {
  const queue = yield* PushQueue
  const pause = pauseOf(PUSH_BACKOFF, push.lane.failures + 1, yield* Random.next)
  const given = yield* queue.failed(push, reason, new Date(now.getTime() + pause), now)
  if (given === undefined || given.pushes === 0) return
  yield* Effect.logWarning(`${given.pushes} changes of a listing were given up`, reason)
  if (given.of_calendar) yield* queue.compareSoon(push.lane, now)
})

const rootOf = (push: TakenPush) => ({
  name: "push",
  kind: "consumer" as const,
  parent: spanNamed(push.traceparent),
  attributes: () => ({ "latchkey.channel": push.channel_type, "latchkey.push": push.push_id ?? "of the calendar" })
})

/** Makes one try of a push that was taken, and writes down how it ended. */
export const push = (taken: TakenPush): Effect.Effect<void, never, PushQueue | ChannelGateway | WakeUp> =>
  attemptOnce({
    attempt: attemptOf(taken),
    settle: (tried) => (tried === undefined ? Effect.void : settle(tried)),
    handBack: Effect.flatMap(PushQueue, (queue) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => queue.handBack(taken, now))
    )
  }).pipe(
    (tried) => asRoot(rootOf(taken), tried),
    Effect.catchCause((cause) => Effect.logWarning("the outcome of a push to a channel could not be saved", cause))
  )

/** What takes pushes that are due and makes them. */
export const makePushing = Effect.flatMap(PushQueue, (queue) =>
  makeTimedWork({ what: "pushing to channels", room: PUSHING_ROOM, take: queue.take, run: push })
)

/** Milliseconds between two looks for something to push, however often changes wake the worker. */
export const PUSH_GAP_MS = 100

/** Tells channels what waits for them until the scope closes, in any number of processes on one database. */
const work = Effect.flatMap(makePushing, (pushing) => workWhenWoken("waking the push worker", pushing, PUSH_GAP_MS))

/** The worker of this process, over a database and the channels. */
export const layerPushing = Layer.merge(
  Layer.effectDiscard(work),
  Layer.effectDiscard(periodically("retention of pushes", RETENTION_MS, retain))
).pipe(Layer.provide(PushQueue.layer))
