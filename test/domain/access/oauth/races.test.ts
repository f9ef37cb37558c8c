import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Grants } from "../../../../src/domain/access/oauth/Grants.ts"
import { endGrantsOfClient } from "../../../../src/domain/access/oauth/grant-ending.ts"
import {
  checks,
  connected,
  consentOf,
  exchange,
  given,
  issue,
  layerFlow,
  OTHER_VERIFIER,
  outcomeOf,
  partner,
  renew,
  revoke,
  standing,
  subscribe,
  UNAUTHENTICATED
} from "../../../support/domain/access/oauth/flow.ts"
import { freshOperator } from "../../../support/harness.ts"
import { canOverlap, holding, orSkipped, overlapping } from "../../../support/overlap.ts"

const ended = (by: string) => ({ ended_by: by, tokens: 0, subscriptions: 0 })

layer(layerFlow)("two at once", (it) => {
  it.effect("renew and revoke: whichever is first, nothing is left that is good", () =>
    Effect.gen(function* () {
      const client = yield* partner()
      for (let round = 0; round < 10; round++) {
        const { operator, grantId, refreshToken, accessToken } = yield* connected(client)
        const both = [outcomeOf(renew(client, refreshToken)), Effect.as(revoke(client, accessToken), "revoked")]
        const inTurn = round % 2 === 0 ? both : both.toReversed()
        const outcomes = yield* Effect.all(inTurn, { concurrency: "unbounded" })
        assert.isTrue(outcomes.some((each) => each === "ok" || each === UNAUTHENTICATED))
        assert.deepStrictEqual(yield* standing(operator.operatorId, grantId), ended("application"))
      }
    })
  )
})

describe.skipIf(!canOverlap)(orSkipped("what truly overlaps"), () => {
  layer(layerFlow)((it) => {
    it.effect("a renewal that ends after the revocation has begun is ended by it", () =>
      Effect.gen(function* () {
        const client = yield* partner()
        const { operator, grantId, refreshToken, accessToken } = yield* connected(client)
        yield* overlapping(renew(client, refreshToken), revoke(client, accessToken))
        assert.deepStrictEqual(yield* standing(operator.operatorId, grantId), ended("application"))
      })
    )

    it.effect("a renewal waits for none of the tokens that it leaves as they are", () =>
      Effect.gen(function* () {
        const [client, sql] = [yield* partner(), yield* SqlClient.SqlClient]
        const { refreshToken, accessToken } = yield* connected(client)
        const letGo = yield* holding(
          sql`SELECT FROM access_tokens WHERE digest = sha256(${accessToken}::text::bytea) FOR NO KEY UPDATE`
        )
        assert.strictEqual(yield* outcomeOf(renew(client, refreshToken)), "ok")
        yield* letGo
      })
    )

    it.effect("a renewal that waited for the revocation makes nothing", () =>
      Effect.gen(function* () {
        const client = yield* partner()
        const { operator, grantId, refreshToken, accessToken } = yield* connected(client)
        const [, outcome] = yield* overlapping(revoke(client, accessToken), outcomeOf(renew(client, refreshToken)))
        assert.strictEqual(outcome, UNAUTHENTICATED)
        assert.deepStrictEqual(yield* standing(operator.operatorId, grantId), ended("application"))
      })
    )

    it.effect("a subscription made while its grant ends does not outlive it, whichever is first", () =>
      Effect.gen(function* () {
        const client = yield* partner()
        const one = yield* connected(client)
        const disconnect = ({ operator, grantId }: typeof one) =>
          Grants.use((grants) => grants.disconnect({ ...operator, role: "main" }, grantId))
        const made = subscribe(one.operator.operatorId, one.grantId)
        assert.deepStrictEqual(yield* overlapping(made, disconnect(one)), [1, true])
        assert.deepStrictEqual(yield* standing(one.operator.operatorId, one.grantId), ended("host"))
        const other = yield* connected(client)
        const notMade = subscribe(other.operator.operatorId, other.grantId)
        assert.deepStrictEqual(yield* overlapping(disconnect(other), notMade), [true, 0])
      })
    )

    it.effect("of two renewals of one token the second answers what the first did", () =>
      Effect.gen(function* () {
        const client = yield* partner()
        const { operator, grantId, refreshToken } = yield* connected(client)
        const renewal = renew(client, refreshToken)
        const [first, second] = yield* overlapping(renewal, renewal)
        assert.strictEqual(second.refreshToken, first.refreshToken)
        assert.strictEqual(second.accessToken, first.accessToken)
        assert.deepInclude(yield* standing(operator.operatorId, grantId), { ended_by: null, tokens: 2 })
      })
    )

    it.effect("of two exchanges of one code the second ends what the first made", () =>
      Effect.gen(function* () {
        const client = yield* partner()
        const caller = yield* freshOperator()
        const tried = outcomeOf(exchange(given(client, yield* issue(consentOf(client, caller)))))
        assert.deepStrictEqual(yield* overlapping(tried, tried), ["ok", UNAUTHENTICATED])
        const sql = yield* SqlClient.SqlClient
        const grants = yield* sql`SELECT ended_by FROM oauth_grants WHERE operator_id = ${caller.operatorId}`
        assert.deepStrictEqual(grants, [{ ended_by: "reuse" }])
      })
    )

    it.effect("of two wrong verifiers for one code the first is told, and the second finds none", () =>
      Effect.gen(function* () {
        const client = yield* partner()
        const code = yield* issue(consentOf(client, yield* freshOperator()))
        checks.length = 0
        const wrong = outcomeOf(exchange(given(client, code, { verifier: OTHER_VERIFIER })))
        assert.deepStrictEqual(yield* overlapping(wrong, wrong), [UNAUTHENTICATED, UNAUTHENTICATED])
        assert.deepStrictEqual(checks, [[client.id, false]])
      })
    )

    it.effect("a client that is disabled while codes of it are exchanged has no grant in the end", () =>
      Effect.gen(function* () {
        const client = yield* partner()
        const caller = yield* freshOperator()
        const sql = yield* SqlClient.SqlClient
        const disable = sql`UPDATE oauth_clients SET disabled_at = now() WHERE id = ${client.id}`
        const tried = Effect.map(issue(consentOf(client, caller)), (code) => outcomeOf(exchange(given(client, code))))
        yield* overlapping(yield* tried, disable)
        assert.strictEqual(yield* endGrantsOfClient(sql, client.id, 500), 1)
        yield* sql`UPDATE oauth_clients SET disabled_at = NULL WHERE id = ${client.id}`
        const [, outcome] = yield* overlapping(disable, yield* tried)
        assert.strictEqual(outcome, "Unauthenticated invalid_client")
        assert.strictEqual(yield* endGrantsOfClient(sql, client.id, 500), 0)
      })
    )
  })
})
