import { assert, layer } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { MCP_BATCH_BYTES, MCP_BATCH_MESSAGES_MAX } from "../../../src/platform/limits.ts"
import { abortRequestWhen } from "../../support/aborted-request.ts"
import { fieldOfError } from "../../support/error-messages.ts"
import { EchoEndpoint } from "../../support/transports/mcp/echo-endpoint.ts"
import {
  BOTH_MEDIA_TYPES,
  JSON_HEADERS,
  makeToolCall,
  parseEnvelopes,
  parseMessages,
  postMessage,
  rpcErrorOf
} from "../../support/transports/mcp/mcp-requests.ts"

// What one batch of calls may take of the service.

layer(EchoEndpoint.layer)("a batch", (it) => {
  it.effect("has so many messages at most, notifications among them, or is refused whole", () =>
    Effect.gen(function* () {
      const { calledOperations: called } = yield* EchoEndpoint
      const calls = (size: number) => Array.from({ length: size }, (_, id) => makeToolCall("search_entries", {}, id))
      const notification = { jsonrpc: "2.0", method: "notifications/initialized" }
      assert.lengthOf(parseEnvelopes(yield* postMessage(calls(MCP_BATCH_MESSAGES_MAX))), MCP_BATCH_MESSAGES_MAX)
      assert.lengthOf(
        parseEnvelopes(yield* postMessage([...calls(MCP_BATCH_MESSAGES_MAX - 1), notification])),
        MCP_BATCH_MESSAGES_MAX - 1
      )
      const before = called.length
      for (const batch of [calls(MCP_BATCH_MESSAGES_MAX + 1), [...calls(MCP_BATCH_MESSAGES_MAX), notification]]) {
        const refused = yield* postMessage(batch)
        assert.strictEqual(refused.status, 400)
        assert.strictEqual(rpcErrorOf(refused).code, -32600)
        assert.match(rpcErrorOf(refused).message, new RegExp(`\\b${MCP_BATCH_MESSAGES_MAX} messages`))
      }
      assert.lengthOf(called, before)
    })
  )

  it.effect("is of revision 2025-03-26 alone, and its messages have ids of their own", () =>
    Effect.gen(function* () {
      const { calledOperations: called } = yield* EchoEndpoint
      const before = called.length
      const two = [makeToolCall("search_entries", {}, 1), makeToolCall("search_entries", {}, 2)]
      for (const revision of ["2025-06-18", "2025-11-25", "2026-07-28"]) {
        const refused = yield* postMessage(two, { "mcp-protocol-version": revision })
        assert.strictEqual(refused.status, 400)
        assert.strictEqual(rpcErrorOf(refused).code, -32600)
        assert.strictEqual(fieldOfError({ error_msg: rpcErrorOf(refused).message }), "MCP-Protocol-Version")
        assert.include(rpcErrorOf(refused).message, revision)
      }
      const refused = yield* postMessage([makeToolCall("search_entries", {}, 7), makeToolCall("search_entries", {}, 7)])
      assert.strictEqual(refused.status, 400)
      assert.deepStrictEqual(
        [rpcErrorOf(refused).code, fieldOfError({ error_msg: rpcErrorOf(refused).message })],
        [-32600, "id"]
      )
      assert.lengthOf(called, before)
      assert.lengthOf(parseEnvelopes(yield* postMessage(two, { "mcp-protocol-version": "2025-03-26" })), 2)
    })
  )

  it.effect("answers its calls in the order they stand in", () =>
    Effect.gen(function* () {
      const ids = Array.from({ length: MCP_BATCH_MESSAGES_MAX }, (_, index) => index)
      const answered = yield* postMessage(ids.map((id) => makeToolCall("search_entries", { keyword: String(id) }, id)))
      assert.deepStrictEqual(
        parseMessages(answered).map(({ id }) => id),
        ids
      )
    })
  )

  it.effect("runs no call once its answers have used up its bytes, and says so of each", () =>
    Effect.gen(function* () {
      const { calledOperations: called } = yield* EchoEndpoint
      const envelope =
        JSON.stringify(parseEnvelopes(yield* postMessage(makeToolCall("fill_answer", { characters: 1 })))[0]).length - 1
      const fill = (bytes: number, id: number) => makeToolCall("fill_answer", { characters: bytes - envelope }, id)
      const batch = (bytes: number) =>
        postMessage([fill(bytes - 1_000, 1), fill(1_000, 2), makeToolCall("create_entry", {}, 3)])
      const runs = () => called.filter((name) => name === "create_entry").length
      const fits = parseMessages(yield* batch(MCP_BATCH_BYTES - 1))
      assert.isTrue(fits.every(({ error }) => error === undefined))
      assert.strictEqual(runs(), 1)
      const [first, second, third] = parseMessages(yield* batch(MCP_BATCH_BYTES))
      assert.deepStrictEqual([first?.["error"], second?.["error"]], [undefined, undefined])
      const { error } = Object(third)
      assert.strictEqual(error.code, -32600)
      assert.match(error.message, new RegExp(`^Not run: .*${MCP_BATCH_BYTES} bytes`))
      assert.strictEqual(runs(), 1)
    })
  )

  it.effect("goes no further when its client has gone", () =>
    Effect.gen(function* () {
      const { url, waitStarted: waiting, waitInterrupted: interrupted, calledOperations: called } = yield* EchoEndpoint
      const before = called.length
      yield* abortRequestWhen(url, Deferred.await(waiting), {
        method: "POST",
        headers: { ...JSON_HEADERS, accept: BOTH_MEDIA_TYPES },
        body: JSON.stringify([makeToolCall("wait_for_ever", {}, 1), makeToolCall("create_entry", {}, 2)])
      })
      yield* Deferred.await(interrupted)
      // Whatever the batch still did would have been done before this is answered.
      yield* postMessage(makeToolCall("search_entries"))
      assert.deepStrictEqual(called.slice(before), ["wait_for_ever", "search_entries"])
    })
  )
})
