import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { trailOf } from "../../../../support/changes/trail-rows.ts"
import {
  connected,
  layerFlow,
  outcomeOf,
  PUBLIC,
  partner,
  renew,
  revoke,
  standing,
  subscribe
} from "../../../../support/domain/access/oauth/flow.ts"
import { countStatements } from "../../../../support/statements.ts"

const ENDED = { ended_by: "application", tokens: 0, subscriptions: 0 }

layer(layerFlow, { excludeTestServices: false })("revocation", (it) => {
  it.effect("of either token ends the grant with all that came of it, in two statements, with its trail", () =>
    Effect.gen(function* () {
      const client = yield* partner()
      for (const which of ["accessToken", "refreshToken"] as const) {
        const first = yield* connected(client)
        const { operatorId, accountId } = first.operator
        const second = yield* renew(client, first.refreshToken)
        assert.strictEqual(yield* subscribe(operatorId, first.grantId), 1)
        const [, statements] = yield* countStatements(revoke(client, second[which]))
        assert.strictEqual(statements, 2)
        assert.deepStrictEqual(yield* standing(operatorId, first.grantId), ENDED)
        const who = `${accountId} Partner: oauth`
        const [connection, ...others] = (yield* trailOf(operatorId)).slice(-4)
        assert.strictEqual(connection, `${who} connection:${first.grantId} (ended_at)`)
        assert.match(others.join("\n"), /^(.* token:\d+ \(revoked_at\)\n){2}.* webhook:\d+$/)
        assert.notStrictEqual(yield* outcomeOf(renew(client, second.refreshToken)), "ok")
      }
    })
  )

  it.effect("of a token that is used or over ends it too, and once more changes nothing", () =>
    Effect.gen(function* () {
      const client = yield* partner()
      const used = yield* connected(client)
      yield* renew(client, used.refreshToken)
      yield* revoke(client, used.refreshToken)
      assert.deepStrictEqual(yield* standing(used.operator.operatorId, used.grantId), ENDED)
      const trail = yield* trailOf(used.operator.operatorId)
      yield* revoke(client, used.refreshToken)
      assert.deepStrictEqual(yield* trailOf(used.operator.operatorId), trail)
      const over = yield* connected(client)
      yield* TestClock.adjust("91 days")
      yield* revoke(client, over.refreshToken)
      assert.deepInclude(yield* standing(over.operator.operatorId, over.grantId), { ended_by: "application" })
    })
  )

  it.effect("of what is no token, or another client's, or the console's, changes nothing and fails for nobody", () =>
    Effect.gen(function* () {
      const client = yield* partner()
      const other = yield* partner()
      const { operator, grantId, accessToken, refreshToken, code } = yield* connected(client)
      yield* revoke(other, accessToken)
      yield* revoke(PUBLIC, refreshToken)
      for (const token of [code, operator.accountId.toString(), "", "lk_", "\u0000"]) yield* revoke(client, token)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO access_tokens (operator_id, account_id, name, scope, digest, created_at)
        VALUES (${operator.operatorId}, ${operator.accountId}, 'Console', 'writable', sha256(${code}::text::bytea), now())`
      yield* revoke(client, code)
      const live = { ended_by: null, tokens: 1, subscriptions: 0 }
      assert.deepStrictEqual(yield* standing(operator.operatorId, grantId), live)
      const [console] = yield* sql`SELECT revoked_at FROM access_tokens WHERE digest = sha256(${code}::text::bytea)`
      assert.deepStrictEqual(console, { revoked_at: null })
    })
  )
})
