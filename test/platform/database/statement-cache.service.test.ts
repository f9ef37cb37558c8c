import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type Fragment, fragment } from "effect/sql/Statement"
import fc from "fast-check"
import { withStatements } from "../../../bench/in-process.ts"
import { idsParameter, jsonParameter } from "../../../src/platform/database/parameters.ts"
import { CACHED_TEXTS, toStaticSql } from "../../../src/platform/database/statement-cache.ts"
import { toSingleLine } from "../../../src/platform/database/statement-text.ts"
import { PROPERTY_RUNS } from "../../support/property-runs.ts"
import { countStatements } from "../../support/statement-count.ts"
import { layerTestDatabase } from "../../support/test-database.ts"

interface Values {
  readonly a: number
  readonly b: string | undefined
}

const twoTexts =
  (sql: SqlClient) =>
  ({ a, b }: Values) =>
    b === undefined ? sql`SELECT ${a}::bigint AS a` : sql`SELECT ${b}::text AS b, ${a}::bigint AS a`

/** The parts of a statement, for the property test. */
const Part = fc.letrec<{ readonly part: (sql: SqlClient) => unknown }>((tie) => ({
  part: fc.oneof(
    { depthSize: "small" },
    fc.integer().map((value) => () => value),
    fc.constantFrom<unknown>(null, "'; --", true, new Date(0)).map((value) => () => value),
    fc.constantFrom("a", "b", "a b").map((name) => (sql: SqlClient) => sql(name)),
    fc.constantFrom("a", "b", '"a"', "").map((text) => (sql: SqlClient) => sql.literal(text)),
    fc.tuple(tie("part"), tie("part")).map(
      ([one, two]) =>
        (sql: SqlClient) =>
          sql`(${one(sql)} + ${two(sql)})`
    ),
    tie("part").map((one) => (sql: SqlClient) => sql`- ${one(sql)}`),
    tie("part").map((one) => (sql: SqlClient) => toStatic(sql, sql`f(${one(sql)})`)),
    fc
      .tuple(fc.constantFrom("and" as const, "or" as const, "csv" as const), fc.array(tie("part"), { maxLength: 3 }))
      .map(
        ([join, parts]) =>
          (sql: SqlClient) =>
            sql[join](parts.map((part) => sql`${part(sql)}`))
      )
  )
})).part

const toStatic = (sql: SqlClient, part: Fragment): Fragment => {
  const [, values] = sql`${part}`.compile()
  return values.length === 0 ? toStaticSql(sql, part) : part
}

layer(layerTestDatabase)("the cache of statements", (it) => {
  it.effect("takes values as they are, whatever stands in them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      interface Everything {
        readonly text: string | null
        readonly at: Date | null
        readonly flag: boolean
        readonly json: unknown
        readonly ids: ReadonlyArray<number>
        readonly texts: ReadonlyArray<string>
      }
      const statement = ({ text, at, flag, json, ids, texts }: Everything) => sql`
        SELECT ${text}::text AS text, ${at}::timestamptz AS at, ${flag}::boolean AS flag,
          ${jsonParameter(json)}::jsonb AS json, ${idsParameter(ids)}::bigint[] AS ids, ${texts}::text[] AS texts,
          ${texts.length}::int AS many`
      const all: ReadonlyArray<Everything> = [
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

  it.effect("composes what effect composes, also from the cache", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const composed = (part: (sql: SqlClient) => unknown) => {
        const statement = sql`SELECT ${part(sql)} FROM ${sql("t")}`
        const numbered = { count: 0 }
        const text = statement.segments
          .map((segment) => {
            if (segment._tag === "Parameter") return `$${++numbered.count}`
            if (segment._tag === "Identifier") return `"${segment.value}"`
            return segment._tag === "Literal" ? segment.value : assert.fail(segment._tag)
          })
          .join("")
        const values = statement.segments.flatMap((segment) => (segment._tag === "Parameter" ? [segment.value] : []))
        const expected: ReturnType<typeof statement.compile> = [toSingleLine(text), values]
        return { statement, expected }
      }
      fc.assert(
        fc.property(Part, (part) => {
          const first = composed(part)
          assert.deepStrictEqual(first.statement.compile(), first.expected)
          const again = composed(part)
          assert.deepStrictEqual(again.statement.compile(), again.expected)
        }),
        { numRuns: PROPERTY_RUNS }
      )
    })
  )

  it.effect("tells parts of several segments from each other where their segments together are the same", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const [a, b, c] = [sql.literal("a"), sql.literal("b"), sql.literal("c")]
      const joined = (...parts: ReadonlyArray<Fragment>) => fragment(parts.flatMap(({ segments }) => segments))
      const statement = (first: Fragment, second: Fragment) => sql`SELECT ${first} AND ${second}`
      assert.strictEqual(statement(joined(a, b), joined(c)).compile()[0], "SELECT ab AND c")
      assert.strictEqual(statement(joined(a), joined(b, c)).compile()[0], "SELECT a AND bc")
    })
  )

  it.effect("composes a join once, also where each call makes the join anew", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const join = () => Reflect.get(sql.join("; ", false)([sql`1`, sql`2`]), "strings")
      assert.strictEqual(join(), join())
    })
  )

  it.effect("remembers one text for a sequence of templates, and each call has its own values", () =>
    Effect.gen(function* () {
      const statement = twoTexts(yield* SqlClient)
      for (const round of [1, 2, 3]) {
        assert.deepStrictEqual(yield* statement({ a: round, b: undefined }), [{ a: round }])
        assert.deepStrictEqual(yield* statement({ a: -round, b: `${round}` }), [{ a: -round, b: `${round}` }])
      }
    })
  )

  it.effect("serves many calls at once", () =>
    Effect.gen(function* () {
      const statement = twoTexts(yield* SqlClient)
      const calls = Array.from({ length: 200 }, (_, a) => ({ a, b: a % 2 === 0 ? undefined : `text ${a}` }))
      const rows = yield* Effect.all(
        calls.map((values) => statement(values)),
        { concurrency: "unbounded" }
      )
      const expected = calls.map(({ a, b }) => [b === undefined ? { a } : { a, b }])
      assert.deepStrictEqual(rows, expected)
    })
  )

  it.effect("tells an identifier from a literal, and a value from either", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const select = (part: unknown) => sql`SELECT ${part} AS a FROM (SELECT 1 AS n) n`
      assert.deepStrictEqual(select(sql("n")).compile(), ['SELECT "n" AS a FROM (SELECT 1 AS n) n', []])
      assert.deepStrictEqual(select(sql.literal("n")).compile(), ["SELECT n AS a FROM (SELECT 1 AS n) n", []])
      assert.deepStrictEqual(select("n").compile(), ["SELECT $1 AS a FROM (SELECT 1 AS n) n", ["n"]])
    })
  )

  it.effect("leaves lists and rows of values to the client", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const select = (values: ReadonlyArray<string>) => sql`SELECT 1 AS n WHERE ${sql.in("x", values)}`
      assert.deepStrictEqual(select(["a"]).compile(), ['SELECT 1 AS n WHERE "x" IN ($1)', ["a"]])
      assert.deepStrictEqual(select(["a", "b"]).compile(), ['SELECT 1 AS n WHERE "x" IN ($1,$2)', ["a", "b"]])
    })
  )

  it.effect("forgets all texts once there are CACHED_TEXTS, and builds each again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const statement = (shape: number) => sql`SELECT ${shape * 2}::bigint AS a, ${sql.literal(String(shape))} AS shape`
      for (const shape of [...Array(CACHED_TEXTS + 10).keys(), 0, 1]) {
        const text = `SELECT $1::bigint AS a, ${shape} AS shape`
        assert.deepStrictEqual(statement(shape).compile(), [text, [shape * 2]])
      }
    })
  )

  it.effect("refuses a value in what is composed once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      assert.throws(() => toStaticSql(sql, sql`a = ${1}`), /has values: a = \$1/)
    })
  )

  it.effect("runs in the transaction around it, and is gone with it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const count = (name: string) => sql`SELECT count(*) AS many FROM pg_class WHERE relname = ${name}`
      const made = sql.unsafe("CREATE TABLE of_a_template (id int)").pipe(
        Effect.andThen(count("of_a_template")),
        Effect.tap((rows) => Effect.sync(() => assert.deepStrictEqual(rows, [{ many: 1 }]))),
        Effect.andThen(Effect.fail("undone"))
      )
      assert.isTrue(Exit.isFailure(yield* Effect.exit(sql.withTransaction(made))))
      assert.deepStrictEqual(yield* count("of_a_template"), [{ many: 0 }])
    })
  )

  it.effect("sends one statement, with a span that has its text, and prepares it once a connection", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const statement = twoTexts(sql)
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
