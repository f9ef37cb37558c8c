import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../../migrations/index.ts"
import { migrate } from "../../../src/platform/database/migrate.ts"
import { layerPostgres } from "../../../src/platform/database/postgres.ts"
import { loadTables } from "../../../src/tools/backup/database-catalog.ts"
import { withServerNote } from "../../support/overlapping-transactions.ts"
import { createEmptyDatabase } from "../../support/scratch-database.ts"
import { layerTestDatabaseInMemory } from "../../support/test-database.ts"
import { digestTable } from "../../support/tools/backup/backup-files.ts"
import { ODD_VALUES } from "../../support/tools/backup/odd-values.ts"

const server = process.env.DATABASE_URL ?? ""

const typesInUse = Effect.gen(function* () {
  yield* migrate(migrations)
  const tables = yield* loadTables(yield* SqlClient.SqlClient)
  return new Set(tables.flatMap(({ columns }) => columns.map(({ type }) => type)))
})

const oddRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // What a server, a role or a program may be set to must make no difference.
  yield* sql`SET extra_float_digits = 0`
  yield* sql`SET timezone = 'Asia/Kathmandu'`
  yield* sql`SET datestyle = 'German'`
  yield* sql`SET bytea_output = 'escape'`
  const types = Object.entries(ODD_VALUES)
  yield* sql.unsafe(`CREATE TABLE odd (${types.map(([type], nth) => `c${nth} ${type}`).join(", ")})`)
  for (const nth of [0, 1, 2])
    yield* sql.unsafe(`INSERT INTO odd VALUES (${types.map(([, values]) => values[nth]).join(", ")})`)
  yield* sql`INSERT INTO odd (c0) VALUES (NULL)`
  return yield* digestTable("odd")
})

it.live("values of every type that a column has are tried", () =>
  Effect.gen(function* () {
    const used = yield* Effect.provide(typesInUse, layerTestDatabaseInMemory)
    assert.deepStrictEqual(
      Array.from(used).filter((type) => !(type in ODD_VALUES)),
      []
    )
  })
)

it.live("a digest tells any change of a row, and not the order of rows", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE pairs (a text, b text)`
    const of = (...rows: ReadonlyArray<string>) =>
      Effect.andThen(
        sql`TRUNCATE pairs`,
        Effect.andThen(sql.unsafe(`INSERT INTO pairs VALUES ${rows.join(", ")}`), digestTable("pairs"))
      )
    const first = yield* of("('x', 'y')", "('z', NULL)")
    assert.deepStrictEqual(yield* of("('z', NULL)", "('x', 'y')"), first)
    for (const other of ["('x', '')", "('z', '')", "('xy', NULL)"]) {
      assert.notStrictEqual((yield* of("('x', 'y')", other)).digest, first.digest)
    }
    yield* sql`TRUNCATE pairs`
    assert.deepStrictEqual(yield* digestTable("pairs"), { rows: 0, digest: "0", widest: 0 })
  }).pipe(Effect.provide(layerTestDatabaseInMemory))
)

it.live.skipIf(server === "")(withServerNote("both databases have one digest of the same rows, of every type"), () =>
  Effect.gen(function* () {
    const here = yield* Effect.provide(oddRows, layerTestDatabaseInMemory)
    const url = yield* createEmptyDatabase(server)
    const there = yield* Effect.provide(
      oddRows,
      Layer.fresh(layerPostgres({ url: Redacted.make(url), maxConnections: 1 }))
    )
    assert.deepStrictEqual(there, here)
    assert.strictEqual(here.rows, 4)
  })
)
