import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { computeDigest } from "../../../src/admission/gate/credentials.ts"
import { NotFound } from "../../../src/contract/errors.ts"
import { RateLimitOverrides } from "../../../src/domain/access/operators/RateLimitOverrides.ts"
import type { ApiOperation } from "../../../src/service/Api.ts"
import { Service } from "../../../src/service/service.ts"
import {
  asSystemActor,
  callForResponse,
  createAccessToken,
  createOperator,
  insertAccount,
  layerTest
} from "../../support/harness.ts"

const codeOf = (token: string, operation: ApiOperation["_tag"], fields: object = {}) =>
  Effect.map(callForResponse(token, operation, fields), (answer) => answer.envelope.error_code)

/** Gives the operator small limits, so that a test reaches them. */
const limited = Effect.fnUntraced(function* (limits: object) {
  const operator = yield* createOperator()
  yield* RateLimitOverrides.use((service) => service.setOperatorLimits(operator.operatorId, limits)).pipe(
    Effect.provide(RateLimitOverrides.layer),
    asSystemActor
  )
  return operator
})

const atMinuteStart = Effect.flatMap(Clock.currentTimeMillis, (now) =>
  TestClock.setTime((Math.floor(now / 86_400_000) + 1) * 86_400_000)
)

layer(layerTest, { excludeTestServices: false })("the gate", (it) => {
  it.effect("lets exactly the limit through, says why the next is refused, and opens with the window", () =>
    Effect.gen(function* () {
      const { token } = yield* limited({ user: { "1m": 3 } })
      yield* atMinuteStart
      yield* TestClock.adjust("18 seconds")
      const passed = [0, 0, 0]
      for (const _ of passed) assert.strictEqual(yield* codeOf(token, "query_income_items"), 0)
      const { envelope, headers } = yield* callForResponse(token, "query_income_items")
      assert.deepInclude(envelope, { error_code: 429, error_msg: "Too Many Attempts.", data: {} })
      assert.deepInclude(headers, {
        "Retry-After": "42",
        "X-RateLimit-Scope": "user",
        "X-RateLimit-Window": "1m",
        "X-RateLimit-Reason": "user rate limit exceeded: 3 requests per 1m"
      })
      yield* TestClock.adjust("42 seconds")
      assert.strictEqual(yield* codeOf(token, "query_income_items"), 0)
    })
  )

  it.effect("counts all tokens of all accounts of an operator together, and each operator by itself", () =>
    Effect.gen(function* () {
      const operator = yield* limited({ user: { "1m": 2 } })
      yield* atMinuteStart
      const second = yield* createAccessToken(operator, "writable")
      const accountId = yield* insertAccount(operator.operatorId, "sub", "Helper")
      const other = yield* createAccessToken({ operatorId: operator.operatorId, accountId }, "writable")
      assert.strictEqual(yield* codeOf(operator.token, "query_income_items"), 0)
      assert.strictEqual(yield* codeOf(second, "query_expense_items"), 0)
      assert.strictEqual(yield* codeOf(operator.readOnlyToken, "query_income_items"), 429)
      assert.strictEqual(yield* codeOf(other, "query_income_items"), 429)
      const neighbour = yield* limited({ user: { "1m": 2 } })
      assert.strictEqual(yield* codeOf(neighbour.token, "query_income_items"), 0)
    })
  )

  it.effect("lets exactly sixty of two hundred calls at once create a reservation", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      yield* atMinuteStart
      const codes = yield* Effect.forEach(Array.from({ length: 200 }), () => codeOf(token, "create_reservation", {}), {
        concurrency: "unbounded"
      })
      // Refused as malformed, so nothing but the windows decides.
      assert.strictEqual(codes.filter((code) => code === 400).length, 60)
      assert.strictEqual(codes.filter((code) => code === 429).length, 140)
    })
  )

  it.effect("keeps a route whose requests cannot succeed shut until they are mended", () =>
    Effect.gen(function* () {
      const { token } = yield* limited({ endpoint_error: { "1h": 2 } })
      yield* atMinuteStart
      assert.strictEqual(yield* codeOf(token, "delete_transaction", { id: 1 }), 404)
      assert.strictEqual(yield* codeOf(token, "delete_transaction", {}), 400)
      const { envelope, headers } = yield* callForResponse(token, "delete_transaction", { id: 1 })
      assert.strictEqual(envelope.error_code, 429)
      assert.match(envelope.error_msg, /cannot succeed as sent/)
      assert.deepInclude(headers, { "X-RateLimit-Scope": "endpoint_error", "X-RateLimit-Window": "1h" })
      // Another route is not concerned.
      assert.strictEqual(yield* codeOf(token, "query_income_items"), 0)
    })
  )

  it.effect("never counts a 401, 403, 420, 422 or 429 as an invalid call", () =>
    Effect.gen(function* () {
      const operator = yield* limited({ endpoint_error: { "1h": 1 }, endpoint: { "POST /transactions": { "1m": 4 } } })
      yield* atMinuteStart
      const accountId = yield* insertAccount(operator.operatorId, "sub", "Helper")
      const sub = yield* createAccessToken({ operatorId: operator.operatorId, accountId }, "writable")
      const readOnly = yield* createAccessToken({ operatorId: operator.operatorId, accountId }, "read-only")
      const entry = { direction: "income", amount: 5, currency: "EUR", item_id: 11, payment_method_id: 197 }
      assert.strictEqual(yield* codeOf(readOnly, "create_transaction", entry), 401)
      assert.strictEqual(yield* codeOf(sub, "create_transaction", entry), 403)
      assert.strictEqual(yield* codeOf(sub, "create_transaction", { ...entry, amount: 0 }), 422)
      assert.strictEqual(yield* codeOf(sub, "create_transaction", { ...entry, amount: -1 }), 422)
      assert.strictEqual(yield* codeOf(sub, "create_transaction", entry), 403)
      const refused = yield* callForResponse(sub, "create_transaction", entry)
      assert.deepInclude(refused.headers, { "X-RateLimit-Scope": "endpoint" })
      yield* TestClock.adjust("1 minute")
      // Still room for one invalid call: none of those before was one.
      assert.strictEqual(yield* codeOf(sub, "create_transaction", {}), 400)
      assert.strictEqual(
        (yield* callForResponse(sub, "create_transaction", {})).headers["X-RateLimit-Scope"],
        "endpoint_error"
      )
    })
  )

  it.effect("counts unknown paths of an account under one bucket", () =>
    Effect.gen(function* () {
      const { token } = yield* limited({ endpoint: { unmatched: { "1m": 1 } } })
      yield* atMinuteStart
      const service = yield* Service
      const miss = service.respondWithError(new NotFound({ message: "No such route." }), {
        transport: "rest",
        headers: { "service-access-token": token }
      })
      assert.strictEqual((yield* miss).envelope.error_code, 404)
      assert.strictEqual((yield* miss).envelope.error_code, 429)
    })
  )

  it.effect("holds a token to its own limit, which never loosens the account's", () =>
    Effect.gen(function* () {
      const operator = yield* limited({ user: { "1m": 3 } })
      yield* atMinuteStart
      const sql = yield* SqlClient.SqlClient
      const tight = yield* createAccessToken(operator, "writable")
      const loose = yield* createAccessToken(operator, "writable")
      const limit = (token: string, limits: object) =>
        Effect.gen(function* () {
          const [row] = yield* sql<{ id: number }>`SELECT id FROM access_tokens WHERE digest = ${computeDigest(token)}`
          yield* RateLimitOverrides.use((service) => service.setTokenLimits(row?.id ?? 0, limits))
        }).pipe(Effect.provide(RateLimitOverrides.layer), asSystemActor)
      yield* limit(tight, { "1m": 1 })
      yield* limit(loose, { "1m": 1000 })
      assert.strictEqual(yield* codeOf(tight, "query_income_items"), 0)
      const refused = yield* callForResponse(tight, "query_income_items")
      assert.deepInclude(refused.headers, { "X-RateLimit-Scope": "token", "X-RateLimit-Window": "1m" })
      assert.strictEqual(yield* codeOf(loose, "query_income_items"), 0)
      assert.strictEqual(yield* codeOf(loose, "query_income_items"), 0)
      assert.strictEqual((yield* callForResponse(loose, "query_income_items")).envelope.error_code, 429)
    })
  )

  it.effect("stops a revoked token within five seconds, and takes back a renewed account as fast", () =>
    Effect.gen(function* () {
      const { operatorId, token } = yield* createOperator()
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual(yield* codeOf(token, "query_income_items"), 0)
      yield* sql`UPDATE operators SET subscription_until = '1960-01-01' WHERE id = ${operatorId}`
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* codeOf(token, "query_income_items"), 420)
      yield* sql`UPDATE operators SET subscription_until = NULL WHERE id = ${operatorId}`
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* codeOf(token, "query_income_items"), 0)
      yield* sql`UPDATE access_tokens SET revoked_at = now() WHERE operator_id = ${operatorId}`
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* codeOf(token, "query_income_items"), 401)
    })
  )

  it.effect("keeps no token in the database, only its digest", () =>
    Effect.gen(function* () {
      const { operatorId, token } = yield* createOperator()
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ row: string }>`
        SELECT t::text AS row FROM access_tokens t WHERE operator_id = ${operatorId}`
      assert.isAbove(rows.length, 0)
      for (const { row } of rows) assert.notInclude(row, token)
    })
  )
})
