import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Gate } from "../../../src/admission/gate/Gate.ts"
import { Tokens } from "../../../src/admission/gate/Tokens.ts"
import { conversationLimits } from "../../../src/admission/windows/call-buckets.ts"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import { createOperator } from "../../support/harness.ts"
import { layerTestDatabase } from "../../support/test-database.ts"

// Layer 3 at the Gate: what counts as a message to a conversation.

const layerGate = Gate.layer.pipe(
  Layer.provide([Tokens.layer, RateWindows.layerMemory]),
  Layer.provideMerge(layerTestDatabase)
)

/** An operator who sends messages to a conversation, and what comes of each: how it was let in, or why not. */
const sending = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2027-05-01T00:00:00Z"))
  const { token } = yield* createOperator()
  const gate = yield* Gate
  const headers = { "service-access-token": token }
  return (conversationId: string) =>
    gate.admit({ route: "POST /conversations/{id}", isRead: false, conversationId, headers }).pipe(Effect.result)
})

layer(layerGate)("a message at the gate", (it) => {
  it.effect("that is refused for what it is (400, 404, 422) does not count, and one of any other answer does", () =>
    Effect.gen(function* () {
      for (const code of [400, 404, 422, 403, 409, 500, 502]) {
        const send = yield* sending
        for (let nth = 0; nth < conversationLimits["5s"]; nth++) {
          const entered = yield* send("C")
          assert(entered._tag === "Success")
          yield* entered.success.countFailure(code)
        }
        const next = yield* send("C")
        assert.strictEqual(
          next._tag,
          code === 400 || code === 404 || code === 422 ? "Success" : "Failure",
          String(code)
        )
        if (next._tag === "Failure" && next.failure.error._tag === "RateLimited") {
          assert.deepInclude(next.failure.error.headers, { "X-RateLimit-Scope": "conversation", "Retry-After": "5" })
        }
        assert.strictEqual((yield* send("another"))._tag, "Success")
      }
    })
  )

  it.effect("that was sent before, under its key, does not count again", () =>
    Effect.gen(function* () {
      const send = yield* sending
      for (let nth = 0; nth < conversationLimits["5s"]; nth++) {
        const entered = yield* send("C")
        assert(entered._tag === "Success")
        if (nth > 0) yield* entered.success.uncountMessage
      }
      for (let nth = 1; nth < conversationLimits["5s"]; nth++) assert.strictEqual((yield* send("C"))._tag, "Success")
      assert.strictEqual((yield* send("C"))._tag, "Failure")
    })
  )

  it.effect("that is refused in the next window is given back in none", () =>
    Effect.gen(function* () {
      const send = yield* sending
      const first = yield* send("C")
      assert(first._tag === "Success")
      yield* TestClock.adjust("5 seconds")
      const second = yield* send("C")
      assert.strictEqual(second._tag, "Success")
      yield* first.success.countFailure(422)
      // One of five is used in these five seconds, and of the ten of the minute one too.
      for (let nth = 1; nth < conversationLimits["5s"]; nth++) assert.strictEqual((yield* send("C"))._tag, "Success")
      assert.strictEqual((yield* send("C"))._tag, "Failure")
      yield* TestClock.adjust("5 seconds")
      for (let nth = 5; nth < conversationLimits["60s"]; nth++) assert.strictEqual((yield* send("C"))._tag, "Success")
      const full = yield* send("C")
      assert(full._tag === "Failure" && full.failure.error._tag === "RateLimited")
      assert.strictEqual(full.failure.error.headers["X-RateLimit-Window"], "60s")
    })
  )
})
