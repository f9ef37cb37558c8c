import { Clock, Duration, Effect, Random, Redacted, Schedule } from "effect"
import { WEBHOOK_SETTLE_RETRIES, WEBHOOK_SETTLE_RETRY_MS } from "../limits.ts"
import { delayOf, maxAttempts } from "./backoff.ts"
import { afterFailure, type Health } from "./breaker.ts"
import { DeliveryQueue, type NextTry, type Tried } from "./DeliveryQueue.ts"
import type { TakenDelivery } from "./delivery.ts"
import { bodyOf, webhookIdOf } from "./message.ts"
import { type Attempt, isDelivered, Outbound } from "./Outbound.ts"
import { SECRET_TOKEN_HEADER, signedHeaders } from "./signature.ts"

/** One try: the event as a signed request, and how it ended. */
const attemptOf = Effect.fnUntraced(function* (delivery: TakenDelivery, startedAt: number) {
  const outbound = yield* Outbound
  const body = bodyOf(delivery)
  const message = { id: webhookIdOf(delivery), timestamp: Math.floor(startedAt / 1000), body }
  const { secret, formerSecret } = delivery
  return yield* outbound.post({
    url: delivery.url,
    headers: {
      "content-type": "application/json",
      [SECRET_TOKEN_HEADER]: Redacted.value(delivery.secretToken),
      ...signedHeaders(message, formerSecret === null ? [secret] : [secret, formerSecret])
    },
    body
  })
})

const nextTryOf = Effect.fnUntraced(function* (delivery: TakenDelivery, now: number): Effect.fn.Return<NextTry> {
  const failures = delivery.failures + 1
  if (failures >= maxAttempts) return undefined
  return new Date(now + Duration.toMillis(delayOf(failures, yield* Random.next)))
})

const inWords = (attempt: Attempt): string =>
  attempt.outcome === "answered" ? `the receiver answered ${attempt.status}` : `${attempt.reason}: ${attempt.detail}`

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
    const after: Health = afterFailure(before, now)
    if (after === before) return
    const pauses = after.state === "paused"
    const rests = after.state === "resting" && before.state !== "resting"
    const reason = `${WHY_PAUSED} The last try: ${inWords(attempt)}.`
    const pause = pauses ? { at: new Date(now), reason } : undefined
    if (yield* queue.replaceHealth(delivery, before, after, pause)) {
      const about = Effect.annotateLogs({ operator_id: delivery.operatorId, webhook_id: delivery.subscriptionId })
      if (pauses) yield* about(Effect.logWarning("webhook subscription paused", reason))
      if (rests) yield* about(Effect.logWarning("webhook subscription rests", `The last try: ${inWords(attempt)}.`))
      return
    }
    before = yield* queue.health(delivery)
  }
})

const WHY_PAUSED = "No delivery succeeded for five days."

/** Writes down how a try ended. */
const settle = Effect.fnUntraced(function* (delivery: TakenDelivery, tried: Tried) {
  const queue = yield* DeliveryQueue
  const now = yield* Clock.currentTimeMillis
  if (isDelivered(tried.attempt)) return yield* queue.delivered({ delivery, ...tried })
  const nextTry = yield* nextTryOf(delivery, now)
  const health = yield* queue.failed(delivery, tried, nextTry, new Date(now))
  if (nextTry === undefined) {
    yield* Effect.logWarning("webhook delivery is a dead letter", inWords(tried.attempt)).pipe(
      Effect.annotateLogs({ operator_id: delivery.operatorId, delivery: webhookIdOf(delivery) })
    )
  }
  if (health !== undefined) yield* noteFailure(delivery, tried.attempt, health, now)
})

/**
 * Makes one try of a delivery that was taken, and writes down how it ended. What a receiver has answered is written
 * down even when the worker is being stopped; interrupted before the answer, the delivery is handed back untried. When
 * the database cannot be reached the lease runs out and the event goes out again.
 */
export const deliver = (delivery: TakenDelivery): Effect.Effect<void, never, DeliveryQueue | Outbound> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const startedAt = yield* Clock.currentTimeMillis
      const handBack = Effect.flatMap(Clock.currentTimeMillis, (now) => queue.release(delivery, new Date(now)))
      const attempt = yield* restore(attemptOf(delivery, startedAt)).pipe(
        Effect.onInterrupt(() => Effect.exit(handBack))
      )
      yield* Effect.annotateCurrentSpan("latchkey.outcome", inWords(attempt))
      yield* settle(delivery, { startedAt: new Date(startedAt), attempt }).pipe(retried)
    })
  ).pipe(
    Effect.withSpan("webhook", {
      kind: "producer",
      root: true,
      attributes: { "latchkey.event": delivery.event, "latchkey.delivery": webhookIdOf(delivery) }
    }),
    Effect.catchCause((cause) => Effect.logWarning("webhook delivery not written down", cause))
  )

/** A connection that was cut is replaced within milliseconds; a longer absence is waited out by the lease. */
const retried = <A, R>(settling: Effect.Effect<A, never, R>) =>
  Effect.sandbox(settling).pipe(
    Effect.retry(Schedule.spaced(WEBHOOK_SETTLE_RETRY_MS).pipe(Schedule.upTo({ times: WEBHOOK_SETTLE_RETRIES })))
  )
