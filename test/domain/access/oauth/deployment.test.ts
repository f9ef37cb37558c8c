import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Deployment } from "../../../../src/platform/installation.ts"
import { layerTestDatabase } from "../../../support/database.ts"
import {
  connectClient,
  createPartner,
  exchangeCode,
  issueCode,
  layerFlow,
  layerFlowOver,
  makeConsent,
  outcomeOf,
  renewToken,
  toCodeExchange,
  UNAUTHENTICATED
} from "../../../support/domain/access/oauth/oauth-flow.ts"
import { freshOperator } from "../../../support/harness.ts"

/** As the other deployment would do it, were it given the same database. */
const elsewhere = Effect.provide(
  Layer.fresh(layerFlowOver(layerTestDatabase)).pipe(Layer.provide(Layer.succeed(Deployment, "regional")))
)

const standing = (operatorId: number, status: "active" | "closed") =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE operators SET status = ${status} WHERE id = ${operatorId}`)

layer(layerFlow)("codes and refresh tokens", (it) => {
  it.effect("are good in the deployment alone that gave them out", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, refreshToken } = yield* connectClient(client)
      const code = yield* issueCode(makeConsent(client, operator))
      assert.strictEqual(yield* elsewhere(outcomeOf(exchangeCode(toCodeExchange(client, code)))), UNAUTHENTICATED)
      assert.strictEqual(yield* elsewhere(outcomeOf(renewToken(client, refreshToken))), UNAUTHENTICATED)
      assert.strictEqual(yield* outcomeOf(exchangeCode(toCodeExchange(client, code))), "ok")
      assert.strictEqual(yield* outcomeOf(renewToken(client, refreshToken)), "ok")
    })
  )

  it.effect("bring nothing while the host's account is closed", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, refreshToken } = yield* connectClient(client)
      const code = yield* issueCode(makeConsent(client, operator))
      const { operatorId } = operator
      const other = yield* connectClient(client, {}, yield* freshOperator())
      yield* standing(operatorId, "closed")
      assert.strictEqual(yield* outcomeOf(exchangeCode(toCodeExchange(client, code))), UNAUTHENTICATED)
      assert.strictEqual(yield* outcomeOf(renewToken(client, refreshToken)), UNAUTHENTICATED)
      assert.strictEqual(yield* outcomeOf(renewToken(client, other.refreshToken)), "ok")
      yield* standing(operatorId, "active")
      assert.strictEqual(yield* outcomeOf(renewToken(client, refreshToken)), "ok")
    })
  )
})
