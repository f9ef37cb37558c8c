import { randomBytes } from "node:crypto"
import type { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Layer, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { SqlError } from "effect/sql/SqlError"
import fc from "fast-check"
import { countStatements } from "../../statement-count.ts"

/** A table of the test's own, so that tests on one server do not meet. */
const createScratchTable = (columns: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const name = `t_${randomBytes(8).toString("hex")}`
    yield* sql.unsafe(`create table ${name} (${columns})`)
    return sql(name)
  })

const loadIds = (table: Effect.Success<ReturnType<typeof createScratchTable>>) =>
  Effect.flatMap(SqlClient, (sql) => sql<{ id: number }>`select id from ${table} order by id`).pipe(
    Effect.map((rows) => rows.map(({ id }) => id))
  )

class Refused extends Schema.TaggedError<Refused>()("Refused", {}) {}

const arbitraryStoredRow = fc.record({
  int8: fc.maxSafeInteger(),
  numeric: fc.integer().map((cents) => (cents / 100).toFixed(2)),
  date: fc
    .date({ min: new Date("1900-01-01"), max: new Date("2199-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  at: fc.date({ min: new Date("1900-01-01"), max: new Date("2199-12-31"), noInvalidDate: true }),
  json: fc.jsonValue().filter((value) => !JSON.stringify(value).includes("\\u0000")),
  text: fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0"))
})

type StoredRow = typeof arbitraryStoredRow extends fc.Arbitrary<infer Row> ? Row : never

const epochRow: StoredRow = { int8: 0, numeric: "0.00", date: "1970-01-01", at: new Date(0), json: {}, text: "" }

/** What every database must do alike. */
export const defineDatabaseSuite = <E>(name: string, database: Layer.Layer<PgClient.PgClient | SqlClient, E>): void =>
  layer(database)(name, (it) => {
    it.effect("a value comes back as it was stored, in the type the stores expect", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const run = Effect.runPromiseWith(yield* Effect.context<SqlClient>())
        const table = yield* createScratchTable(
          "int8 bigint, numeric numeric(14, 2), date date, at timestamptz, json jsonb, text text, dates date[], ids bigint[]"
        )
        const roundTrip = (row: StoredRow) =>
          Effect.gen(function* () {
            const [stored] = yield* sql`insert into ${table} ${sql.insert({
              int8: row.int8,
              numeric: row.numeric,
              date: row.date,
              at: row.at,
              json: JSON.stringify(row.json),
              text: row.text
            })} returning int8, numeric, date, at, json, text`
            expect(stored).toEqual({ ...JSON.parse(JSON.stringify({ ...row, at: null })), at: row.at })
          })
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(arbitraryStoredRow, (row) => run(roundTrip(row))),
            { numRuns: 60, examples: [[{ ...epochRow, json: { at: "" } }]] }
          )
        )
      })
    )

    it.effect("counts and sums are numbers, date comparisons take strings, arrays keep their element type", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const [row] = yield* sql`select count(*) as count, sum(n) as sum, array_agg(n::int8) as ids,
            array['2024-02-29'::date] as dates, '2024-02-29'::date = ${"2024-02-29"} as same,
            '2024-03-01'::date > ${"2024-02-29"} as later, null::int8 as nothing
          from generate_series(1, 3) n`
        expect(row).toEqual({
          count: 3,
          sum: 6,
          ids: [1, 2, 3],
          dates: ["2024-02-29"],
          same: true,
          later: true,
          nothing: null
        })
      })
    )

    it.effect("an integer no number can hold is refused by the reader's schema, and by nobody else's", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const Row = Schema.Struct({ n: Schema.Int })
        const read = (rows: ReadonlyArray<unknown>) => Effect.exit(Schema.decodeUnknownEffect(Row)(rows[0]))
        const largest = Number.MAX_SAFE_INTEGER
        const [fits, tooLarge] = yield* Effect.all(
          [sql`select ${largest}::int8 as n`, sql`select ${largest}::int8 + 1 as n`],
          { concurrency: 2 }
        )
        expect(yield* read(fits)).toEqual(Exit.succeed({ n: largest }))
        expect(Exit.isFailure(yield* read(tooLarge))).toBe(true)
      })
    )

    it.effect("sessions run in UTC", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        expect(yield* sql`select ('2024-06-30T23:30:00Z'::timestamptz)::date as day`).toEqual([{ day: "2024-06-30" }])
      })
    )

    it.effect("a second row with the same key fails as UniqueViolation of that constraint", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const table = yield* createScratchTable("id integer, constraint one_of_each unique (id)")
        yield* sql`insert into ${table} (id) values (1)`
        const error = yield* Effect.flip(sql`insert into ${table} (id) values (1)`)
        expect(error).toBeInstanceOf(SqlError)
        expect(error.reason).toMatchObject({
          _tag: "UniqueViolation",
          constraint: expect.stringContaining("one_of_each")
        })
      })
    )

    it.effect("a transaction that fails leaves nothing", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const table = yield* createScratchTable("id integer")
        const error = yield* sql`insert into ${table} (id) values (1)`.pipe(
          Effect.andThen(new Refused()),
          sql.withTransaction,
          Effect.flip
        )
        expect(error).toBeInstanceOf(Refused)
        expect(yield* loadIds(table)).toEqual([])
      })
    )

    it.effect("a part that fails inside a transaction takes only itself back", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const table = yield* createScratchTable("id integer primary key")
        const insert = (id: number) => sql`insert into ${table} (id) values (${id})`
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* insert(1)
            const inner = yield* Effect.flip(sql.withTransaction(Effect.andThen(insert(2), insert(1))))
            expect(inner.reason._tag).toBe("UniqueViolation")
            yield* insert(3)
          })
        )
        expect(yield* loadIds(table)).toEqual([1, 3])
        yield* Effect.flip(
          sql.withTransaction(Effect.andThen(sql.withTransaction(insert(4)), Effect.andThen(insert(5), insert(1))))
        )
        expect(yield* loadIds(table)).toEqual([1, 3])
      })
    )

    it.effect("a transaction that went on after an error is not taken for committed", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const table = yield* createScratchTable("id integer primary key")
        const insert = sql`insert into ${table} (id) values (1)`
        const exit = yield* Effect.exit(
          sql.withTransaction(Effect.andThen(insert, Effect.ignore(sql`select * from no_such_table`)))
        )
        expect(Exit.isFailure(exit)).toBe(true)
        expect(yield* loadIds(table)).toEqual([])
      })
    )

    it.effect("an interrupted transaction leaves nothing, and the next one begins afresh", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const table = yield* createScratchTable("id integer")
        const inserted = yield* Deferred.make<void>()
        const fiber = yield* sql`insert into ${table} (id) values (1)`.pipe(
          Effect.andThen(Deferred.succeed(inserted, undefined)),
          Effect.andThen(Effect.never),
          sql.withTransaction,
          Effect.forkChild
        )
        yield* Deferred.await(inserted)
        yield* Fiber.interrupt(fiber)
        yield* sql.withTransaction(sql`insert into ${table} (id) values (2)`)
        expect(yield* loadIds(table)).toEqual([2])
      })
    )

    it.effect("statements interrupted in flight do not disturb their neighbours", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const answers = yield* Effect.forEach(
          Array.from({ length: 40 }, (_, id) => id),
          (id) =>
            id % 2 === 0
              ? Effect.map(sql<{ id: number }>`select ${id}::int as id`, (rows) => rows[0]?.id)
              : Effect.as(Effect.race(sql`select count(*) from generate_series(1, 20000)`, Effect.yieldNow), id),
          { concurrency: "unbounded" }
        )
        expect(answers).toEqual(Array.from({ length: 40 }, (_, id) => id))
      })
    )

    it.effect("50 fibers mix queries, transactions and failures", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const accounts = yield* createScratchTable("id integer primary key, money integer not null check (money >= 0)")
        yield* sql`insert into ${accounts} select id, 100 from generate_series(1, 5) id`
        const transferMoney = (from: number, to: number, amount: number) =>
          sql.withTransaction(
            Effect.andThen(
              // Always in the same order, or two of them would wait for each other.
              sql`select 1 from ${accounts} where id in (${from}, ${to}) order by id for update`,
              Effect.andThen(
                sql`update ${accounts} set money = money + ${amount} where id = ${to}`,
                sql`update ${accounts} set money = money - ${amount} where id = ${from}`
              )
            )
          )
        const outcomes = yield* Effect.forEach(
          Array.from({ length: 50 }, (_, n) => n),
          (n) => {
            if (n % 5 === 0) return Effect.exit(sql`select sum(money) as sum from ${accounts}`)
            if (n % 5 === 1) return Effect.exit(sql`select * from no_such_table`)
            const amount = n % 5 === 2 ? 1_000 : 3
            return Effect.exit(transferMoney(1 + (n % 5), 1 + ((n + 1) % 5), amount))
          },
          { concurrency: "unbounded" }
        )
        const tags = outcomes.map(
          Exit.match({
            onSuccess: (rows) => JSON.stringify(rows[0] ?? "done"),
            onFailure: (cause) => cause.reasons.map((r) => (r._tag === "Fail" ? r.error.reason._tag : r._tag)).join()
          })
        )
        const expected = ['{"sum":500}', "SqlSyntaxError", "ConstraintError", '"done"', '"done"']
        expect(tags).toEqual(outcomes.map((_, n) => expected[n % 5]))
        expect(yield* sql`select sum(money) as sum from ${accounts}`).toEqual([{ sum: 500 }])
      })
    )

    it.effect("statements are counted, those that frame a transaction among them", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const select = sql`select 1`
        const countOf = <A, E1, R>(effect: Effect.Effect<A, E1, R>) => Effect.map(countStatements(effect), ([, n]) => n)
        expect(yield* countOf(Effect.void)).toBe(0)
        expect(yield* countOf(Effect.andThen(select, select))).toBe(2)
        expect(yield* countOf(sql.withTransaction(select))).toBe(3)
        expect(yield* countOf(Effect.exit(sql.withTransaction(Effect.andThen(select, new Refused()))))).toBe(3)
        expect(yield* countOf(sql.withTransaction(sql.withTransaction(select)))).toBe(5)
        const innerFails = Effect.exit(sql.withTransaction(Effect.andThen(select, new Refused())))
        expect(yield* countOf(sql.withTransaction(innerFails))).toBe(6)
      })
    )

    it.effect("a large answer and a large parameter arrive whole", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const text = "é".repeat(1_500_000)
        const [row] = yield* sql<{ text: string; rows: number }>`
          select ${text}::text as text, (select count(*) from generate_series(1, 10)) as rows`
        expect(row?.rows).toBe(10)
        expect(row?.text === text).toBe(true)
        const rows = yield* sql<{ n: number }>`select n, repeat('x', 100) as x from generate_series(1, 20000) n`
        expect(rows.length).toBe(20_000)
        expect(rows.at(-1)?.n).toBe(20_000)
      })
    )
  })
