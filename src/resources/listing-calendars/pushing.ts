import { Cause, DateTime, Effect, Layer, Random } from "effect"
import { loop, periodically } from "../../background/loop.ts"
import { whenWoken } from "../../background/polls.ts"
import { RETENTION_MS } from "../../background/retention.ts"
import { type Backoff, pauseOf } from "../../background/retries.ts"
import { attemptOnce, DUE_POLL_MS, makeTimedWork } from "../../background/timed-work.ts"
import { WakeUp } from "../../background/WakeUp.ts"
import { OUTWARD_ACT_MS } from "../../channels/api-errors.ts"
import { ChannelGateway } from "../../channels/ChannelGateway.ts"
import { type ChannelError, ChannelUnavailable } from "../../channels/errors.ts"
import { asRoot, record } from "../../telemetry/spans.ts"
import { PushQueue } from "./PushQueue.ts"
import type { Ended, TakenPush } from "./push.ts"
import { retain } from "./retention.ts"
import { honouredOf, spanOf } from "./rules.ts"
import { PUSHING_ROOM } from "./taking.ts"

/** Of a channel that cannot be told: 5 s, doubling up to 15 min, each a quarter shorter or longer. */
export const PUSH_BACKOFF: Backoff = { firstMs: 5_000, longestMs: 15 * 60 * 1000, jitter: 0.25 }

/** Tells the channel, and answers the ranges it was told of; none where it honours nothing. */
const tell = Effect.fnUntraced(function* (gateway: ChannelGateway["Service"], push: TakenPush) {
  const { told } = push
  const account = { operatorId: push.operator_id, accountId: push.account_id, channelType: push.channel_type }
  const listingId = push.listing_id
  switch (told.kind) {
    case "prices":
      yield* gateway.pushPrices(account, { listingId, prices: told.ranges })
      return told.ranges
    case "inventories":
      yield* gateway.pushInventories(account, { listingId, inventories: told.ranges })
      return told.ranges
    case "restrictions": {
      const restrictions = honouredOf(push.channel_type, told.ranges)
      if (restrictions.length > 0) yield* gateway.pushRestrictions(account, { listingId, restrictions })
      return restrictions
    }
  }
})

/** What no repetition would change is over; all else is tried again. */
const endedBy = (error: ChannelError): Ended => {
  switch (error._tag) {
    case "ChannelRefused":
      return { end: "refused", reason: error.field === undefined ? error.reason : `${error.field}: ${error.reason}` }
    case "ChannelAccountMissing":
      return { end: "refused", reason: `there is no account on ${error.channelType} any more` }
    case "ChannelNotServed":
      return { end: "refused", reason: `${error.channelType} cannot be told here` }
    case "ChannelDisconnected":
      return { end: "failed", reason: `the account on ${error.channelType} is disconnected` }
    case "ChannelUnavailable":
      return {
        end: "failed",
        reason: error.code === 504 ? "the channel did not answer in time" : `the channel failed (${error.code})`
      }
  }
}

/** One try, for less than the lease of a lane. A connector that breaks has failed, as one that is away: whatever else waits must not wait for it for ever. */
const attemptOf = (push: TakenPush) =>
  Effect.flatMap(ChannelGateway, (gateway) =>
    tell(gateway, push).pipe(
      Effect.timeoutOrElse({
        duration: OUTWARD_ACT_MS,
        orElse: () => Effect.fail(new ChannelUnavailable({ code: 504 }))
      }),
      Effect.map((ranges): Ended => ({ end: "pushed", span: spanOf(ranges) })),
      Effect.catch((error) => Effect.succeed(endedBy(error))),
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) =>
          Effect.as(Effect.logError("a connector broke", cause), {
            end: "failed",
            reason: "the connector broke"
          } satisfies Ended)
      )
    )
  )

const about = ({ operator_id, channel_type, listing_id, push_id }: TakenPush) =>
  Effect.annotateLogs({ operator_id, channel_type, listing_id, push_id })

/** Writes down how a try ended, and wakes whoever hands out the event of a success. */
const settle = Effect.fnUntraced(function* (push: TakenPush, ended: Ended) {
  const queue = yield* PushQueue
  const now = yield* DateTime.nowAsDate
  yield* record("latchkey.outcome", ended.end)
  if (ended.end === "pushed") {
    yield* queue.pushed(push, ended.span, now)
    return yield* (yield* WakeUp).wake
  }
  const say = about(push)
  if (ended.end === "refused") {
    const counted = yield* queue.refused(push, ended.reason, now)
    if (counted === undefined) return
    return yield* say(Effect.logWarning("the channel refused a change of a listing", ended.reason))
  }
  const pause = pauseOf(PUSH_BACKOFF, push.failures + 1, yield* Random.next)
  const dead = yield* queue.failed(push, ended.reason, new Date(now.getTime() + pause), now)
  if (dead > 0) yield* say(Effect.logWarning(`${dead} changes of a listing were given up`, ended.reason))
})

const rootOf = (push: TakenPush) => ({
  name: "push",
  kind: "producer" as const,
  attributes: () => ({ "latchkey.channel": push.channel_type, "latchkey.push": push.push_id })
})

/** Makes one try of a push that was taken, and writes down how it ended. */
export const push = (taken: TakenPush): Effect.Effect<void, never, PushQueue | ChannelGateway | WakeUp> =>
  attemptOnce({
    attempt: attemptOf(taken),
    settle: (ended: Ended) => settle(taken, ended),
    handBack: Effect.flatMap(PushQueue, (queue) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => queue.handBack(taken, now))
    )
  }).pipe(
    (tried) => asRoot(rootOf(taken), tried),
    Effect.catchCause((cause) => Effect.logWarning("a push to a channel was not written down", cause))
  )

/** What takes pushes that are due and makes them. */
export const makePushing = Effect.flatMap(PushQueue, (queue) =>
  makeTimedWork({ what: "pushing to channels", room: PUSHING_ROOM, take: queue.take, run: push })
)

/** Milliseconds between two looks for something to push, however often changes wake the worker. */
export const PUSH_GAP_MS = 100

/** Tells channels what waits for them until the scope closes, in any number of processes on one database. */
const work = Effect.gen(function* () {
  const { polling, changed } = yield* makePushing
  const woken = yield* Effect.flatMap(WakeUp, ({ latch }) => latch)
  yield* polling
  const heard = Effect.as(Effect.andThen(changed, Effect.sleep(PUSH_GAP_MS)), false)
  yield* Effect.forkScoped(loop("hearing of pushes", whenWoken(woken, heard, DUE_POLL_MS)))
})

/** The worker of this process, over a database and the channels. */
export const layerPushing = Layer.merge(
  Layer.effectDiscard(work),
  Layer.effectDiscard(periodically("retention of pushes", RETENTION_MS, retain))
).pipe(Layer.provide(PushQueue.layer))
