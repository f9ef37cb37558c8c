import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { create_access_token } from "../../../../src/domain/access/operators/contract.ts"
import { ACCESS_TOKENS_MAX, ACCOUNT_NAME_LENGTH } from "../../../../src/platform/limits.ts"
import { loadAuditLinesWithActor } from "../../../support/changes/audit-lines.ts"
import { callAsPerson, callAsPersonForResponse } from "../../../support/console-caller.ts"
import { call, createAccessToken, createOperator, insertAccount, layerTest } from "../../../support/harness.ts"

const readCreatedToken = Schema.decodeUnknownSync(create_access_token.successSchema)

const ROBOT = { name: "Robot", scope: "writable" }

/** What is said of a call: `code message`. */
const outcomeOf = (...args: Parameters<typeof callAsPerson>) =>
  Effect.map(callAsPerson(...args), ({ error_code, error_msg }) => `${error_code} ${error_msg}`)

const tokensOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ id: number; account_id: number; active: boolean }>`
    SELECT id, account_id, revoked_at IS NULL AS active FROM access_tokens WHERE operator_id = ${operatorId} ORDER BY id`
}, Effect.orDie)

layer(layerTest)("an access token", (it) => {
  it.effect("that a person creates works for their account, and is shown in this one answer", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const accountId = yield* insertAccount(operator.operatorId, "sub", "Helper")
      const person = { ...operator, accountId, role: "sub" } as const
      const first = yield* callAsPersonForResponse(person, "create_access_token", ROBOT, { key: "form" })
      const { token_id, token = "" } = readCreatedToken(first.envelope.data)
      assert.match(token, /^lk_[\w-]{43}$/)
      assert.strictEqual((yield* call(token, "create_reservation_tag", { tag_name: "Quiet" })).error_code, 0)
      assert.deepInclude(yield* tokensOf(operator.operatorId), { id: token_id, account_id: accountId, active: true })
      const again = yield* callAsPersonForResponse(person, "create_access_token", ROBOT, { key: "form" })
      assert.deepStrictEqual(again.envelope.data, { token_id })
      assert.strictEqual(again.headers["idempotent-replayed"], "true")
      assert.include(
        yield* loadAuditLinesWithActor(operator.operatorId),
        `${accountId} console: create_access_token token:${token_id}`
      )
      assert.lengthOf(yield* tokensOf(operator.operatorId), 3)
    })
  )

  it.effect("needs a name and one of two scopes", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      for (const [fields, expected] of [
        [{ scope: "writable" }, /^400 name: is required\.$/],
        [
          { ...ROBOT, name: " " },
          new RegExp(`^422 name: must be a name of 1 to ${ACCOUNT_NAME_LENGTH} characters\\.$`)
        ],
        [{ ...ROBOT, scope: "admin" }, /^422 scope: /]
      ] as const) {
        assert.match(yield* outcomeOf(operator, "create_access_token", fields), expected)
      }
      assert.lengthOf(yield* tokensOf(operator.operatorId), 2)
    })
  )

  it.effect("is not created beyond the limit of the operator", () =>
    Effect.gen(function* () {
      const { operatorId, accountId } = yield* createOperator()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO access_tokens (operator_id, account_id, name, scope, digest, created_at)
        SELECT ${operatorId}, ${accountId}, 'many', 'read-only', sha256(convert_to(gen_random_uuid()::text, 'UTF8')), now()
        FROM generate_series(1, ${ACCESS_TOKENS_MAX - 3}) n`
      const create = outcomeOf({ operatorId, accountId }, "create_access_token", ROBOT)
      assert.strictEqual(yield* create, "0 ")
      assert.strictEqual(
        yield* create,
        `422 access_tokens: an operator has at most ${ACCESS_TOKENS_MAX} access tokens, and all are in use; delete one first.`
      )
    })
  )

  it.effect("ends for good, once, also for an account that may do nothing else", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const { operatorId, accountId, token } = operator
      assert.strictEqual((yield* call(token, "query_income_items")).error_code, 0)
      const [first] = yield* tokensOf(operatorId)
      const fields = { id: first?.id }
      const lapsed = { status: "banned", key: "form" } as const
      assert.strictEqual(yield* outcomeOf(operator, "create_access_token", ROBOT, lapsed), "420 Account banned")
      for (const _twice of [1, 2]) {
        assert.strictEqual(yield* outcomeOf(operator, "revoke_access_token", fields, lapsed), "0 ")
      }
      assert.strictEqual(yield* outcomeOf(operator, "revoke_access_token", fields), "404 id: no such access token.")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* call(token, "query_income_items")).error_code, 401)
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(operatorId), [
        `${accountId} console: revoke_access_token token:${first?.id} (revoked_at)`
      ])
    })
  )

  it.effect("is its account's and the main account's to end, and nobody else's", () =>
    Effect.gen(function* () {
      const [operator, other] = [yield* createOperator(), yield* createOperator()]
      const accountId = yield* insertAccount(operator.operatorId, "sub", "Helper")
      yield* createAccessToken({ operatorId: operator.operatorId, accountId }, "read-only")
      const [mains, , subs] = yield* tokensOf(operator.operatorId)
      const [foreign] = yield* tokensOf(other.operatorId)
      const revoke = (person: Parameters<typeof callAsPerson>[0], id: number | undefined) =>
        outcomeOf(person, "revoke_access_token", { id })
      const sub = { ...operator, accountId, role: "sub" } as const
      assert.strictEqual(yield* revoke(sub, mains?.id), "404 id: no such access token.")
      assert.strictEqual(yield* revoke(operator, foreign?.id), "404 id: no such access token.")
      assert.strictEqual(yield* revoke(operator, subs?.id), "0 ")
      assert.deepStrictEqual(
        (yield* tokensOf(operator.operatorId)).map(({ active }) => active),
        [true, true, false]
      )
      assert.deepStrictEqual(
        (yield* tokensOf(other.operatorId)).map(({ active }) => active),
        [true, true]
      )
    })
  )
})
