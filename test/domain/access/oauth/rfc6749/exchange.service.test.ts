import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { challengeOf } from "../../../../../src/domain/access/oauth/pkce.ts"
import { OAUTH_CODE_MS, OAUTH_CODES_MAX, OAUTH_CONNECTIONS_MAX } from "../../../../../src/platform/limits.ts"
import { loadAuditLinesWithActor } from "../../../../support/changes/audit-lines.ts"
import {
  CODE_VERIFIER,
  connectClient,
  createPartner,
  exchangeCode,
  INVALID_GRANT_ERROR,
  insertGrantSubscription,
  issueCode,
  layerOauthFlow,
  loadGrantState,
  makeConsent,
  OTHER_CODE_VERIFIER,
  oauthErrorOf,
  PUBLIC_CLIENT,
  REDIRECT_URI,
  secretCheckLog,
  toCodeExchange,
  tokenOutcomeOf
} from "../../../../support/domain/access/oauth/oauth-flow.ts"
import { createOperator, insertAccount } from "../../../../support/harness.ts"
import { countStatements } from "../../../../support/statement-count.ts"

/** Connections of an account as if made before. */
const connections = Effect.fnUntraced(function* (
  { operatorId, accountId }: { readonly operatorId: number; readonly accountId: number },
  number: number
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO oauth_grants (operator_id, account_id, client_id, name, scope, created_at)
    SELECT ${operatorId}::bigint, ${accountId}::bigint, 'service_mcp', 'Many', 'read-only', now()
    FROM generate_series(1, ${number}::int)`
}, Effect.orDie)

layer(layerOauthFlow, { excludeTestServices: false })("the exchange of a code", (it) => {
  it.effect("gives a pair of tokens for a week, in two statements, with its trail", () =>
    Effect.gen(function* () {
      const client = yield* createPartner("Channel & Co")
      const { operatorId, accountId } = yield* createOperator()
      const code = yield* issueCode(makeConsent(client, { operatorId, accountId }))
      assert.match(code, /^lkcode_[A-Za-z0-9_-]{43}$/)
      const [issued, statements] = yield* countStatements(exchangeCode(toCodeExchange(client, code)))
      assert.strictEqual(statements, 2)
      assert.match(issued.accessToken, /^lk_[A-Za-z0-9_-]{43}$/)
      assert.match(issued.refreshToken, /^lkrefresh_[A-Za-z0-9_-]{43}$/)
      assert.deepInclude(issued, { expiresIn: 604_800, scope: "writable" })
      const sql = yield* SqlClient.SqlClient
      const [token] = yield* sql<Record<string, unknown>>`
        SELECT name, scope, application, deployment, grant_id, expires_at - created_at = interval '7 days' AS week, id
        FROM access_tokens WHERE digest = sha256(${issued.accessToken}::text::bytea)`
      assert.deepInclude(token, {
        name: "Channel & Co",
        scope: "writable",
        application: client.id,
        deployment: "international",
        week: true
      })
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(operatorId), [
        `test: oauth application:${client.id}`,
        `${accountId} Channel & Co: oauth connection:${token?.["grant_id"]}`,
        `${accountId} Channel & Co: oauth token:${token?.["id"]}`
      ])
    })
  )

  it.effect("names the public client by where the host was led, and its webhooks by the grant", () =>
    Effect.gen(function* () {
      const redirectUri = "http://127.0.0.1:51234/callback"
      const { operatorId, accountId } = yield* createOperator()
      const code = yield* issueCode(
        makeConsent(PUBLIC_CLIENT, { operatorId, accountId }, { redirectUri, scope: "read-only" })
      )
      const issued = yield* exchangeCode(toCodeExchange(PUBLIC_CLIENT, code, { redirectUri }))
      assert.strictEqual(issued.scope, "read-only")
      const sql = yield* SqlClient.SqlClient
      const [token] = yield* sql<Record<string, unknown>>`
        SELECT name, application, 'service_mcp:' || grant_id AS mine FROM access_tokens
        WHERE digest = sha256(${issued.accessToken}::text::bytea)`
      assert.deepInclude(token, { name: "An app on this computer", application: token?.["mine"] })
    })
  )

  it.effect("keeps no secret: of code and tokens only digests stand in the tables", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, code, accessToken, refreshToken } = yield* connectClient(client)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ text: string }>`
        SELECT to_jsonb(c)::text AS text FROM oauth_codes c WHERE operator_id = ${operator.operatorId}
        UNION ALL SELECT to_jsonb(c)::text FROM oauth_refresh_tokens c WHERE operator_id = ${operator.operatorId}
        UNION ALL SELECT to_jsonb(c)::text FROM access_tokens c WHERE operator_id = ${operator.operatorId}
        UNION ALL SELECT to_jsonb(c)::text FROM oauth_grants c WHERE operator_id = ${operator.operatorId}
        UNION ALL SELECT to_jsonb(c)::text FROM trail c WHERE operator_id = ${operator.operatorId}`
      const text = rows.map((row) => row.text).join()
      assert.isAbove(rows.length, 5)
      for (const secret of [code, accessToken, refreshToken]) assert.notInclude(text, secret.slice(-43))
    })
  )

  it.effect("refuses what is not as the consent was", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const caller = yield* createOperator()
      const other = yield* createPartner()
      const tried = Effect.fnUntraced(function* (
        consent: Parameters<typeof makeConsent>[2],
        own: Parameters<typeof toCodeExchange>[2],
        by = client
      ) {
        const code = yield* issueCode(makeConsent(by, caller, consent))
        return yield* tokenOutcomeOf(exchangeCode(toCodeExchange(by, code, own)))
      })
      assert.strictEqual(yield* tried({}, { code: `lkcode_${"a".repeat(43)}` }), INVALID_GRANT_ERROR)
      assert.strictEqual(yield* tried({}, { client: other }), INVALID_GRANT_ERROR)
      assert.strictEqual(yield* tried({}, { redirectUri: `${REDIRECT_URI}/` }), INVALID_GRANT_ERROR)
      assert.strictEqual(yield* tried({}, { redirectUri: `${REDIRECT_URI}?` }), INVALID_GRANT_ERROR)
      // What it would prove, a secret or a verifier proves (contract facts 11.3).
      assert.strictEqual(yield* tried({}, { redirectUri: undefined }), "ok")
      assert.strictEqual(yield* tried({}, { redirectUri: undefined }, PUBLIC_CLIENT), "ok")
    })
  )

  it.effect("takes a code for sixty seconds, and not a millisecond more", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const caller = yield* createOperator()
      const codes = [yield* issueCode(makeConsent(client, caller)), yield* issueCode(makeConsent(client, caller))]
      yield* TestClock.adjust(OAUTH_CODE_MS - 1)
      assert.strictEqual(yield* tokenOutcomeOf(exchangeCode(toCodeExchange(client, codes[0] ?? ""))), "ok")
      yield* TestClock.adjust(1)
      assert.strictEqual(
        yield* tokenOutcomeOf(exchangeCode(toCodeExchange(client, codes[1] ?? ""))),
        INVALID_GRANT_ERROR
      )
    })
  )

  it.effect("ends what came of a code that comes twice, by its own client alone, whatever else is wrong with it", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const other = yield* createPartner()
      for (const own of [
        {},
        { verifier: undefined },
        { verifier: OTHER_CODE_VERIFIER },
        { redirectUri: "https://evil.example" }
      ]) {
        const { operator, code, grantId } = yield* connectClient(client)
        assert.strictEqual(yield* insertGrantSubscription(operator.operatorId, grantId), 1)
        assert.strictEqual(yield* oauthErrorOf(exchangeCode(toCodeExchange(other, code))), INVALID_GRANT_ERROR)
        const live = { ended_by: null, tokens: 1, subscriptions: 1 }
        assert.deepStrictEqual(yield* loadGrantState(operator.operatorId, grantId), live)
        assert.strictEqual(yield* oauthErrorOf(exchangeCode(toCodeExchange(client, code, own))), INVALID_GRANT_ERROR)
        const ended = { ended_by: "reuse", tokens: 0, subscriptions: 0 }
        assert.deepStrictEqual(yield* loadGrantState(operator.operatorId, grantId), ended)
      }
    })
  )

  it.effect("ends what came of the public client's code only for who has the verifier: its id is everybody's", () =>
    Effect.gen(function* () {
      const { operator, code, grantId } = yield* connectClient(PUBLIC_CLIENT)
      for (const verifier of [undefined, OTHER_CODE_VERIFIER, "", challengeOf(CODE_VERIFIER)]) {
        secretCheckLog.length = 0
        assert.strictEqual(
          yield* oauthErrorOf(exchangeCode(toCodeExchange(PUBLIC_CLIENT, code, { verifier }))),
          INVALID_GRANT_ERROR
        )
        assert.deepInclude(yield* loadGrantState(operator.operatorId, grantId), { ended_by: null, tokens: 1 })
        assert.deepStrictEqual(secretCheckLog, [])
      }
      assert.strictEqual(yield* oauthErrorOf(exchangeCode(toCodeExchange(PUBLIC_CLIENT, code))), INVALID_GRANT_ERROR)
      assert.deepInclude(yield* loadGrantState(operator.operatorId, grantId), { ended_by: "reuse", tokens: 0 })
    })
  )

  it.effect("ends it also when the code is over by then", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, code, grantId } = yield* connectClient(client)
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(yield* oauthErrorOf(exchangeCode(toCodeExchange(client, code))), INVALID_GRANT_ERROR)
      assert.strictEqual((yield* loadGrantState(operator.operatorId, grantId)).ended_by, "reuse")
    })
  )

  it.effect(
    "makes one grant of one code by twenty at once, and ends it, as nobody knows which of them it was for",
    () =>
      Effect.gen(function* () {
        const client = yield* createPartner()
        const caller = yield* createOperator()
        const code = yield* issueCode(makeConsent(client, caller))
        const all = Array.from({ length: 20 }, () => tokenOutcomeOf(exchangeCode(toCodeExchange(client, code))))
        const outcomes = yield* Effect.all(all, { concurrency: "unbounded" })
        assert.strictEqual(outcomes.filter((each) => each === "ok").length, 1)
        assert.strictEqual(outcomes.filter((each) => each === INVALID_GRANT_ERROR).length, 19)
        const sql = yield* SqlClient.SqlClient
        const grants = yield* sql<{ ended_by: string }>`
        SELECT ended_by FROM oauth_grants WHERE operator_id = ${caller.operatorId}`
        assert.deepStrictEqual(
          grants.map((grant) => grant.ended_by),
          ["reuse"]
        )
      })
  )

  it.effect("makes nothing for a client that is disabled, and takes the code once it is not", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const caller = yield* createOperator()
      const code = yield* issueCode(makeConsent(client, caller))
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE oauth_clients SET disabled_at = now() WHERE id = ${client.id}`
      assert.strictEqual(
        yield* oauthErrorOf(exchangeCode(toCodeExchange(client, code))),
        "Unauthenticated invalid_client"
      )
      yield* sql`UPDATE oauth_clients SET disabled_at = NULL WHERE id = ${client.id}`
      assert.strictEqual(yield* tokenOutcomeOf(exchangeCode(toCodeExchange(client, code))), "ok")
    })
  )

  it.effect("lets an account connect a hundred applications, twenty at once too, and each account by itself", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const caller = yield* createOperator()
      const accountId = yield* insertAccount(caller.operatorId, "sub", "Helper")
      yield* connections(caller, OAUTH_CONNECTIONS_MAX - 2)
      const issued = Effect.map(issueCode(makeConsent(client, caller)), (code) => toCodeExchange(client, code))
      const codes = yield* Effect.all(Array.from({ length: 5 }, () => issued))
      const outcomes = yield* Effect.forEach(codes, (code) => tokenOutcomeOf(exchangeCode(code)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(outcomes.toSorted(), [...Array(3).fill("BadRequest invalid_grant"), "ok", "ok"])
      const refusal = yield* Effect.flip(issueCode(makeConsent(client, caller)))
      assert.include(refusal.message, `${OAUTH_CONNECTIONS_MAX} connected applications`)
      yield* connectClient(client, {}, { operatorId: caller.operatorId, accountId })
      // The code is not used up by a refusal: it is good as soon as there is room.
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        UPDATE oauth_grants SET ended_at = now(), ended_by = 'host'
        WHERE operator_id = ${caller.operatorId} AND account_id = ${caller.accountId} AND name = 'Many'`
      const again = codes[outcomes.indexOf("BadRequest invalid_grant")] ?? toCodeExchange(client, "")
      assert.strictEqual(yield* tokenOutcomeOf(exchangeCode(again)), "ok")
    })
  )

  it.effect("lets an account have twenty codes on their way, also where more are asked for at once", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const caller = yield* createOperator()
      const tried = Effect.match(issueCode(makeConsent(client, caller)), {
        onSuccess: () => "ok",
        onFailure: ({ _tag, message }) => `${_tag} ${message.includes(`${OAUTH_CODES_MAX} times`)}`
      })
      const all = yield* Effect.all(
        Array.from({ length: OAUTH_CODES_MAX + 5 }, () => tried),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(all.filter((each) => each === "ok").length, OAUTH_CODES_MAX)
      assert.deepStrictEqual(new Set(all), new Set(["ok", "RateLimited true"]))
      yield* TestClock.adjust(OAUTH_CODE_MS)
      assert.strictEqual(yield* tried, "ok")
    })
  )

  it.effect("tells who is right and who is wrong: a partner by its id, the public client by the account too", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const caller = yield* createOperator()
      const told = Effect.fnUntraced(function* (by: typeof client, challenge?: null) {
        const code = yield* issueCode(makeConsent(by, caller, challenge === null ? { challenge } : {}))
        secretCheckLog.length = 0
        const verifier = challenge === null ? undefined : OTHER_CODE_VERIFIER
        const outcome = yield* tokenOutcomeOf(exchangeCode(toCodeExchange(by, code, { verifier })))
        return [outcome, secretCheckLog.join(" ")]
      })
      assert.deepStrictEqual(yield* told(client), [INVALID_GRANT_ERROR, `${client.id},false`])
      assert.deepStrictEqual(yield* told(PUBLIC_CLIENT), [INVALID_GRANT_ERROR, `service_mcp:${caller.accountId},false`])
      assert.deepStrictEqual(yield* told(client, null), ["ok", ""])
      secretCheckLog.length = 0
      yield* connectClient(client, {}, caller)
      assert.deepStrictEqual(secretCheckLog, [[client.id, true]])
    })
  )
})
