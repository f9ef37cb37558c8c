import { Effect, Layer } from "effect"
import { fairBacklogSql } from "../../../../jobs/fair-queue.ts"
import { type AttemptEnd, defineJobs, startJobs } from "../../../../jobs/job-runner.ts"
import type { Backoff } from "../../../../jobs/retries.ts"
import { messageTries } from "../../../../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../../../../platform/telemetry/metrics/metric-updates.ts"
import { annotateSpan, recordFailure } from "../../../../platform/telemetry/spans.ts"
import { parseTraceparent } from "../../../../platform/telemetry/traceparent.ts"
import { ChannelGateway } from "../../../channels/port/ChannelGateway.ts"
import { CHANNEL_ACTION_TIMEOUT_MS } from "../../../channels/port/channel-api-errors.ts"
import type { MessageSendResult } from "../../../channels/port/connector.ts"
import { describeChannelError } from "../../../channels/port/error-descriptions.ts"
import { type ChannelError, ChannelUnavailable } from "../../../channels/port/errors.ts"
import { type ClaimedMessage, MESSAGE_TABLE, SENDING_ROOM, SendQueue } from "./SendQueue.ts"

export const SEND_BACKOFF: Backoff = { firstMs: 5_000, longestMs: 15 * 60 * 1000, jitter: 0.25 }

export const SEND_POLL_GAP_MS = 100

type SendOutcome =
  | { readonly kind: "sent"; readonly channelMessageId: string | null }
  /**
   * `refused`: the channel would refuse a repetition too. `unknown`: the channel cannot tell whether it delivered the
   * message.
   */
  | { readonly kind: "refused" | "unknown"; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string; readonly maybeSent: boolean }

const UNCONFIRMED_REASON = "it may have been delivered; the channel cannot tell"

const toSendOutcome = (result: MessageSendResult): SendOutcome =>
  result.outcome === "sent"
    ? { kind: "sent", channelMessageId: result.channelMessageId }
    : { kind: "unknown", reason: UNCONFIRMED_REASON }

/** Only the outcome `failed` leads to another attempt. A 503 means that the attempt did not reach the channel. */
export const toFailureOutcome = (error: ChannelError, wasAttemptedBefore: boolean): SendOutcome => {
  const reason = describeChannelError(error)
  switch (error._tag) {
    case "ChannelRefused":
      return { kind: "refused", reason }
    case "ChannelAccountMissing":
    case "ChannelNotServed":
      return { kind: wasAttemptedBefore ? "unknown" : "refused", reason }
    case "ChannelDisconnected":
      return { kind: "failed", reason, maybeSent: wasAttemptedBefore }
    case "ChannelUnavailable":
      return { kind: "failed", reason, maybeSent: wasAttemptedBefore || error.code !== 503 }
  }
}

const attemptSend = ({ operator_id, account_id, channel_type, ...message }: ClaimedMessage) =>
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
    Effect.catch((error) => Effect.succeed(toFailureOutcome(error, message.again)))
  )

const toLogAnnotations = ({ operator_id, channel_type, conversation_id, code }: ClaimedMessage) => ({
  operator_id,
  channel_type,
  conversation_id,
  message: code
})

const OUTCOME_WARNINGS = {
  refused: "the channel refused a message",
  unknown: "the delivery of a message is unknown"
} as const

/** Records no event, because the creation of the message recorded one. */
const storeSendOutcome = Effect.fnUntraced(function* (
  message: ClaimedMessage,
  outcome: SendOutcome,
  { now, nextAttempt }: AttemptEnd
) {
  const queue = yield* SendQueue
  yield* annotateSpan("latchkey.outcome", outcome.kind)
  if (outcome.kind !== "sent") yield* recordFailure(outcome.kind, { "latchkey.outcome": outcome.kind })
  const annotate = Effect.annotateLogs(toLogAnnotations(message))
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
      const givenUpCount = yield* queue.postpone(message, outcome.reason, outcome.maybeSent, nextAttempt(), now)
      if (givenUpCount > 0)
        yield* annotate(Effect.logWarning(`${givenUpCount} messages of a conversation were given up`, outcome.reason))
    }
  }
})

export const messageJobs = defineJobs({
  name: "sending messages",
  maxInProgress: SENDING_ROOM,
  backoff: SEND_BACKOFF,
  queue: SendQueue,
  attempt: attemptSend,
  // The connector may have sent the message before its defect.
  onDefect: (cause) =>
    Effect.as(Effect.logError("a connector failed with a defect", cause), {
      kind: "failed" as const,
      reason: "the connector failed with a defect",
      maybeSent: true
    }),
  // Storing the outcome may be repeated, so the attempt is counted only afterwards.
  complete: (message, outcome, end) =>
    Effect.andThen(
      storeSendOutcome(message, outcome, end),
      incrementCounter(messageTries.withLabels({ outcome: outcome.kind }))
    ),
  toRootSpan: ({ channel_type, code, traceparent }) => ({
    name: "send",
    kind: "consumer",
    parent: parseTraceparent(traceparent),
    attributes: () => ({ "latchkey.channel": channel_type, "latchkey.message": code })
  }),
  notStoredMessage: "the outcome of a message could not be saved",
  wakeUpLoop: { name: "waking the message worker", gapMs: SEND_POLL_GAP_MS },
  backlog: [{ kind: "messages", statement: (sql, time) => fairBacklogSql(sql, MESSAGE_TABLE, time) }]
})

export const layerMessageJobs = Layer.effectDiscard(startJobs(messageJobs)).pipe(Layer.provide(SendQueue.layer))
