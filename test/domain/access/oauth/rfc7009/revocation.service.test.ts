import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { loadAuditLinesWithActor } from "../../../../support/changes/audit-lines.ts"
import {
  connectClient,
  createPartner,
  insertGrantSubscription,
  layerOauthFlow,
  loadGrantState,
  PUBLIC_CLIENT,
  renewToken,
  revokeToken,
  tokenOutcomeOf
} from "../../../../support/domain/access/oauth/oauth-flow.ts"
import { countStatements } from "../../../../support/statement-count.ts"

const ENDED = { ended_by: "application", tokens: 0, subscriptions: 0 }

layer(layerOauthFlow, { excludeTestServices: false })("revocation", (it) => {
  it.effect("of either token ends the grant with all that came of it, in two statements, with its trail", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      for (const which of ["accessToken", "refreshToken"] as const) {
        const first = yield* connectClient(client)
        const { operatorId, accountId } = first.operator
        const second = yield* renewToken(client, first.refreshToken)
        assert.strictEqual(yield* insertGrantSubscription(operatorId, first.grantId), 1)
        const [, statements] = yield* countStatements(revokeToken(client, second[which]))
        assert.strictEqual(statements, 2)
        assert.deepStrictEqual(yield* loadGrantState(operatorId, first.grantId), ENDED)
        const who = `${accountId} Partner: oauth`
        const [connection, ...others] = (yield* loadAuditLinesWithActor(operatorId)).slice(-4)
        assert.strictEqual(connection, `${who} connection:${first.grantId} (ended_at)`)
        assert.match(others.join("\n"), /^(.* token:\d+ \(revoked_at\)\n){2}.* webhook:\d+$/)
        assert.notStrictEqual(yield* tokenOutcomeOf(renewToken(client, second.refreshToken)), "ok")
      }
    })
  )

  it.effect("of a token that is used or over ends it too, and once more changes nothing", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const used = yield* connectClient(client)
      yield* renewToken(client, used.refreshToken)
      yield* revokeToken(client, used.refreshToken)
      assert.deepStrictEqual(yield* loadGrantState(used.operator.operatorId, used.grantId), ENDED)
      const trail = yield* loadAuditLinesWithActor(used.operator.operatorId)
      yield* revokeToken(client, used.refreshToken)
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(used.operator.operatorId), trail)
      const over = yield* connectClient(client)
      yield* TestClock.adjust("91 days")
      yield* revokeToken(client, over.refreshToken)
      assert.deepInclude(yield* loadGrantState(over.operator.operatorId, over.grantId), { ended_by: "application" })
    })
  )

  it.effect("of what is no token, or another client's, or the console's, changes nothing and fails for nobody", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const other = yield* createPartner()
      const { operator, grantId, accessToken, refreshToken, code } = yield* connectClient(client)
      yield* revokeToken(other, accessToken)
      yield* revokeToken(PUBLIC_CLIENT, refreshToken)
      for (const token of [code, operator.accountId.toString(), "", "lk_", "\u0000"]) yield* revokeToken(client, token)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO access_tokens (operator_id, account_id, name, scope, digest, created_at)
        VALUES (${operator.operatorId}, ${operator.accountId}, 'Console', 'writable', sha256(${code}::text::bytea), now())`
      yield* revokeToken(client, code)
      const live = { ended_by: null, tokens: 1, subscriptions: 0 }
      assert.deepStrictEqual(yield* loadGrantState(operator.operatorId, grantId), live)
      const [console] = yield* sql`SELECT revoked_at FROM access_tokens WHERE digest = sha256(${code}::text::bytea)`
      assert.deepStrictEqual(console, { revoked_at: null })
    })
  )
})
