import { assert, layer } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { WEBHOOK_ATTEMPTS, WEBHOOK_TRY_MS } from "../../../../src/platform/limits.ts"
import {
  createSubscription,
  type DeliveryPolls,
  deliverAllDue,
  emptyDeliveryTables,
  layerDeliveryService,
  loadAttempts,
  loadDeliveries,
  makeRepeatedEvents,
  recordEvents,
  type TestSubscription
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import {
  makeSwitchableHandler,
  neverRespond,
  respondWith
} from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { type ReceiverHandler, startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"

const HOUR = 60 * 60 * 1000

/** Lets time pass to when the next waiting delivery is due, and works. */
const nextTime = Effect.fnUntraced(function* (polls: DeliveryPolls, subscription: TestSubscription) {
  const due = (yield* loadDeliveries(subscription))
    .filter(({ state }) => state === "waiting")
    .map(({ due_at }) => due_at)
  yield* TestClock.setTime(Math.max(...due.map((at) => at.getTime())))
  yield* deliverAllDue(polls)
})

layer(layerDeliveryService)("a delivery that fails", (it) => {
  it.effect.each<readonly [what: string, answer: ReceiverHandler, recorded: object]>([
    ["500", respondWith(500, "boom"), { status: 500, reason: null, first_bytes: "boom" }],
    ["302", respondWith(302, "", { location: "/x" }), { status: 302, reason: null, first_bytes: "" }],
    [
      "half an answer",
      (response) => {
        response.writeHead(200, { "content-length": "10" }).write("half")
        response.socket?.end()
      },
      { status: null, reason: "closed", first_bytes: null }
    ]
  ])("with %s is tried again 30 seconds later, give or take a quarter, under the same id", ([, failing, recorded]) =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const { behavior: mood, handler: answer } = makeSwitchableHandler()
      const server = yield* startReceiver(answer)
      const subscription = yield* createSubscription(server.port)
      mood.respond = failing
      yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
      const began = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
      yield* deliverAllDue(polls)
      const first = yield* Queue.take(server.requests)
      const [waiting] = yield* loadDeliveries(subscription)
      const pause = (waiting?.due_at.getTime() ?? 0) - began
      assert.isAtLeast(pause, 22_500)
      assert.isAtMost(pause, 37_500)
      mood.respond = respondWith(200, "fine")
      yield* TestClock.setTime(began + pause - 1)
      yield* deliverAllDue(polls)
      assert.strictEqual(yield* Queue.size(server.requests), 0)
      yield* TestClock.setTime(began + pause)
      yield* deliverAllDue(polls)
      const second = yield* Queue.take(server.requests)
      assert.strictEqual(second.headers["webhook-id"], first.headers["webhook-id"])
      assert.strictEqual(second.body, first.body)
      assert.notStrictEqual(second.headers["webhook-timestamp"], first.headers["webhook-timestamp"])
      const attempts = yield* loadAttempts(subscription)
      assert.deepStrictEqual(attempts, [
        { attempt: 1, ...recorded } as (typeof attempts)[number],
        { attempt: 2, status: 200, reason: null, first_bytes: "fine" }
      ])
      assert.deepInclude((yield* loadDeliveries(subscription))[0] ?? {}, { state: "delivered", attempts: 2 })
    })
  )

  it.effect("because the receiver hangs is given up after ten seconds", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(neverRespond)
      const subscription = yield* createSubscription(server.port)
      yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
      yield* polls.dispatchEvents
      yield* polls.claimDue
      yield* Queue.take(server.requests)
      yield* TestClock.adjust(WEBHOOK_TRY_MS)
      yield* polls.awaitIdle
      assert.deepInclude((yield* loadAttempts(subscription))[0] ?? {}, { status: null, reason: "timeout" })
      assert.deepInclude((yield* loadDeliveries(subscription))[0] ?? {}, { state: "waiting", failures: 1 })
    })
  )

  it.effect(`${WEBHOOK_ATTEMPTS} times is a dead letter after about three days, not one try sooner`, () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(500))
      const subscription = yield* createSubscription(server.port)
      yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
      const began = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
      yield* deliverAllDue(polls)
      while ((yield* Queue.size(server.requests)) < WEBHOOK_ATTEMPTS - 1) yield* nextTime(polls, subscription)
      assert.deepInclude((yield* loadDeliveries(subscription))[0] ?? {}, {
        state: "waiting",
        failures: WEBHOOK_ATTEMPTS - 1
      })
      yield* nextTime(polls, subscription)
      assert.deepInclude((yield* loadDeliveries(subscription))[0] ?? {}, { state: "dead", failures: WEBHOOK_ATTEMPTS })
      const days = ((yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)) - began) / (24 * HOUR)
      assert.isAtLeast(days, 2.5)
      assert.isAtMost(days, 4)
      yield* TestClock.adjust(24 * HOUR)
      yield* deliverAllDue(polls)
      assert.strictEqual(yield* Queue.size(server.requests), WEBHOOK_ATTEMPTS)
    })
  )
})
