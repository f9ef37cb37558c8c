import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../migrations/index.ts"
import { tablesOf } from "../../src/backup/catalogue.ts"
import { migrate } from "../../src/database/migrate.ts"
import { layerPostgres } from "../../src/database/postgres.ts"
import { layerTestMemory } from "../database.ts"
import { orSkipped } from "../overlap.ts"
import { emptyDatabase } from "../scratch-database.ts"
import { digested } from "./sources.ts"

/** Odd values of every type that a column of the schema has; `generated` ones are worked out. */
const ODD: Readonly<Record<string, ReadonlyArray<string>>> = {
  bigint: ["-9223372036854775808", "9223372036854775807", "0"],
  integer: ["-2147483648", "2147483647", "0"],
  smallint: ["-32768", "32767", "0"],
  boolean: ["true", "false", "true"],
  text: ["'it''s (a, \"row\") \\ here'", "E'\\n\\t\\r'", "'ünï 🏠 \u2028'"],
  "text[]": ["ARRAY['a,b', NULL, '{\"}', '']", "'{}'", "ARRAY[ARRAY['x'], ARRAY['NULL']]"],
  "bigint[]": ["ARRAY[1, NULL, -1]", "'{}'", "'[0:1]={5,6}'"],
  "integer[]": ["ARRAY[1, NULL, -1]", "'{}'", "'[0:1]={5,6}'"],
  "date[]": ["ARRAY['2026-02-28'::date]", "'{}'", "ARRAY['infinity'::date]"],
  bytea: ["'\\x00ff5c'", "''", "'\\x5c78'"],
  date: ["'infinity'", "'0044-03-15 BC'", "'2028-02-29'"],
  "time without time zone": ["'24:00:00'", "'00:00:00.000001'", "'15:00'"],
  "timestamp with time zone": ["'-infinity'", "'2026-03-29 02:30:00.123456+02'", "'0001-01-01 00:00:00+00 BC'"],
  "double precision": ["0.1::float8 + 0.2::float8", "'-0'", "1e-310"],
  real: ["0.1", "1e38", "'NaN'"],
  numeric: ["1.10", "'NaN'", "-12345678901234567890.000000001"],
  "numeric(14,2)": ["1.10", "'NaN'", "-999999999999.99"],
  "numeric(12,2)": ["1.10", "'NaN'", "-9999999999.99"],
  "numeric(18,4)": ["1.1000", "'NaN'", "-99999999999999.9999"],
  tsvector: ["to_tsvector('simple', 'towels are where it''s warm')", "''", "'a:1A,3 b:2'"],
  datemultirange: ["'{[2026-01-01,2026-02-01), [2027-01-01,)}'", "'{}'", "NULL"],
  "time(0) without time zone": ["'24:00:00'", "'00:00:00'", "'15:00'"],
  jsonb: ['\'{"b": 1.10, "a": [null, "\\u00fc"], "": 1e2}\'', "'null'", "'\"x\"'"],
  uuid: ["'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'", "NULL"],
  interval: ["'-1 mon +2 days 03:04:05.6'", "'1 year'", "'0'"]
}

const server = process.env.DATABASE_URL ?? ""

const typesInUse = Effect.gen(function* () {
  yield* migrate(migrations)
  const tables = yield* tablesOf(yield* SqlClient.SqlClient)
  return new Set(tables.flatMap(({ columns }) => columns.map(({ type }) => type)))
})

const oddRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // What a server, a role or a program may be set to must make no difference.
  yield* sql`SET extra_float_digits = 0`
  yield* sql`SET timezone = 'Asia/Kathmandu'`
  yield* sql`SET datestyle = 'German'`
  yield* sql`SET bytea_output = 'escape'`
  const types = Object.entries(ODD)
  yield* sql.unsafe(`CREATE TABLE odd (${types.map(([type], nth) => `c${nth} ${type}`).join(", ")})`)
  for (const nth of [0, 1, 2])
    yield* sql.unsafe(`INSERT INTO odd VALUES (${types.map(([, values]) => values[nth]).join(", ")})`)
  yield* sql`INSERT INTO odd (c0) VALUES (NULL)`
  return yield* digested("odd")
})

it.live("values of every type that a column has are tried", () =>
  Effect.gen(function* () {
    const used = yield* Effect.provide(typesInUse, layerTestMemory)
    assert.deepStrictEqual(
      Array.from(used).filter((type) => !(type in ODD)),
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
        Effect.andThen(sql.unsafe(`INSERT INTO pairs VALUES ${rows.join(", ")}`), digested("pairs"))
      )
    const first = yield* of("('x', 'y')", "('z', NULL)")
    assert.deepStrictEqual(yield* of("('z', NULL)", "('x', 'y')"), first)
    for (const other of ["('x', '')", "('z', '')", "('xy', NULL)"]) {
      assert.notStrictEqual((yield* of("('x', 'y')", other)).digest, first.digest)
    }
    yield* sql`TRUNCATE pairs`
    assert.deepStrictEqual(yield* digested("pairs"), { rows: 0, digest: "0", widest: 0 })
  }).pipe(Effect.provide(layerTestMemory))
)

it.live.skipIf(server === "")(orSkipped("both databases have one digest of the same rows, of every type"), () =>
  Effect.gen(function* () {
    const here = yield* Effect.provide(oddRows, layerTestMemory)
    const url = yield* emptyDatabase(server)
    const there = yield* Effect.provide(
      oddRows,
      Layer.fresh(layerPostgres({ url: Redacted.make(url), maxConnections: 1 }))
    )
    assert.deepStrictEqual(there, here)
    assert.strictEqual(here.rows, 4)
  })
)
