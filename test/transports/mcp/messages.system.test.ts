import { assert, layer } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { MCP_LIST_FRESH_MS } from "../../../src/transports/mcp/server-factory.ts"
import { abortRequestWhen } from "../../support/aborted-request.ts"
import { EchoEndpoint, RATE_LIMIT_HEADERS } from "../../support/transports/mcp/echo-endpoint.ts"
import {
  BOTH_MEDIA_TYPES,
  JSON_HEADERS,
  lastMessageOf,
  makeToolCall,
  parseEnvelopes,
  parseMessages,
  postMessage,
  rpcErrorOf,
  toModernMessage
} from "../../support/transports/mcp/mcp-requests.ts"

// The endpoint as a speaker of JSON-RPC, in revision 2026-07-28 and those of 2025.

layer(EchoEndpoint.layer)("messages", (it) => {
  it.effect.each([
    { asked: "2025-11-25", answered: "2025-11-25" },
    { asked: "2025-06-18", answered: "2025-06-18" },
    { asked: "2025-03-26", answered: "2025-03-26" },
    { asked: "2024-11-05", answered: "2024-11-05" },
    { asked: "1999-01-01", answered: "2025-11-25" }
  ])("initialize with $asked settles on $answered, without a session", ({ asked, answered }) =>
    Effect.gen(function* () {
      const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: "test", version: "1" } }
      const response = yield* postMessage({ jsonrpc: "2.0", id: 0, method: "initialize", params })
      assert.deepInclude(lastMessageOf(response).result, { protocolVersion: answered, capabilities: { tools: {} } })
      assert.isNull(response.headers.get("mcp-session-id"))
    })
  )

  it.effect("a notification is taken without a body", () =>
    Effect.gen(function* () {
      const { status, body } = yield* postMessage({ jsonrpc: "2.0", method: "notifications/initialized" })
      assert.deepStrictEqual([status, body], [202, ""])
    })
  )

  it.effect("an unknown method is method not found", () =>
    Effect.gen(function* () {
      const message = { jsonrpc: "2.0", id: 5, method: "tools/explode" }
      const answered = yield* postMessage(message)
      assert.deepStrictEqual([lastMessageOf(answered)["id"], rpcErrorOf(answered).code], [5, -32601])
      const { headers, message: same } = toModernMessage(message)
      assert.strictEqual(rpcErrorOf(yield* postMessage(same, headers)).code, -32601)
    })
  )

  it.effect.each([
    { message: { ...makeToolCall("x"), params: { name: "search_entries", arguments: [1] } } },
    { message: { ...makeToolCall("x"), params: { arguments: {} } } },
    { message: { jsonrpc: "2.0", id: 1, method: "tools/list", params: { cursor: "2" } } }
  ])("wrong parameters (%j) are invalid parameters", ({ message }) =>
    Effect.gen(function* () {
      assert.strictEqual(rpcErrorOf(yield* postMessage(message)).code, -32602)
    })
  )

  it.effect("may have null for all parameters or for one of them, which counts as absent", () =>
    Effect.gen(function* () {
      const listing = yield* postMessage({ jsonrpc: "2.0", id: 1, method: "tools/list", params: null })
      assert.property(lastMessageOf(listing).result, "tools")
      const ping = yield* postMessage({ jsonrpc: "2.0", id: 1, method: "ping", params: null })
      assert.deepStrictEqual(lastMessageOf(ping).result, {})
      const page = yield* postMessage({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/list",
        params: { cursor: null, _meta: null }
      })
      assert.property(lastMessageOf(page).result, "tools")
      const call = {
        ...makeToolCall("search_entries"),
        params: { name: "search_entries", arguments: null, _meta: null }
      }
      assert.strictEqual(parseEnvelopes(yield* postMessage(call))[0].data.name, "search_entries")
      assert.lengthOf(
        parseMessages(yield* postMessage([call, { jsonrpc: "2.0", id: 2, method: "ping", params: null }])),
        2
      )
      const notification = yield* postMessage({ jsonrpc: "2.0", method: "notifications/initialized", params: null })
      assert.strictEqual(notification.status, 202)
      const { headers } = toModernMessage(makeToolCall("search_entries"))
      const bare = yield* postMessage({ jsonrpc: "2.0", id: 1, method: "tools/list", params: null }, headers)
      const absent = yield* postMessage({ jsonrpc: "2.0", id: 1, method: "tools/list" }, headers)
      assert.deepStrictEqual(lastMessageOf(bare), lastMessageOf(absent))
    })
  )

  it.effect("a batch of 2025-03-26 is answered call by call", () =>
    Effect.gen(function* () {
      const answered = yield* postMessage([
        makeToolCall("search_entries", { keyword: "one" }, 1),
        { jsonrpc: "2.0", method: "notifications/initialized" },
        makeToolCall("create_entry", { note: "two" }, 2)
      ])
      const params = parseEnvelopes(answered).map((envelope) => envelope.data.params)
      assert.sameMembers(params, ['{"keyword":"one"}', '{"note":"two"}'])
      assert.sameMembers(
        parseMessages(answered).map(({ id }) => id),
        [1, 2]
      )
    })
  )

  it.effect("a subscription ends at once: nothing here changes while it runs", () =>
    Effect.gen(function* () {
      const { headers, message } = toModernMessage({
        jsonrpc: "2.0",
        id: 9,
        method: "subscriptions/listen",
        params: { notifications: { toolsListChanged: true } }
      })
      assert.deepInclude(lastMessageOf(yield* postMessage(message, headers)), { id: 9 })
    })
  )

  it.effect("the list of 2026-07-28 says how long it may be kept", () =>
    Effect.gen(function* () {
      const { headers, message } = toModernMessage({ jsonrpc: "2.0", id: 1, method: "tools/list" })
      assert.deepInclude(lastMessageOf(yield* postMessage(message, headers)).result, {
        ttlMs: MCP_LIST_FRESH_MS,
        cacheScope: "private"
      })
    })
  )

  it.effect("the rate-limit headers of a call are those of its response; of several calls, nobody's", () =>
    Effect.gen(function* () {
      const hasty = { authorization: "Bearer hasty" }
      const { headers, message } = toModernMessage(makeToolCall("search_entries"))
      for (const answered of [
        yield* postMessage(makeToolCall("search_entries"), hasty),
        yield* postMessage(message, { ...headers, ...hasty })
      ]) {
        assert.strictEqual(parseEnvelopes(answered)[0].error_code, 429)
        assert.deepInclude(Object.fromEntries(answered.headers), RATE_LIMIT_HEADERS)
      }
      const two = yield* postMessage(
        [makeToolCall("search_entries", {}, 1), makeToolCall("search_entries", {}, 2)],
        hasty
      )
      assert.isNull(two.headers.get("retry-after"))
    })
  )
})

for (const revision of ["2025", "2026-07-28"]) {
  layer(EchoEndpoint.layer)(`a client of ${revision} that goes away`, (it) => {
    it.effect("takes its running call with it", () =>
      Effect.gen(function* () {
        const { url, waitStarted: waiting, waitInterrupted: interrupted } = yield* EchoEndpoint
        const call = makeToolCall("wait_for_ever")
        const { headers, message } = revision === "2025" ? { headers: {}, message: call } : toModernMessage(call)
        yield* abortRequestWhen(url, Deferred.await(waiting), {
          method: "POST",
          headers: { ...JSON_HEADERS, accept: BOTH_MEDIA_TYPES, ...headers },
          body: JSON.stringify(message)
        })
        yield* Deferred.await(interrupted)
      })
    )
  })
}
