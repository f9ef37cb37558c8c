import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  applyOAuthRetention,
  layerOAuthRetention,
  runOAuthRetention
} from "../../../../src/domain/access/oauth/retention.ts"
import { idsParameter } from "../../../../src/platform/database/parameters.ts"
import { CONNECTIONS_SHOWN, GRANTS_REVOKED_AT_ONCE } from "../../../../src/platform/limits.ts"
import { ConnectedApplications } from "../../../../src/transports/console/queries/ConnectedApplications.ts"
import { loadAuditLinesWithActor } from "../../../support/changes/audit-lines.ts"
import { asCaller } from "../../../support/console-caller.ts"
import {
  connectClient,
  createPartner,
  INVALID_GRANT_ERROR,
  insertGrantSubscription,
  issueCode,
  layerOauthFlowOver,
  loadGrantState,
  makeConsent,
  renewToken,
  revokeToken,
  tokenOutcomeOf
} from "../../../support/domain/access/oauth/oauth-flow.ts"
import { createAccessToken, createOperator, insertAccount } from "../../../support/harness.ts"
import { canOverlap, holdLock, withServerNote } from "../../../support/overlapping-transactions.ts"
import { layerOwnDatabase } from "../../../support/own-database.ts"

/** Rows of an operator in the tables of OAuth, and of its tokens: codes, refresh tokens, answers, grants, access tokens. */
const rowsOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ rows: string }>`
    SELECT concat_ws(' ',
      (SELECT count(*) FROM oauth_codes WHERE operator_id = ${operatorId}),
      (SELECT count(*) FROM oauth_refresh_tokens WHERE operator_id = ${operatorId}),
      (SELECT count(answer) FROM oauth_refresh_tokens WHERE operator_id = ${operatorId}),
      (SELECT count(*) FROM oauth_grants WHERE operator_id = ${operatorId}),
      (SELECT count(*) FROM access_tokens WHERE operator_id = ${operatorId} AND grant_id IS NOT NULL)) AS rows`
  return row?.rows
}, Effect.orDie)

const after = (time: `${number} ${"days" | "millis"}`) => Effect.andThen(TestClock.adjust(time), runOAuthRetention)

layer(layerOauthFlowOver(layerOwnDatabase), { excludeTestServices: false })("retention of OAuth", (it) => {
  it.effect("forgets a code a day after it was over", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator } = yield* connectClient(client)
      yield* issueCode(makeConsent(client, operator))
      yield* after(`${24 * 3_600_000 + 59_999} millis`)
      assert.strictEqual(yield* rowsOf(operator.operatorId), "2 1 0 1 1")
      yield* after("1 millis")
      assert.strictEqual(yield* rowsOf(operator.operatorId), "0 1 0 1 1")
    })
  )

  it.effect("deletes sealed responses after a minute, and used tokens after ninety days", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, refreshToken } = yield* connectClient(client)
      yield* TestClock.adjust("23 hours")
      const second = yield* renewToken(client, refreshToken)
      yield* after("60000 millis")
      assert.strictEqual(yield* rowsOf(operator.operatorId), "1 2 1 1 2")
      yield* after("1 millis")
      assert.strictEqual(yield* rowsOf(operator.operatorId), "1 2 0 1 2")
      yield* after("80 days")
      yield* renewToken(client, second.refreshToken)
      yield* after("9 days")
      assert.strictEqual(yield* rowsOf(operator.operatorId), "0 3 0 1 1")
      yield* after("1 days")
      assert.strictEqual(yield* rowsOf(operator.operatorId), "0 2 0 1 1")
      // The deleted token is unknown and ends nothing.
      assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, refreshToken)), INVALID_GRANT_ERROR)
      assert.deepInclude(yield* loadGrantState(operator.operatorId, yield* liveGrant(operator.operatorId)), {
        ended_by: null
      })
    })
  )

  it.effect("ends a grant that nobody renewed in ninety days, with what it made, and forgets it a month later", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, grantId } = yield* connectClient(client)
      const { operatorId } = operator
      assert.strictEqual(yield* insertGrantSubscription(operatorId, grantId), 1)
      yield* after(`${90 * 86_400_000 - 1} millis`)
      assert.deepInclude(yield* loadGrantState(operatorId, grantId), { ended_by: null, subscriptions: 1 })
      yield* after("1 millis")
      assert.deepInclude(yield* loadGrantState(operatorId, grantId), { ended_by: "time", subscriptions: 0 })
      assert.include(
        yield* loadAuditLinesWithActor(operatorId),
        `service: end unused connections connection:${grantId} (ended_at)`
      )
      yield* after(`${30 * 86_400_000 - 1} millis`)
      assert.strictEqual(yield* rowsOf(operatorId), "0 1 0 1 0")
      yield* after("1 millis")
      // Its subscription still has a row, with what is to be seen of its deliveries: the grant stays as long.
      assert.strictEqual(yield* rowsOf(operatorId), "0 0 0 1 0")
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM webhook_subscriptions WHERE operator_id = ${operatorId}`
      yield* after("1 millis")
      assert.strictEqual(yield* rowsOf(operatorId), "0 0 0 0 0")
    })
  )

  it.effect("ends all that nobody renewed, more than a statement does, and lists so many connections at once", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const sql = yield* SqlClient.SqlClient
      const now = yield* DateTime.nowAsDate
      const accounts = yield* Effect.replicateEffect(insertAccount(operatorId, "sub", "Helper"), 11)
      yield* sql`
        WITH made AS (
          INSERT INTO oauth_grants (operator_id, account_id, client_id, name, scope, created_at)
          SELECT ${operatorId}::bigint, account, 'service_mcp', 'Many', 'read-only', ${now}::timestamptz
          FROM unnest(${idsParameter(accounts)}::bigint[]) account, generate_series(1, 91)
          RETURNING operator_id, id
        )
        INSERT INTO oauth_refresh_tokens (operator_id, digest, grant_id, created_at, expires_at)
        SELECT operator_id, sha256(('many ' || id)::bytea), id, ${now}::timestamptz, ${now}::timestamptz FROM made`
      const main = { operatorId, accountId: accounts[0] ?? 0, role: "main" } as const
      const list = ConnectedApplications.use(({ list }) => list).pipe(
        asCaller(main),
        Effect.provide(ConnectedApplications.layer)
      )
      assert.strictEqual((yield* list).length, CONNECTIONS_SHOWN)
      assert.isAbove(11 * 91, 2 * GRANTS_REVOKED_AT_ONCE)
      yield* runOAuthRetention
      assert.strictEqual((yield* list).length, 0)
    })
  )

  it.effect("forgets an ended grant with all its tokens, and no other", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const [ended, live] = [yield* connectClient(client), yield* connectClient(client)]
      yield* TestClock.adjust("20 days")
      yield* renewToken(client, (yield* renewToken(client, ended.refreshToken)).refreshToken)
      const { refreshToken } = yield* renewToken(client, live.refreshToken)
      yield* revokeToken(client, ended.accessToken)
      yield* after("29 days")
      assert.strictEqual(yield* rowsOf(ended.operator.operatorId), "0 3 0 1 2")
      yield* after("1 days")
      assert.strictEqual(yield* rowsOf(ended.operator.operatorId), "0 0 0 0 0")
      assert.strictEqual(yield* rowsOf(live.operator.operatorId), "0 2 0 1 1")
      assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, refreshToken)), "ok")
    })
  )

  it.effect("keeps with the grant when its forgotten tokens were used", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, grantId, refreshToken } = yield* connectClient(client)
      const sql = yield* SqlClient.SqlClient
      const used = yield* DateTime.nowAsDate
      yield* sql`UPDATE access_tokens SET last_used_at = ${used} WHERE operator_id = ${operator.operatorId} AND grant_id = ${grantId}`
      yield* TestClock.adjust("1 days")
      yield* renewToken(client, refreshToken)
      yield* after("36 days")
      assert.strictEqual(yield* rowsOf(operator.operatorId), "0 2 0 1 1")
      const [grant] = yield* sql`SELECT last_used_at FROM oauth_grants WHERE operator_id = ${operator.operatorId}`
      assert.deepStrictEqual(grant, { last_used_at: used })
    })
  )

  it.effect("forgets tokens of the console a month after they were ended, and none that are good", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator } = yield* connectClient(client)
      yield* createAccessToken(operator, "writable")
      const sql = yield* SqlClient.SqlClient
      const now = yield* DateTime.nowAsDate
      yield* sql`
        UPDATE access_tokens SET revoked_at = ${now} WHERE id = (
          SELECT max(id) FROM access_tokens WHERE operator_id = ${operator.operatorId})`
      const ofConsole = Effect.map(
        sql`SELECT id FROM access_tokens WHERE operator_id = ${operator.operatorId} AND grant_id IS NULL`,
        (rows) => rows.length
      )
      const before = yield* ofConsole
      yield* after(`${30 * 86_400_000 - 1} millis`)
      assert.strictEqual(yield* ofConsole, before)
      yield* after("1 millis")
      assert.strictEqual(yield* ofConsole, before - 1)
    })
  )

  it.effect("goes on by itself for as long as the process runs", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, refreshToken } = yield* connectClient(client)
      yield* renewToken(client, refreshToken)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(layerOAuthRetention)
          yield* TestClock.adjust("5 minutes")
          for (let looks = 0; looks < 1_000 && (yield* rowsOf(operator.operatorId)) !== "1 2 0 1 2"; looks++);
          assert.strictEqual(yield* rowsOf(operator.operatorId), "1 2 0 1 2")
        })
      )
    })
  )
})

const liveGrant = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    id: number
  }>`SELECT id FROM oauth_grants WHERE operator_id = ${operatorId} AND ended_at IS NULL`
  return rows[0]?.id ?? assert.fail("rows is empty")
}, Effect.orDie)

describe.skipIf(!canOverlap)(withServerNote("beside who works with grants"), () => {
  layer(layerOauthFlowOver(layerOwnDatabase))((it) => {
    it.effect("forgetting old tokens waits for no grant that somebody has in hand", () =>
      Effect.gen(function* () {
        const [client, sql] = [yield* createPartner(), yield* SqlClient.SqlClient]
        const { operator, grantId } = yield* connectClient(client)
        yield* sql`
          UPDATE access_tokens SET expires_at = '2000-01-02', last_used_at = '2000-01-01'
          WHERE operator_id = ${operator.operatorId} AND grant_id = ${grantId}`
        const letGo = yield* holdLock(
          sql`SELECT FROM oauth_grants WHERE operator_id = ${operator.operatorId} AND id = ${grantId} FOR NO KEY UPDATE`
        )
        yield* applyOAuthRetention(new Date("2001-01-01"))
        assert.strictEqual((yield* loadGrantState(operator.operatorId, grantId)).tokens, 0)
        yield* letGo
      })
    )
  })
})
