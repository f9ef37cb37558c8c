import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SubAccounts } from "../../../src/domain/access/sign-in/SubAccounts.ts"
import { layerTestDatabase } from "../../support/database.ts"
import {
  connected,
  consentOf,
  exchange,
  flowOver,
  given,
  issue,
  outcomeOf,
  PUBLIC,
  partner,
  renew,
  UNAUTHENTICATED
} from "../../support/domain/access/oauth/flow.ts"
import { accountOf, answerTo, byNobody, freshOperator, layerService, tokenFor } from "../../support/harness.ts"

const layerGate = Layer.mergeAll(
  layerService(layerTestDatabase),
  flowOver(layerTestDatabase),
  Layer.provide(SubAccounts.layer, layerTestDatabase)
)

const told = (token: string) =>
  Effect.map(answerTo(token, "query_income_items"), ({ envelope: { error_code, error_msg } }) =>
    error_code === 0 ? "ok" : `${error_code} ${error_msg}`
  )

const INVALID = "401 Invalid access token"

/** A sub-account, and what its main account does with it; whatever that is has come round everywhere after five seconds. */
const ready = Effect.gen(function* () {
  const operator = yield* freshOperator()
  const { operatorId } = operator
  const accountId = yield* accountOf(operatorId, "sub", "Helper")
  const accounts = yield* SubAccounts
  const keeper = { operatorId, role: "main" } as const
  const disable = byNobody(accounts.disable(keeper, accountId))
  const enable = byNobody(accounts.enable(keeper, accountId))
  const comesRound = TestClock.adjust("5 seconds")
  return { operator, sub: { operatorId, accountId }, disable, enable, comesRound }
})

layer(layerGate, { excludeTestServices: false })("the gate, with accounts that are disabled", (it) => {
  it.effect("refuses their tokens within five seconds, nobody else's, and takes them again when they are enabled", () =>
    Effect.gen(function* () {
      const { operator, sub, disable, enable, comesRound } = yield* ready
      const tokens = [yield* tokenFor(sub, "writable"), yield* tokenFor(sub, "read-only")]
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
      for (const client of [yield* partner(), PUBLIC]) {
        const { operator, sub, disable, enable, comesRound } = yield* ready
        const first = yield* connected(client, {}, sub)
        const others = yield* connected(client, {}, operator)
        assert.strictEqual(yield* told(first.accessToken), "ok")
        yield* disable
        yield* comesRound
        assert.strictEqual(yield* told(first.accessToken), INVALID)
        assert.strictEqual(yield* outcomeOf(renew(client, first.refreshToken)), UNAUTHENTICATED)
        assert.strictEqual(yield* outcomeOf(renew(client, others.refreshToken)), "ok")
        yield* enable
        yield* comesRound
        assert.strictEqual(yield* told(first.accessToken), "ok")
        const next = yield* renew(client, first.refreshToken)
        assert.strictEqual(yield* told(next.accessToken), "ok")
      }
    })
  )

  it.effect("gives a client that lost the answer to a renewal nothing either", () =>
    Effect.gen(function* () {
      const client = yield* partner()
      const { sub, disable } = yield* ready
      const first = yield* connected(client, {}, sub)
      yield* renew(client, first.refreshToken)
      assert.strictEqual(yield* outcomeOf(renew(client, first.refreshToken)), "ok")
      yield* disable
      assert.strictEqual(yield* outcomeOf(renew(client, first.refreshToken)), UNAUTHENTICATED)
    })
  )

  it.effect("makes nothing of a code on its way, which is good again once the account is", () =>
    Effect.gen(function* () {
      const client = yield* partner()
      const { sub, disable, enable } = yield* ready
      const code = yield* issue(consentOf(client, sub))
      yield* disable
      assert.strictEqual(yield* outcomeOf(exchange(given(client, code))), UNAUTHENTICATED)
      yield* enable
      assert.strictEqual(yield* outcomeOf(exchange(given(client, code))), "ok")
    })
  )
})
