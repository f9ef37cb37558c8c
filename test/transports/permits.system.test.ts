import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ConcurrencyLimiter, SMALL_BODY_BYTES } from "../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { ACTIVE_OPERATOR_MS } from "../../src/admission/concurrency/FairPermits.ts"
import { BUSY_RETRY_SECONDS, CONCURRENCY_PERMITS, PERMIT_WAIT_MS } from "../../src/platform/limits.ts"
import { createOperator } from "../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../support/http-server.ts"
import { RawClient } from "../support/transports/http-server/raw-client.ts"

// When a call takes its concurrency permit: after its body has arrived, and before the body is parsed.

/** The parts of an HTTP response that the tests look at. */
interface PostResponse {
  readonly status: number
  readonly text: string
  readonly retryAfter: string | null
}

const post = Effect.fnUntraced(function* (path: string, token: string, body: string) {
  const base = yield* BaseUrl
  return yield* Effect.promise(async (signal): Promise<PostResponse> => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream"
    }
    const response = await fetch(`${base}${path}`, { method: "POST", headers, body, signal })
    return { status: response.status, text: await response.text(), retryAfter: response.headers.get("retry-after") }
  })
})

/** Runs the work while calls of the operator hold every permit. */
const whileFull = Effect.fnUntraced(function* <A, E, R>(operatorId: number, work: Effect.Effect<A, E, R>) {
  const limiter = yield* ConcurrencyLimiter
  // One operator gets every permit only while no other has called lately.
  yield* TestClock.adjust(ACTIVE_OPERATOR_MS)
  const holders = yield* Effect.forEach(Array.from({ length: CONCURRENCY_PERMITS }), () =>
    Effect.forkChild(limiter.withPermit(operatorId, Effect.never), { startImmediately: true })
  )
  const probe = yield* Effect.forkChild(limiter.withPermit(operatorId, Effect.void), { startImmediately: true })
  yield* Effect.yieldNow
  assert.isUndefined(probe.pollUnsafe(), "a permit is free")
  yield* Fiber.interrupt(probe)
  return yield* Effect.ensuring(work, Fiber.interruptAll(holders))
})

/** The answer to a call that waits for a permit until it has waited too long. */
const answerInTheEnd = Effect.fnUntraced(function* <A, E, R>(call: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkChild(call, { startImmediately: true })
  yield* Effect.repeat(
    Effect.andThen(
      TestClock.adjust(PERMIT_WAIT_MS),
      Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    ),
    { until: () => fiber.pollUnsafe() !== undefined }
  )
  return yield* Fiber.join(fiber)
})

/** The body of an entry whose amount breaks a rule (422). */
const invalidEntry = JSON.stringify({ direction: "income", amount: -1, item_id: 11, payment_method_id: 197 })

const toolCall = (more: object = {}) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "create_transaction", arguments: { ...JSON.parse(invalidEntry), ...more } }
  })

layer(layerHttpServer())("a call whose body is refused", (it) => {
  it.effect.each([
    ["that breaks a rule", invalidEntry, 422],
    ["that is not JSON", "{", 400]
  ] as const)("%s waits for a permit before the body is parsed", ([, body, code]) =>
    Effect.gen(function* () {
      const { token, operatorId } = yield* createOperator()
      const call = post("/v3/transactions", token, body)
      const { text, retryAfter } = yield* whileFull(operatorId, answerInTheEnd(call))
      assert.include(text, '"error_code":500,')
      assert.strictEqual(retryAfter, String(BUSY_RETRY_SECONDS))
      assert.include((yield* call).text, `"error_code":${code}`)
    })
  )

  it.effect("is refused without a permit if its token is unknown or its body is too large", () =>
    Effect.gen(function* () {
      const { token, operatorId } = yield* createOperator()
      yield* whileFull(
        operatorId,
        Effect.gen(function* () {
          assert.include((yield* post("/v3/transactions", "lk_unknown", invalidEntry)).text, '"error_code":401')
          const large = yield* post("/v3/transactions", token, "x".repeat(1024 * 1024 + 1))
          assert.match(large.text, /"error_code":400,"error_msg":"[^"]*\b1048576 bytes/)
        })
      )
    })
  )

  it.effect("waits for a permit over MCP too, and gets the 500 in the tool's result", () =>
    Effect.gen(function* () {
      const { token, operatorId } = yield* createOperator()
      const call = post("/mcp", token, toolCall())
      const { status, text } = yield* whileFull(operatorId, answerInTheEnd(call))
      assert.strictEqual(status, 200)
      assert.include(text, String.raw`\"error_code\":500,`)
      assert.include((yield* call).text, String.raw`\"error_code\":422`)
    })
  )

  it.effect(`waits for a permit before an MCP message of more than ${SMALL_BODY_BYTES} bytes is parsed`, () =>
    Effect.gen(function* () {
      const { token, operatorId } = yield* createOperator()
      const unfinished = (bytes: number) => `{${" ".repeat(bytes - 1)}`
      yield* whileFull(
        operatorId,
        Effect.gen(function* () {
          const small = yield* post("/mcp", token, unfinished(SMALL_BODY_BYTES))
          assert.deepStrictEqual([small.status, /Parse error/.test(small.text)], [400, true])
          const large = yield* answerInTheEnd(post("/mcp", token, unfinished(SMALL_BODY_BYTES + 1)))
          assert.deepStrictEqual([large.status, large.retryAfter], [500, String(BUSY_RETRY_SECONDS)])
          const { error } = JSON.parse(large.text)
          assert.deepStrictEqual([error.code, error.message === ""], [-32600, false])
        })
      )
      const large = yield* post("/mcp", token, toolCall({ unknown: "x".repeat(SMALL_BODY_BYTES) }))
      assert.include(large.text, String.raw`\"error_code\":422`)
    })
  )

  it.effect("holds no permit while its body arrives", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const base = yield* BaseUrl
      const begun = (path: string) =>
        `POST ${path} HTTP/1.1\r\nHost: ${new URL(base).host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 99\r\nExpect: 100-continue\r\n\r\n`
      const slow = ["/v3/transactions", "/mcp"].flatMap((path) =>
        Array.from({ length: CONCURRENCY_PERMITS }, () => new RawClient(base).send(begun(path)))
      )
      for (const client of slow) yield* Effect.promise(() => client.awaitText(/100 Continue/))
      for (const client of slow) client.send("{")
      assert.include((yield* post("/v3/transactions", token, invalidEntry)).text, '"error_code":422')
      assert.include((yield* post("/mcp", token, toolCall())).text, String.raw`\"error_code\":422`)
      for (const client of slow) client.socket.destroy()
    })
  )
})
