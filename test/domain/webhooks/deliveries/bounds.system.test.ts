import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Queue, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DeliveryQueue } from "../../../../src/domain/webhooks/deliveries/DeliveryQueue.ts"
import type { ClaimedDelivery } from "../../../../src/domain/webhooks/deliveries/delivery.ts"
import { parseWebhookId } from "../../../../src/domain/webhooks/deliveries/delivery-message.ts"
import { MAX_RESUMED_DELIVERIES } from "../../../../src/domain/webhooks/deliveries/delivery-resumption.ts"
import {
  EVENTS_POLL_MS,
  makeDeliveryPolls,
  runDeliveryWorkers
} from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { MAX_OLDER_EVENTS } from "../../../../src/domain/webhooks/deliveries/subscription-statements.ts"
import { COMPLETION_RETRIES, COMPLETION_RETRY_MS } from "../../../../src/jobs/job-runner.ts"
import { LEASE_MS } from "../../../../src/jobs/lease.ts"
import { WEBHOOK_TRY_MS } from "../../../../src/platform/limits.ts"
import {
  createSubscription,
  emptyDeliveryTables,
  layerDeliveryService,
  loadDeliveries,
  makeRepeatedEvents,
  recordEvents,
  sendClaimedDelivery
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import { layerLocalOutbound, respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { createOperator, typedClient, withToken } from "../../../support/harness.ts"
import { makeShortWaitClock } from "../../../support/short-wait-clock.ts"

const apart = (count: number) =>
  Array.from({ length: count }, (_, index) => makeRepeatedEvents(1, `transaction:${index}`)).flat()

layer(layerDeliveryService)("bounds of the queue", (it) => {
  it.effect(`a worker polls every ${EVENTS_POLL_MS} ms: the first try is made within a second`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`TRUNCATE webhook_attempts, webhook_deliveries, webhook_subscriptions, events`
      const server = yield* startReceiver(respondWith(200))
      const { operator } = yield* createSubscription(server.port)
      yield* runDeliveryWorkers
      for (let nth = 0; nth < 3; nth++) {
        yield* recordEvents(operator, makeRepeatedEvents(1))
        yield* Queue.take(server.requests)
      }
      assert.isBelow(EVENTS_POLL_MS, 1_000)
      // No wait on the way is longer than that one, whatever else this machine has to do.
    }).pipe(Effect.provideService(Clock.Clock, makeShortWaitClock(EVENTS_POLL_MS)))
  )

  it.effect(
    `a new subscription is kept from ${MAX_OLDER_EVENTS} events that wait to be handed out, not from more`,
    () =>
      Effect.gen(function* () {
        yield* emptyDeliveryTables
        const polls = yield* makeDeliveryPolls
        const operator = yield* createOperator()
        const ids = yield* recordEvents(operator, apart(MAX_OLDER_EVENTS))
        const first = yield* createSubscription(1, { operator, path: "/first" })
        const [oneMore = 0] = yield* recordEvents(operator, makeRepeatedEvents(1))
        const second = yield* createSubscription(1, { operator, path: "/second" })
        while ((yield* polls.dispatchEvents).events > 0) {}
        assert.deepStrictEqual(
          (yield* loadDeliveries(first)).map(({ event_id }) => event_id),
          [oneMore]
        )
        assert.deepStrictEqual(
          (yield* loadDeliveries(second)).map(({ event_id }) => event_id),
          ids.toSorted((a, b) => a - b).slice(0, 1)
        )
      })
  )

  it.effect(`a change lets ${MAX_RESUMED_DELIVERIES} deliveries go that wait for their next try, and no more`, () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const sql = yield* SqlClient.SqlClient
      const polls = yield* makeDeliveryPolls
      const api = yield* typedClient
      const subscription = yield* createSubscription(1)
      yield* recordEvents(subscription.operator, apart(MAX_RESUMED_DELIVERIES + 1))
      while ((yield* polls.dispatchEvents).events > 0) {}
      const later = new Date(Date.now() + 10 * LEASE_MS)
      yield* sql`UPDATE webhook_deliveries SET due_at = ${later}`
      yield* api.update_webhook({ id: subscription.id }).pipe(withToken(subscription.operator.token))
      const waiting = (yield* loadDeliveries(subscription)).filter(({ due_at }) => due_at.getTime() === later.getTime())
      assert.strictEqual(waiting.length, 1)
    })
  )
})

const DELIVERY: Omit<ClaimedDelivery, "url"> = {
  traceparent: null,
  operator_id: 1,
  event_id: 2,
  subscription_id: 3,
  attempts: 1,
  failures: 0,
  run: 1,
  event: "message_created",
  payload: {},
  queued_at: new Date(0),
  secret: Redacted.make(`whsec_${"A".repeat(32)}`),
  former_secret: null,
  secret_token: Redacted.make("token")
}

/** A queue whose database is away for so many times. */
const layerAway = (times: number, written: Array<number>) => {
  let asked = 0
  return Layer.effect(
    DeliveryQueue,
    Effect.map(DeliveryQueue, (queue) =>
      DeliveryQueue.of({
        ...queue,
        complete: ({ delivery }) =>
          Effect.suspend(() => {
            if (asked++ < times) return Effect.die("away")
            written.push(delivery.event_id)
            return Effect.void
          })
      })
    )
  )
}

layer(layerDeliveryService)("what a receiver answered", (it) => {
  it.effect(`is written down by the ${COMPLETION_RETRIES + 1}th time at the latest, within the lease`, () =>
    Effect.gen(function* () {
      assert.isBelow(WEBHOOK_TRY_MS + COMPLETION_RETRIES * COMPLETION_RETRY_MS, LEASE_MS)
      const server = yield* startReceiver(respondWith(200))
      const url = `http://127.0.0.1:${server.port}/`
      for (const [times, expected] of [
        [COMPLETION_RETRIES, [2]],
        [COMPLETION_RETRIES + 1, []]
      ] as const) {
        const written: Array<number> = []
        const trying = sendClaimedDelivery({ ...DELIVERY, url }).pipe(
          Effect.provide(layerAway(times, written)),
          Effect.provide(layerLocalOutbound)
        )
        const fiber = yield* Effect.forkChild(trying)
        const received = yield* Queue.take(server.requests)
        assert.strictEqual(parseWebhookId(String(received.headers["webhook-id"]))?.event_id, 2)
        // The answer is on its way: time passes until the delivery is over.
        while (fiber.pollUnsafe() === undefined) {
          yield* TestClock.adjust(COMPLETION_RETRY_MS)
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        }
        assert.deepStrictEqual(written, [...expected])
      }
    })
  )
})
