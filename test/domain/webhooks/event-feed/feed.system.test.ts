import { assert, layer } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { applyDeliveryRetention } from "../../../../src/domain/webhooks/deliveries/retention.ts"
import { formatFeedCursor } from "../../../../src/domain/webhooks/event-feed/cursor.ts"
import {
  EVENT_RETENTION_MS,
  FEED_EVENTS_SCANNED,
  FEED_PAGE_DEFAULT,
  FEED_PAGE_MAX,
  FEED_WAIT_SECONDS
} from "../../../../src/platform/limits.ts"
import {
  createSubscription,
  deliverAllDue,
  emptyDeliveryTables,
  layerDeliveryService,
  makeRepeatedEvents,
  recordEvents
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import { respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import {
  createFeedReader,
  dispatchAllEvents,
  eventIdsOf,
  insertManyEvents,
  readAllEvents,
  recordFeedEvents
} from "../../../support/domain/webhooks/event-feed/feed-events.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import { call, createOperator, insertProperty, typedClient, withToken } from "../../../support/harness.ts"

const STAY = { reservation_code: "5-A", stay_code: "5-A", property_id: 0 }

layer(layerDeliveryService)("the feed", (it) => {
  it.effect("shows what a webhook posts, under the id its deliveries begin with", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(200))
      const { operator, id } = yield* createSubscription(server.port)
      const api = yield* typedClient
      const sub_event = { event: "reservation_updated", payload: { ...STAY, sub_event: "rate_changed" } } as const
      const without = { event: "reservation_updated", payload: { ...STAY, sub_event: null } } as const
      yield* recordEvents(operator, [sub_event, without])
      yield* deliverAllDue(polls)
      const { events } = yield* api.list_events().pipe(withToken(operator.token))
      const posted = yield* Queue.takeN(server.requests, 2)
      assert.deepStrictEqual(
        events.map(({ payload }) => JSON.stringify(payload)),
        posted.map(({ body }) => body)
      )
      assert.deepStrictEqual(
        events.map(({ event_id }) => `${event_id}_${id}`),
        posted.map(({ headers }) => headers["webhook-id"])
      )
    })
  )

  it.effect("goes on behind a cursor, be it an event's or a page's, and says where it is when there is nothing", () =>
    Effect.gen(function* () {
      const api = yield* typedClient
      const operator = yield* createFeedReader
      const read = (fields: Parameters<typeof api.list_events>[0]) =>
        api.list_events(fields).pipe(withToken(operator.token))
      const empty = yield* read({})
      assert.deepStrictEqual([empty.events, empty.has_more], [[], false])
      const ids = yield* recordFeedEvents(operator, makeRepeatedEvents(5))
      const first = yield* read({ limit: 2 })
      assert.deepStrictEqual([eventIdsOf(first.events), first.has_more], [ids.slice(0, 2), true])
      const rest = yield* read({ after: first.next_cursor })
      assert.deepStrictEqual([eventIdsOf(rest.events), rest.has_more], [ids.slice(2), false])
      assert.deepStrictEqual(yield* read({ after: first.events[1]?.cursor ?? "" }), rest)
      // Full, with nothing behind it.
      assert.isFalse((yield* read({ after: first.next_cursor, limit: 3 })).has_more)
      const end = yield* read({ after: rest.next_cursor })
      assert.deepStrictEqual(end, { events: [], next_cursor: rest.next_cursor, has_more: false })
      assert.deepStrictEqual(eventIdsOf((yield* read({ after: "" })).events), ids)
      assert.deepStrictEqual(eventIdsOf((yield* read({ after: empty.next_cursor })).events), ids)
    })
  )

  it.effect("goes on behind an event that a webhook told of, while that is kept", () =>
    Effect.gen(function* () {
      const api = yield* typedClient
      const [operator, other] = [yield* createFeedReader, yield* createFeedReader]
      const [theirs = 0] = yield* recordFeedEvents(other, makeRepeatedEvents(1))
      const [first = 0, ...rest] = yield* recordFeedEvents(operator, makeRepeatedEvents(3))
      const read = (after: string) => api.list_events({ after }).pipe(withToken(operator.token))
      assert.deepStrictEqual(eventIdsOf((yield* read(`evt_${first}`)).events), rest)
      assert.deepStrictEqual((yield* read(`evt_${rest.at(-1)}`)).events, [])
      // Somebody else's is none, as one that nobody has.
      for (const id of [theirs, 9_999_999]) {
        const error = yield* Effect.flip(read(`evt_${id}`))
        assert.strictEqual(error._tag, "Conflict")
        const oldest = /^after: .* (\S+)\.$/.exec(error.message)?.[1] ?? ""
        assert.deepStrictEqual(eventIdsOf((yield* read(oldest)).events), [first, ...rest])
      }
      for (const after of ["evt_", "evt_0", "evt_1_2", "evt_-1", `evt_${"9".repeat(17)}`]) {
        assert.strictEqual((yield* call(operator.token, "list_events", { after })).error_code, 400, after)
      }
    })
  )

  it.effect("shows an event once it is handed out, and one of a lower id that came later after it", () =>
    Effect.gen(function* () {
      const operator = yield* createFeedReader
      const sql = yield* SqlClient.SqlClient
      yield* recordEvents(operator, makeRepeatedEvents(2))
      assert.deepStrictEqual((yield* readAllEvents(operator)).events, [])
      yield* dispatchAllEvents
      const { events, after } = yield* readAllEvents(operator)
      assert.strictEqual(events.length, 2)
      // As a slow transaction does, whose id was drawn before the others'.
      const lower = Math.min(...eventIdsOf(events)) - 1
      yield* sql`
        INSERT INTO events (operator_id, id, event, record, payload, queued_at) OVERRIDING SYSTEM VALUE
        VALUES (${operator.operatorId}, ${lower}, 'transaction_updated', 'transaction:9', '{"transaction_id": 9}', now())`
      yield* dispatchAllEvents
      assert.deepStrictEqual(eventIdsOf((yield* readAllEvents(operator, after)).events), [lower])
    })
  )

  it.effect("is each operator's own, and a cursor good for nobody else", () =>
    Effect.gen(function* () {
      const api = yield* typedClient
      const [mine, theirs] = [yield* createFeedReader, yield* createFeedReader]
      yield* recordFeedEvents(theirs, makeRepeatedEvents(3))
      const ids = yield* recordFeedEvents(mine, makeRepeatedEvents(1))
      const { events, after } = yield* readAllEvents(mine)
      assert.deepStrictEqual(eventIdsOf(events), ids)
      const error = yield* Effect.flip(api.list_events({ after }).pipe(withToken(theirs.token)))
      assert.strictEqual(error._tag, "BadRequest")
      assert.match(error.message, /^after: /)
    })
  )

  it.effect("refuses what is no cursor, naming the field", () =>
    Effect.gen(function* () {
      const { token, operatorId } = yield* createOperator()
      const good = formatFeedCursor({ operatorId, position: 5 })
      const odd = [
        "x",
        "evt_277_1",
        `${good}=`,
        `${good} `,
        good.slice(1),
        "a".repeat(10_000),
        Buffer.from(`2.${operatorId}.5`).toString("base64url"),
        Buffer.from(`1.${operatorId}.05`).toString("base64url"),
        Buffer.from(`1.${operatorId}.9999999999999999`).toString("base64url"),
        Buffer.from(`1.${operatorId}.-5`).toString("base64url")
      ]
      for (const after of odd) {
        const { error_code, error_msg } = yield* call(token, "list_events", { after })
        assert.strictEqual(error_code, 400, after)
        assert.match(error_msg, /^after: /)
      }
      assert.strictEqual((yield* call(token, "list_events", { after: good })).error_code, 0)
    })
  )

  it.effect(`shows ${FEED_PAGE_DEFAULT} events, or as many as asked for up to ${FEED_PAGE_MAX}`, () =>
    Effect.gen(function* () {
      const api = yield* typedClient
      const operator = yield* createFeedReader
      yield* insertManyEvents(operator, FEED_PAGE_MAX + 1, "transaction_updated")
      const count = (fields: object) =>
        Effect.map(api.list_events(fields).pipe(withToken(operator.token)), ({ events }) => events.length)
      assert.strictEqual(yield* count({}), FEED_PAGE_DEFAULT)
      assert.strictEqual(yield* count({ limit: 1 }), 1)
      assert.strictEqual(yield* count({ limit: FEED_PAGE_MAX, wait: FEED_WAIT_SECONDS }), FEED_PAGE_MAX)
      for (const [field, value] of [
        ["limit", 0],
        ["limit", FEED_PAGE_MAX + 1],
        ["wait", -1],
        ["wait", FEED_WAIT_SECONDS + 1],
        ["types", "transaction_updated,transaction_moved"],
        ["types", ""],
        ["property_id", -1]
      ] as const) {
        const { error_code, error_msg } = yield* call(operator.token, "list_events", { [field]: value })
        assert.strictEqual(error_code, 422, `${field} ${value}`)
        assert.match(error_msg, new RegExp(`^${field}: `))
      }
      const { error_msg } = yield* call(operator.token, "list_events", { types: "transaction_moved" })
      assert.include(error_msg, "transaction_moved")
    })
  )

  it.effect("is narrowed to kinds of events and to a property, and ends where it has looked to", () =>
    Effect.gen(function* () {
      const api = yield* typedClient
      const operator = yield* createFeedReader
      const property_id = yield* insertProperty(operator.operatorId, "Harbour 1")
      const other_id = yield* insertProperty(operator.operatorId, "Harbour 2")
      const [entry = 0, created = 0, boxed = 0, review = 0] = yield* recordFeedEvents(operator, [
        { event: "transaction_created" },
        { event: "reservation_created", payload: { ...STAY, property_id } },
        { event: "reservation_created", payload: STAY },
        { event: "review_created", payload: { ...STAY, property_id } },
        { event: "message_created", payload: { conversation_id: "c", message_id: "m" } }
      ])
      const all = yield* readAllEvents(operator)
      const read = (fields: object) => api.list_events(fields).pipe(withToken(operator.token))
      for (const [fields, expected] of [
        [{ types: "transaction_created" }, [entry]],
        [{ types: "review_created, transaction_created,review_created" }, [entry, review]],
        [{ property_id }, [created, review]],
        [{ property_id: 0 }, [boxed]],
        [{ property_id, types: "review_created" }, [review]],
        [{ property_id: other_id }, []]
      ] as const) {
        const page = yield* read(fields)
        assert.deepStrictEqual(eventIdsOf(page.events), [...expected], JSON.stringify(fields))
        assert.deepStrictEqual([page.has_more, page.next_cursor], [false, all.after])
      }
      const first = yield* read({ property_id, limit: 1 })
      assert.deepStrictEqual([eventIdsOf(first.events), first.has_more], [[created], true])
      const next = yield* read({ property_id, limit: 1, after: first.next_cursor })
      assert.deepStrictEqual([eventIdsOf(next.events), next.has_more], [[review], false])
    })
  )

  it.effect("answers 404 for a property the caller has not, as searches do", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* createFeedReader, yield* createFeedReader]
      const property_id = yield* insertProperty(theirs.operatorId, "Harbour 1")
      yield* recordFeedEvents(theirs, [{ event: "reservation_created", payload: { ...STAY, property_id } }])
      for (const wait of [0, 1]) {
        const { error_code, error_msg } = yield* call(mine.token, "list_events", { property_id, wait })
        assert.deepStrictEqual([error_code, fieldOfError({ error_msg })], [404, "property_id"])
      }
    })
  )

  it.effect(
    `looks through ${FEED_EVENTS_SCANNED} events for what is asked for, and says when there are more behind them`,
    () =>
      Effect.gen(function* () {
        const api = yield* typedClient
        const operator = yield* createFeedReader
        yield* insertManyEvents(operator, FEED_EVENTS_SCANNED - 1, "transaction_updated")
        const [last = 0] = yield* recordFeedEvents(operator, [{ event: "message_created" }])
        const read = (after: string) =>
          api.list_events({ after, types: "message_created" }).pipe(withToken(operator.token))
        const within = yield* read("")
        assert.deepStrictEqual([eventIdsOf(within.events), within.has_more], [[last], false])
        const [next = 0] = yield* recordFeedEvents(operator, [{ event: "message_created" }])
        const first = yield* read("")
        assert.deepStrictEqual([eventIdsOf(first.events), first.has_more], [[last], true])
        assert.strictEqual(first.next_cursor, within.next_cursor)
        assert.deepStrictEqual(eventIdsOf((yield* read(first.next_cursor)).events), [next])
        // Nothing of it among so many: an empty page that goes on.
        const reviews = yield* api.list_events({ types: "review_created", wait: 20 }).pipe(withToken(operator.token))
        assert.deepStrictEqual(reviews, { events: [], next_cursor: within.next_cursor, has_more: true })
      })
  )

  it.effect("a database restored from an older dump gives positions behind every cursor there was", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const operator = yield* createFeedReader
      yield* recordFeedEvents(operator, makeRepeatedEvents(3))
      const { after } = yield* readAllEvents(operator)
      yield* sql`DELETE FROM events WHERE operator_id = ${operator.operatorId}`
      // The sequence of the dump is behind. The clock is ahead of every position there was.
      yield* sql`SELECT setval('event_positions', 1)`
      yield* TestClock.setTime(Date.now())
      const ids = yield* recordFeedEvents(operator, makeRepeatedEvents(2))
      assert.deepStrictEqual(eventIdsOf((yield* readAllEvents(operator, after)).events), ids)
    })
  )

  it.effect("a clock that was set back, or far ahead, changes nothing of the order", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const operator = yield* createFeedReader
      const first = yield* recordFeedEvents(operator, makeRepeatedEvents(2))
      // As if positions had been given an hour ahead of the clock.
      yield* sql`SELECT setval('event_positions', last_value + 3600000000) FROM event_positions`
      const ahead = yield* recordFeedEvents(operator, makeRepeatedEvents(2))
      const { after } = yield* readAllEvents(operator)
      const later = yield* recordFeedEvents(operator, makeRepeatedEvents(2))
      assert.deepStrictEqual(eventIdsOf((yield* readAllEvents(operator)).events), [...first, ...ahead, ...later])
      assert.deepStrictEqual(eventIdsOf((yield* readAllEvents(operator, after)).events), later)
    })
  )

  it.effect("keeps events for thirty days; a cursor from before is 409 and names the oldest there is", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const api = yield* typedClient
      const [operator, quiet] = [yield* createFeedReader, yield* createFeedReader]
      const start = yield* api.list_events().pipe(withToken(operator.token))
      const quietly = yield* api.list_events().pipe(withToken(quiet.token))
      yield* recordFeedEvents(operator, makeRepeatedEvents(3))
      const old = yield* readAllEvents(operator)
      const sql = yield* SqlClient.SqlClient
      const at = new Date(Date.now() - EVENT_RETENTION_MS)
      yield* sql`UPDATE events SET fanned_out_at = ${at} WHERE operator_id = ${operator.operatorId}`
      const kept = yield* recordFeedEvents(operator, makeRepeatedEvents(2))
      yield* applyDeliveryRetention(new Date(at.getTime() + EVENT_RETENTION_MS - 1))
      assert.strictEqual((yield* readAllEvents(operator)).events.length, 5)
      yield* applyDeliveryRetention(new Date(at.getTime() + EVENT_RETENTION_MS))
      assert.deepStrictEqual(eventIdsOf((yield* readAllEvents(operator)).events), kept)
      // Whoever had read all that was removed goes on; whoever had not has missed something.
      assert.deepStrictEqual(eventIdsOf((yield* readAllEvents(operator, old.after)).events), kept)
      for (const after of [start.next_cursor, old.events[1]?.cursor]) {
        const error = yield* Effect.flip(api.list_events({ after: after ?? "" }).pipe(withToken(operator.token)))
        assert.strictEqual(error._tag, "Conflict")
        assert.match(error.message, /^after: /)
        assert.include(error.message, old.after)
      }
      yield* recordFeedEvents(quiet, makeRepeatedEvents(1))
      assert.strictEqual((yield* readAllEvents(quiet, quietly.next_cursor)).events.length, 1)
    })
  )

  it.effect("never removes an event that a delivery needs; the feed begins behind what was removed all the same", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const { operator } = yield* createSubscription(1, { events: ["message_created"] })
      const [needed] = yield* recordFeedEvents(operator, [{ event: "message_created" }, ...makeRepeatedEvents(2)])
      const sql = yield* SqlClient.SqlClient
      yield* applyDeliveryRetention(new Date(Date.now() + EVENT_RETENTION_MS + 60_000))
      const left = yield* sql<{ id: number }>`SELECT id FROM events WHERE operator_id = ${operator.operatorId}`
      assert.deepStrictEqual(
        left.map(({ id }) => id),
        [needed ?? 0]
      )
      assert.deepStrictEqual((yield* readAllEvents(operator)).events, [])
    })
  )
})
