import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import { DeliveryLog } from "../../../../src/domain/webhooks/deliveries/DeliveryLog.ts"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { lines } from "../../../support/domain/webhooks/deliveries/log-lines.ts"
import { receiver } from "../../../support/domain/webhooks/deliveries/receiver.ts"
import {
  changes,
  deliveries,
  emptied,
  happened,
  layerScene,
  subscribed,
  workedOff
} from "../../../support/domain/webhooks/deliveries/scene.ts"
import { answering, moody } from "../../../support/domain/webhooks/deliveries/sending.ts"
import { typedClient, withToken } from "../../../support/harness.ts"

const HOUR = 60 * 60 * 1000
const REASON = "The receiver returned 410 Gone, which ends deliveries to this address."

const stateOf = Effect.fnUntraced(function* ({ operator, id }: Effect.Success<ReturnType<typeof subscribed>>) {
  const api = yield* typedClient
  const { webhooks } = yield* api.list_webhooks({}).pipe(withToken(operator.token))
  const webhook = webhooks.find((each) => each.id === id)
  return { status: webhook?.status, paused_reason: webhook?.paused_reason }
}, Effect.orDie)

const resumed = { status: "active", paused_reason: null } as const
const paused = { status: "paused", paused_reason: REASON } as const

layer(DeliveryLog.layer.pipe(Layer.provideMerge(layerScene)))("a receiver that answers 410", (it) => {
  it.effect(
    "pauses its subscription at once with a reason; a change of the subscription sends the waiting deliveries",
    () =>
      Effect.gen(function* () {
        yield* emptied
        const [polls, log, api] = [yield* makeDeliveryPolls, yield* DeliveryLog, yield* typedClient]
        const { mood, answer } = moody()
        const server = yield* receiver(answer)
        const subscription = yield* subscribed(server.port)
        mood.answer = answering(410)
        yield* happened(subscription.operator, changes(1))
        const logged = yield* lines(workedOff(polls))
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

        mood.answer = answering(200)
        yield* Queue.clear(server.requests)
        yield* happened(subscription.operator, changes(1, "transaction:2"))
        yield* TestClock.adjust(12 * HOUR)
        yield* workedOff(polls)
        assert.strictEqual(yield* Queue.size(server.requests), 0)

        yield* api.update_webhook({ id: subscription.id }).pipe(withToken(subscription.operator.token))
        yield* workedOff(polls)
        assert.deepStrictEqual(yield* stateOf(subscription), resumed)
        assert.deepStrictEqual(
          (yield* deliveries(subscription)).map(({ state }) => state),
          ["delivered", "delivered"]
        )
      })
  )

  it.effect("pauses nothing if the subscription has another address by then", () =>
    Effect.gen(function* () {
      yield* emptied
      const [polls, api] = [yield* makeDeliveryPolls, yield* typedClient]
      const [release, arrival] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const server = yield* receiver((response, received) => {
        if (received.path === "/new") return answering(200)(response, received)
        Effect.runFork(
          Deferred.succeed(arrival, undefined).pipe(
            Effect.andThen(Deferred.await(release)),
            Effect.map(() => answering(410)(response, received))
          )
        )
      })
      const subscription = yield* subscribed(server.port)
      yield* happened(subscription.operator, changes(1))
      yield* polls.dispatchEvents
      yield* polls.claimDue
      yield* Deferred.await(arrival)
      const url = `http://127.0.0.1:${server.port}/new`
      yield* api.update_webhook({ id: subscription.id, url }).pipe(withToken(subscription.operator.token))
      yield* Deferred.succeed(release, undefined)
      yield* polls.awaitIdle
      assert.deepStrictEqual(yield* stateOf(subscription), resumed)
      yield* TestClock.adjust(HOUR)
      yield* workedOff(polls)
      assert.deepStrictEqual(
        (yield* deliveries(subscription)).map(({ state }) => state),
        ["delivered"]
      )
    })
  )
})
