import { Cause, DateTime, Effect, Layer, Random } from "effect"
import { type Backoff, backoffMs } from "../../../../jobs/retries.ts"
import { attemptOnce, makeTimedWorker } from "../../../../jobs/timed-work.ts"
import { runWorkerWhenWoken } from "../../../../jobs/woken-worker.ts"
import { messageTries } from "../../../../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../../../../platform/telemetry/metrics/metric-updates.ts"
import { annotateSpan, recordFailure, withRootSpan } from "../../../../platform/telemetry/spans.ts"
import { parseTraceparent } from "../../../../platform/telemetry/traceparent.ts"
import { ChannelGateway } from "../../../channels/port/ChannelGateway.ts"
import { CHANNEL_ACTION_TIMEOUT_MS } from "../../../channels/port/channel-api-errors.ts"
import type { MessageSendResult } from "../../../channels/port/connector.ts"
import { describeChannelError } from "../../../channels/port/error-descriptions.ts"
import { type ChannelError, ChannelUnavailable } from "../../../channels/port/errors.ts"
import type { SendOutcome, TakenMessage } from "./claimed-message.ts"
import { SendQueue } from "./SendQueue.ts"
import { SENDING_ROOM } from "./taking.ts"

/** Of a channel that cannot be told: 5 s, doubling up to 15 min, each a quarter shorter or longer. */
export const SEND_BACKOFF: Backoff = { firstMs: 5_000, longestMs: 15 * 60 * 1000, jitter: 0.25 }

/** A channel that is not told again what it may have been told, since it would not know it again. */
const UNCONFIRMED_REASON = "it may have been delivered; the channel cannot tell"

const toSendOutcome = (result: MessageSendResult): SendOutcome =>
  result.outcome === "sent"
    ? { kind: "sent", channelMessageId: result.channelMessageId }
    : { kind: "unknown", reason: UNCONFIRMED_REASON }

/**
 * What no repetition would change is over. Of what failed nothing got there where the channel was not reached; where it was
 * nobody knows. `again`: a try before this one may have got there, which a channel that is not asked cannot take back.
 */
export const toFailureOutcome = (error: ChannelError, wasTriedBefore: boolean): SendOutcome => {
  const reason = describeChannelError(error)
  switch (error._tag) {
    case "ChannelRefused":
      return { kind: "refused", reason }
    case "ChannelAccountMissing":
    case "ChannelNotServed":
      return { kind: wasTriedBefore ? "unknown" : "refused", reason }
    case "ChannelDisconnected":
      return { kind: "failed", reason, maybeSent: wasTriedBefore }
    case "ChannelUnavailable":
      return { kind: "failed", reason, maybeSent: wasTriedBefore || error.code !== 503 }
  }
}

/** One try, for less than the lease of a lane. A connector that breaks has failed, and may have told its channel first. */
const attemptSend = ({ operator_id, account_id, channel_type, ...message }: TakenMessage) =>
  Effect.flatMap(ChannelGateway, (gateway) =>
    gateway.sendMessage(
      { operatorId: operator_id, accountId: account_id, channelType: channel_type },
      {
        threadId: message.thread_id,
        messageId: message.code,
        text: message.content,
        imageUrl: message.attachment_url,
        again: message.again
      }
    )
  ).pipe(
    Effect.timeoutOrElse({
      duration: CHANNEL_ACTION_TIMEOUT_MS,
      orElse: () => Effect.fail(new ChannelUnavailable({ code: 504 }))
    }),
    Effect.map(toSendOutcome),
    Effect.catch((error) => Effect.succeed(toFailureOutcome(error, message.again))),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) =>
        Effect.as(Effect.logError("a connector failed with a defect", cause), {
          kind: "failed",
          reason: "the connector failed with a defect",
          maybeSent: true
        } satisfies SendOutcome)
    )
  )

const annotateWithMessage = ({ operator_id, channel_type, conversation_id, code }: TakenMessage) =>
  Effect.annotateLogs({ operator_id, channel_type, conversation_id, message: code })

const OUTCOME_WARNINGS = {
  refused: "the channel refused a message",
  unknown: "the delivery of a message is unknown"
} as const

/** Writes down how a try ended. Nobody is told of it: that there is a message was told when it was recorded. */
const recordOutcome = Effect.fnUntraced(function* (message: TakenMessage, outcome: SendOutcome) {
  const queue = yield* SendQueue
  const now = yield* DateTime.nowAsDate
  yield* annotateSpan("latchkey.outcome", outcome.kind)
  yield* incrementCounter(messageTries.withLabels({ outcome: outcome.kind }))
  if (outcome.kind !== "sent") yield* recordFailure(outcome.kind, { "latchkey.outcome": outcome.kind })
  const annotate = annotateWithMessage(message)
  switch (outcome.kind) {
    case "sent": {
      const echoes = yield* queue.recordSent(message, outcome.channelMessageId, now)
      if (echoes.length === 0) return
      return yield* annotate(Effect.logInfo("an earlier channel event was matched to a sent message", { echoes }))
    }
    case "refused":
    case "unknown": {
      if (!(yield* queue.recordRefusedOrUnknown(message, outcome.kind, outcome.reason, now))) return
      return yield* annotate(Effect.logWarning(OUTCOME_WARNINGS[outcome.kind], outcome.reason))
    }
    case "failed": {
      const delayMs = backoffMs(SEND_BACKOFF, message.failures + 1, yield* Random.next)
      const nextTry = new Date(now.getTime() + delayMs)
      const givenUpCount = yield* queue.postpone(message, outcome.reason, outcome.maybeSent, nextTry, now)
      if (givenUpCount > 0)
        yield* annotate(Effect.logWarning(`${givenUpCount} messages of a conversation were given up`, outcome.reason))
    }
  }
})

const toRootSpan = ({ channel_type, code, traceparent }: TakenMessage) => ({
  name: "send",
  kind: "consumer" as const,
  parent: parseTraceparent(traceparent),
  attributes: () => ({ "latchkey.channel": channel_type, "latchkey.message": code })
})

/** Makes one try of a message that was taken, and writes down how it ended. */
export const sendClaimedMessage = (message: TakenMessage): Effect.Effect<void, never, SendQueue | ChannelGateway> =>
  attemptOnce({
    attempt: attemptSend(message),
    complete: (outcome) => recordOutcome(message, outcome),
    release: Effect.flatMap(SendQueue, (queue) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => queue.release(message, now))
    )
  }).pipe(
    (attempt) => withRootSpan(toRootSpan(message), attempt),
    Effect.catchCause((cause) => Effect.logWarning("the outcome of a message could not be saved", cause))
  )

/** What takes messages that are due and sends them. */
export const makeMessageSender = Effect.flatMap(SendQueue, (queue) =>
  makeTimedWorker({ name: "sending messages", maxInProgress: SENDING_ROOM, claim: queue.take, run: sendClaimedMessage })
)

/** Milliseconds between two looks for something to send, however often changes wake the worker. */
export const SEND_POLL_GAP_MS = 100

/** Sends what waits for guests, until the scope closes, in any number of processes on one database. */
export const layerMessageSender = Layer.effectDiscard(
  Effect.flatMap(makeMessageSender, (sender) =>
    runWorkerWhenWoken("waking the message worker", sender, SEND_POLL_GAP_MS)
  )
).pipe(Layer.provide(SendQueue.layer))
