import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { GLOBAL_TABLES } from "./support/global-tables.ts"
import { layerOwnDatabase } from "./support/own-database.ts"

// What keys a table that is spread by operator_id may have: a unique one is held by one server only where it holds
// operator_id, and a foreign one leads to the same server only where both sides do, or to a table that stands on each.

interface Key {
  readonly table: string
  readonly key: string
  /** Of a foreign key: where it leads. */
  readonly to: string | null
  /** Whether operator_id is among its columns; of a foreign key, beside operator_id there. */
  readonly holds_operator: boolean
}

/** Unique indexes, which primary keys and unique constraints are too, exclusion constraints and foreign keys. */
const keys = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<Key>`
    SELECT t.relname AS table, i.indexrelid::regclass::text AS key, NULL AS to, EXISTS (
      SELECT FROM pg_attribute a
      WHERE a.attrelid = t.oid AND a.attname = 'operator_id' AND a.attnum = ANY (i.indkey[0:i.indnkeyatts - 1])) AS holds_operator
    FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
    WHERE t.relnamespace = 'public'::regnamespace AND (i.indisunique OR i.indisexclusion)
    UNION ALL
    SELECT t.relname, c.conname, other.relname, EXISTS (
      SELECT FROM unnest(c.conkey, c.confkey) AS pair (here, there)
      JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = pair.here AND a.attname = 'operator_id'
      JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = pair.there
        AND b.attname = CASE other.relname WHEN 'operators' THEN 'id' ELSE 'operator_id' END)
    FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class other ON other.oid = c.confrelid
    WHERE c.contype = 'f' AND t.relnamespace = 'public'::regnamespace`
)

const tables = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ table: string; has_operator: boolean }>`
    SELECT t.relname AS table, EXISTS (
      SELECT FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attname = 'operator_id' AND a.attnotnull) AS has_operator
    FROM pg_class t WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p')`
)

/** What keeps the tables from being spread, a line each. */
const obstacles = Effect.gen(function* () {
  const all = yield* tables
  return [
    ...all.flatMap(({ table, has_operator }) =>
      table in GLOBAL_TABLES || has_operator ? [] : [`${table} has no operator_id, and is not said to be global`]
    ),
    ...(yield* keys).flatMap(({ table, key, to, holds_operator }) => {
      if (table in GLOBAL_TABLES) {
        return to === null || to in GLOBAL_TABLES ? [] : [`${key} leads from a global table to ${to}`]
      }
      return holds_operator ? [] : [`${key} of ${table} holds no operator_id`]
    }),
    ...Object.keys(GLOBAL_TABLES).flatMap((table) =>
      all.some((each) => each.table === table) ? [] : [`${table} is said to be global, and there is none`]
    )
  ].toSorted()
})

// Of its own, since it changes tables.
layer(layerOwnDatabase)("what operators' tables are spread by", (it) => {
  it.effect("is in every key of theirs, and the tables that stand on each server are the ones that are said to", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* obstacles, [])
    })
  )

  it.effect("is missed where a table, a unique key, an exclusion or a foreign key has not got it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const found = yield* sql
        .withTransaction(
          Effect.gen(function* () {
            yield* sql`CREATE TABLE halls (id bigint)`
            yield* sql`CREATE UNIQUE INDEX tasks_of_id ON tasks (id) INCLUDE (operator_id)`
            yield* sql`CREATE TABLE shelves (operator_id bigint NOT NULL, id bigint, at int4range, PRIMARY KEY (operator_id, id))`
            yield* sql`ALTER TABLE shelves ADD CONSTRAINT shelves_apart EXCLUDE USING gist (at WITH &&)`
            yield* sql`ALTER TABLE shelves ADD CONSTRAINT shelves_task FOREIGN KEY (id) REFERENCES tasks (id)`
            yield* sql`
            ALTER TABLE addresses ADD CONSTRAINT addresses_shelf
            FOREIGN KEY (operator_id, row_id) REFERENCES shelves (operator_id, id)`
            const found = yield* obstacles
            return yield* Effect.fail(found)
          })
        )
        .pipe(Effect.flip)
      assert.deepStrictEqual(found, [
        "addresses_shelf leads from a global table to shelves",
        "halls has no operator_id, and is not said to be global",
        "shelves_apart of shelves holds no operator_id",
        "shelves_task of shelves holds no operator_id",
        "tasks_of_id of tasks holds no operator_id"
      ])
    })
  )

  it.effect("is the first column of theirs", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const firsts = yield* sql<{ table: string; first: string }>`
        SELECT t.relname AS table, a.attname AS first FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = 1
        WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p')`
      const others = firsts.filter(({ table, first }) => !(table in GLOBAL_TABLES) && first !== "operator_id")
      assert.deepStrictEqual(others, [])
      assert.isAbove(firsts.length, others.length)
    })
  )
})
