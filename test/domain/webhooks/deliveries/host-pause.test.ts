import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Layer, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryLog } from "../../../../src/domain/webhooks/deliveries/DeliveryLog.ts"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { PAUSED_BY_HOST } from "../../../../src/domain/webhooks/deliveries/subscriptions.ts"
import { HostWebhooks } from "../../../../src/domain/webhooks/subscriptions/HostWebhooks.ts"
import { WEBHOOK_BREAKER_FAILURES } from "../../../../src/platform/limits.ts"
import { receiver } from "../../../support/domain/webhooks/deliveries/receiver.ts"
import {
  changes,
  emptied,
  happened,
  layerScene,
  type Subscription,
  subscribed,
  workedOff
} from "../../../support/domain/webhooks/deliveries/scene.ts"
import { answering } from "../../../support/domain/webhooks/deliveries/sending.ts"
import { byNobody } from "../../../support/harness.ts"

const layerHost = HostWebhooks.layer.pipe(Layer.provide(DeliveryLog.layer), Layer.provideMerge(layerScene))

const viewer = ({ operator: { operatorId, accountId } }: Subscription) => ({
  operatorId,
  accountId,
  role: "main" as const
})

const standing = Effect.fnUntraced(function* ({ id }: Subscription) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ state: string; paused_reason: string | null }>`
    SELECT health->>'state' AS state, paused_reason FROM webhook_subscriptions WHERE id = ${id}`
  return row
}, Effect.orDie)

const PAUSED = { state: "paused", paused_reason: PAUSED_BY_HOST }

layer(layerHost)("a host's own pause", (it) => {
  it.effect.each([200, 500])("is not ended by the answer %i to what was under way when it began", (status) =>
    Effect.gen(function* () {
      yield* emptied
      const [polls, webhooks] = [yield* makeDeliveryPolls, yield* HostWebhooks]
      const held = yield* Deferred.make<void>()
      const server = yield* receiver((response, received) => {
        Effect.runFork(Effect.map(Deferred.await(held), () => answering(status)(response, received)))
      })
      const subscription = yield* subscribed(server.port)
      yield* happened(subscription.operator, changes(2))
      yield* polls.dispatchEvents
      yield* polls.claimDue
      yield* Queue.take(server.requests)
      assert.isTrue(yield* byNobody(webhooks.pause(viewer(subscription), subscription.id)))
      yield* Deferred.succeed(held, undefined)
      yield* workedOff(polls)
      assert.deepStrictEqual(yield* standing(subscription), PAUSED)
      assert.strictEqual(yield* Queue.size(server.requests), 0)
    })
  )

  it.effect("takes the place of a rest, and is kept where the service had paused it by itself", () =>
    Effect.gen(function* () {
      yield* emptied
      const [polls, webhooks, sql] = [yield* makeDeliveryPolls, yield* HostWebhooks, yield* SqlClient.SqlClient]
      const subscription = yield* subscribed((yield* receiver(answering(500))).port)
      const records = Array.from({ length: WEBHOOK_BREAKER_FAILURES }, (_, at) =>
        changes(1, `transaction:${at}`)
      ).flat()
      yield* happened(subscription.operator, records)
      yield* workedOff(polls)
      assert.deepStrictEqual(yield* standing(subscription), { state: "resting", paused_reason: null })
      const pause = byNobody(webhooks.pause(viewer(subscription), subscription.id))
      assert.isTrue(yield* pause)
      assert.deepStrictEqual(yield* standing(subscription), PAUSED)
      yield* sql`UPDATE webhook_subscriptions SET paused_reason = 'No delivery succeeded.' WHERE id = ${subscription.id}`
      assert.isFalse(yield* pause)
      assert.deepStrictEqual(yield* standing(subscription), { ...PAUSED, paused_reason: "No delivery succeeded." })
    })
  )
})
