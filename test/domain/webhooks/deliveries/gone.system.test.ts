import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import { DeliveryLog } from "../../../../src/domain/webhooks/deliveries/DeliveryLog.ts"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import {
  createSubscription,
  deliverAllDue,
  emptyDeliveryTables,
  layerDeliveryService,
  loadDeliveries,
  makeRepeatedEvents,
  recordEvents
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import { makeSwitchableHandler, respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { typedClient, withToken } from "../../../support/harness.ts"
import { collectLogLines } from "../../../support/log-lines.ts"

const HOUR = 60 * 60 * 1000
const REASON = "The receiver returned 410 Gone, which ends deliveries to this address."

const stateOf = Effect.fnUntraced(function* ({ operator, id }: Effect.Success<ReturnType<typeof createSubscription>>) {
  const api = yield* typedClient
  const { webhooks } = yield* api.list_webhooks({}).pipe(withToken(operator.token))
  const webhook = webhooks.find((each) => each.id === id)
  return { status: webhook?.status, paused_reason: webhook?.paused_reason }
}, Effect.orDie)

const resumed = { status: "active", paused_reason: null } as const
const paused = { status: "paused", paused_reason: REASON } as const

layer(DeliveryLog.layer.pipe(Layer.provideMerge(layerDeliveryService)))("a receiver that answers 410", (it) => {
  it.effect(
    "pauses its subscription at once with a reason; a change of the subscription sends the waiting deliveries",
    () =>
      Effect.gen(function* () {
        yield* emptyDeliveryTables
        const [polls, log, api] = [yield* makeDeliveryPolls, yield* DeliveryLog, yield* typedClient]
        const { behavior: mood, handler: answer } = makeSwitchableHandler()
        const server = yield* startReceiver(answer)
        const subscription = yield* createSubscription(server.port)
        mood.respond = respondWith(410)
        yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
        const logged = yield* collectLogLines(deliverAllDue(polls))
        assert.deepStrictEqual(
          logged.filter(({ level }) => level === "Warn").map(({ message }) => message),
          [["webhook subscription paused", REASON]]
        )
        assert.deepStrictEqual(yield* stateOf(subscription), paused)
        const listed = yield* log.list({ subscriptionId: subscription.id }, 10)
        assert.deepStrictEqual(
          listed.map(({ state, paused_reason }) => ({ state, paused_reason })),
          [{ state: "waiting", paused_reason: REASON }]
        )

        mood.respond = respondWith(200)
        yield* Queue.clear(server.requests)
        yield* recordEvents(subscription.operator, makeRepeatedEvents(1, "transaction:2"))
        yield* TestClock.adjust(12 * HOUR)
        yield* deliverAllDue(polls)
        assert.strictEqual(yield* Queue.size(server.requests), 0)

        yield* api.update_webhook({ id: subscription.id }).pipe(withToken(subscription.operator.token))
        yield* deliverAllDue(polls)
        assert.deepStrictEqual(yield* stateOf(subscription), resumed)
        assert.deepStrictEqual(
          (yield* loadDeliveries(subscription)).map(({ state }) => state),
          ["delivered", "delivered"]
        )
      })
  )

  it.effect("pauses nothing if the subscription has another address by then", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const [polls, api] = [yield* makeDeliveryPolls, yield* typedClient]
      const [release, arrival] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const server = yield* startReceiver((response, received) => {
        if (received.path === "/new") return respondWith(200)(response, received)
        Effect.runFork(
          Deferred.succeed(arrival, undefined).pipe(
            Effect.andThen(Deferred.await(release)),
            Effect.map(() => respondWith(410)(response, received))
          )
        )
      })
      const subscription = yield* createSubscription(server.port)
      yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
      yield* polls.dispatchEvents
      yield* polls.claimDue
      yield* Deferred.await(arrival)
      const url = `http://127.0.0.1:${server.port}/new`
      yield* api.update_webhook({ id: subscription.id, url }).pipe(withToken(subscription.operator.token))
      yield* Deferred.succeed(release, undefined)
      yield* polls.awaitIdle
      assert.deepStrictEqual(yield* stateOf(subscription), resumed)
      yield* TestClock.adjust(HOUR)
      yield* deliverAllDue(polls)
      assert.deepStrictEqual(
        (yield* loadDeliveries(subscription)).map(({ state }) => state),
        ["delivered"]
      )
    })
  )
})
