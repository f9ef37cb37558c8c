import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Deployment } from "../../../../src/platform/installation.ts"
import { layerTestDatabase } from "../../../support/database.ts"
import {
  connected,
  consentOf,
  exchange,
  flowOver,
  given,
  issue,
  layerFlow,
  outcomeOf,
  partner,
  renew,
  UNAUTHENTICATED
} from "../../../support/domain/access/oauth/flow.ts"
import { freshOperator } from "../../../support/harness.ts"

/** As the other deployment would do it, were it given the same database. */
const elsewhere = Effect.provide(
  Layer.fresh(flowOver(layerTestDatabase)).pipe(Layer.provide(Layer.succeed(Deployment, "regional")))
)

const standing = (operatorId: number, status: "active" | "closed") =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE operators SET status = ${status} WHERE id = ${operatorId}`)

layer(layerFlow)("codes and refresh tokens", (it) => {
  it.effect("are good in the deployment alone that gave them out", () =>
    Effect.gen(function* () {
      const client = yield* partner()
      const { operator, refreshToken } = yield* connected(client)
      const code = yield* issue(consentOf(client, operator))
      assert.strictEqual(yield* elsewhere(outcomeOf(exchange(given(client, code)))), UNAUTHENTICATED)
      assert.strictEqual(yield* elsewhere(outcomeOf(renew(client, refreshToken))), UNAUTHENTICATED)
      assert.strictEqual(yield* outcomeOf(exchange(given(client, code))), "ok")
      assert.strictEqual(yield* outcomeOf(renew(client, refreshToken)), "ok")
    })
  )

  it.effect("bring nothing while the host's account is closed", () =>
    Effect.gen(function* () {
      const client = yield* partner()
      const { operator, refreshToken } = yield* connected(client)
      const code = yield* issue(consentOf(client, operator))
      const { operatorId } = operator
      const other = yield* connected(client, {}, yield* freshOperator())
      yield* standing(operatorId, "closed")
      assert.strictEqual(yield* outcomeOf(exchange(given(client, code))), UNAUTHENTICATED)
      assert.strictEqual(yield* outcomeOf(renew(client, refreshToken)), UNAUTHENTICATED)
      assert.strictEqual(yield* outcomeOf(renew(client, other.refreshToken)), "ok")
      yield* standing(operatorId, "active")
      assert.strictEqual(yield* outcomeOf(renew(client, refreshToken)), "ok")
    })
  )
})
