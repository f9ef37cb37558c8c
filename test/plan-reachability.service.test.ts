import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { canOverlap, withServerNote } from "./support/overlapping-transactions.ts"
import { findUnreachedNodes, type PlanNode } from "./support/plan-reachability.ts"
import { layerTestDatabase } from "./support/test-database.ts"

const OPERATOR = 7_000_000_019

const unreached = Effect.fnUntraced(function* (text: string, values: ReadonlyArray<unknown>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ Plan: PlanNode }> }>(
    `EXPLAIN (VERBOSE, FORMAT JSON) ${text}`,
    values
  )
  const plan = rows[0]?.["QUERY PLAN"][0]?.Plan ?? assert.fail("no plan")
  // The tables that are scanned, whatever way.
  return findUnreachedNodes(plan, OPERATOR).map((line) => line.replace(/^.* of /, ""))
})

const REACHED: Readonly<Record<string, string>> = {
  "by its own condition": "SELECT * FROM tasks WHERE id = 1 AND (operator_id = $1 AND note <> 'a = b OR (c')",
  "by a value that the planner does not see": "SELECT * FROM tasks WHERE operator_id = (SELECT $1::bigint)",
  "by a range of rows": `
    SELECT * FROM trail WHERE (operator_id, at) >= ($1::bigint, now()) AND (operator_id, at, id) < ($1::bigint, now(), 5::bigint)`,
  "by a join": `
    SELECT * FROM tasks t JOIN properties p ON p.operator_id = t.operator_id AND p.id = t.property_id WHERE t.operator_id = $1`,
  "by a join from outside": `
    SELECT * FROM tasks t LEFT JOIN stays s ON s.operator_id = t.operator_id AND s.id = t.stay_id WHERE t.operator_id = $1`,
  "by a part of the statement": `
    WITH mine AS MATERIALIZED (SELECT operator_id, stay_id FROM tasks WHERE operator_id = $1)
    SELECT (SELECT s.stay_code FROM stays s WHERE s.operator_id = mine.operator_id AND s.id = mine.stay_id) FROM mine`,
  "where it is changed": `
    WITH gone AS (DELETE FROM tasks WHERE operator_id = $1 RETURNING operator_id, id)
    INSERT INTO trail (operator_id, at, operation, request_id, record, fields)
    SELECT operator_id, now(), 'x', 'x', 'task:' || id, '{}' FROM gone`,
  "by the operator's own row": "SELECT * FROM operators o JOIN tasks t ON t.operator_id = o.id WHERE o.id = $1",
  "where nothing is looked at": `
    SELECT (SELECT count(*) FROM stays s WHERE s.operator_id = o.operator_id)
    FROM (SELECT $1::bigint AS asked) one LEFT JOIN orders o ON false`,
  "by no condition where no table is spread":
    "SELECT * FROM access_tokens t JOIN operators o ON o.id = t.operator_id WHERE t.id = $1"
}

const NOT_REACHED: ReadonlyArray<readonly [why: string, text: string, tables: ReadonlyArray<string>]> = [
  ["by an id alone", "SELECT * FROM tasks WHERE id = $1", ["tasks tasks"]],
  ["where something else would do too", "SELECT * FROM tasks WHERE operator_id = $1 OR note = 'x'", ["tasks tasks"]],
  [
    "by one end of a range of rows",
    "SELECT * FROM trail WHERE (operator_id, at) >= ($1::bigint, now())",
    ["trail trail"]
  ],
  [
    "by another value that the planner does not see",
    "SELECT * FROM tasks WHERE operator_id = (SELECT 5::bigint) AND property_id = (SELECT $1::bigint)",
    ["tasks tasks"]
  ],
  ["by what is no operator", "SELECT * FROM tasks WHERE operator_id > $1", ["tasks tasks"]],
  [
    "by a join of two that are not",
    "SELECT * FROM tasks t JOIN properties p ON p.operator_id = t.operator_id AND p.id = t.property_id WHERE t.id = $1",
    ["tasks t", "properties p"]
  ],
  [
    "by a join on an id",
    "SELECT * FROM tasks t JOIN properties p ON p.id = t.property_id WHERE t.operator_id = $1",
    ["properties p"]
  ],
  [
    "by all operators",
    "SELECT * FROM operators o JOIN tasks t ON t.operator_id = o.id WHERE t.id = $1",
    ["tasks t", "operators o"]
  ],
  [
    "where another's is entered",
    "INSERT INTO properties (operator_id, title, created_at) SELECT 1, 'x', now() FROM operators WHERE id = $1",
    ["'1'::bigint enters properties"]
  ]
]

// It judges the plans of test/plans.service.test.ts, which are made on a server only.
describe.skipIf(!canOverlap)(withServerNote("a table in a plan"), () => {
  layer(layerTestDatabase)((it) => {
    for (const [how, text] of Object.entries(REACHED)) {
      it.effect(`is reached ${how}`, () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* unreached(text, [OPERATOR]), [])
        })
      )
    }

    for (const [why, text, tables] of NOT_REACHED) {
      it.effect(`is not reached ${why}`, () =>
        Effect.gen(function* () {
          assert.sameMembers([...(yield* unreached(text, [OPERATOR]))], [...tables])
        })
      )
    }
  })
})
