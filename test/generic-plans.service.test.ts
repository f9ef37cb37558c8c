import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type OperationName, operations } from "../src/service/Api.ts"
import { growDatabase } from "./support/grown-database.ts"
import { layerService } from "./support/harness.ts"
import { canOverlap, withServerNote } from "./support/overlapping-transactions.ts"
import { layerOwnDatabase } from "./support/own-database.ts"
import { getsGenericPlan } from "./support/prepared-plans.ts"
import { captureStatements } from "./support/sample-calls.ts"
import { makeSampleWorld } from "./support/sample-world.ts"

// A statement that the server plans anew at each call costs more than most reads. `bench/custom-plans.ts` looks at all operations
// on a larger database.

/** The most used reads, and changes whose statements depend on many values. */
const OPERATIONS: ReadonlySet<OperationName> = new Set([
  ...(["search_transactions", "create_transaction", "search_reservations", "update_reservation_basic"] as const),
  ...(["search_tasks", "search_properties", "search_room_types", "search_listings", "query_conversations"] as const),
  ...(["query_income_items", "query_staffs", "update_listing_prices"] as const)
])

const GROWTH = { largeTableCopies: 1_000, otherCopies: 100, operators: 20, copiesPerOperator: 5 }

// The planner of the embedded database is the same, so the run on the server is enough.
describe.skipIf(!canOverlap)(withServerNote("a statement on a grown database"), () => {
  layer(layerService(layerOwnDatabase), { excludeTestServices: false })((it) => {
    it.effect("has the same plan for every operator from its sixth run", () =>
      Effect.gen(function* () {
        const large = yield* makeSampleWorld
        const small = yield* makeSampleWorld
        yield* growDatabase(large, small, GROWTH)
        const plannedAnew: Array<string> = []
        for (const operation of operations.filter(({ _tag }) => OPERATIONS.has(_tag))) {
          const ofSmall = yield* captureStatements(operation, small)
          for (const [text, values] of yield* captureStatements(operation, large)) {
            for (const [first, ...others] of [values, ofSmall.get(text) ?? []]) {
              if (first !== undefined && !(yield* getsGenericPlan(text, [first, ...others])))
                plannedAnew.push(`${operation._tag}: ${text}`)
            }
          }
        }
        assert.deepStrictEqual(plannedAnew, [])
      })
    )

    it.effect("is recognized if it is planned anew at each call", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [operator] = yield* sql<{ id: number }>`
          SELECT operator_id AS id FROM stays GROUP BY operator_id ORDER BY count(*) LIMIT 1`
        const values = [operator?.id ?? assert.fail("there is no operator")]
        const statement = "SELECT count(*) FROM (SELECT FROM stays WHERE operator_id = $1 ORDER BY check_in_date) s"
        assert.isFalse(yield* getsGenericPlan(statement, [values]))
        assert.isTrue(yield* getsGenericPlan(statement.replace("$1", "(SELECT $1::bigint)"), [values]))
      })
    )
  })
})
