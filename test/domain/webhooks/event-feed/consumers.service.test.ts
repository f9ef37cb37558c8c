import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { applyDeliveryRetention } from "../../../../src/domain/webhooks/deliveries/retention.ts"
import { formatFeedCursor } from "../../../../src/domain/webhooks/event-feed/cursor.ts"
import {
  EVENT_CONSUMER_NAME_LENGTH,
  EVENT_CONSUMERS_MAX,
  EVENT_RETENTION_MS,
  FEED_LAG_COUNTED
} from "../../../../src/platform/limits.ts"
import {
  emptyDeliveryTables,
  layerDeliveryService,
  makeRepeatedEvents
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import {
  createFeedReader,
  insertManyEvents,
  readAllEvents,
  recordFeedEvents
} from "../../../support/domain/webhooks/event-feed/feed-events.ts"
import { call, createOperator, type TestOperator, typedClient, withToken } from "../../../support/harness.ts"

const put = (operator: TestOperator, name: string, cursor: string) =>
  Effect.flatMap(typedClient, (api) => api.put_event_consumer({ name, cursor }).pipe(withToken(operator.token))).pipe(
    Effect.map(({ event_consumer }) => event_consumer)
  )

const listed = (operator: TestOperator) =>
  Effect.flatMap(typedClient, (api) => api.list_event_consumers().pipe(withToken(operator.token))).pipe(
    Effect.map(({ event_consumers }) => event_consumers)
  )

const start = ({ operatorId }: TestOperator) => formatFeedCursor({ operatorId, position: 0 })

layer(layerDeliveryService)("a consumer of the feed", (it) => {
  it.effect("acknowledges up to a cursor, and shows how far it is behind", () =>
    Effect.gen(function* () {
      const operator = yield* createFeedReader
      assert.deepStrictEqual(yield* listed(operator), [])
      yield* recordFeedEvents(operator, makeRepeatedEvents(3))
      const { events, after } = yield* readAllEvents(operator)
      const timestamp = String(events[0]?.payload["timestamp"])
      const behind = yield* put(operator, "ledger", start(operator))
      assert.deepStrictEqual(behind, {
        name: "ledger",
        cursor: start(operator),
        lag: 3,
        oldest_unacknowledged_at: timestamp
      })
      assert.strictEqual((yield* put(operator, "ledger", events[1]?.cursor ?? "")).lag, 1)
      const upToDate = yield* put(operator, "Ledger.2_b-c", after)
      assert.deepStrictEqual([upToDate.lag, upToDate.oldest_unacknowledged_at], [0, null])
      assert.deepStrictEqual(
        (yield* listed(operator)).map(({ name, lag, cursor }) => [name, lag, cursor]),
        [
          ["Ledger.2_b-c", 0, after],
          ["ledger", 1, events[1]?.cursor]
        ]
      )
    })
  )

  it.effect("never moves backwards; the same cursor again changes nothing", () =>
    Effect.gen(function* () {
      const operator = yield* createFeedReader
      yield* recordFeedEvents(operator, makeRepeatedEvents(2))
      const { events, after } = yield* readAllEvents(operator)
      yield* put(operator, "ledger", after)
      yield* put(operator, "ledger", after)
      const error = yield* Effect.flip(put(operator, "ledger", events[0]?.cursor ?? ""))
      assert.strictEqual(error._tag, "ValidationFailed")
      assert.match(error.message, /^cursor: /)
      assert.deepStrictEqual(
        (yield* listed(operator)).map(({ cursor }) => cursor),
        [after]
      )
    })
  )

  it.effect("takes a cursor ahead of everything there is, and none of another account, nor the empty one", () =>
    Effect.gen(function* () {
      const [operator, other] = [yield* createFeedReader, yield* createFeedReader]
      const ahead = formatFeedCursor({ operatorId: operator.operatorId, position: Number.MAX_SAFE_INTEGER })
      assert.strictEqual((yield* put(operator, "ledger", ahead)).cursor, ahead)
      for (const cursor of [start(other), "", "x"]) {
        const { error_code, error_msg } = yield* call(operator.token, "put_event_consumer", { name: "ledger", cursor })
        assert.strictEqual(error_code, 400, cursor)
        assert.match(error_msg, /^cursor: /)
      }
    })
  )

  it.effect(
    `has a name of up to ${EVENT_CONSUMER_NAME_LENGTH} letters, digits, dots, underscores and hyphens, that no URL resolves`,
    () =>
      Effect.gen(function* () {
        const operator = yield* createFeedReader
        const cursor = start(operator)
        const longest = "a".repeat(EVENT_CONSUMER_NAME_LENGTH)
        for (const name of [longest, "0", "A..", "a._-"]) yield* put(operator, name, cursor)
        for (const name of [`${longest}a`, "", ".", "..", ".a", "_a", "-a", "a b", "a/b", "é", "a\n"]) {
          const { error_code, error_msg } = yield* call(operator.token, "put_event_consumer", { name, cursor })
          assert.strictEqual(error_code, 422, name)
          assert.match(error_msg, /^name: /)
        }
        assert.strictEqual((yield* listed(operator)).length, 4)
      })
  )

  it.effect("is forgotten when it is deleted, by its own account alone", () =>
    Effect.gen(function* () {
      const api = yield* typedClient
      const [operator, other] = [yield* createFeedReader, yield* createFeedReader]
      yield* put(operator, "ledger", start(operator))
      const remove = (whose: TestOperator) => api.delete_event_consumer({ name: "ledger" }).pipe(withToken(whose.token))
      assert.strictEqual((yield* Effect.flip(remove(other)))._tag, "NotFound")
      assert.strictEqual((yield* listed(operator)).length, 1)
      yield* remove(operator)
      assert.deepStrictEqual(yield* listed(operator), [])
      assert.strictEqual((yield* Effect.flip(remove(operator)))._tag, "NotFound")
    })
  )

  it.effect(`is one of ${EVENT_CONSUMERS_MAX} at most, however many are made at once`, () =>
    Effect.gen(function* () {
      const operator = yield* createFeedReader
      const cursor = start(operator)
      const answers = yield* Effect.forEach(
        Array.from({ length: EVENT_CONSUMERS_MAX + 5 }, (_, n) => `consumer-${n}`),
        (name) => call(operator.token, "put_event_consumer", { name, cursor }),
        { concurrency: "unbounded" }
      )
      const refused = answers.filter(({ error_code }) => error_code !== 0)
      assert.strictEqual(refused.length, 5)
      for (const { error_code, error_msg } of refused) {
        assert.strictEqual(error_code, 422)
        assert.match(error_msg, /^event_consumer_limit: all 20 /)
      }
      const names = (yield* listed(operator)).map(({ name }) => name)
      assert.strictEqual(names.length, EVENT_CONSUMERS_MAX)
      // Those that are there go on.
      yield* put(operator, names[0] ?? "", cursor)
    })
  )

  it.effect("cannot acknowledge up to where events behind were removed, and counts those that are kept", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const operator = yield* createFeedReader
      yield* recordFeedEvents(operator, makeRepeatedEvents(3))
      const { events, after } = yield* readAllEvents(operator)
      yield* put(operator, "slow", events[0]?.cursor ?? "")
      const sql = yield* SqlClient.SqlClient
      const at = new Date(Date.now() - EVENT_RETENTION_MS)
      yield* sql`UPDATE events SET fanned_out_at = ${at} WHERE operator_id = ${operator.operatorId}`
      yield* recordFeedEvents(operator, makeRepeatedEvents(2))
      yield* applyDeliveryRetention(new Date(at.getTime() + EVENT_RETENTION_MS))
      const error = yield* Effect.flip(put(operator, "slow", events[1]?.cursor ?? ""))
      assert.strictEqual(error._tag, "Conflict")
      assert.include(error.message, after)
      assert.deepStrictEqual(
        (yield* listed(operator)).map(({ name, lag }) => [name, lag]),
        [["slow", 2]]
      )
      assert.strictEqual((yield* put(operator, "slow", after)).lag, 2)
    })
  )

  it.effect(`is behind in ${FEED_LAG_COUNTED} events at most, as far as they are counted`, () =>
    Effect.gen(function* () {
      const operator = yield* createFeedReader
      yield* insertManyEvents(operator, FEED_LAG_COUNTED - 1, "transaction_updated")
      const cursor = start(operator)
      assert.strictEqual((yield* put(operator, "ledger", cursor)).lag, FEED_LAG_COUNTED - 1)
      yield* insertManyEvents(operator, 1, "transaction_updated")
      assert.strictEqual((yield* put(operator, "ledger", cursor)).lag, FEED_LAG_COUNTED)
      yield* insertManyEvents(operator, 1, "transaction_updated")
      assert.strictEqual((yield* put(operator, "ledger", cursor)).lag, FEED_LAG_COUNTED)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
          INSERT INTO event_consumers (operator_id, name, position, created_at)
          SELECT ${operator.operatorId}, 'consumer-' || n, 0, now() FROM generate_series(2, ${EVENT_CONSUMERS_MAX}) n`
      assert.deepStrictEqual(
        (yield* listed(operator)).map(({ lag }) => lag),
        Array.from({ length: EVENT_CONSUMERS_MAX }, () => FEED_LAG_COUNTED)
      )
    })
  )

  it.effect("belongs to an account that may write", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const envelope = yield* call(operator.readOnlyToken, "put_event_consumer", { name: "a", cursor: start(operator) })
      assert.strictEqual(envelope.error_code, 401)
      assert.strictEqual((yield* call(operator.readOnlyToken, "list_event_consumers")).error_code, 0)
    })
  )
})
