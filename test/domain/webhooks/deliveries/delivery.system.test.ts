import { assert, layer } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import { formatWebhookId, parseWebhookId } from "../../../../src/domain/webhooks/deliveries/delivery-message.ts"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { DISPATCH_BATCH_EVENTS, EventDispatcher } from "../../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { EVENT_NAMES, type EventFields } from "../../../../src/jobs/events/event-statements.ts"
import { WEBHOOK_SECRET_OVERLAP_MS } from "../../../../src/platform/limits.ts"
import {
  createSubscription,
  deliverAllDue,
  emptyDeliveryTables,
  layerDeliveryService,
  loadDeliveries,
  makeRepeatedEvents,
  recordEvents
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import { respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { type ReceivedRequest, startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { typedClient, withToken } from "../../../support/harness.ts"

const stay = { reservation_code: "0-12-AB", stay_code: "0-12_1-AB", property_id: 40117 }

const ALL: EventFields = {
  reservation_created: stay,
  reservation_updated: { ...stay, sub_event: "rates_updated" },
  property_availability_updated: { property_id: 40117, availabilities: [{ date: "2031-05-04", available: false }] },
  listing_calendar_updated: {
    channel_type: "airbnb",
    listing_id: "300-77",
    start_date: "2031-05-04",
    end_date: "2031-05-07"
  },
  message_created: { conversation_id: "0-5550001", message_id: "m-1" },
  review_created: stay,
  review_updated: stay,
  transaction_created: { transaction_id: 1 },
  transaction_updated: { transaction_id: 9_007_199_254_740_991 },
  transaction_deleted: { transaction_id: 3 }
}

const header = (received: ReceivedRequest, name: string): string => String(received.headers[name])

const bodies = (received: ReadonlyArray<ReceivedRequest>): ReadonlyArray<unknown> =>
  received.map(({ body }): unknown => JSON.parse(body))

layer(layerDeliveryService)("an event", (it) => {
  it.effect("arrives flat, with its own fields and the second it was queued", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(200))
      const { operator } = yield* createSubscription(server.port)
      yield* TestClock.setTime(Date.parse("2031-02-03T04:05:06.789Z"))
      yield* recordEvents(
        operator,
        EVENT_NAMES.map((event) => ({ event, record: event, payload: ALL[event] }))
      )
      yield* TestClock.adjust(2_000)
      yield* deliverAllDue(polls)
      const received = yield* Queue.clear(server.requests)
      assert.deepStrictEqual(
        bodies(received).toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
        EVENT_NAMES.map((event) => ({ event, ...ALL[event], timestamp: "2031-02-03T04:05:06Z" })).toSorted((a, b) =>
          JSON.stringify(a).localeCompare(JSON.stringify(b))
        )
      )
      for (const { method, body } of received) {
        assert.strictEqual(method, "POST")
        assert.match(body, /^\{"event":"\w+",.*,"timestamp":"2031-02-03T04:05:06Z"\}$/)
      }
    })
  )

  it.effect("without a sub_event has no such field", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(200))
      const { operator } = yield* createSubscription(server.port)
      yield* recordEvents(operator, [{ event: "reservation_updated", payload: { ...stay, sub_event: null } }])
      yield* deliverAllDue(polls)
      const [body] = bodies(yield* Queue.clear(server.requests))
      assert.hasAllKeys(body, ["event", "reservation_code", "stay_code", "property_id", "timestamp"])
    })
  )

  it.effect("of a change over the API says what changed and who asked for it hears of it", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(200))
      const { operator } = yield* createSubscription(server.port)
      const api = yield* typedClient
      const { transaction_id } = yield* api
        .create_transaction({ direction: "income", amount: 5, currency: "EUR", item_id: 11, payment_method_id: 197 })
        .pipe(withToken(operator.token))
      yield* deliverAllDue(polls)
      const [body] = bodies(yield* Queue.clear(server.requests))
      assert.deepInclude(body, { event: "transaction_created", transaction_id })
    })
  )

  it.effect("is signed so that standardwebhooks accepts it, and carries the text older receivers compare", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const sql = yield* SqlClient.SqlClient
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(204))
      const { operator, secret, id } = yield* createSubscription(server.port)
      const [event_id = 0] = yield* recordEvents(operator, makeRepeatedEvents(1))
      yield* deliverAllDue(polls)
      const received = yield* Queue.take(server.requests)
      const webhook = new Webhook(secret)
      const given = {
        "webhook-id": header(received, "webhook-id"),
        "webhook-timestamp": header(received, "webhook-timestamp"),
        "webhook-signature": header(received, "webhook-signature")
      }
      assert.deepInclude(webhook.verify(received.body, given), { event: "transaction_updated" })
      assert.throws(() => webhook.verify(`${received.body} `, given))
      assert.strictEqual(given["webhook-id"], formatWebhookId({ event_id, subscription_id: id }))
      assert.deepStrictEqual(parseWebhookId(given["webhook-id"]), { event_id, subscription_id: id })
      const [row] = yield* sql<{
        secret_token: string
      }>`SELECT secret_token FROM webhook_subscriptions WHERE id = ${id}`
      assert.strictEqual(header(received, "service-webhook-secret-token"), row?.secret_token)
      assert.strictEqual(header(received, "content-type"), "application/json")
      assert.match(header(received, "user-agent"), /^Latchkey-Webhooks\//)
      assert.match(header(received, "traceparent"), /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/)
    })
  )

  it.effect("is signed with the former secret too, for a day after it was replaced", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(200))
      const { operator, secret, id } = yield* createSubscription(server.port)
      const api = yield* typedClient
      yield* TestClock.setTime(Math.floor(Date.now() / 1000) * 1000)
      const rotated = yield* api.update_webhook({ id, rotate_secret: true }).pipe(withToken(operator.token))
      const signatures = Effect.gen(function* () {
        yield* recordEvents(operator, makeRepeatedEvents(1))
        yield* deliverAllDue(polls)
        const received = yield* Queue.take(server.requests)
        return header(received, "webhook-signature").split(" ").length
      })
      yield* recordEvents(operator, makeRepeatedEvents(1))
      yield* deliverAllDue(polls)
      const received = yield* Queue.take(server.requests)
      for (const each of [secret, rotated.secret ?? ""]) {
        new Webhook(each).verify(received.body, {
          "webhook-id": header(received, "webhook-id"),
          "webhook-timestamp": header(received, "webhook-timestamp"),
          "webhook-signature": header(received, "webhook-signature")
        })
      }
      yield* TestClock.adjust(WEBHOOK_SECRET_OVERLAP_MS - 1)
      assert.strictEqual(yield* signatures, 2)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* signatures, 1)
    })
  )

  it.effect("reaches whoever asked for it by then: not other operators, not other kinds, not later subscribers", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(200))
      const wanted = yield* createSubscription(server.port, { events: ["transaction_updated"], path: "/wanted" })
      const { operator } = wanted
      yield* createSubscription(server.port, { operator, events: ["transaction_created"], path: "/kind" })
      yield* createSubscription(server.port, { path: "/operator" })
      yield* recordEvents(operator, makeRepeatedEvents(1))
      yield* createSubscription(server.port, { operator, path: "/later" })
      yield* deliverAllDue(polls)
      const paths = (yield* Queue.clear(server.requests)).map(({ path }) => path)
      assert.deepStrictEqual(paths, ["/wanted"])
      yield* recordEvents(operator, makeRepeatedEvents(1))
      yield* deliverAllDue(polls)
      const then = (yield* Queue.clear(server.requests)).map(({ path }) => path)
      assert.deepStrictEqual(then.toSorted(), ["/later", "/wanted"])
    })
  )

  it.effect("that is committed late, with a lower number than others before it, is not lost", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const sql = yield* SqlClient.SqlClient
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(200))
      const { operator } = yield* createSubscription(server.port)
      const [late = 0] = yield* recordEvents(operator, makeRepeatedEvents(2, "transaction:2"))
      const row = sql`SELECT * FROM events WHERE id = ${late}`
      const [event] = yield* sql<{ payload: object; queued_at: Date }>`${row}`
      yield* sql`DELETE FROM events WHERE id = ${late}`
      yield* deliverAllDue(polls)
      yield* Queue.take(server.requests)
      yield* sql`
        INSERT INTO events (operator_id, id, event, record, payload, queued_at) OVERRIDING SYSTEM VALUE
        VALUES (${operator.operatorId}, ${late}, 'transaction_created', 'transaction:2', ${JSON.stringify(event?.payload)}::jsonb,
          ${event?.queued_at ?? new Date(0)})`
      yield* deliverAllDue(polls)
      assert.strictEqual(parseWebhookId(header(yield* Queue.take(server.requests), "webhook-id"))?.event_id, late)
    })
  )

  it.effect(`is handed out once, ${DISPATCH_BATCH_EVENTS} at a time`, () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const fanOut = yield* EventDispatcher
      const subscription = yield* createSubscription(1)
      yield* recordEvents(subscription.operator, makeRepeatedEvents(DISPATCH_BATCH_EVENTS + 1))
      const now = new Date()
      assert.strictEqual((yield* fanOut.dispatchNext(now)).events, DISPATCH_BATCH_EVENTS)
      assert.strictEqual((yield* fanOut.dispatchNext(now)).events, 1)
      assert.strictEqual((yield* fanOut.dispatchNext(now)).events, 0)
      assert.strictEqual((yield* loadDeliveries(subscription)).length, DISPATCH_BATCH_EVENTS + 1)
      yield* recordEvents(subscription.operator, makeRepeatedEvents(3 * DISPATCH_BATCH_EVENTS))
      yield* Effect.forEach(Array.from({ length: 8 }), () => fanOut.dispatchNext(now), { concurrency: "unbounded" })
      while ((yield* fanOut.dispatchNext(now)).events > 0) {}
      assert.strictEqual((yield* loadDeliveries(subscription)).length, 4 * DISPATCH_BATCH_EVENTS + 1)
    })
  )
})
