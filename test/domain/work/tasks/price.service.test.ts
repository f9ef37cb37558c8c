import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { fieldOfError } from "../../../support/error-messages.ts"
import { call, createOperator, layerTest, typedClient, withToken } from "../../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"

describe.skipIf(!canOverlap)(withServerNote("edits of a task that overlap"), () => {
  layer(layerTest)((it) => {
    it.effect("are judged by the currency the task has when they are written", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { token, operatorId } = yield* createOperator()
        const api = yield* typedClient
        const as = withToken(token)
        const { task_id: id } = yield* api.create_task({ type: "other", fee: 1 }).pipe(as)
        const [, envelope] = yield* runOverlapping(
          sql`UPDATE tasks SET currency = 'JPY' WHERE operator_id = ${operatorId} AND id = ${id}`,
          call(token, "update_task", { id, fee: 1.5 })
        )
        assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [422, "fee"])
        assert.include(envelope.error_msg, "JPY")
        const { tasks } = yield* api.search_tasks({ id }).pipe(as)
        assert.deepInclude(tasks[0], { currency: "JPY", fee: 1 })
      })
    )

    it.effect("are not found once the task is gone", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { token, operatorId } = yield* createOperator()
        const api = yield* typedClient
        const { task_id: id } = yield* api.create_task({ type: "other", fee: 1 }).pipe(withToken(token))
        const [, envelope] = yield* runOverlapping(
          sql`DELETE FROM tasks WHERE operator_id = ${operatorId} AND id = ${id}`,
          call(token, "update_task", { id, fee: 2 })
        )
        assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [404, "id"])
      })
    )
  })
})
