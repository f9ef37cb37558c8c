import { assert, layer } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import { SqlClient } from "effect/sql"
import { isChange } from "../../src/contract/operation.ts"
import { consoleOperations } from "../../src/service/Api.ts"
import { callAsPersonForResponse } from "../support/console-caller.ts"
import { layerTest } from "../support/harness.ts"
import { formatWithoutOneTimeValues, loadTableContents, makeSampleChange } from "../support/operation-samples.ts"
import { makeSampleWorld, NON_REFERENCE_FIELDS, type SampleWorld } from "../support/sample-world.ts"

// A contract test over all changes that only people can call: a form that is sent twice is done once, and its audit entry has none of
// its values. change-operations.service.test.ts tests the changes that tokens can call.

const loadTrail = Effect.fnUntraced(function* ({ operatorId }: SampleWorld) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ account_id: number; application: string; operation: string; request_id: string; row: string }>`
    SELECT account_id, application, operation, request_id, trail::text AS row FROM trail
    WHERE operator_id = ${operatorId} AND application = 'console' ORDER BY id`
})

layer(layerTest)("every operation of the console that changes", (it) => {
  for (const operation of consoleOperations.filter(isChange)) {
    const name = operation._tag

    it.effect(`${name} under the key of a form is done once, and leaves the trail of one change`, () =>
      Effect.gen(function* () {
        const world = yield* makeSampleWorld
        const fields = makeSampleChange(operation, world)
        const person = { operatorId: world.operatorId, accountId: world.accountId }
        const send = callAsPersonForResponse(person, name, fields, { key: "form" })
        const first = yield* send
        assert.strictEqual(first.envelope.error_code, 0, first.envelope.error_msg)
        const trail = yield* loadTrail(world)
        assert.isNotEmpty(
          trail,
          "the call changes nothing: say in `edits` of test/support/sample-world.ts what it does"
        )
        for (const { account_id, operation: acted, request_id, row } of trail) {
          assert.deepStrictEqual(
            { account_id, acted, request_id },
            { account_id: world.accountId, acted: name, request_id: first.envelope.request_id }
          )
          // The id of a client names the record; no other text is in the audit log.
          for (const [field, text] of Object.entries(fields))
            if (Predicate.isString(text) && !NON_REFERENCE_FIELDS.has(field)) assert.notInclude(row, text)
        }
        const after = yield* loadTableContents(world)
        const stored = after.find(({ table }) => table === "idempotency_keys")?.rows.join() ?? ""
        const { secret, token, code } = {
          ...{ secret: undefined, token: undefined, code: undefined },
          ...Object(first.envelope.data)
        }
        for (const shownOnce of [secret, token, code, fields["password"]]) {
          if (Predicate.isString(shownOnce)) assert.notInclude(stored, shownOnce)
        }

        const again = yield* send
        assert.strictEqual(again.headers["idempotent-replayed"], "true")
        assert.strictEqual(
          formatWithoutOneTimeValues(again.envelope.data),
          formatWithoutOneTimeValues(first.envelope.data)
        )
        for (const field of ["secret", "token", "code"]) assert.notProperty(again.envelope.data, field)
        for (const [index, { table, rows }] of (yield* loadTableContents(world)).entries()) {
          assert.deepStrictEqual(rows, after[index]?.rows, table)
        }
      })
    )
  }
})
