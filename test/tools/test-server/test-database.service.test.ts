import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { emptyTestDatabase, takeTestDatabase } from "../../../src/tools/test-server/test-database.ts"
import { canOverlap, withServerNote } from "../../support/overlapping-transactions.ts"
import { layerOwnDatabase } from "../../support/own-database.ts"

const clear = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP SCHEMA IF EXISTS public, latchkey_test, latchkey_template, bookings CASCADE`
  yield* sql`CREATE SCHEMA public`
})

const countTables = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ tables: string }>`
      SELECT count(*)::text AS tables FROM pg_tables WHERE schemaname IN ('public', 'latchkey_template', 'bookings')`,
    ([row]) => row?.tables
  )
)

layer(layerOwnDatabase)("the database of a test server", (it) => {
  it.effect("is emptied at each start once it was empty", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* clear
      yield* emptyTestDatabase
      yield* sql`CREATE TABLE properties (id bigint)`
      yield* sql`CREATE SCHEMA latchkey_template`
      yield* sql`CREATE TABLE latchkey_template.tables (id bigint)`
      yield* emptyTestDatabase
      assert.strictEqual(yield* countTables, "0")
      yield* sql`CREATE TABLE properties (id bigint)`
      yield* emptyTestDatabase
      assert.strictEqual(yield* countTables, "0")
    })
  )

  it.effect("is refused and unchanged if it has a table and no marker row", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const table of ["properties", "bookings.nights"]) {
        yield* clear
        yield* sql`CREATE SCHEMA bookings`
        yield* sql.unsafe(`CREATE TABLE ${table} (id bigint)`)
        const error = yield* Effect.flip(emptyTestDatabase)
        assert.match(error.message, /^DATABASE_URL: must be an empty database for a test server/)
        assert.strictEqual(yield* countTables, "1")
      }
    })
  )

  it.effect("is refused and unchanged if it has a function or a type", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const object of ["FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'", "TYPE mood AS ENUM ('calm')"]) {
        yield* clear
        yield* sql.unsafe(`CREATE ${object}`)
        assert.match((yield* Effect.flip(emptyTestDatabase)).message, /^DATABASE_URL/)
        assert.strictEqual(
          (yield* sql.unsafe(`SELECT nspname FROM pg_namespace WHERE nspname = 'latchkey_test'`)).length,
          0
        )
      }
    })
  )

  it.effect.skipIf(!canOverlap)(withServerNote("is refused while another test server uses it"), () =>
    Effect.gen(function* () {
      const takeTwice = Effect.andThen(takeTestDatabase, Effect.scoped(takeTestDatabase))
      const error = yield* Effect.flip(Effect.scoped(takeTwice))
      assert.match(error.message, /^DATABASE_URL: must be a database that no other test server uses/)
      yield* Effect.scoped(takeTestDatabase)
    })
  )

  it.effect("is refused if its marker table has no row", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* clear
      yield* emptyTestDatabase
      yield* sql`DELETE FROM latchkey_test.marker`
      assert.match((yield* Effect.flip(emptyTestDatabase)).message, /^DATABASE_URL/)
    })
  )
})
