import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { conversationLimits } from "../../../../src/admission/windows/call-buckets.ts"
import { MESSAGE_LENGTH } from "../../../../src/platform/limits.ts"
import { Service } from "../../../../src/service/service.ts"
import { insertConversation } from "../../../support/conversations.ts"
import { createOperator, layerTest, reportDefects, toServiceCall } from "../../../support/harness.ts"
import { insertChannelAccount } from "../../../support/listings.ts"

// How often a conversation is written to (specification, Limits, layer 3).

/** An operator on a day's first second, who has two conversations, and what comes of writing into the first. */
const writing = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2027-04-20T00:00:00Z"))
  const { operatorId, token } = yield* createOperator()
  const account = { operatorId, accountId: yield* insertChannelAccount(operatorId), channelType: "airbnb" }
  const [{ code: id }, other] = [yield* insertConversation(account), yield* insertConversation(account)]
  const service = yield* Service
  let calls = 0
  /** By one door and the other in turn. */
  const write = (given: Readonly<Record<string, unknown>> = {}, key?: string) => {
    const fields = { id, message: "Hello", ...given }
    const door = calls++ % 2 === 0 ? "rest" : "mcp"
    return reportDefects(
      service.call("send_message", { ...toServiceCall(token, fields, key), transport: door, params: fields })
    )
  }
  return { write, other: other.code }
})

layer(layerTest)("a conversation", (it) => {
  it.effect.each(["5s", "60s", "30m", "2h", "24h"] as const)("is full in %s when its limit says so", (label) =>
    Effect.gen(function* () {
      const { write, other } = yield* writing
      let sent = 0
      let full = yield* write()
      while (full.headers["X-RateLimit-Window"] !== label) {
        if (full.envelope.error_code === 0) sent += 1
        // Some smaller window is full, and over after this.
        else yield* TestClock.adjust(`${Number(full.headers["Retry-After"])} seconds`)
        full = yield* write()
      }
      assert.strictEqual(sent, conversationLimits[label])
      const seconds = Number(full.headers["Retry-After"])
      assert.deepInclude(full.envelope, {
        error_code: 429,
        error_msg: `Too many requests. Try again in ${seconds} seconds.`
      })
      assert.strictEqual((yield* write({ id: other })).envelope.error_code, 0)
      yield* TestClock.adjust(`${seconds} seconds`)
      assert.strictEqual((yield* write()).envelope.error_code, 0)
    })
  )

  it.effect("is not fuller for what was refused, or was sent before under its key", () =>
    Effect.gen(function* () {
      const { write } = yield* writing
      const codeOf = (fields: Readonly<Record<string, unknown>>, key?: string) =>
        Effect.map(write(fields, key), ({ envelope }) => envelope.error_code)
      for (let nth = 0; nth < conversationLimits["5s"]; nth++) {
        assert.strictEqual(yield* codeOf({ message: "" }), 400)
        assert.strictEqual(yield* codeOf({ message: "x".repeat(MESSAGE_LENGTH + 1) }), 422)
        assert.strictEqual(yield* codeOf({ jpeg_base64: "AAAA" }), 422)
        assert.strictEqual(yield* codeOf({ id: "nobody's" }), 404)
        assert.strictEqual(yield* codeOf({}, "once"), 0)
      }
      for (let nth = 1; nth < conversationLimits["5s"]; nth++) assert.strictEqual(yield* codeOf({}), 0)
      assert.strictEqual(yield* codeOf({}), 429)
    })
  )
})
