import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { buildIndexConcurrently } from "../../../src/platform/database/concurrent-index.ts"
import { layerOwnDatabase } from "../../support/own-database.ts"

const index = { name: "shelves_place", unique: true, on: "shelves (hall, place)" }

const shelves = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE IF EXISTS shelves`
  yield* sql`CREATE TABLE shelves (hall integer, place integer)`
  yield* sql`INSERT INTO shelves VALUES (1, 1), (1, 2)`
  return sql
})

const standing = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ valid: boolean; unique: boolean }>`
    SELECT indisvalid AS valid, indisunique AS unique FROM pg_index WHERE indexrelid = to_regclass('shelves_place')`
)

layer(layerOwnDatabase, { excludeTestServices: true })("an index that is built beside writes", (it) => {
  it.effect("is there afterwards, and is built once", () =>
    Effect.gen(function* () {
      const sql = yield* shelves
      yield* buildIndexConcurrently(index)
      const built = sql<{ oid: number }>`SELECT to_regclass('shelves_place')::oid::int AS oid`
      const before = yield* built
      yield* buildIndexConcurrently(index)
      assert.deepStrictEqual(yield* built, before)
      assert.deepStrictEqual(yield* standing, [{ valid: true, unique: true }])
    })
  )

  it.effect("is built anew where a process before left half of it", () =>
    Effect.gen(function* () {
      const sql = yield* shelves
      yield* sql`INSERT INTO shelves VALUES (1, 2)`
      const error = yield* Effect.flip(buildIndexConcurrently(index))
      assert.strictEqual(error._tag, "SqlError")
      assert.deepStrictEqual(yield* standing, [{ valid: false, unique: true }])
      yield* sql`DELETE FROM shelves WHERE ctid = (SELECT max(ctid) FROM shelves)`
      yield* buildIndexConcurrently(index)
      assert.deepStrictEqual(yield* standing, [{ valid: true, unique: true }])
    })
  )

  it.effect("is kept where another session finishes it between two polls", () =>
    Effect.gen(function* () {
      const sql = yield* shelves
      yield* buildIndexConcurrently(index)
      const setValid = (isValid: boolean) => sql`
        UPDATE pg_index SET indisvalid = ${isValid} WHERE indexrelid = to_regclass('shelves_place')`
      const oid = sql`SELECT to_regclass('shelves_place')::oid::int AS oid`
      const before = yield* oid
      yield* setValid(false)
      const finishingClock: Clock.Clock = Object.assign(Object.create(Clock.Clock.defaultValue()), {
        sleep: () => Effect.orDie(setValid(true))
      })
      yield* Effect.provideService(buildIndexConcurrently(index), Clock.Clock, finishingClock)
      assert.deepStrictEqual(yield* oid, before)
      assert.deepStrictEqual(yield* standing, [{ valid: true, unique: true }])
    })
  )

  it.effect("is built once by several at once, who all wait for it", () =>
    Effect.gen(function* () {
      const sql = yield* shelves
      yield* sql`INSERT INTO shelves SELECT 2, n FROM generate_series(1, 50000) n`
      const built = Effect.andThen(buildIndexConcurrently(index), standing)
      const runs = yield* Effect.all([built, built, built], { concurrency: "unbounded" })
      for (const run of runs) assert.deepStrictEqual(run, [{ valid: true, unique: true }])
    })
  )
})
