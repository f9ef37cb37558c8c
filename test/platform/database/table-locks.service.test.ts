import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { migrations } from "../../../migrations/index.ts"
import { migrate } from "../../../src/platform/database/migrate.ts"
import { layerEmptyDatabase } from "../../support/empty-database.ts"
import { findLongLocks } from "../../support/platform/database/table-locks.ts"

/** Those that were released before this was looked at. */
const RELEASED = 56

const there = new Set(["stays", "orders"])

it("what keeps others from a table for long is seen in the statement", () => {
  const seen: ReadonlyArray<readonly [statement: string, what: RegExp]> = [
    ["CREATE INDEX a ON stays (id)", /index/],
    ["create unique index if not exists a on public.stays using btree (id)", /index/],
    ["ALTER TABLE stays ALTER COLUMN note TYPE varchar(10)", /type/],
    ["ALTER TABLE ONLY stays ADD a integer, ALTER note SET NOT NULL", /null/],
    ["ALTER TABLE stays ADD CONSTRAINT a CHECK (id > 0)", /constraint/],
    ["ALTER TABLE stays ADD CONSTRAINT a FOREIGN KEY (id, b) REFERENCES orders (id, b)", /constraint/],
    ["ALTER TABLE stays ADD UNIQUE (id)", /constraint/],
    ["ALTER TABLE stays ADD a uuid DEFAULT gen_random_uuid()", /column/],
    ["ALTER TABLE stays ADD a integer GENERATED ALWAYS AS (id + 1) STORED", /column/],
    ["ALTER TABLE stays ADD a bigint REFERENCES orders (id)", /column/],
    ["ALTER TABLE stays SET UNLOGGED", /anew/],
    ["VACUUM FULL stays", /anew/],
    ["CLUSTER stays USING a", /anew/]
  ]
  for (const [statement, what] of seen) {
    const kept = findLongLocks(statement, there)
    assert.lengthOf(kept, 1, statement)
    assert.match(kept[0]?.what ?? "", what, statement)
    assert.strictEqual(kept[0]?.table, "stays")
  }
})

it("what is quick on any table, or is of a new one, is let through", () => {
  for (const statement of [
    "CREATE INDEX CONCURRENTLY a ON stays (id)",
    "CREATE INDEX a ON new_table (id)",
    "ALTER TABLE new_table ADD UNIQUE (id)",
    "ALTER TABLE stays ADD a text, ADD b integer NOT NULL DEFAULT 0",
    "ALTER TABLE stays ADD CONSTRAINT a CHECK (id > 0) NOT VALID",
    "ALTER TABLE stays ADD CONSTRAINT a UNIQUE USING INDEX b",
    "ALTER TABLE stays VALIDATE CONSTRAINT a",
    "ALTER TABLE stays ALTER a SET DEFAULT 'SET NOT NULL'",
    "ALTER TABLE stays DROP CONSTRAINT a"
  ]) {
    assert.deepStrictEqual(findLongLocks(statement, there), [], statement)
  }
})

layer(layerEmptyDatabase, { excludeTestServices: true })("a migration since the last release", (it) => {
  it.effect("says nothing that keeps others from a table there is for long", () =>
    Effect.gen(function* () {
      yield* migrate(migrations.filter(({ id }) => id <= RELEASED))
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
      const tables = new Set(rows.map(({ name }) => name))
      let looked = 0
      const kept: Array<string> = []
      for (const migration of migrations.filter(({ id }) => id > RELEASED)) {
        yield* migrate([migration]).pipe(
          Effect.provideService(Statement.CurrentTransformer, (statement) => {
            const [text] = statement.compile()
            looked += 1
            for (const { table, what } of findLongLocks(text, tables)) kept.push(`${migration.name}: ${table}: ${what}`)
            return Effect.succeed(statement)
          })
        )
      }
      assert.isAbove(looked, 0)
      assert.deepStrictEqual(kept, [])
    })
  )
})

/** Tables there were before, that a transaction of ours keeps who writes from. */
const keptByUs = (sql: SqlClient.SqlClient, before: ReadonlySet<string>) =>
  Effect.map(
    sql<{ name: string }>`
      SELECT DISTINCT c.relname AS name FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
      WHERE l.pid = pg_backend_pid() AND l.granted
        AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`,
    (rows) => rows.map(({ name }) => name).filter((name) => before.has(name))
  )

layer(layerEmptyDatabase, { excludeTestServices: true })("a migration in one transaction", (it) => {
  it.effect("keeps who writes from one table at most: with two it would meet those who have the second", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate(migrations.filter(({ id }) => id <= RELEASED))
      const rows = yield* sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
      const before = new Set(rows.map(({ name }) => name))
      const kept: Record<string, ReadonlyArray<string>> = {}
      for (const migration of migrations.filter(({ id }) => id > RELEASED)) {
        const looked = Effect.gen(function* () {
          yield* migration.up
          kept[migration.name] = yield* keptByUs(sql, before)
        })
        yield* migrate([migration.nonTransactional ? migration : { ...migration, up: looked }])
      }
      assert.deepStrictEqual(kept["addresses"], ["property_feeds"])
      for (const [name, tables] of Object.entries(kept)) assert.isAtMost(tables.length, 1, `${name}: ${tables}`)
    })
  )
})
