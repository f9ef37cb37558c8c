import { Clock, DateTime, Effect, Random } from "effect"
import { nextTry } from "../../../jobs/retries.ts"
import { attemptOnce } from "../../../jobs/timed-work.ts"
import { webhookTries } from "../../../platform/telemetry/metrics/declared.ts"
import { countOne } from "../../../platform/telemetry/metrics/measuring.ts"
import { asRoot, record, recordFailure } from "../../../platform/telemetry/spans.ts"
import { spanNamed } from "../../../platform/telemetry/traceparent.ts"
import { afterFailure, type Health } from "./breaker.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import type { TakenDelivery, Tried } from "./delivery.ts"
import { bodyOf, webhookIdOf } from "./message.ts"
import { type Attempt, isDelivered, type Outbound } from "./Outbound.ts"
import { RETRIES } from "./retries.ts"
import { signedTry } from "./signed-try.ts"

/** One try: the event as a signed request, and how it ended. */
const attemptOf = (delivery: TakenDelivery) => signedTry(delivery, webhookIdOf(delivery), bodyOf(delivery))

const inWords = (attempt: Attempt): string =>
  attempt.outcome === "answered" ? `the receiver answered ${attempt.status}` : `${attempt.reason}: ${attempt.detail}`

/** How a failed try is told in a word: the status that was answered, or why there was no answer. */
const failureOf = (attempt: Attempt): string =>
  attempt.outcome === "answered" ? String(attempt.status) : attempt.reason

/** Returns the `Retry-After` of the response in milliseconds, or 0. */
const retryAfterMsOf = (attempt: Attempt): number => (attempt.outcome === "answered" ? (attempt.retryAfterMs ?? 0) : 0)

/** Returns whether the receiver returned 410 Gone, which ends deliveries to it. */
const isGone = (attempt: Attempt): boolean => attempt.outcome === "answered" && attempt.status === 410

const pauseReasonOf = (attempt: Attempt): string =>
  isGone(attempt)
    ? "The receiver returned 410 Gone, which ends deliveries to this address."
    : `No delivery succeeded for five days. The last try: ${inWords(attempt)}.`

/**
 * Counts a failure against the health of the subscription, which may rest or pause it. The health is replaced only if
 * it is still the one it was judged by; a lost race judges again by what the winner left.
 */
const noteFailure = Effect.fnUntraced(function* (
  delivery: TakenDelivery,
  attempt: Attempt,
  found: Health,
  now: number
) {
  const queue = yield* DeliveryQueue
  let before: Health | undefined = found
  while (before !== undefined) {
    const after: Health = afterFailure(before, now, isGone(attempt))
    if (after === before) return
    const pauses = after.state === "paused"
    const rests = after.state === "resting" && before.state !== "resting"
    const reason = pauseReasonOf(attempt)
    const pause = pauses ? { at: new Date(now), reason } : undefined
    if (yield* queue.replaceHealth(delivery, before, after, pause)) {
      const about = Effect.annotateLogs({ operator_id: delivery.operator_id, webhook_id: delivery.subscription_id })
      if (pauses) yield* about(Effect.logWarning("webhook subscription paused", reason))
      if (rests)
        yield* about(Effect.logWarning("webhook subscription is in cooldown", `The last try: ${inWords(attempt)}.`))
      return
    }
    before = yield* queue.health(delivery)
  }
})

/** Writes down how a try ended. */
const settle = Effect.fnUntraced(function* (delivery: TakenDelivery, tried: Tried) {
  const queue = yield* DeliveryQueue
  yield* record("latchkey.outcome", inWords(tried.attempt))
  if (isDelivered(tried.attempt)) {
    yield* queue.delivered({ delivery, ...tried })
    return yield* countOne(webhookTries.of({ outcome: "delivered" }))
  }
  yield* recordFailure(failureOf(tried.attempt), { "latchkey.outcome": inWords(tried.attempt) })
  const now = yield* Clock.currentTimeMillis
  const again = nextTry(RETRIES, delivery.failures + 1, now, yield* Random.next, retryAfterMsOf(tried.attempt))
  const health = yield* queue.failed(delivery, tried, again, new Date(now))
  yield* countOne(webhookTries.of({ outcome: again === undefined ? "dead_letter" : "failed" }))
  if (again === undefined) {
    yield* Effect.logWarning("webhook delivery is a dead letter", inWords(tried.attempt)).pipe(
      Effect.annotateLogs({ operator_id: delivery.operator_id, delivery: webhookIdOf(delivery) })
    )
  }
  if (health !== undefined) yield* noteFailure(delivery, tried.attempt, health, now)
})

const handBack = Effect.fnUntraced(function* (delivery: TakenDelivery) {
  const queue = yield* DeliveryQueue
  yield* queue.handBack(delivery, yield* DateTime.nowAsDate)
})

const rootOf = (delivery: TakenDelivery) => ({
  name: "webhook",
  kind: "consumer" as const,
  parent: spanNamed(delivery.traceparent),
  attributes: () => ({ "latchkey.event": delivery.event, "latchkey.delivery": webhookIdOf(delivery) })
})

/** Makes one try of a delivery that was taken, and writes down how it ended. */
export const deliver = (delivery: TakenDelivery): Effect.Effect<void, never, DeliveryQueue | Outbound> =>
  attemptOnce({
    attempt: attemptOf(delivery),
    settle: (tried: Tried) => settle(delivery, tried),
    handBack: handBack(delivery)
  }).pipe(
    (tried) => asRoot(rootOf(delivery), tried),
    Effect.catchCause((cause) => Effect.logWarning("the outcome of a webhook delivery could not be saved", cause))
  )
