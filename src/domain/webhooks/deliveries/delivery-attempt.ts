import { Clock, DateTime, Effect, Random } from "effect"
import { nextAttemptAt } from "../../../jobs/retries.ts"
import { attemptOnce } from "../../../jobs/timed-work.ts"
import { webhookTries } from "../../../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../../../platform/telemetry/metrics/metric-updates.ts"
import { annotateSpan, recordFailure, withRootSpan } from "../../../platform/telemetry/spans.ts"
import { parseTraceparent } from "../../../platform/telemetry/traceparent.ts"
import { computeHealthAfterFailure, type SubscriptionHealth } from "./circuit-breaker.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import type { DeliveryAttempt, TakenDelivery } from "./delivery.ts"
import { formatWebhookId, renderDeliveryBody } from "./delivery-message.ts"
import { type DeliveryResult, isDelivered, type OutboundHttp } from "./OutboundHttp.ts"
import { postSignedBody } from "./signed-post.ts"
import { WEBHOOK_RETRIES } from "./webhook-retries.ts"

/** One try: the event as a signed request, and how it ended. */
const attemptDelivery = (delivery: TakenDelivery) =>
  postSignedBody(delivery, formatWebhookId(delivery), renderDeliveryBody(delivery))

const describeResult = (result: DeliveryResult): string =>
  result.outcome === "answered" ? `the receiver answered ${result.status}` : `${result.reason}: ${result.detail}`

/** How a failed try is told in a word: the status that was answered, or why there was no answer. */
const toFailureLabel = (result: DeliveryResult): string =>
  result.outcome === "answered" ? String(result.status) : result.reason

/** Returns the `Retry-After` of the response in milliseconds, or 0. */
const getRetryAfterMs = (result: DeliveryResult): number =>
  result.outcome === "answered" ? (result.retryAfterMs ?? 0) : 0

/** Returns whether the receiver returned 410 Gone, which ends deliveries to it. */
const isReceiverGone = (result: DeliveryResult): boolean => result.outcome === "answered" && result.status === 410

const describePauseReason = (result: DeliveryResult): string =>
  isReceiverGone(result)
    ? "The receiver returned 410 Gone, which ends deliveries to this address."
    : `No delivery succeeded for five days. The last try: ${describeResult(result)}.`

/**
 * Counts a failure against the health of the subscription, which may rest or pause it. The health is replaced only if
 * it is still the one it was judged by; a lost race judges again by what the winner left.
 */
const countFailure = Effect.fnUntraced(function* (
  delivery: TakenDelivery,
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

/** Writes down how a try ended. */
const recordOutcome = Effect.fnUntraced(function* (delivery: TakenDelivery, attempt: DeliveryAttempt) {
  const queue = yield* DeliveryQueue
  yield* annotateSpan("latchkey.outcome", describeResult(attempt.result))
  if (isDelivered(attempt.result)) {
    yield* queue.complete({ delivery, ...attempt })
    return yield* incrementCounter(webhookTries.withLabels({ outcome: "delivered" }))
  }
  yield* recordFailure(toFailureLabel(attempt.result), { "latchkey.outcome": describeResult(attempt.result) })
  const now = yield* Clock.currentTimeMillis
  const nextTryAt = nextAttemptAt(
    WEBHOOK_RETRIES,
    delivery.failures + 1,
    now,
    yield* Random.next,
    getRetryAfterMs(attempt.result)
  )
  const health = yield* queue.fail(delivery, attempt, nextTryAt, new Date(now))
  yield* incrementCounter(webhookTries.withLabels({ outcome: nextTryAt === undefined ? "dead_letter" : "failed" }))
  if (nextTryAt === undefined) {
    yield* Effect.logWarning("webhook delivery is a dead letter", describeResult(attempt.result)).pipe(
      Effect.annotateLogs({ operator_id: delivery.operator_id, delivery: formatWebhookId(delivery) })
    )
  }
  if (health !== undefined) yield* countFailure(delivery, attempt.result, health, now)
})

const releaseDelivery = Effect.fnUntraced(function* (delivery: TakenDelivery) {
  const queue = yield* DeliveryQueue
  yield* queue.release(delivery, yield* DateTime.nowAsDate)
})

const toRootSpan = (delivery: TakenDelivery) => ({
  name: "webhook",
  kind: "consumer" as const,
  parent: parseTraceparent(delivery.traceparent),
  attributes: () => ({ "latchkey.event": delivery.event, "latchkey.delivery": formatWebhookId(delivery) })
})

/** Makes one try of a delivery that was taken, and writes down how it ended. */
export const sendClaimedDelivery = (
  delivery: TakenDelivery
): Effect.Effect<void, never, DeliveryQueue | OutboundHttp> =>
  attemptOnce({
    attempt: attemptDelivery(delivery),
    complete: (attempt: DeliveryAttempt) => recordOutcome(delivery, attempt),
    release: releaseDelivery(delivery)
  }).pipe(
    (work) => withRootSpan(toRootSpan(delivery), work),
    Effect.catchCause((cause) => Effect.logWarning("the outcome of a webhook delivery could not be saved", cause))
  )
