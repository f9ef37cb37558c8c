import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SubAccounts } from "../../../src/domain/access/sign-in/SubAccounts.ts"
import {
  connectClient,
  createPartner,
  exchangeCode,
  INVALID_GRANT_ERROR,
  issueCode,
  layerOauthFlowOver,
  makeConsent,
  PUBLIC_CLIENT,
  renewToken,
  toCodeExchange,
  tokenOutcomeOf
} from "../../support/domain/access/oauth/oauth-flow.ts"
import {
  asSystemActor,
  callForResponse,
  createAccessToken,
  createOperator,
  insertAccount,
  layerService
} from "../../support/harness.ts"
import { layerTestDatabase } from "../../support/test-database.ts"

const layerGate = Layer.mergeAll(
  layerService(layerTestDatabase),
  layerOauthFlowOver(layerTestDatabase),
  Layer.provide(SubAccounts.layer, layerTestDatabase)
)

const told = (token: string) =>
  Effect.map(callForResponse(token, "query_income_items"), ({ envelope: { error_code, error_msg } }) =>
    error_code === 0 ? "ok" : `${error_code} ${error_msg}`
  )

const INVALID = "401 Invalid access token"

/** A sub-account, and what its main account does with it; whatever that is has come round everywhere after five seconds. */
const ready = Effect.gen(function* () {
  const operator = yield* createOperator()
  const { operatorId } = operator
  const accountId = yield* insertAccount(operatorId, "sub", "Helper")
  const accounts = yield* SubAccounts
  const keeper = { operatorId, role: "main" } as const
  const disable = asSystemActor(accounts.disable(keeper, accountId))
  const enable = asSystemActor(accounts.enable(keeper, accountId))
  const comesRound = TestClock.adjust("5 seconds")
  return { operator, sub: { operatorId, accountId }, disable, enable, comesRound }
})

layer(layerGate, { excludeTestServices: false })("the gate, with accounts that are disabled", (it) => {
  it.effect("refuses their tokens within five seconds, nobody else's, and takes them again when they are enabled", () =>
    Effect.gen(function* () {
      const { operator, sub, disable, enable, comesRound } = yield* ready
      const tokens = [yield* createAccessToken(sub, "writable"), yield* createAccessToken(sub, "read-only")]
      for (const token of tokens) assert.strictEqual(yield* told(token), "ok")
      yield* disable
      yield* comesRound
      for (const token of tokens) assert.strictEqual(yield* told(token), INVALID)
      assert.strictEqual(yield* told(operator.token), "ok")
      yield* enable
      yield* comesRound
      for (const token of tokens) assert.strictEqual(yield* told(token), "ok")
    })
  )

  it.effect("refuses what came of their consents, and renews nothing until they are enabled", () =>
    Effect.gen(function* () {
      for (const client of [yield* createPartner(), PUBLIC_CLIENT]) {
        const { operator, sub, disable, enable, comesRound } = yield* ready
        const first = yield* connectClient(client, {}, sub)
        const others = yield* connectClient(client, {}, operator)
        assert.strictEqual(yield* told(first.accessToken), "ok")
        yield* disable
        yield* comesRound
        assert.strictEqual(yield* told(first.accessToken), INVALID)
        assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, first.refreshToken)), INVALID_GRANT_ERROR)
        assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, others.refreshToken)), "ok")
        yield* enable
        yield* comesRound
        assert.strictEqual(yield* told(first.accessToken), "ok")
        const next = yield* renewToken(client, first.refreshToken)
        assert.strictEqual(yield* told(next.accessToken), "ok")
      }
    })
  )

  it.effect("gives a client that lost the answer to a renewal nothing either", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { sub, disable } = yield* ready
      const first = yield* connectClient(client, {}, sub)
      yield* renewToken(client, first.refreshToken)
      assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, first.refreshToken)), "ok")
      yield* disable
      assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, first.refreshToken)), INVALID_GRANT_ERROR)
    })
  )

  it.effect("makes nothing of a code on its way, which is good again once the account is", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { sub, disable, enable } = yield* ready
      const code = yield* issueCode(makeConsent(client, sub))
      yield* disable
      assert.strictEqual(yield* tokenOutcomeOf(exchangeCode(toCodeExchange(client, code))), INVALID_GRANT_ERROR)
      yield* enable
      assert.strictEqual(yield* tokenOutcomeOf(exchangeCode(toCodeExchange(client, code))), "ok")
    })
  )
})
