import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createOperator, insertProperty, type OperatorOptions, typedClient, withToken } from "../harness.ts"

/** A typed client and its new operator; `as` signs calls with the operator's token. */
export const createHostClient = Effect.fn("host")(function* (options: OperatorOptions = {}) {
  const operator = yield* createOperator(options)
  const api = yield* typedClient
  return { ...operator, api, as: withToken(operator.token) }
})

/** The same with properties of the given titles; answers their ids in that order. */
export const createHostWithProperties = Effect.fn("hostOf")(function* (...titles: ReadonlyArray<string>) {
  const operator = yield* createHostClient()
  const propertyIds = yield* Effect.forEach(titles, (title) => insertProperty(operator.operatorId, title))
  return { ...operator, propertyIds }
})

/** What a new operator has room for (migration 0003_portfolio): the defaults of its columns, which no code names. */
export const ROOM_LIMIT = 100
export const ROOM_TYPE_LIMIT = 50

type LimitColumn = "room_limit" | "room_type_limit" | "property_tag_limit" | "reservation_tag_limit"

/** What an operator has room for. */
export const loadLimit = Effect.fn("limitOf")(function* (operatorId: number, column: LimitColumn) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ most: number }>`SELECT ${sql(column)} AS most FROM operators WHERE id = ${operatorId}`
  return rows[0]?.most
}, Effect.orDie)

export const setLimit = Effect.fn("setLimit")(function* (operatorId: number, column: LimitColumn, limit: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE operators SET ${sql(column)} = ${limit} WHERE id = ${operatorId}`
}, Effect.orDie)

/** How many rows of a table are an operator's. */
export const countRows = Effect.fn("rowsIn")(function* (operatorId: number, table: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    count: number
  }>`SELECT count(*) AS count FROM ${sql(table)} WHERE operator_id = ${operatorId}`
  return rows[0]?.count
}, Effect.orDie)

/** The outcomes of calls made at once: how many succeeded, and the tags of the errors of the others. */
export const runConcurrently = Effect.fn("atOnce")(function* <A, E extends { readonly _tag: string }, R>(
  effects: ReadonlyArray<Effect.Effect<A, E, R>>
) {
  const outcomes = yield* Effect.all(
    effects.map((each) => Effect.match(each, { onSuccess: () => "ok", onFailure: ({ _tag }) => _tag })),
    { concurrency: "unbounded" }
  )
  return {
    succeeded: outcomes.filter((outcome) => outcome === "ok").length,
    refused: Array.from(new Set(outcomes.filter((outcome) => outcome !== "ok")))
  }
})
