import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../../migrations/index.ts"
import { migrate } from "../../../src/platform/database/migrate.ts"
import type { Migration } from "../../../src/platform/database/migration.ts"
import {
  insertOperator,
  insertOrderWithoutStayCount
} from "../../support/domain/bookings/reservations/former-release-rows.ts"
import { layerEmptyDatabase } from "../../support/empty-database.ts"
import { canOverlap, withServerNote } from "../../support/overlapping-transactions.ts"
import { NEW_DATABASES_MS } from "../../support/time-limits.ts"

// A server is migrated while processes of the release before use it. Who waits for a table mostly has another one: a
// migration that kept others from both tables would wait in a circle with them.

/** The first that was made with that in mind. */
const FIRST = 13
/** The first of the release to come: nobody has a table yet that it and those after it make. */
const NEXT_RELEASE = 23
const ORDERS = 20_000

const before = migrations.filter(({ id }) => id < FIRST)
const since = migrations.filter(({ id }) => id >= FIRST)

const tables = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
)

/** Tables that others cannot write, or not even read, until the transaction ends. */
const kept = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ name: string }>`
    SELECT DISTINCT relname AS name FROM pg_locks JOIN pg_class ON pg_class.oid = relation
    WHERE pid = pg_backend_pid() AND relkind = 'r' AND relnamespace = 'public'::regnamespace
      AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`
)

/**
 * Migrates and answers which of the tables there were the migration kept from others. In pieces each statement is a
 * transaction, and has one table.
 */
const keptBy = Effect.fnUntraced(function* ({ id, name, ...migration }: Migration, there: ReadonlySet<string>) {
  if (migration.nonTransactional) {
    yield* migrate([{ id, name, ...migration }])
    return []
  }
  let names: ReadonlyArray<string> = []
  const up = Effect.tap(Effect.andThen(migration.up, kept), (rows) => {
    names = rows.flatMap(({ name }) => (there.has(name) ? [name] : []))
    return Effect.void
  })
  yield* migrate([{ id, name, up: Effect.asVoid(up) }])
  return names
})

layer(layerEmptyDatabase)("a migration", (it) => {
  it.effect("keeps others from one table at most", () =>
    Effect.gen(function* () {
      yield* migrate(before)
      const seen: Array<string> = []
      let inUse = new Set<string>()
      for (const migration of since) {
        if (migration.id <= NEXT_RELEASE) inUse = new Set((yield* tables).map(({ name }) => name))
        const names = yield* keptBy(migration, inUse)
        assert.isAtMost(names.length, 1, `${migration.name}: ${names.join()}`)
        seen.push(...names)
      }
      assert.includeMembers(seen, ["orders", "stays"])
    })
  )

  it.effect("that keeps others from two is seen to", () =>
    Effect.gen(function* () {
      const up = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`ALTER TABLE orders ADD looked_at integer`.pipe(
          Effect.andThen(sql`CREATE INDEX stays_looked_at ON stays (id)`),
          Effect.andThen(sql`CREATE TABLE looked_at (id integer)`)
        )
      )
      assert.sameMembers(
        [...(yield* keptBy({ id: 1_000_000, name: "both", up }, new Set(["orders", "stays"])))],
        ["orders", "stays"]
      )
    })
  )
})

/** Orders of one and of two stays. The guards of the calendar would look at each, and these hold no nights. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* insertOperator(sql)
  yield* sql`ALTER TABLE stays DISABLE TRIGGER USER`
  yield* sql`
    INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, booked_at, created_at)
    SELECT operators.id, n::text, 'airbnb', n::text, 'wait_accept', 'EUR', now(), now()
    FROM operators, generate_series(1, ${ORDERS}::int) n`
  yield* sql`
    INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date)
    SELECT operator_id, id, reservation_code || '_' || room, '2027-05-01', '2027-05-04'
    FROM orders, generate_series(1, 1 + id % 2) room`
  yield* sql`ALTER TABLE stays ENABLE TRIGGER USER`
  yield* sql`ANALYZE orders, stays`
})

/** What the release before does all the while; none of it ends but by failing. */
const inUse = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const done = { reads: 0, entries: 0, changes: 0 }
  const again = (what: keyof typeof done, turn: Effect.Effect<unknown, unknown>) =>
    Effect.forever(Effect.tap(turn, () => Effect.sync(() => (done[what] += 1))))
  const read = sql`
    SELECT count(*) FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id WHERE s.id % 2 = 0`
  const enter = Effect.suspend(() => insertOrderWithoutStayCount(sql, `beside_${done.entries}`, 1 + (done.entries % 3)))
  // Two orders at once, the lower one first, as changes lock them: from all over the table. Their stays are in no such order.
  const change = Effect.suspend(
    () => sql`
      WITH locked AS (
        SELECT id FROM orders WHERE id IN (${1 + ((done.changes * 997) % ORDERS)}, ${1 + ((done.changes * 499) % ORDERS)})
        ORDER BY id FOR NO KEY UPDATE
      ), changed AS (
        UPDATE orders o SET version = o.version + 1 FROM locked WHERE o.id = locked.id RETURNING o.operator_id, o.id
      ), held AS (
        SELECT s.id FROM changed JOIN stays s ON s.operator_id = changed.operator_id AND s.order_id = changed.id
        ORDER BY s.id DESC FOR NO KEY UPDATE OF s
      )
      SELECT count(*) FROM held`
  )
  const all = [
    ...Array.from({ length: 4 }, () => again("reads", read)),
    again("entries", enter),
    again("changes", change)
  ]
  return { done, running: Effect.andThen(Effect.all(all, { concurrency: "unbounded" }), Effect.never) }
})

describe.skipIf(!canOverlap)(withServerNote("a server in use"), () => {
  it.live(
    "is migrated while others read and write, who meet no error, and every stay is counted and has a page of its own",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* migrate(before)
        yield* fill
        const { done, running } = yield* inUse
        const migrated = Effect.gen(function* () {
          // Everybody is at it before the first migration and after the last.
          const all = Effect.suspend(() => {
            const { reads, entries, changes } = done
            const isOn = Effect.sync(() => done.reads > reads + 4 && done.entries > entries && done.changes > changes)
            return Effect.repeat(Effect.delay(isOn, "5 millis"), { until: (on) => on })
          })
          yield* all
          const names = yield* migrate(migrations)
          yield* all
          return names
        })
        assert.lengthOf(yield* Effect.raceFirst(migrated, running), since.length)
        const wrong = yield* sql`
        SELECT o.reservation_code, o.stay_count, count(*) AS stays
        FROM orders o JOIN stays s ON s.operator_id = o.operator_id AND s.order_id = o.id
        GROUP BY o.operator_id, o.id HAVING o.stay_count <> count(*)`
        assert.deepStrictEqual(wrong, [])
        const [pages] = yield* sql<{ without: number; twice: number }>`
        SELECT count(*) FILTER (WHERE guide_token IS NULL) AS without,
          count(guide_token) - count(DISTINCT guide_token) AS twice FROM stays`
        assert.deepStrictEqual(pages, { without: 0, twice: 0 })
      }).pipe(Effect.provide(layerEmptyDatabase), Effect.scoped),
    NEW_DATABASES_MS
  )
})
