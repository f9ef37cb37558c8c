import { assert, layer } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { parseWebhookId } from "../../../../src/domain/webhooks/deliveries/delivery-message.ts"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import {
  countAttempts,
  createSubscription,
  type DeliveryPolls,
  deliverAllDue,
  emptyDeliveryTables,
  HOLDING_FAILURES,
  layerDeliveryService,
  loadDeliveries,
  makeRepeatedEvents,
  recordEvents
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import { respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { type ReceivedRequest, startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"

const eventOf = ({ headers }: ReceivedRequest): number => parseWebhookId(String(headers["webhook-id"]))?.event_id ?? 0

const transactionOf = ({ body }: ReceivedRequest): number => JSON.parse(body).transaction_id

/**
 * Several workers at once, each of a process of its own, until nothing is due. A look passes by a subscription that
 * another worker's look has in hand, even one that finds nothing; a service polls again a moment later, and so does this.
 */
const workedOffBy = Effect.fnUntraced(function* (workers: ReadonlyArray<DeliveryPolls>) {
  let before: number
  do {
    before = yield* countAttempts
    yield* Effect.forEach(workers, (polls) => deliverAllDue(polls), { concurrency: "unbounded", discard: true })
  } while ((yield* countAttempts) !== before)
})

layer(layerDeliveryService)("the events of a record", (it) => {
  it.effect("arrive in the order they happened when nothing fails, whichever worker delivers them", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const workers = [yield* makeDeliveryPolls, yield* makeDeliveryPolls, yield* makeDeliveryPolls]
      const server = yield* startReceiver(respondWith(200))
      const { operator } = yield* createSubscription(server.port)
      const records = 7
      const events = Array.from({ length: 140 }, (_, index) => ({
        record: `transaction:${index % records}`,
        payload: { transaction_id: index % records }
      }))
      const ids: Array<number> = []
      for (let at = 0; at < events.length; at += 35) {
        ids.push(...(yield* recordEvents(operator, events.slice(at, at + 35))))
        yield* workedOffBy(workers)
      }
      const received = yield* Queue.clear(server.requests)
      assert.sameMembers(received.map(eventOf), ids)
      for (let record = 0; record < records; record++) {
        const order = received.filter((each) => transactionOf(each) === record).map(eventOf)
        assert.deepStrictEqual(
          order,
          order.toSorted((a, b) => a - b)
        )
        assert.strictEqual(order.length, 20)
      }
    })
  )

  it.effect(`wait for one that fails, ${HOLDING_FAILURES} times and not longer; other records do not wait`, () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver((response, received) =>
        response.writeHead(transactionOf(received) === 1 ? 500 : 200).end()
      )
      const subscription = yield* createSubscription(server.port)
      yield* recordEvents(subscription.operator, [
        ...makeRepeatedEvents(3, "transaction:1"),
        ...makeRepeatedEvents(1, "transaction:2")
      ])
      // The event of the other record has the payload that fails, too: make it another one.
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE events SET payload = '{"transaction_id": 22}' WHERE record = 'transaction:2'`
      const arrived = Effect.map(Queue.clear(server.requests), (received) => received.map(transactionOf))
      yield* deliverAllDue(polls)
      assert.sameMembers(yield* arrived, [1, 22])
      for (let failures = 1; failures < HOLDING_FAILURES; failures++) {
        const [failing] = yield* loadDeliveries(subscription)
        assert.strictEqual(failing?.failures, failures)
        yield* TestClock.setTime(failing?.due_at.getTime() ?? 0)
        yield* deliverAllDue(polls)
        const expected = failures + 1 < HOLDING_FAILURES ? [1] : [1, 2, 3]
        assert.deepStrictEqual(yield* arrived, expected)
      }
    })
  )
})
