import { Cause, DateTime, Effect, Layer, Random } from "effect"
import { type Backoff, pauseOf } from "../../../../jobs/retries.ts"
import { attemptOnce, makeTimedWork } from "../../../../jobs/timed-work.ts"
import { workWhenWoken } from "../../../../jobs/woken-work.ts"
import { messageTries } from "../../../../platform/telemetry/metrics/declared.ts"
import { countOne } from "../../../../platform/telemetry/metrics/measuring.ts"
import { asRoot, record, recordFailure } from "../../../../platform/telemetry/spans.ts"
import { spanNamed } from "../../../../platform/telemetry/traceparent.ts"
import { OUTWARD_ACT_MS } from "../../../channels/port/api-errors.ts"
import { ChannelGateway } from "../../../channels/port/ChannelGateway.ts"
import type { MessageTaken } from "../../../channels/port/connector.ts"
import { type ChannelError, ChannelUnavailable } from "../../../channels/port/errors.ts"
import { inWords } from "../../../channels/port/in-words.ts"
import type { Ended, TakenMessage } from "./message.ts"
import { SendQueue } from "./SendQueue.ts"
import { SENDING_ROOM } from "./taking.ts"

/** Of a channel that cannot be told: 5 s, doubling up to 15 min, each a quarter shorter or longer. */
export const SEND_BACKOFF: Backoff = { firstMs: 5_000, longestMs: 15 * 60 * 1000, jitter: 0.25 }

/** A channel that is not told again what it may have been told, since it would not know it again. */
const UNTOLD = "it may have been delivered; the channel cannot tell"

const endedWith = (taken: MessageTaken): Ended =>
  taken.outcome === "sent"
    ? { end: "sent", channelMessageId: taken.channelMessageId }
    : { end: "unknown", reason: UNTOLD }

/**
 * What no repetition would change is over. Of what failed nothing got there where the channel was not reached; where it was
 * nobody knows. `again`: a try before this one may have got there, which a channel that is not asked cannot take back.
 */
export const endedBy = (error: ChannelError, again: boolean): Ended => {
  const reason = inWords(error)
  switch (error._tag) {
    case "ChannelRefused":
      return { end: "refused", reason }
    case "ChannelAccountMissing":
    case "ChannelNotServed":
      return { end: again ? "unknown" : "refused", reason }
    case "ChannelDisconnected":
      return { end: "failed", reason, maybe: again }
    case "ChannelUnavailable":
      return { end: "failed", reason, maybe: again || error.code !== 503 }
  }
}

/** One try, for less than the lease of a lane. A connector that breaks has failed, and may have told its channel first. */
const attemptOf = ({ operator_id, account_id, channel_type, ...taken }: TakenMessage) =>
  Effect.flatMap(ChannelGateway, (gateway) =>
    gateway.sendMessage(
      { operatorId: operator_id, accountId: account_id, channelType: channel_type },
      {
        threadId: taken.thread_id,
        messageId: taken.code,
        text: taken.content,
        imageUrl: taken.attachment_url,
        again: taken.again
      }
    )
  ).pipe(
    Effect.timeoutOrElse({
      duration: OUTWARD_ACT_MS,
      orElse: () => Effect.fail(new ChannelUnavailable({ code: 504 }))
    }),
    Effect.map(endedWith),
    Effect.catch((error) => Effect.succeed(endedBy(error, taken.again))),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) =>
        Effect.as(Effect.logError("a connector failed with a defect", cause), {
          end: "failed",
          reason: "the connector failed with a defect",
          maybe: true
        } satisfies Ended)
    )
  )

const about = ({ operator_id, channel_type, conversation_id, code }: TakenMessage) =>
  Effect.annotateLogs({ operator_id, channel_type, conversation_id, message: code })

const WARNINGS = {
  refused: "the channel refused a message",
  unknown: "the delivery of a message is unknown"
} as const

/** Writes down how a try ended. Nobody is told of it: that there is a message was told when it was recorded. */
const settle = Effect.fnUntraced(function* (taken: TakenMessage, ended: Ended) {
  const queue = yield* SendQueue
  const now = yield* DateTime.nowAsDate
  yield* record("latchkey.outcome", ended.end)
  yield* countOne(messageTries.of({ outcome: ended.end }))
  if (ended.end !== "sent") yield* recordFailure(ended.end, { "latchkey.outcome": ended.end })
  const say = about(taken)
  switch (ended.end) {
    case "sent": {
      const echoes = yield* queue.sent(taken, ended.channelMessageId, now)
      if (echoes.length === 0) return
      return yield* say(Effect.logInfo("an earlier channel event was matched to a sent message", { echoes }))
    }
    case "refused":
    case "unknown": {
      if (!(yield* queue.over(taken, ended.end, ended.reason, now))) return
      return yield* say(Effect.logWarning(WARNINGS[ended.end], ended.reason))
    }
    case "failed": {
      const pause = pauseOf(SEND_BACKOFF, taken.failures + 1, yield* Random.next)
      const nextTry = new Date(now.getTime() + pause)
      const gone = yield* queue.failed(taken, ended.reason, ended.maybe, nextTry, now)
      if (gone > 0) yield* say(Effect.logWarning(`${gone} messages of a conversation were given up`, ended.reason))
    }
  }
})

const rootOf = ({ channel_type, code, traceparent }: TakenMessage) => ({
  name: "send",
  kind: "consumer" as const,
  parent: spanNamed(traceparent),
  attributes: () => ({ "latchkey.channel": channel_type, "latchkey.message": code })
})

/** Makes one try of a message that was taken, and writes down how it ended. */
export const send = (taken: TakenMessage): Effect.Effect<void, never, SendQueue | ChannelGateway> =>
  attemptOnce({
    attempt: attemptOf(taken),
    settle: (ended) => settle(taken, ended),
    handBack: Effect.flatMap(SendQueue, (queue) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => queue.handBack(taken, now))
    )
  }).pipe(
    (tried) => asRoot(rootOf(taken), tried),
    Effect.catchCause((cause) => Effect.logWarning("the outcome of a message could not be saved", cause))
  )

/** What takes messages that are due and sends them. */
export const makeSending = Effect.flatMap(SendQueue, (queue) =>
  makeTimedWork({ what: "sending messages", room: SENDING_ROOM, take: queue.take, run: send })
)

/** Milliseconds between two looks for something to send, however often changes wake the worker. */
export const SEND_GAP_MS = 100

/** Sends what waits for guests, until the scope closes, in any number of processes on one database. */
export const layerSending = Layer.effectDiscard(
  Effect.flatMap(makeSending, (sending) => workWhenWoken("waking the message worker", sending, SEND_GAP_MS))
).pipe(Layer.provide(SendQueue.layer))
