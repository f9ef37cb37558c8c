import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { changeUnderLock } from "../../../src/platform/database/locked-change.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../support/overlapping-transactions.ts"
import { layerOwnDatabase } from "../../support/own-database.ts"

const shelf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE IF EXISTS shelf, label`
  yield* sql`CREATE TABLE shelf (id integer PRIMARY KEY, books integer NOT NULL CHECK (books < 10))`
  yield* sql`CREATE TABLE label (text text)`
  yield* sql`INSERT INTO shelf VALUES (1, 0)`
  const books = Effect.map(sql<{ books: number }>`SELECT books FROM shelf`, ([row]) => row?.books)
  return { sql, books, lock: sql`SELECT FROM shelf FOR UPDATE` }
})

layer(layerOwnDatabase)("a change whose locks come first", (it) => {
  it.effect("answers what it answers", () =>
    Effect.gen(function* () {
      const { sql, books, lock } = yield* shelf
      assert.strictEqual(yield* changeUnderLock(sql)(lock, Effect.as(sql`UPDATE shelf SET books = 1`, "done")), "done")
      assert.strictEqual(yield* books, 1)
    })
  )

  it.effect("leaves nothing where it fails, by itself or by the database, and says how", () =>
    Effect.gen(function* () {
      const { sql, books, lock } = yield* shelf
      const written = sql`UPDATE shelf SET books = 1`
      const failing = changeUnderLock(sql)(lock, Effect.andThen(written, Effect.fail("no")))
      assert.strictEqual(yield* Effect.flip(failing), "no")
      const refused = Effect.mapError(sql`UPDATE shelf SET books = 10`, () => "full")
      assert.strictEqual(yield* Effect.flip(changeUnderLock(sql)(lock, Effect.andThen(written, refused))), "full")
      assert.strictEqual(yield* books, 0)
    })
  )

  it.effect.skipIf(!canOverlap)(withServerNote("sees what is committed while the locks are waited for"), () =>
    Effect.gen(function* () {
      const { sql, lock } = yield* shelf
      const change = sql<{ text: string }>`SELECT text FROM label`
      const [, seen] = yield* runOverlapping(
        sql`UPDATE shelf SET books = 1`,
        changeUnderLock(sql)(lock, change),
        sql`INSERT INTO label VALUES ('new')`
      )
      assert.deepStrictEqual(seen, [{ text: "new" }])
    })
  )
})
