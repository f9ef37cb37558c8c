import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { withStatements } from "./in-process.ts"
import { TABLES } from "./reservation-ground.ts"

interface Plan {
  readonly "Node Type": string
  readonly "Total Cost": number
  readonly "Relation Name"?: string
  readonly Plans?: ReadonlyArray<Plan>
}

const nodesOf = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const NONE: Plan = { "Node Type": "none", "Total Cost": Number.NaN }

const isWhole = (node: Plan): boolean =>
  node["Node Type"] === "Seq Scan" && TABLES.some((table) => table === node["Relation Name"])

/** What the planner thinks that the statements of an effect cost, for the values they really had. */
export const planOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { statements } = yield* withStatements(effect)
    const plans = yield* Effect.forEach(statements, ([text, values]) =>
      Effect.map(
        sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ Plan: Plan }> }>(`EXPLAIN (FORMAT JSON) ${text}`, values),
        (rows) => rows[0]?.["QUERY PLAN"][0]?.Plan ?? NONE
      )
    )
    return {
      costs: plans.map((plan) => plan["Total Cost"].toFixed(0)).join(" + "),
      whole: plans.flatMap(nodesOf).some(isWhole) ? ", a table from end to end" : ""
    }
  })
