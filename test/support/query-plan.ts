import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"

/** The plan of the one statement that an effect sends, as text. */
export const loadQueryPlan = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const statements: Array<readonly [string, ReadonlyArray<unknown>]> = []
    yield* Effect.provideService(effect, Statement.CurrentTransformer, (statement) => {
      statements.push(statement.compile())
      return Effect.succeed(statement)
    })
    const [text, values] = statements[0] ?? assert.fail("no statement")
    assert.lengthOf(statements, 1)
    const rows = yield* sql.unsafe<{ "QUERY PLAN": string }>(`EXPLAIN ${text}`, values)
    return rows.map((row) => row["QUERY PLAN"]).join("\n")
  })
