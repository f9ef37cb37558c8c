import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeSingleRowReader } from "../../platform/database/rows.ts"
import { WrongSetting } from "../../service/configuration.ts"

const readState = makeSingleRowReader(Schema.Struct({ hasMarker: Schema.Boolean, isEmpty: Schema.Boolean }))
const readMarker = makeSingleRowReader(Schema.Struct({ rows: Schema.Int }))

/** Any number that no other program uses for an advisory lock. */
const TEST_SERVER_LOCK = 7_012_027

const readLock = makeSingleRowReader(Schema.Struct({ locked: Schema.Boolean }))

/** Holds a connection until the scope ends, so that no second test server empties the database meanwhile. */
export const takeTestDatabase = Effect.gen(function* () {
  const connection = yield* (yield* SqlClient.SqlClient).reserve
  const run = (name: string) =>
    readLock(connection.execute(`SELECT ${name}(${TEST_SERVER_LOCK}) AS locked`, [], undefined))
  const { locked } = yield* run("pg_try_advisory_lock")
  if (locked) return yield* Effect.addFinalizer(() => Effect.ignore(run("pg_advisory_unlock")))
  return yield* new WrongSetting({
    variable: "DATABASE_URL",
    expected: "a database that no other test server uses at the moment"
  })
})

/**
 * Empties the database of a test server. Fails without a change unless the database is empty, or has the marker row
 * that this function wrote when it was.
 */
export const emptyTestDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { hasMarker, isEmpty } = yield* readState(sql`
    SELECT to_regclass('latchkey_test.marker') IS NOT NULL AS "hasMarker", NOT EXISTS (
      SELECT FROM pg_namespace n WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' AND (
        EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid)
        OR EXISTS (SELECT FROM pg_proc WHERE pronamespace = n.oid)
        OR EXISTS (SELECT FROM pg_type WHERE typnamespace = n.oid))
    ) AS "isEmpty"`)
  const isMarked =
    hasMarker && (yield* readMarker(sql`SELECT count(*)::int AS rows FROM latchkey_test.marker`)).rows > 0
  if (!isMarked && !isEmpty) {
    return yield* new WrongSetting({
      variable: "DATABASE_URL",
      expected:
        "an empty database for a test server, or one that it has used before: each start deletes its schema public"
    })
  }
  yield* sql`SET LOCAL client_min_messages = warning`
  yield* sql`DROP SCHEMA IF EXISTS public, latchkey_template CASCADE`
  yield* sql`CREATE SCHEMA public`
  if (isMarked) return
  yield* sql`CREATE SCHEMA latchkey_test`
  yield* sql`CREATE TABLE latchkey_test.marker (note text NOT NULL)`
  yield* sql`INSERT INTO "latchkey_test".marker VALUES ('latchkey serve --test deletes the schema public of this database')`
}).pipe((work) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(work)))
