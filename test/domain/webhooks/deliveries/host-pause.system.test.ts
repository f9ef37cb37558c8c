import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { PAUSED_BY_HOST } from "../../../../src/domain/webhooks/deliveries/subscription-statements.ts"
import { WEBHOOK_BREAKER_FAILURES_MAX } from "../../../../src/platform/limits.ts"
import { callAsPerson } from "../../../support/console-caller.ts"
import {
  createSubscription,
  deliverAllDue,
  emptyDeliveryTables,
  layerDeliveryService,
  makeRepeatedEvents,
  recordEvents,
  type TestSubscription
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import { respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"

const pause = ({ operator, id }: TestSubscription) =>
  Effect.map(callAsPerson(operator, "pause_webhook", { id }), ({ error_code }) => error_code)

const standing = Effect.fnUntraced(function* ({ id }: TestSubscription) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ state: string; paused_reason: string | null }>`
    SELECT health->>'state' AS state, paused_reason FROM webhook_subscriptions WHERE id = ${id}`
  return row
}, Effect.orDie)

const PAUSED = { state: "paused", paused_reason: PAUSED_BY_HOST }

layer(layerDeliveryService)("a host's own pause", (it) => {
  it.effect.each([200, 500])("is not ended by the answer %i to what was under way when it began", (status) =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const held = yield* Deferred.make<void>()
      const server = yield* startReceiver((response, received) => {
        Effect.runFork(Effect.map(Deferred.await(held), () => respondWith(status)(response, received)))
      })
      const subscription = yield* createSubscription(server.port)
      yield* recordEvents(subscription.operator, makeRepeatedEvents(2))
      yield* polls.dispatchEvents
      yield* polls.claimDue
      yield* Queue.take(server.requests)
      assert.strictEqual(yield* pause(subscription), 0)
      yield* Deferred.succeed(held, undefined)
      yield* deliverAllDue(polls)
      assert.deepStrictEqual(yield* standing(subscription), PAUSED)
      assert.strictEqual(yield* Queue.size(server.requests), 0)
    })
  )

  it.effect("takes the place of a rest, and is kept where the service had paused it by itself", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const [polls, sql] = [yield* makeDeliveryPolls, yield* SqlClient.SqlClient]
      const subscription = yield* createSubscription((yield* startReceiver(respondWith(500))).port)
      const records = Array.from({ length: WEBHOOK_BREAKER_FAILURES_MAX }, (_, at) =>
        makeRepeatedEvents(1, `transaction:${at}`)
      ).flat()
      yield* recordEvents(subscription.operator, records)
      yield* deliverAllDue(polls)
      assert.deepStrictEqual(yield* standing(subscription), { state: "resting", paused_reason: null })
      assert.strictEqual(yield* pause(subscription), 0)
      assert.deepStrictEqual(yield* standing(subscription), PAUSED)
      yield* sql`UPDATE webhook_subscriptions SET paused_reason = 'No delivery succeeded.' WHERE id = ${subscription.id}`
      assert.strictEqual(yield* pause(subscription), 409)
      assert.deepStrictEqual(yield* standing(subscription), { ...PAUSED, paused_reason: "No delivery succeeded." })
    })
  )
})
