import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { withStatements } from "../../../bench/in-process.ts"
import { FORMS, type Givens, inForms, partOf } from "../../../src/platform/database/forms.ts"
import { idsParameter, jsonParameter } from "../../../src/platform/database/parameters.ts"
import { countStatements } from "../../support/statement-count.ts"
import { layerTestDatabase } from "../../support/test-database.ts"

interface Found {
  readonly a: number
  readonly b: string | undefined
}

/** A statement of two forms, and how often one was built. */
const twoForms = (sql: SqlClient) => {
  const built: Array<string> = []
  const statement = inForms(sql, ({ a, b }: Givens<Found>) => {
    built.push(b === undefined ? "a" : "a, b")
    return b === undefined ? sql`SELECT ${a}::bigint AS a` : sql`SELECT ${b}::text AS b, ${a}::bigint AS a`
  })
  return { built, statement }
}

layer(layerTestDatabase)("a statement in forms", (it) => {
  it.effect("takes values as they are, whatever stands in them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      interface Values {
        readonly text: string | null
        readonly at: Date | null
        readonly flag: boolean
        readonly json: unknown
        readonly ids: ReadonlyArray<number>
        readonly texts: ReadonlyArray<string>
      }
      const statement = inForms(
        sql,
        ({ text, at, flag, json, ids, texts }: Givens<Values>) => sql`
          SELECT ${text}::text AS text, ${at}::timestamptz AS at, ${flag}::boolean AS flag,
            ${jsonParameter(json)}::jsonb AS json, ${idsParameter(ids)}::bigint[] AS ids, ${texts}::text[] AS texts,
            ${partOf(texts, (all) => all.length)}::int AS many`
      )
      const all: ReadonlyArray<Values> = [
        {
          text: "it's; DROP TABLE x --",
          at: new Date(0),
          flag: true,
          json: { a: "\"'$1" },
          ids: [],
          texts: ["'", "$2"]
        },
        { text: null, at: null, flag: false, json: null, ids: [1, 2 ** 40], texts: [] },
        { text: "", at: new Date(1e12), flag: true, json: [1, "\ud800"], ids: [7], texts: ["{}", ","] }
      ]
      for (const values of all) {
        const [row] = yield* statement(values)
        const json = JSON.parse(JSON.stringify(values.json).replaceAll("\\ud800", "\ufffd"))
        assert.deepStrictEqual(row, { ...values, json, many: values.texts.length })
      }
    })
  )

  it.effect("is built once for each form, and each call has its own values", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { built, statement } = twoForms(sql)
      for (const round of [1, 2, 3]) {
        assert.deepStrictEqual(yield* statement({ a: round, b: undefined }), [{ a: round }])
        assert.deepStrictEqual(yield* statement({ a: -round, b: `${round}` }), [{ a: -round, b: `${round}` }])
      }
      assert.deepStrictEqual(built, ["a", "a, b"])
    })
  )

  it.effect("is asked by many at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { built, statement } = twoForms(sql)
      const asked = Array.from({ length: 200 }, (_, a) => ({ a, b: a % 2 === 0 ? undefined : `text ${a}` }))
      const rows = yield* Effect.all(
        asked.map((values) => statement(values)),
        { concurrency: "unbounded" }
      )
      const expected = asked.map(({ a, b }) => [b === undefined ? { a } : { a, b }])
      assert.deepStrictEqual(rows, expected)
      assert.lengthOf(built, 2)
    })
  )

  it.effect("knows a form by which values there are, whatever their order", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { built, statement } = twoForms(sql)
      assert.deepStrictEqual(yield* statement({ a: 1, b: "x" }), [{ a: 1, b: "x" }])
      assert.deepStrictEqual(yield* statement({ b: "y", a: 2 }), [{ a: 2, b: "y" }])
      assert.deepStrictEqual(yield* statement({ b: undefined, a: 3 }), [{ a: 3 }])
      assert.deepStrictEqual(built, ["a, b", "a"])
    })
  )

  it.effect("is told its shape beside its values, which no caller can make up", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const statement = inForms(sql, ({ a }: Givens<{ readonly a: number }>, sign: "+" | "-", twice: boolean) => {
        const one = sql`${sql.literal(sign)} ${a}::bigint`
        return twice ? sql`SELECT ${one} ${one} AS n` : sql`SELECT ${one} AS n`
      })
      assert.deepStrictEqual(yield* statement({ a: 5 }, "-", false), [{ n: -5 }])
      assert.deepStrictEqual(yield* statement({ a: 5 }, "+", true), [{ n: 10 }])
      assert.deepStrictEqual(yield* statement({ a: 6 }, "-", true), [{ n: -12 }])
      assert.deepStrictEqual(yield* statement({ a: 6 }, "-", false), [{ n: -6 }])
    })
  )

  it.effect("refuses to be built of what its values are", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const inJson = inForms(sql, ({ a }: Givens<Found>) => sql`SELECT ${JSON.stringify({ a })}::jsonb AS a`)
      const inText = inForms(sql, ({ b }: Givens<Found>) => sql`SELECT ${sql.literal(`'${b}'`)} AS b`)
      assert.throws(() => inJson({ a: 1, b: "x" }), /no values yet/)
      assert.throws(() => inText({ a: 1, b: "x" }), /no values yet/)
    })
  )

  it.effect("remembers FORMS forms, and of one more forgets the oldest", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const built: Array<number> = []
      const statement = inForms(sql, ({ a }: Givens<{ readonly a: number }>, shape: number) => {
        built.push(shape)
        return sql`SELECT ${a}::bigint AS a, ${sql.literal(String(shape))} AS shape`
      })
      const shapes = Array.from({ length: FORMS }, (_, shape) => shape)
      const ask = (shape: number) =>
        Effect.map(statement({ a: shape * 2 }, shape), (rows) =>
          assert.deepStrictEqual(rows, [{ a: shape * 2, shape }])
        )
      yield* Effect.forEach([...shapes, ...shapes], ask)
      assert.deepStrictEqual(built, shapes)
      yield* Effect.forEach([FORMS, 1, 0, 1], ask)
      // The second was forgotten for the first, which had been forgotten for the one more.
      assert.deepStrictEqual(built.slice(FORMS), [FORMS, 0, 1])
    })
  )

  it.effect("has 40 values, and no more", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const values = (many: number) => Object.fromEntries(Array.from({ length: many }, (_, at) => [`v${at}`, at]))
      const sum = inForms(
        sql,
        (given: Givens<Readonly<Record<string, number>>>) =>
          sql`SELECT ${sql.join(" + ", false)(Object.values(given).map((value) => sql`${value}::bigint`))} AS sum`
      )
      assert.deepStrictEqual(yield* sum(values(40)), [{ sum: 780 }])
      assert.throws(() => sum(values(41)), /more than 40 values/)
    })
  )

  it.effect("runs in the transaction around it, and is gone with it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const count = inForms(
        sql,
        ({ name }: Givens<{ readonly name: string }>) =>
          sql`SELECT count(*) AS many FROM pg_class WHERE relname = ${name}`
      )
      const made = sql.unsafe("CREATE TABLE of_a_form (id int)").pipe(
        Effect.andThen(count({ name: "of_a_form" })),
        Effect.tap((rows) => Effect.sync(() => assert.deepStrictEqual(rows, [{ many: 1 }]))),
        Effect.andThen(Effect.fail("undone"))
      )
      assert.isTrue(Exit.isFailure(yield* Effect.exit(sql.withTransaction(made))))
      assert.deepStrictEqual(yield* count({ name: "of_a_form" }), [{ many: 0 }])
    })
  )

  it.effect("is one statement, with a span that has its text, and prepared once a connection", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { statement } = twoForms(sql)
      const [, count] = yield* countStatements(statement({ a: 1, b: undefined }))
      assert.strictEqual(count, 1)
      const { statements } = yield* withStatements(statement({ a: 2, b: "of one connection" }))
      assert.deepStrictEqual(statements, [["SELECT $1::text AS b, $2::bigint AS a", ["of one connection", 2]]])
      const prepared = yield* sql.withTransaction(
        Effect.forEach([1, 2, 3], (a) => statement({ a, b: "x" })).pipe(
          Effect.andThen(sql`
            SELECT count(*) AS many FROM pg_prepared_statements WHERE statement = 'SELECT $1::text AS b, $2::bigint AS a'`)
        )
      )
      assert.deepStrictEqual(prepared, [{ many: 1 }])
    })
  )
})
