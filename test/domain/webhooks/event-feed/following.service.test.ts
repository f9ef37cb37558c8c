import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { EventDispatcher } from "../../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { FEED_PAGE_MAX } from "../../../../src/platform/limits.ts"
import { layerDeliveryService } from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import {
  createFeedReader,
  eventIdsOf,
  type FeedEvent,
  recordManyEvents
} from "../../../support/domain/webhooks/event-feed/feed-events.ts"
import { type TestOperator, typedClient, withToken } from "../../../support/harness.ts"
import { canOverlap, withServerNote } from "../../../support/overlapping-transactions.ts"

// Readers that follow the feed while it grows: nothing is missing, nothing comes twice, each record's events in order.

/** On a server; the embedded database takes 20 s to hand out as many, and its suite is to be short. */
const EVENTS = canOverlap ? 100_000 : 10_000
const RECORDS = 1_000

/** Reads on until it has seen so many events. */
const followed = Effect.fnUntraced(function* (operator: TestOperator, count: number) {
  const api = yield* typedClient
  const seen: Array<FeedEvent> = []
  let after = ""
  while (seen.length < count) {
    const page = yield* api.list_events({ after, limit: FEED_PAGE_MAX }).pipe(withToken(operator.token))
    seen.push(...page.events)
    after = page.next_cursor
    yield* Effect.yieldNow
  }
  const end = yield* api.list_events({ after }).pipe(withToken(operator.token))
  assert.deepStrictEqual(end.events, [])
  return seen
}, Effect.orDie)

/** Hands out what waits until it is told to end, as the worker of a process does. */
const handingOut = Effect.gen(function* () {
  const fanOut = yield* EventDispatcher
  while (true) {
    yield* fanOut.dispatchNext(yield* DateTime.nowAsDate)
    yield* Effect.yieldNow
  }
})

/** That exactly the operator's events were seen, and of each record in the order of their `n`. */
const checked = Effect.fnUntraced(function* ({ operatorId }: TestOperator, seen: ReadonlyArray<FeedEvent>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: number }>`SELECT id FROM events WHERE operator_id = ${operatorId} ORDER BY id`
  const ids = eventIdsOf(seen)
  assert.strictEqual(ids.length, rows.length)
  assert.deepStrictEqual(
    ids.toSorted((one, other) => one - other),
    rows.map(({ id }) => id)
  )
  const last = new Map<unknown, number>()
  for (const { payload } of seen) {
    const n = Number(payload["n"])
    assert.isAbove(n, last.get(payload["transaction_id"]) ?? -1)
    last.set(payload["transaction_id"], n)
  }
}, Effect.orDie)

layer(layerDeliveryService)("who follows the feed", (it) => {
  it.effect(`while ${EVENTS} events are handed out sees each once, those of a record in their order`, () =>
    Effect.gen(function* () {
      const operator = yield* createFeedReader
      yield* recordManyEvents(operator, EVENTS, RECORDS)
      const worker = yield* Effect.forkChild(handingOut)
      yield* checked(operator, yield* followed(operator, EVENTS))
      yield* Fiber.interrupt(worker)
    })
  )

  /** Changes one record so many times, each time in a transaction that stays open for a while after it. */
  const writing = Effect.fnUntraced(function* ({ operatorId }: TestOperator, writer: number, times: number) {
    const sql = yield* SqlClient.SqlClient
    for (let turn = 0; turn < times; turn++) {
      // Every third change is of a record all writers share, whose row would be locked by then.
      const record = turn % 3 === 0 ? 0 : writer
      const open = writer === 1 ? 0.05 : 0.003
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT pg_advisory_xact_lock(${record})`
          yield* sql`
            INSERT INTO events (operator_id, event, record, payload, queued_at)
            SELECT ${operatorId}, 'transaction_updated', 'transaction:' || ${record}::bigint,
              jsonb_build_object('transaction_id', ${record}::bigint, 'n', nextval('change_order')), now()`
          yield* sql`SELECT pg_sleep(${open})`
        })
      )
    }
  }, Effect.orDie)

  it.effect.skipIf(!canOverlap)(
    withServerNote("of slow and fast transactions sees each event once, with several processes handing out"),
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE SEQUENCE change_order`
        const operator = yield* createFeedReader
        const TIMES = 60
        const workers = yield* Effect.forEach([1, 2], () => Effect.forkChild(handingOut))
        const writers = yield* Effect.forEach([1, 2], (writer) => Effect.forkChild(writing(operator, writer, TIMES)))
        const reader = yield* Effect.forkChild(followed(operator, writers.length * TIMES))
        yield* Effect.forEach(writers, (writer) => Fiber.join(writer))
        yield* checked(operator, yield* Fiber.join(reader))
        yield* Effect.forEach(workers, (worker) => Fiber.interrupt(worker))
      })
  )

  it.effect.skipIf(!canOverlap)(
    withServerNote("is handed out nothing beside a turn that is not committed, not even later events"),
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const fanOut = yield* EventDispatcher
        const next = Effect.flatMap(DateTime.nowAsDate, fanOut.dispatchNext)
        const operator = yield* createFeedReader
        yield* recordManyEvents(operator, 1, 1)
        const [given, end] = [yield* Deferred.make<number>(), yield* Deferred.make<void>()]
        const turn = yield* Effect.forkChild(
          sql.withTransaction(
            Effect.gen(function* () {
              const { events } = yield* next
              yield* Deferred.succeed(given, events)
              yield* Deferred.await(end)
            })
          )
        )
        assert.strictEqual(yield* Deferred.await(given), 1)
        yield* sql`
          INSERT INTO events (operator_id, event, record, payload, queued_at)
          VALUES (${operator.operatorId}, 'review_created', 'reservation:1', '{"n": 1}', now())`
        // A place behind the turn's, told before it, would let readers pass over the turn's.
        assert.strictEqual((yield* next).events, 0)
        yield* Deferred.succeed(end, undefined)
        yield* Fiber.join(turn)
        assert.strictEqual((yield* next).events, 1)
        assert.lengthOf(yield* followed(operator, 2), 2)
      })
  )

  it.effect("and is killed between any two steps sees every event, and each exactly once by its event_id", () =>
    Effect.gen(function* () {
      const api = yield* typedClient
      const operator = yield* createFeedReader
      const as = withToken(operator.token)
      const COUNT = 2_000
      const seen: Array<FeedEvent> = []
      let killed = 0
      /** The process is killed here, now and then. */
      const mayDie = Effect.suspend(() => (Math.random() < 0.1 ? Effect.fail("killed") : Effect.void))
      /** One life: it knows nothing but what the service has written down for it. */
      const life = Effect.gen(function* () {
        const { event_consumers } = yield* api.list_event_consumers().pipe(as)
        let after = event_consumers.find(({ name }) => name === "ledger")?.cursor ?? ""
        while (true) {
          const page = yield* api.list_events({ after, limit: 50 }).pipe(as)
          for (const event of page.events) {
            yield* Effect.suspend(() => (Math.random() < 0.01 ? Effect.fail("killed") : Effect.void))
            seen.push(event)
          }
          yield* mayDie
          yield* api.put_event_consumer({ name: "ledger", cursor: page.next_cursor }).pipe(as)
          yield* mayDie
          after = page.next_cursor
          if (!page.has_more && new Set(eventIdsOf(seen)).size >= COUNT) return
          yield* Effect.yieldNow
        }
      })
      const worker = yield* Effect.forkChild(handingOut)
      yield* recordManyEvents(operator, COUNT, 10)
      while (true) {
        const exit = yield* Effect.result(life)
        if (exit._tag === "Success") break
        assert.strictEqual(exit.failure, "killed")
        killed++
      }
      yield* Fiber.interrupt(worker)
      assert.isAbove(killed, 0)
      const first = seen.filter(
        (
          (known) => (event: FeedEvent) =>
            !known.has(event.event_id) && known.add(event.event_id)
        )(new Set<string>())
      )
      yield* checked(operator, first)
      const [consumer] = (yield* api.list_event_consumers().pipe(as)).event_consumers
      assert.strictEqual(consumer?.lag, 0)
    })
  )
})
