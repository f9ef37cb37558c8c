import { assert, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../../migrations/index.ts"
import { EventDispatcher } from "../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { migrate } from "../../../src/platform/database/migrate.ts"
import { layerEmptyDatabaseInMemory } from "../../support/test-database.ts"

it.effect("what was handed out before there was a feed is in it, in the order it was, and what waits comes after", () =>
  Effect.gen(function* () {
    yield* migrate(migrations.filter(({ id }) => id < 11))
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO operators (name, time_zone, currency, created_at) VALUES ('Test', 'UTC', 'EUR', now())`
    const event = (id: number, fannedOut: string | null) =>
      sql`INSERT INTO events (operator_id, id, event, record, payload, queued_at, fanned_out_at) OVERRIDING SYSTEM VALUE
        SELECT id, ${id}, 'transaction_updated', 'transaction:1', '{}', now(), ${fannedOut}::timestamptz FROM operators`
    // One was committed late, and one has not been handed out.
    yield* event(1, "2026-11-01T10:00:00Z")
    yield* event(2, "2026-11-01T10:00:02Z")
    yield* event(3, "2026-11-01T10:00:01Z")
    yield* event(4, "2026-11-01T10:00:01Z")
    yield* event(5, null)
    yield* migrate(migrations)
    const fanOut = yield* Effect.provide(EventDispatcher, EventDispatcher.layer)
    assert.strictEqual((yield* fanOut.dispatchNext(yield* DateTime.nowAsDate)).events, 1)
    const rows = yield* sql<{ id: number; position: number | null }>`SELECT id, position FROM events ORDER BY position`
    assert.deepStrictEqual(
      rows.map(({ id }) => id),
      [1, 3, 4, 2, 5]
    )
    assert.isTrue(rows.every(({ position }) => position !== null))
  }).pipe(Effect.provide(layerEmptyDatabaseInMemory), Effect.scoped)
)
