import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import fc from "fast-check"
import { makePageReader } from "../../../src/platform/database/list-pages.ts"
import { PAGE_DEFAULT, PAGE_MAX } from "../../../src/platform/limits.ts"
import { layerTestDatabase } from "../../support/test-database.ts"

const Numbered = Schema.Struct({ id: Schema.Int, name: Schema.String, rest: Schema.NullOr(Schema.Int) })

interface Wanted {
  readonly rows: number
  readonly least: number | undefined
}

const numbered = Effect.map(SqlClient, (sql) =>
  makePageReader(
    sql,
    Numbered,
    ({ rows, least }: Wanted) => ({
      matchingRows: sql`
      SELECT n AS id, nullif(n % 3, 0) AS rest FROM generate_series(1, ${rows}::int) n
      WHERE ${least === undefined ? sql`true` : sql`n >= ${least}`}`,
      orderBy: sql`id DESC`,
      joins: sql`CROSS JOIN (SELECT 'number ' AS prefix) label`
    }),
    { name: sql`label.prefix || page.id` }
  )
)

const expected = (
  { rows, least = 1 }: Wanted,
  { limit, offset }: { readonly limit: number; readonly offset: number }
) => {
  const all = Array.from({ length: rows }, (_, n) => rows - n).filter((n) => n >= least)
  const page = all.slice(offset, offset + limit)
  return {
    total: all.length,
    rows: page.map((id) => ({ id, name: `number ${id}`, rest: id % 3 === 0 ? null : id % 3 }))
  }
}

layer(layerTestDatabase)("a page", (it) => {
  it.effect("has the rows that were asked for in order, and says how many there are in all", () =>
    Effect.gen(function* () {
      const page = yield* numbered
      const isRight = (rows: number, least: number | undefined, limit: number, offset: number) =>
        Effect.map(page({ rows, least }, { limit, offset }), (found) =>
          assert.deepStrictEqual(found, expected({ rows, least }, { limit, offset }))
        )
      const few = fc.integer({ min: 0, max: 250 })
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            few,
            fc.option(few, { nil: undefined }),
            fc.integer({ min: 1, max: PAGE_MAX }),
            few,
            (...of) => Effect.runPromise(isRight(...of))
          ),
          { numRuns: 100 }
        )
      )
    })
  )

  it.effect("is as large as the largest there is", () =>
    Effect.gen(function* () {
      const page = yield* numbered
      for (const rows of [PAGE_MAX - 1, PAGE_MAX, PAGE_MAX + 1]) {
        for (const limit of [PAGE_DEFAULT, PAGE_DEFAULT + 1, PAGE_MAX - 1, PAGE_MAX]) {
          const found = yield* page({ rows, least: undefined }, { limit, offset: 0 })
          assert.lengthOf(found.rows, Math.min(rows, limit))
          assert.strictEqual(found.total, rows)
        }
      }
    })
  )

  it.effect("is found by its keys alone, and its rows are read then; its total may be known without counting", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const page = makePageReader(sql, Numbered, ({ rows }: Pick<Wanted, "rows">) => ({
        matchingRows: sql`SELECT n AS id FROM generate_series(1, ${rows}::int) n`,
        totalQuery: sql`SELECT ${rows}::int AS total`,
        pageQuery: sql`
          SELECT listed.id, 'number ' || listed.id AS name, nullif(listed.id % 3, 0) AS rest, listed.position
          FROM listed ORDER BY listed.id`,
        orderBy: sql`id DESC`
      }))
      for (const asked of [
        { limit: 3, offset: 0 },
        { limit: 3, offset: 39 },
        { limit: 3, offset: 40 },
        { limit: 30, offset: 5 }
      ]) {
        const wanted = { rows: 40, least: undefined }
        assert.deepStrictEqual(yield* page({ rows: 40 }, asked), expected(wanted, asked))
      }
    })
  )
})
