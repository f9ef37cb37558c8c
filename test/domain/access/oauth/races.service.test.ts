import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Grants } from "../../../../src/domain/access/oauth/Grants.ts"
import { endGrantsOfClient } from "../../../../src/domain/access/oauth/grant-ending.ts"
import {
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
  renewToken,
  revokeToken,
  secretCheckLog,
  toCodeExchange,
  tokenOutcomeOf
} from "../../../support/domain/access/oauth/oauth-flow.ts"
import { createOperator } from "../../../support/harness.ts"
import { canOverlap, holdLock, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"

const ended = (by: string) => ({ ended_by: by, tokens: 0, subscriptions: 0 })

layer(layerOauthFlow)("two at once", (it) => {
  it.effect("renew and revoke: whichever is first, nothing is left that is good", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      for (let round = 0; round < 10; round++) {
        const { operator, grantId, refreshToken, accessToken } = yield* connectClient(client)
        const both = [
          tokenOutcomeOf(renewToken(client, refreshToken)),
          Effect.as(revokeToken(client, accessToken), "revoked")
        ]
        const inTurn = round % 2 === 0 ? both : both.toReversed()
        const outcomes = yield* Effect.all(inTurn, { concurrency: "unbounded" })
        assert.isTrue(outcomes.some((each) => each === "ok" || each === INVALID_GRANT_ERROR))
        assert.deepStrictEqual(yield* loadGrantState(operator.operatorId, grantId), ended("application"))
      }
    })
  )
})

describe.skipIf(!canOverlap)(withServerNote("what truly overlaps"), () => {
  layer(layerOauthFlow)((it) => {
    it.effect("a renewal that ends after the revocation has begun is ended by it", () =>
      Effect.gen(function* () {
        const client = yield* createPartner()
        const { operator, grantId, refreshToken, accessToken } = yield* connectClient(client)
        yield* runOverlapping(renewToken(client, refreshToken), revokeToken(client, accessToken))
        assert.deepStrictEqual(yield* loadGrantState(operator.operatorId, grantId), ended("application"))
      })
    )

    it.effect("a renewal waits for none of the tokens that it leaves as they are", () =>
      Effect.gen(function* () {
        const [client, sql] = [yield* createPartner(), yield* SqlClient.SqlClient]
        const { refreshToken, accessToken } = yield* connectClient(client)
        const letGo = yield* holdLock(
          sql`SELECT FROM access_tokens WHERE digest = sha256(${accessToken}::text::bytea) FOR NO KEY UPDATE`
        )
        assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, refreshToken)), "ok")
        yield* letGo
      })
    )

    it.effect("a renewal that waited for the revocation makes nothing", () =>
      Effect.gen(function* () {
        const client = yield* createPartner()
        const { operator, grantId, refreshToken, accessToken } = yield* connectClient(client)
        const [, outcome] = yield* runOverlapping(
          revokeToken(client, accessToken),
          tokenOutcomeOf(renewToken(client, refreshToken))
        )
        assert.strictEqual(outcome, INVALID_GRANT_ERROR)
        assert.deepStrictEqual(yield* loadGrantState(operator.operatorId, grantId), ended("application"))
      })
    )

    it.effect("a subscription made while its grant ends does not outlive it, whichever is first", () =>
      Effect.gen(function* () {
        const client = yield* createPartner()
        const one = yield* connectClient(client)
        const disconnect = ({ operator, grantId }: typeof one) =>
          Grants.use((grants) => grants.disconnect({ ...operator, role: "main" }, grantId))
        const made = insertGrantSubscription(one.operator.operatorId, one.grantId)
        assert.deepStrictEqual(yield* runOverlapping(made, disconnect(one)), [1, true])
        assert.deepStrictEqual(yield* loadGrantState(one.operator.operatorId, one.grantId), ended("host"))
        const other = yield* connectClient(client)
        const notMade = insertGrantSubscription(other.operator.operatorId, other.grantId)
        assert.deepStrictEqual(yield* runOverlapping(disconnect(other), notMade), [true, 0])
      })
    )

    it.effect("of two renewals of one token the second answers what the first did", () =>
      Effect.gen(function* () {
        const client = yield* createPartner()
        const { operator, grantId, refreshToken } = yield* connectClient(client)
        const renewal = renewToken(client, refreshToken)
        const [first, second] = yield* runOverlapping(renewal, renewal)
        assert.strictEqual(second.refreshToken, first.refreshToken)
        assert.strictEqual(second.accessToken, first.accessToken)
        assert.deepInclude(yield* loadGrantState(operator.operatorId, grantId), { ended_by: null, tokens: 2 })
      })
    )

    it.effect("of two exchanges of one code the second ends what the first made", () =>
      Effect.gen(function* () {
        const client = yield* createPartner()
        const caller = yield* createOperator()
        const tried = tokenOutcomeOf(
          exchangeCode(toCodeExchange(client, yield* issueCode(makeConsent(client, caller))))
        )
        assert.deepStrictEqual(yield* runOverlapping(tried, tried), ["ok", INVALID_GRANT_ERROR])
        const sql = yield* SqlClient.SqlClient
        const grants = yield* sql`SELECT ended_by FROM oauth_grants WHERE operator_id = ${caller.operatorId}`
        assert.deepStrictEqual(grants, [{ ended_by: "reuse" }])
      })
    )

    it.effect("of two wrong verifiers for one code the first is told, and the second finds none", () =>
      Effect.gen(function* () {
        const client = yield* createPartner()
        const code = yield* issueCode(makeConsent(client, yield* createOperator()))
        secretCheckLog.length = 0
        const wrong = tokenOutcomeOf(exchangeCode(toCodeExchange(client, code, { verifier: OTHER_CODE_VERIFIER })))
        assert.deepStrictEqual(yield* runOverlapping(wrong, wrong), [INVALID_GRANT_ERROR, INVALID_GRANT_ERROR])
        assert.deepStrictEqual(secretCheckLog, [[client.id, false]])
      })
    )

    it.effect("a client that is disabled while codes of it are exchanged has no grant in the end", () =>
      Effect.gen(function* () {
        const client = yield* createPartner()
        const caller = yield* createOperator()
        const sql = yield* SqlClient.SqlClient
        const disable = sql`UPDATE oauth_clients SET disabled_at = now() WHERE id = ${client.id}`
        const tried = Effect.map(issueCode(makeConsent(client, caller)), (code) =>
          tokenOutcomeOf(exchangeCode(toCodeExchange(client, code)))
        )
        yield* runOverlapping(yield* tried, disable)
        assert.strictEqual(yield* endGrantsOfClient(sql, client.id, 500), 1)
        yield* sql`UPDATE oauth_clients SET disabled_at = NULL WHERE id = ${client.id}`
        const [, outcome] = yield* runOverlapping(disable, yield* tried)
        assert.strictEqual(outcome, "Unauthenticated invalid_client")
        assert.strictEqual(yield* endGrantsOfClient(sql, client.id, 500), 0)
      })
    )
  })
})
