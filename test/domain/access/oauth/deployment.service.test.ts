import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Deployment } from "../../../../src/platform/installation.ts"
import {
  connectClient,
  createPartner,
  exchangeCode,
  INVALID_GRANT_ERROR,
  issueCode,
  layerOauthFlow,
  layerOauthFlowOver,
  makeConsent,
  renewToken,
  toCodeExchange,
  tokenOutcomeOf
} from "../../../support/domain/access/oauth/oauth-flow.ts"
import { createOperator } from "../../../support/harness.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"

/** As the other deployment would do it, were it given the same database. */
const elsewhere = Effect.provide(
  Layer.fresh(layerOauthFlowOver(layerTestDatabase)).pipe(Layer.provide(Layer.succeed(Deployment, "regional")))
)

const standing = (operatorId: number, status: "active" | "closed") =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE operators SET status = ${status} WHERE id = ${operatorId}`)

layer(layerOauthFlow)("codes and refresh tokens", (it) => {
  it.effect("are good in the deployment alone that gave them out", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, refreshToken } = yield* connectClient(client)
      const code = yield* issueCode(makeConsent(client, operator))
      assert.strictEqual(
        yield* elsewhere(tokenOutcomeOf(exchangeCode(toCodeExchange(client, code)))),
        INVALID_GRANT_ERROR
      )
      assert.strictEqual(yield* elsewhere(tokenOutcomeOf(renewToken(client, refreshToken))), INVALID_GRANT_ERROR)
      assert.strictEqual(yield* tokenOutcomeOf(exchangeCode(toCodeExchange(client, code))), "ok")
      assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, refreshToken)), "ok")
    })
  )

  it.effect("bring nothing while the host's account is closed", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, refreshToken } = yield* connectClient(client)
      const code = yield* issueCode(makeConsent(client, operator))
      const { operatorId } = operator
      const other = yield* connectClient(client, {}, yield* createOperator())
      yield* standing(operatorId, "closed")
      assert.strictEqual(yield* tokenOutcomeOf(exchangeCode(toCodeExchange(client, code))), INVALID_GRANT_ERROR)
      assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, refreshToken)), INVALID_GRANT_ERROR)
      assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, other.refreshToken)), "ok")
      yield* standing(operatorId, "active")
      assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, refreshToken)), "ok")
    })
  )
})
