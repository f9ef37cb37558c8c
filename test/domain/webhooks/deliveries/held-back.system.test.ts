import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { DeliveryQueue } from "../../../../src/domain/webhooks/deliveries/DeliveryQueue.ts"
import { parseWebhookId } from "../../../../src/domain/webhooks/deliveries/delivery-message.ts"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { LEASE_MS } from "../../../../src/jobs/lease.ts"
import { WEBHOOK_FIRST_RETRY_MS } from "../../../../src/platform/limits.ts"
import {
  createSubscription,
  type DeliveryPolls,
  emptyDeliveryTables,
  layerDeliveryService,
  makeRepeatedEvents,
  recordEvents
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import { makeSwitchableHandler, respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { type ReceivedRequest, startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"

const eventOf = ({ headers }: ReceivedRequest): number => parseWebhookId(String(headers["webhook-id"]))?.event_id ?? 0

const handedOut = Effect.fnUntraced(function* (polls: DeliveryPolls) {
  while ((yield* polls.dispatchEvents).events > 0) {}
})

/** Works until a look starts nothing; answers what arrived, in order. */
const arriving = Effect.fnUntraced(function* (polls: DeliveryPolls, requests: Queue.Queue<ReceivedRequest>) {
  const arrived: Array<number> = []
  while (true) {
    yield* Effect.andThen(polls.claimDue, polls.awaitIdle)
    const received = yield* Queue.clear(requests)
    if (received.length === 0) return arrived
    arrived.push(...received.map(eventOf))
  }
})

/** So many changes of a record, of which the receiver has refused the first; from now on it takes what comes. */
const refusedOnce = Effect.fnUntraced(function* (count: number) {
  yield* emptyDeliveryTables
  const polls = yield* makeDeliveryPolls
  const { behavior: mood, handler: answer } = makeSwitchableHandler()
  const server = yield* startReceiver(answer)
  const { operator } = yield* createSubscription(server.port)
  mood.respond = respondWith(500)
  const [first = 0] = yield* recordEvents(operator, makeRepeatedEvents(count))
  yield* handedOut(polls)
  assert.deepStrictEqual(yield* arriving(polls, server.requests), [first])
  mood.respond = respondWith(200)
  return { polls, server, operator, first }
})

// A look once read the 256 oldest of what was due, and those held back counted: with more of them than that, the one
// they waited for was never seen again.
layer(layerDeliveryService)("behind an event that was not delivered", (it) => {
  for (const count of [255, 256, 300]) {
    it.effect(`because its receiver answered 500 once, ${count} more of its record arrive after it, in order`, () =>
      Effect.gen(function* () {
        const { polls, server, operator, first } = yield* refusedOnce(1)
        const more = yield* recordEvents(operator, makeRepeatedEvents(count))
        yield* handedOut(polls)
        assert.deepStrictEqual(yield* arriving(polls, server.requests), [])
        yield* TestClock.adjust(2 * WEBHOOK_FIRST_RETRY_MS)
        assert.deepStrictEqual(yield* arriving(polls, server.requests), [first, ...more])
      })
    )
  }

  it.effect("because its worker was killed, 300 more of its record arrive after it, in order", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const queue = yield* DeliveryQueue
      const server = yield* startReceiver(respondWith(200))
      const { operator } = yield* createSubscription(server.port)
      const events = yield* recordEvents(operator, makeRepeatedEvents(301))
      yield* handedOut(polls)
      // Whoever takes it here never comes back.
      const taken = yield* queue.claim(new Date(yield* Clock.currentTimeMillis), 10, [])
      assert.deepStrictEqual(
        taken.map(({ event_id }) => event_id),
        events.slice(0, 1)
      )
      yield* TestClock.adjust(LEASE_MS - 1)
      assert.deepStrictEqual(yield* arriving(polls, server.requests), [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* arriving(polls, server.requests), events)
    })
  )

  it.effect("others of the subscription do not wait, however many do", () =>
    Effect.gen(function* () {
      const { polls, server, operator } = yield* refusedOnce(1_000)
      const [other = 0] = yield* recordEvents(operator, makeRepeatedEvents(1, "transaction:2"))
      yield* handedOut(polls)
      assert.deepStrictEqual(yield* arriving(polls, server.requests), [other])
    })
  )
})
