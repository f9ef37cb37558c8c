import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { computeDigest } from "../../../src/admission/gate/credentials.ts"
import { Operators } from "../../../src/domain/access/operators/Operators.ts"
import { PasswordCost } from "../../../src/domain/access/operators/password.ts"
import { Deployment } from "../../../src/platform/installation.ts"
import {
  connectClient,
  createPartner,
  layerOauthFlowOver,
  renewToken,
  revokeToken
} from "../../support/domain/access/oauth/oauth-flow.ts"
import { asSystemActor, callForResponse, createOperator, layerService } from "../../support/harness.ts"
import { layerTestDatabase } from "../../support/test-database.ts"

const layerGate = Layer.mergeAll(layerService(layerTestDatabase), layerOauthFlowOver(layerTestDatabase))

const told = (token: string, operation: "query_income_items" | "create_transaction" = "query_income_items") =>
  Effect.map(callForResponse(token, operation), ({ envelope: { error_code, error_msg } }) =>
    error_code === 401 ? error_msg : error_code
  )

const INVALID = "Invalid access token"

/** A token of an operator, with what else its row says. */
const tokenWith = Effect.fnUntraced(function* (own: { readonly expiresAt?: Date; readonly deployment?: string }) {
  const { operatorId, accountId } = yield* createOperator()
  const sql = yield* SqlClient.SqlClient
  const token = `lk_${randomBytes(24).toString("base64url")}`
  yield* sql`
    INSERT INTO access_tokens (operator_id, account_id, name, scope, digest, created_at, expires_at, deployment)
    VALUES (${operatorId}, ${accountId}, 'test', 'writable', ${computeDigest(token)}, now(), ${own.expiresAt ?? null},
      ${own.deployment ?? null})`
  return token
}, Effect.orDie)

layer(layerGate, { excludeTestServices: false })("the gate, with tokens of OAuth", (it) => {
  it.effect("lets one in until its last millisecond", () =>
    Effect.gen(function* () {
      const expiresAt = new Date((yield* Clock.currentTimeMillis) + 60_000)
      const token = yield* tokenWith({ expiresAt })
      yield* TestClock.adjust(59_999)
      assert.strictEqual(yield* told(token), 0)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* told(token), INVALID)
    })
  )

  it.effect("knows the tokens of its own deployment alone", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* told(yield* tokenWith({ deployment: "international" })), 0)
      assert.strictEqual(yield* told(yield* tokenWith({ deployment: "regional" })), INVALID)
    })
  )

  it.effect("goes by the scope that was consented to, and by what a renewal has narrowed it to", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { accessToken, refreshToken } = yield* connectClient(client)
      assert.strictEqual(yield* told(accessToken, "create_transaction"), 400)
      const narrow = yield* renewToken(client, refreshToken, { scope: "read-only" })
      assert.strictEqual(yield* told(narrow.accessToken, "create_transaction"), "Not authorized for this action")
      assert.strictEqual(yield* told(narrow.accessToken), 0)
    })
  )

  it.effect("stops the tokens of a grant that was revoked within five seconds, all of them", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const first = yield* connectClient(client)
      const second = yield* renewToken(client, first.refreshToken)
      const tokens = [first.accessToken, second.accessToken]
      for (const token of tokens) assert.strictEqual(yield* told(token), 0)
      yield* revokeToken(client, second.accessToken)
      yield* TestClock.adjust("5 seconds")
      for (const token of tokens) assert.strictEqual(yield* told(token), INVALID)
    })
  )
})

/** Built anew, since the service of the tests has made its tokens for one deployment. */
const layerOperators = (deployment: "international" | "regional") =>
  Layer.provide(Layer.fresh(Operators.layer), [
    layerTestDatabase,
    Layer.succeed(PasswordCost, { N: 16, r: 8, p: 1 }),
    Layer.succeed(Deployment, deployment)
  ])

layer(layerGate, { excludeTestServices: false })("a token that is made in the console or by a command", (it) => {
  it.effect.each([
    ["international", 0],
    ["regional", INVALID]
  ] as const)("of the %s deployment is good there", ([deployment, answer]) =>
    Effect.gen(function* () {
      const { accountId } = yield* createOperator()
      const { token } = yield* Operators.use((operators) =>
        operators.createToken({ account_id: accountId, name: "Robot", scope: "writable" })
      ).pipe(Effect.provide(layerOperators(deployment)), asSystemActor)
      assert.strictEqual(yield* told(token), answer)
    })
  )
})
