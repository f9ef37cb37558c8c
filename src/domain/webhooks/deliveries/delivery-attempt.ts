import { Effect } from "effect"
import { backlogSql } from "../../../jobs/backlog-statements.ts"
import { type AttemptEnd, defineJobs } from "../../../jobs/job-runner.ts"
import type { RetryPolicy } from "../../../jobs/retries.ts"
import {
  WEBHOOK_ATTEMPTS,
  WEBHOOK_FIRST_RETRY_MS,
  WEBHOOK_LONGEST_RETRY_MS,
  WEBHOOK_RETRY_JITTER
} from "../../../platform/limits.ts"
import { webhookTries } from "../../../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../../../platform/telemetry/metrics/metric-updates.ts"
import { annotateSpan, recordFailure } from "../../../platform/telemetry/spans.ts"
import { parseTraceparent } from "../../../platform/telemetry/traceparent.ts"
import { computeHealthAfterFailure, type SubscriptionHealth } from "./circuit-breaker.ts"
import { DeliveryQueue, MAX_DELIVERIES_IN_PROGRESS } from "./DeliveryQueue.ts"
import type { ClaimedDelivery, DeliveryAttempt } from "./delivery.ts"
import { formatWebhookId, renderDeliveryBody } from "./delivery-message.ts"
import { webhookBacklog } from "./due-subscriptions.ts"
import { type DeliveryResult, isDelivered } from "./OutboundHttp.ts"
import { postSignedBody } from "./signed-post.ts"

/** Pauses grow from 30 s to 6 h. All attempts take about three days. */
export const WEBHOOK_RETRIES: RetryPolicy = {
  backoff: {
    firstMs: WEBHOOK_FIRST_RETRY_MS,
    longestMs: WEBHOOK_LONGEST_RETRY_MS,
    jitter: WEBHOOK_RETRY_JITTER
  },
  maxAttempts: WEBHOOK_ATTEMPTS
}

const attemptDelivery = (delivery: ClaimedDelivery) =>
  postSignedBody(delivery, formatWebhookId(delivery), renderDeliveryBody(delivery))

const describeResult = (result: DeliveryResult): string =>
  result.outcome === "answered" ? `the receiver answered ${result.status}` : `${result.reason}: ${result.detail}`

const toFailureLabel = (result: DeliveryResult): string =>
  result.outcome === "answered" ? String(result.status) : result.reason

const getRetryAfterMs = (result: DeliveryResult): number =>
  result.outcome === "answered" ? (result.retryAfterMs ?? 0) : 0

const isReceiverGone = (result: DeliveryResult): boolean => result.outcome === "answered" && result.status === 410

const describePauseReason = (result: DeliveryResult): string =>
  isReceiverGone(result)
    ? "The receiver returned 410 Gone, which ends deliveries to this address."
    : `No delivery succeeded for five days. The last try: ${describeResult(result)}.`

/** Starts again if another worker has changed the health. */
const countFailure = Effect.fnUntraced(function* (
  delivery: ClaimedDelivery,
  result: DeliveryResult,
  initialHealth: SubscriptionHealth,
  now: number
) {
  const queue = yield* DeliveryQueue
  let before: SubscriptionHealth | undefined = initialHealth
  while (before !== undefined) {
    const after: SubscriptionHealth = computeHealthAfterFailure(before, now, isReceiverGone(result))
    if (after === before) return
    const isPaused = after.state === "paused"
    const startsCooldown = after.state === "resting" && before.state !== "resting"
    const reason = describePauseReason(result)
    const pause = isPaused ? { at: new Date(now), reason } : undefined
    if (yield* queue.replaceHealth(delivery, before, after, pause)) {
      const annotate = Effect.annotateLogs({ operator_id: delivery.operator_id, webhook_id: delivery.subscription_id })
      if (isPaused) yield* annotate(Effect.logWarning("webhook subscription paused", reason))
      if (startsCooldown)
        yield* annotate(
          Effect.logWarning("webhook subscription is in cooldown", `The last try: ${describeResult(result)}.`)
        )
      return
    }
    before = yield* queue.findHealth(delivery)
  }
})

const completeDelivery = Effect.fnUntraced(function* (
  delivery: ClaimedDelivery,
  attempt: DeliveryAttempt,
  { now, nextAttemptOrDeadLetter }: AttemptEnd
) {
  const queue = yield* DeliveryQueue
  yield* annotateSpan("latchkey.outcome", describeResult(attempt.result))
  if (isDelivered(attempt.result)) {
    yield* queue.complete({ delivery, ...attempt })
    return yield* incrementCounter(webhookTries.withLabels({ outcome: "delivered" }))
  }
  yield* recordFailure(toFailureLabel(attempt.result), { "latchkey.outcome": describeResult(attempt.result) })
  const nextAttemptAt = nextAttemptOrDeadLetter(getRetryAfterMs(attempt.result))
  const health = yield* queue.fail(delivery, attempt, nextAttemptAt, now)
  yield* incrementCounter(webhookTries.withLabels({ outcome: nextAttemptAt === undefined ? "dead_letter" : "failed" }))
  if (nextAttemptAt === undefined) {
    yield* Effect.logWarning("webhook delivery is a dead letter", describeResult(attempt.result)).pipe(
      Effect.annotateLogs({ operator_id: delivery.operator_id, delivery: formatWebhookId(delivery) })
    )
  }
  if (health !== undefined) yield* countFailure(delivery, attempt.result, health, now.getTime())
})

export const deliveryJobs = defineJobs({
  name: "taking deliveries",
  maxInProgress: MAX_DELIVERIES_IN_PROGRESS,
  ...WEBHOOK_RETRIES,
  queue: DeliveryQueue,
  attempt: attemptDelivery,
  complete: completeDelivery,
  toRootSpan: (delivery) => ({
    name: "webhook",
    kind: "consumer",
    parent: parseTraceparent(delivery.traceparent),
    attributes: () => ({ "latchkey.event": delivery.event, "latchkey.delivery": formatWebhookId(delivery) })
  }),
  notStoredMessage: "the outcome of a webhook delivery could not be saved",
  backlog: [{ kind: "webhooks", statement: (sql, { now }) => backlogSql(sql, webhookBacklog(sql, now)) }]
})
