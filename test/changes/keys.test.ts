import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Service } from "../../src/service.ts"
import { freshOperator, layerTest, propertyOf } from "../harness.ts"
import { countStatements } from "../statements.ts"

const keyed = Effect.fnUntraced(function* (token: string, operation: string, fields: object, key: unknown) {
  const service = yield* Service
  return yield* service.call(operation, {
    door: "rest",
    headers: { authorization: `Bearer ${token}` },
    params: {},
    key: { field: "Idempotency-Key", value: key },
    read: Effect.succeed({ encoding: "json", fields })
  })
})

layer(layerTest)("a key", (it) => {
  it.effect("is answered the same again, without doing anything", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operatorId, token } = yield* freshOperator()
      yield* propertyOf(operatorId, "Loft")
      const [first, statements] = yield* countStatements(keyed(token, "create_task", { type: "cleaning" }, "a"))
      assert.strictEqual(first.envelope.error_code, 0, first.envelope.error_msg)
      assert.strictEqual(statements, 3)
      const [again] = yield* countStatements(keyed(token, "create_task", { type: "cleaning" }, '"a"'))
      assert.strictEqual(JSON.stringify(again.envelope.data), JSON.stringify(first.envelope.data))
      assert.strictEqual(again.headers["idempotent-replayed"], "true")
      const rows = yield* sql`SELECT id FROM tasks WHERE operator_id = ${operatorId}`
      assert.strictEqual(rows.length, 1)
      const other = yield* keyed(token, "create_task", { type: "other" }, "a")
      assert.strictEqual(other.envelope.error_code, 422)
      console.log(yield* sql`SELECT * FROM trail WHERE operator_id = ${operatorId}`)
    })
  )
})
