import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createOperator } from "../../support/harness.ts"
import { layerRunningService, runBesideService } from "../../support/tools/cli/running-service.ts"

const addCategory = (operatorId: number, name: string) =>
  runBesideService([
    ...["dictionary", "add", "--operator", `${operatorId}`, "--dictionary", "income_items", "--name", name]
  ])

layer(layerRunningService, { excludeTestServices: true })("a command that calls an operation", (it) => {
  it.effect("works for an operator whose own calls are refused, and is the actor in the audit log", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const state of [
        { status: "banned" },
        { status: "closed" },
        { edition: "basic" },
        { subscriptionUntil: new Date(0) }
      ] as const) {
        const { operatorId } = yield* createOperator(state)
        const { code, stderr } = yield* addCategory(operatorId, "Airport transfer")
        assert.deepStrictEqual([code, stderr], [0, ""])
        const trail = yield* sql`
          SELECT account_id, application, operation, request_id FROM trail WHERE operator_id = ${operatorId}`
        assert.deepStrictEqual(trail, [
          { account_id: null, application: "command line", operation: "dictionary add", request_id: null }
        ])
      }
    })
  )

  it.effect("names the flag of an unknown operator and of a wrong field", () =>
    Effect.gen(function* () {
      assert.match((yield* addCategory(999_999_999, "Taxi")).stderr, /--operator: there is no operator 999999999\./)
      const { operatorId } = yield* createOperator()
      assert.match((yield* addCategory(operatorId, " ")).stderr, /--name: /)
    })
  )
})
