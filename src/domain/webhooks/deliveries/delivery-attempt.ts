import { Clock, DateTime, Effect, Random } from "effect"
import { nextAttemptAt } from "../../../jobs/retries.ts"
import { attemptOnce } from "../../../jobs/timed-work.ts"
import { webhookTries } from "../../../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../../../platform/telemetry/metrics/metric-updates.ts"
import { annotateSpan, recordFailure, withRootSpan } from "../../../platform/telemetry/spans.ts"
import { parseTraceparent } from "../../../platform/telemetry/traceparent.ts"
import { type Health, healthAfterFailure } from "./circuit-breaker.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import type { DeliveryAttempt, TakenDelivery } from "./delivery.ts"
import { deliveryBodyOf, webhookIdOf } from "./delivery-message.ts"
import { type DeliveryResult, isDelivered, type Outbound } from "./Outbound.ts"
import { postSigned } from "./signed-post.ts"
import { WEBHOOK_RETRIES } from "./webhook-retries.ts"

/** One try: the event as a signed request, and how it ended. */
const attemptDelivery = (delivery: TakenDelivery) =>
  postSigned(delivery, webhookIdOf(delivery), deliveryBodyOf(delivery))

const describeResult = (result: DeliveryResult): string =>
  result.outcome === "answered" ? `the receiver answered ${result.status}` : `${result.reason}: ${result.detail}`

/** How a failed try is told in a word: the status that was answered, or why there was no answer. */
const failureLabel = (result: DeliveryResult): string =>
  result.outcome === "answered" ? String(result.status) : result.reason

/** Returns the `Retry-After` of the response in milliseconds, or 0. */
const retryAfterMsOf = (result: DeliveryResult): number =>
  result.outcome === "answered" ? (result.retryAfterMs ?? 0) : 0

/** Returns whether the receiver returned 410 Gone, which ends deliveries to it. */
const isGone = (result: DeliveryResult): boolean => result.outcome === "answered" && result.status === 410

const pauseReasonOf = (result: DeliveryResult): string =>
  isGone(result)
    ? "The receiver returned 410 Gone, which ends deliveries to this address."
    : `No delivery succeeded for five days. The last try: ${describeResult(result)}.`

/**
 * Counts a failure against the health of the subscription, which may rest or pause it. The health is replaced only if
 * it is still the one it was judged by; a lost race judges again by what the winner left.
 */
const countFailure = Effect.fnUntraced(function* (
  delivery: TakenDelivery,
  result: DeliveryResult,
  initialHealth: Health,
  now: number
) {
  const queue = yield* DeliveryQueue
  let before: Health | undefined = initialHealth
  while (before !== undefined) {
    const after: Health = healthAfterFailure(before, now, isGone(result))
    if (after === before) return
    const isPaused = after.state === "paused"
    const startsCooldown = after.state === "resting" && before.state !== "resting"
    const reason = pauseReasonOf(result)
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
    before = yield* queue.health(delivery)
  }
})

/** Writes down how a try ended. */
const settle = Effect.fnUntraced(function* (delivery: TakenDelivery, attempt: DeliveryAttempt) {
  const queue = yield* DeliveryQueue
  yield* annotateSpan("latchkey.outcome", describeResult(attempt.result))
  if (isDelivered(attempt.result)) {
    yield* queue.delivered({ delivery, ...attempt })
    return yield* incrementCounter(webhookTries.withLabels({ outcome: "delivered" }))
  }
  yield* recordFailure(failureLabel(attempt.result), { "latchkey.outcome": describeResult(attempt.result) })
  const now = yield* Clock.currentTimeMillis
  const nextTryAt = nextAttemptAt(
    WEBHOOK_RETRIES,
    delivery.failures + 1,
    now,
    yield* Random.next,
    retryAfterMsOf(attempt.result)
  )
  const health = yield* queue.failed(delivery, attempt, nextTryAt, new Date(now))
  yield* incrementCounter(webhookTries.withLabels({ outcome: nextTryAt === undefined ? "dead_letter" : "failed" }))
  if (nextTryAt === undefined) {
    yield* Effect.logWarning("webhook delivery is a dead letter", describeResult(attempt.result)).pipe(
      Effect.annotateLogs({ operator_id: delivery.operator_id, delivery: webhookIdOf(delivery) })
    )
  }
  if (health !== undefined) yield* countFailure(delivery, attempt.result, health, now)
})

const handBack = Effect.fnUntraced(function* (delivery: TakenDelivery) {
  const queue = yield* DeliveryQueue
  yield* queue.handBack(delivery, yield* DateTime.nowAsDate)
})

const rootSpanOf = (delivery: TakenDelivery) => ({
  name: "webhook",
  kind: "consumer" as const,
  parent: parseTraceparent(delivery.traceparent),
  attributes: () => ({ "latchkey.event": delivery.event, "latchkey.delivery": webhookIdOf(delivery) })
})

/** Makes one try of a delivery that was taken, and writes down how it ended. */
export const deliver = (delivery: TakenDelivery): Effect.Effect<void, never, DeliveryQueue | Outbound> =>
  attemptOnce({
    attempt: attemptDelivery(delivery),
    complete: (attempt: DeliveryAttempt) => settle(delivery, attempt),
    release: handBack(delivery)
  }).pipe(
    (work) => withRootSpan(rootSpanOf(delivery), work),
    Effect.catchCause((cause) => Effect.logWarning("the outcome of a webhook delivery could not be saved", cause))
  )
