import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What the server plans for a prepared statement. `EXPLAIN EXECUTE` plans as `EXECUTE` does, counts as one, and runs nothing.

/** The type that the client gives a parameter by its value. Undefined: the statement says the type of a text. */
const findType = (value: unknown): string | undefined => {
  const one = Array.isArray(value) ? value[0] : value
  const many = Array.isArray(value) && value.length > 0 ? "[]" : ""
  if (typeof one === "number") return `${Number.isInteger(one) ? "int8" : "float8"}${many}`
  if (typeof one === "boolean") return `boolean${many}`
  if (one instanceof Date) return `timestamptz${many}`
  return typeof one === "string" && many !== "" ? "text[]" : undefined
}

/** Returns the types of the parameters of a statement as PREPARE takes them. */
export const parameterTypesSql = (values: ReadonlyArray<unknown>): string =>
  values.map((value) => findType(value) ?? "unknown").join(", ")

/** Returns a value as a literal of unknown type. */
const literalSql = (value: unknown): string => {
  if (value === null || value === undefined) return "NULL"
  if (value instanceof Date) return `'${value.toISOString()}'`
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString("hex")}'`
  if (Array.isArray(value)) return `'{${value.map((each) => JSON.stringify(String(each))).join(",")}}'`
  return `'${String(value).replaceAll("'", "''")}'`
}

const executeSql = (values: ReadonlyArray<unknown>): string => `EXECUTE planned (${values.map(literalSql).join(", ")})`

const runUnprepared = <Row extends object>(statement: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Row>(statement).unprepared)

/** Runs `use` while the statement is prepared, in a transaction, because a prepared statement belongs to a connection. */
const withPrepared = <A, E, R>(text: string, values: ReadonlyArray<unknown>, use: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      runUnprepared(`PREPARE planned (${parameterTypesSql(values)}) AS ${text}`).pipe(
        Effect.andThen(use),
        Effect.tap(() => runUnprepared("DEALLOCATE planned"))
      )
    )
  )

/** The runs after which the server may use a plan for any value. */
const CUSTOM_RUNS = 5

/** Returns whether the server uses the plan for any value once a new statement has run with these values, in turn. */
export const getsGenericPlan = Effect.fnUntraced(function* (
  text: string,
  values: readonly [ReadonlyArray<unknown>, ...ReadonlyArray<ReadonlyArray<unknown>>]
) {
  // The type of a parameter that is null at first is known from a later value.
  const typed = values[0].map((_, at) => values.map((each) => each[at]).find((value) => findType(value) !== undefined))
  const explainRuns = Effect.forEach(
    Array.from({ length: CUSTOM_RUNS + 2 }, (_, at) => values[at % values.length] ?? values[0]),
    (each) => runUnprepared(`EXPLAIN ${executeSql(each)}`),
    { discard: true }
  )
  const countPlans = runUnprepared<{ generic: boolean }>(
    "SELECT generic_plans > 0 AS generic FROM pg_prepared_statements WHERE name = 'planned'"
  )
  const rows = yield* withPrepared(text, typed, Effect.andThen(explainRuns, countPlans))
  return rows[0]?.generic === true
})

const loadCost = Effect.fnUntraced(function* (mode: string, values: ReadonlyArray<unknown>) {
  yield* runUnprepared(`SET LOCAL plan_cache_mode = ${mode}`)
  const rows = yield* runUnprepared<{ "QUERY PLAN": ReadonlyArray<{ Plan: { "Total Cost": number } }> }>(
    `EXPLAIN (FORMAT JSON) ${executeSql(values)}`
  )
  return rows[0]?.["QUERY PLAN"][0]?.Plan["Total Cost"] ?? Number.NaN
})

/** Returns the estimated costs of a statement: of the plan for any value, and of the plan for these values. */
export const loadPlanCosts = (text: string, values: ReadonlyArray<unknown>) =>
  withPrepared(
    text,
    values,
    Effect.all({ generic: loadCost("force_generic_plan", values), custom: loadCost("force_custom_plan", values) })
  )
