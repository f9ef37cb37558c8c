import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { BACKLOG_COUNT_LIMIT } from "../../src/jobs/backlog-statements.ts"
import { backlogAge, backlogDue } from "../../src/platform/telemetry/metrics/metric-definitions.ts"
import { BACKLOG_KINDS, makeBacklogReporter } from "../../src/service/backlog.ts"
import { layerQuiet } from "../attacks/grounds.ts"
import { createOperator, insertProperty } from "../support/harness.ts"
import { insertChannelAccount, insertListing } from "../support/listings.ts"
import { layerOwnDatabase } from "../support/own-database.ts"

/** What a look finds, by kind: how much, and for how many seconds. */
const looked = Effect.gen(function* () {
  yield* yield* makeBacklogReporter
  const found: Record<string, { readonly due: number; readonly age: number }> = {}
  for (const kind of BACKLOG_KINDS) {
    const due = (yield* Metric.value(backlogDue.withLabels({ kind }))).value
    const age = (yield* Metric.value(backlogAge.withLabels({ kind }))).value
    if (due > 0 || age > 0) found[kind] = { due, age: Math.round(age / 60) }
  }
  return found
})

/** One property of a new operator. */
const host = Effect.gen(function* () {
  const { operatorId } = yield* createOperator()
  return { operatorId, property: yield* insertProperty(operatorId, "Harbour") }
})

layer(Layer.merge(layerOwnDatabase, layerQuiet), { excludeTestServices: true })(
  "what is due in the background",
  (it) => {
    it.effect("is nothing where nothing is", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* looked, {})
      })
    )

    it.effect("is counted by kind, with the age of the oldest, and without what waits for later or by design", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [one, other] = [yield* host, yield* host]
        const account = yield* insertChannelAccount(one.operatorId)
        for (const minutes of [3, 7, -5]) {
          const listing = yield* insertListing(one.operatorId, account)
          yield* sql`
          INSERT INTO listing_lanes (operator_id, listing_row, account_id, waiting, due_at)
          SELECT operator_id, id, account_id, 1, now() - make_interval(mins => ${minutes}) FROM listings
          WHERE operator_id = ${one.operatorId} AND listing_id = ${listing}`
        }
        for (const [{ operatorId, property }, minutes] of [
          [one, 2],
          [other, 9],
          [other, 1],
          [other, -30]
        ] as const) {
          yield* sql`
          INSERT INTO imported_calendars (operator_id, property_id, url, host, due_at, created_at)
          VALUES (${operatorId}, ${property}, ${`https://c.example.com/${minutes}`}, 'c.example.com',
            now() - make_interval(mins => ${minutes}), now())`
        }
        const closed = yield* host
        yield* sql`
        INSERT INTO imported_calendars (operator_id, property_id, url, host, due_at, created_at)
        VALUES (${closed.operatorId}, ${closed.property}, 'https://c.example.com/9', 'c.example.com', now() - interval '1 day', now())`
        yield* sql`UPDATE operators SET status = 'closed' WHERE id = ${closed.operatorId}`
        yield* sql`
        INSERT INTO events (operator_id, event, record, payload, queued_at)
        VALUES (${one.operatorId}, 'task_created', 'task 1', '{}', now() - interval '4 minutes')`
        assert.deepStrictEqual(yield* looked, {
          events: { due: 1, age: 4 },
          pushes: { due: 2, age: 7 },
          calendars: { due: 3, age: 9 }
        })
      })
    )

    it.effect(`is counted up to ${BACKLOG_COUNT_LIMIT} and one`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { operatorId, property } = yield* host
        const calendars = (count: number) => sql`
        INSERT INTO imported_calendars (operator_id, property_id, url, host, due_at, created_at)
        SELECT ${operatorId}::bigint, ${property}::bigint, 'https://c.example.com/x' || gen_random_uuid(), 'c.example.com',
          now() - interval '1 minute', now()
        FROM generate_series(1, ${count}::integer)`
        yield* sql`DELETE FROM imported_calendars`
        yield* calendars(BACKLOG_COUNT_LIMIT)
        assert.strictEqual((yield* looked)["calendars"]?.due, BACKLOG_COUNT_LIMIT)
        yield* calendars(2)
        assert.strictEqual((yield* looked)["calendars"]?.due, BACKLOG_COUNT_LIMIT + 1)
      })
    )
  }
)
