import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { GRANT_RENEWALS_MAX, GRANT_TOKENS_MAX, REFRESH_TOKEN_MS } from "../../../../../src/platform/limits.ts"
import { loadAuditLinesWithActor } from "../../../../support/changes/audit-lines.ts"
import {
  connectClient,
  createPartner,
  findGrantId,
  INVALID_GRANT_ERROR,
  insertGrantSubscription,
  layerOauthFlow,
  loadGrantState,
  oauthErrorOf,
  PUBLIC_CLIENT,
  REDIRECT_URI,
  renewToken,
  tokenOutcomeOf
} from "../../../../support/domain/access/oauth/oauth-flow.ts"
import { countStatements } from "../../../../support/statement-count.ts"

const LIVE = { ended_by: null, subscriptions: 0 }

layer(layerOauthFlow, { excludeTestServices: false })("the renewal of a token", (it) => {
  it.effect("gives a new pair in two statements, and the old access token its seven days", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const first = yield* connectClient(client)
      const [second, statements] = yield* countStatements(renewToken(client, first.refreshToken))
      assert.strictEqual(statements, 2)
      assert.deepInclude(second, { expiresIn: 604_800, scope: "writable" })
      assert.notStrictEqual(second.accessToken, first.accessToken)
      assert.notStrictEqual(second.refreshToken, first.refreshToken)
      assert.strictEqual(yield* findGrantId(second.accessToken), first.grantId)
      assert.deepStrictEqual(yield* loadGrantState(first.operator.operatorId, first.grantId), { ...LIVE, tokens: 2 })
      const trail = yield* loadAuditLinesWithActor(first.operator.operatorId)
      assert.match(trail.at(-1) ?? "", new RegExp(`^${first.operator.accountId} Partner: oauth token:\\d+$`))
      const third = yield* renewToken(client, second.refreshToken)
      assert.deepInclude(third, { expiresIn: 604_800 })
    })
  )

  it.effect("returns the same pair for sixty seconds, and ends the whole grant after that", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, grantId, refreshToken } = yield* connectClient(client)
      const { operatorId } = operator
      assert.strictEqual(yield* insertGrantSubscription(operatorId, grantId), 1)
      const second = yield* renewToken(client, refreshToken)
      yield* TestClock.adjust("60 seconds")
      const [again, statements] = yield* countStatements(renewToken(client, refreshToken))
      assert.strictEqual(statements, 1)
      assert.deepStrictEqual(again, { ...second, expiresIn: 604_740 })
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* oauthErrorOf(renewToken(client, refreshToken)), INVALID_GRANT_ERROR)
      assert.deepStrictEqual(yield* loadGrantState(operatorId, grantId), {
        ended_by: "reuse",
        tokens: 0,
        subscriptions: 0
      })
      assert.strictEqual(yield* oauthErrorOf(renewToken(client, second.refreshToken)), INVALID_GRANT_ERROR)
    })
  )

  it.effect("takes it for reuse at once where the new token was used already", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, grantId, refreshToken } = yield* connectClient(client)
      const second = yield* renewToken(client, refreshToken)
      const third = yield* renewToken(client, second.refreshToken)
      // The last one lost its answer only: it gets it, as nobody has used what came of it.
      assert.deepStrictEqual(yield* renewToken(client, second.refreshToken), third)
      assert.strictEqual(yield* oauthErrorOf(renewToken(client, refreshToken)), INVALID_GRANT_ERROR)
      assert.strictEqual((yield* loadGrantState(operator.operatorId, grantId)).ended_by, "reuse")
      assert.strictEqual(yield* oauthErrorOf(renewToken(client, third.refreshToken)), INVALID_GRANT_ERROR)
    })
  )

  it.effect("knows a used token for weeks", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, grantId, refreshToken } = yield* connectClient(client)
      yield* renewToken(client, refreshToken)
      yield* TestClock.adjust("80 days")
      assert.strictEqual(yield* oauthErrorOf(renewToken(client, refreshToken)), INVALID_GRANT_ERROR)
      assert.strictEqual((yield* loadGrantState(operator.operatorId, grantId)).ended_by, "reuse")
    })
  )

  it.effect("makes exactly one pair of one token by twenty at once, and gives it to all of them", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, grantId, refreshToken } = yield* connectClient(client)
      const all = Array.from({ length: 20 }, () => renewToken(client, refreshToken))
      const issued = yield* Effect.all(all, { concurrency: "unbounded" })
      assert.strictEqual(new Set(issued.map((each) => JSON.stringify(each))).size, 1)
      assert.deepStrictEqual(yield* loadGrantState(operator.operatorId, grantId), { ...LIVE, tokens: 2 })
      assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, issued[0]?.refreshToken ?? "")), "ok")
    })
  )

  it.effect("is for the client of the grant alone, and another does it no harm", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, grantId, refreshToken, accessToken } = yield* connectClient(client)
      const other = yield* createPartner()
      assert.strictEqual(yield* oauthErrorOf(renewToken(other, refreshToken)), INVALID_GRANT_ERROR)
      assert.strictEqual(yield* oauthErrorOf(renewToken(client, accessToken)), INVALID_GRANT_ERROR)
      assert.strictEqual(yield* oauthErrorOf(renewToken(PUBLIC_CLIENT, refreshToken)), INVALID_GRANT_ERROR)
      const next = yield* renewToken(client, refreshToken)
      assert.strictEqual(yield* oauthErrorOf(renewToken(other, refreshToken)), INVALID_GRANT_ERROR)
      assert.deepStrictEqual(yield* loadGrantState(operator.operatorId, grantId), { ...LIVE, tokens: 2 })
      assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, next.refreshToken)), "ok")
    })
  )

  it.effect("narrows the scope for one access token and never widens it", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const first = yield* connectClient(client)
      const narrow = yield* renewToken(client, first.refreshToken, { scope: "read-only" })
      assert.strictEqual(narrow.scope, "read-only")
      // What the host consented to is as it was (RFC 6749 6).
      const wide = yield* renewToken(client, narrow.refreshToken)
      assert.strictEqual(wide.scope, "writable")
      assert.strictEqual(
        (yield* renewToken(client, wide.refreshToken, { scope: "writable read-only" })).scope,
        "writable"
      )
      // Blanks say nothing, wherever they stand: what a consent takes, a renewal takes.
      const blank = yield* connectClient(client)
      const spaced = yield* renewToken(client, blank.refreshToken, { scope: " read-only " })
      assert.strictEqual(spaced.scope, "read-only")
      assert.strictEqual((yield* renewToken(client, spaced.refreshToken, { scope: "" })).scope, "writable")
      const { operator, grantId, refreshToken } = yield* connectClient(client, { scope: "read-only" })
      for (const scope of ["writable", "read-only  writable", "offline_access writable"]) {
        assert.strictEqual(yield* oauthErrorOf(renewToken(client, refreshToken, { scope })), "BadRequest invalid_scope")
      }
      assert.deepStrictEqual(yield* loadGrantState(operator.operatorId, grantId), { ...LIVE, tokens: 1 })
      assert.strictEqual((yield* renewToken(client, refreshToken)).scope, "read-only")
    })
  )

  it.effect("ignores unknown scopes and names the granted scope", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      for (const [scope, granted] of [
        ["offline_access", "writable"],
        ["read-only offline_access", "read-only"],
        ["openid writable read-only offline_access", "writable"],
        ["Read-Only", "writable"]
      ] as const) {
        const { refreshToken } = yield* connectClient(client)
        assert.strictEqual((yield* renewToken(client, refreshToken, { scope })).scope, granted, scope)
      }
    })
  )

  it.effect("takes a refresh token for ninety days", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const [first, second] = [yield* connectClient(client), yield* connectClient(client)]
      yield* TestClock.adjust(REFRESH_TOKEN_MS - 1)
      assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, first.refreshToken)), "ok")
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* oauthErrorOf(renewToken(client, second.refreshToken)), INVALID_GRANT_ERROR)
    })
  )

  it.effect("keeps ten access tokens of a grant, and ends the older ones", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, grantId, refreshToken, accessToken } = yield* connectClient(client)
      let last = refreshToken
      const renewed = Effect.gen(function* () {
        const issued = yield* renewToken(client, last)
        last = issued.refreshToken
      })
      yield* Effect.replicateEffect(renewed, GRANT_TOKENS_MAX - 1, { discard: true })
      const sql = yield* SqlClient.SqlClient
      const firstIsGood = sql<{ good: boolean }>`
        SELECT revoked_at IS NULL AS good FROM access_tokens WHERE digest = sha256(${accessToken}::text::bytea)`
      assert.deepStrictEqual(yield* firstIsGood, [{ good: true }])
      yield* renewed
      assert.deepStrictEqual(yield* firstIsGood, [{ good: false }])
      assert.deepStrictEqual(yield* loadGrantState(operator.operatorId, grantId), { ...LIVE, tokens: GRANT_TOKENS_MAX })
      assert.include((yield* loadAuditLinesWithActor(operator.operatorId)).slice(-2).join(), "(revoked_at)")
    })
  )

  it.effect("renews a grant a hundred times within an hour, and each grant by itself", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const [greedy, quiet] = [yield* connectClient(client), yield* connectClient(client)]
      // What the exchange made in the same millisecond is no renewal.
      yield* TestClock.adjust(1)
      let last = greedy.refreshToken
      for (let times = 0; times < GRANT_RENEWALS_MAX; times++) last = (yield* renewToken(client, last)).refreshToken
      const refusal = yield* Effect.flip(renewToken(client, last))
      assert.deepInclude(refusal, { _tag: "RateLimited", headers: { "Retry-After": "3600" } })
      assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, quiet.refreshToken)), "ok")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, last)), "ok")
    })
  )

  it.effect("gives nothing to a client that is disabled", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, grantId, refreshToken } = yield* connectClient(client)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE oauth_clients SET disabled_at = now() WHERE id = ${client.id}`
      assert.strictEqual(yield* oauthErrorOf(renewToken(client, refreshToken)), "Unauthenticated invalid_client")
      assert.deepStrictEqual(yield* loadGrantState(operator.operatorId, grantId), { ...LIVE, tokens: 1 })
    })
  )

  it.effect("seals the answer, which whoever has the table cannot read, and forgets it when it was heard", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, refreshToken } = yield* connectClient(client, { redirectUri: REDIRECT_URI })
      const second = yield* renewToken(client, refreshToken)
      const sql = yield* SqlClient.SqlClient
      const answers = sql<{ answer: Uint8Array }>`
        SELECT answer FROM oauth_refresh_tokens WHERE operator_id = ${operator.operatorId} AND answer IS NOT NULL`
      const [kept] = yield* answers
      const text = Buffer.from(kept?.answer ?? []).toString("latin1")
      assert.isAbove(text.length, 100)
      for (const secret of [second.accessToken, second.refreshToken]) assert.notInclude(text, secret)
      yield* renewToken(client, second.refreshToken)
      assert.strictEqual((yield* answers).length, 1)
    })
  )
})
