import { assert, layer } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { MCP_LIST_FRESH_MS } from "../../../src/transports/mcp/server-factory.ts"
import { hangingUp } from "../../support/hanging-up.ts"
import { Endpoint, LIMITED_HEADERS } from "../../support/transports/mcp/endpoint.ts"
import {
  BOTH,
  envelopesOf,
  errorOf,
  JSON_BODY,
  lastOf,
  messagesOf,
  modern,
  post,
  toolCall
} from "../../support/transports/mcp/requests.ts"

// The endpoint as a speaker of JSON-RPC, in revision 2026-07-28 and those of 2025.

layer(Endpoint.layer)("messages", (it) => {
  it.effect.each([
    { asked: "2025-11-25", answered: "2025-11-25" },
    { asked: "2025-06-18", answered: "2025-06-18" },
    { asked: "2025-03-26", answered: "2025-03-26" },
    { asked: "2024-11-05", answered: "2024-11-05" },
    { asked: "1999-01-01", answered: "2025-11-25" }
  ])("initialize with $asked settles on $answered, without a session", ({ asked, answered }) =>
    Effect.gen(function* () {
      const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: "test", version: "1" } }
      const response = yield* post({ jsonrpc: "2.0", id: 0, method: "initialize", params })
      assert.deepInclude(lastOf(response).result, { protocolVersion: answered, capabilities: { tools: {} } })
      assert.isNull(response.headers.get("mcp-session-id"))
    })
  )

  it.effect("a notification is taken without a body", () =>
    Effect.gen(function* () {
      const { status, body } = yield* post({ jsonrpc: "2.0", method: "notifications/initialized" })
      assert.deepStrictEqual([status, body], [202, ""])
    })
  )

  it.effect("an unknown method is method not found", () =>
    Effect.gen(function* () {
      const message = { jsonrpc: "2.0", id: 5, method: "tools/explode" }
      const answered = yield* post(message)
      assert.deepStrictEqual([lastOf(answered)["id"], errorOf(answered).code], [5, -32601])
      const { headers, message: same } = modern(message)
      assert.strictEqual(errorOf(yield* post(same, headers)).code, -32601)
    })
  )

  it.effect.each([
    { message: { ...toolCall("x"), params: { name: "search_entries", arguments: [1] } } },
    { message: { ...toolCall("x"), params: { arguments: {} } } },
    { message: { jsonrpc: "2.0", id: 1, method: "tools/list", params: { cursor: "2" } } }
  ])("wrong parameters (%j) are invalid parameters", ({ message }) =>
    Effect.gen(function* () {
      assert.strictEqual(errorOf(yield* post(message)).code, -32602)
    })
  )

  it.effect("may have null for all parameters or for one of them, which counts as absent", () =>
    Effect.gen(function* () {
      const listing = yield* post({ jsonrpc: "2.0", id: 1, method: "tools/list", params: null })
      assert.property(lastOf(listing).result, "tools")
      const ping = yield* post({ jsonrpc: "2.0", id: 1, method: "ping", params: null })
      assert.deepStrictEqual(lastOf(ping).result, {})
      const page = yield* post({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { cursor: null, _meta: null } })
      assert.property(lastOf(page).result, "tools")
      const call = { ...toolCall("search_entries"), params: { name: "search_entries", arguments: null, _meta: null } }
      assert.strictEqual(envelopesOf(yield* post(call))[0].data.name, "search_entries")
      assert.lengthOf(messagesOf(yield* post([call, { jsonrpc: "2.0", id: 2, method: "ping", params: null }])), 2)
      const notification = yield* post({ jsonrpc: "2.0", method: "notifications/initialized", params: null })
      assert.strictEqual(notification.status, 202)
      const { headers } = modern(toolCall("search_entries"))
      const bare = yield* post({ jsonrpc: "2.0", id: 1, method: "tools/list", params: null }, headers)
      const absent = yield* post({ jsonrpc: "2.0", id: 1, method: "tools/list" }, headers)
      assert.deepStrictEqual(lastOf(bare), lastOf(absent))
    })
  )

  it.effect("a batch of 2025-03-26 is answered call by call", () =>
    Effect.gen(function* () {
      const answered = yield* post([
        toolCall("search_entries", { keyword: "one" }, 1),
        { jsonrpc: "2.0", method: "notifications/initialized" },
        toolCall("create_entry", { note: "two" }, 2)
      ])
      const params = envelopesOf(answered).map((envelope) => envelope.data.params)
      assert.sameMembers(params, ['{"keyword":"one"}', '{"note":"two"}'])
      assert.sameMembers(
        messagesOf(answered).map(({ id }) => id),
        [1, 2]
      )
    })
  )

  it.effect("a subscription ends at once: nothing here changes while it runs", () =>
    Effect.gen(function* () {
      const { headers, message } = modern({
        jsonrpc: "2.0",
        id: 9,
        method: "subscriptions/listen",
        params: { notifications: { toolsListChanged: true } }
      })
      assert.deepInclude(lastOf(yield* post(message, headers)), { id: 9 })
    })
  )

  it.effect("the list of 2026-07-28 says how long it may be kept", () =>
    Effect.gen(function* () {
      const { headers, message } = modern({ jsonrpc: "2.0", id: 1, method: "tools/list" })
      assert.deepInclude(lastOf(yield* post(message, headers)).result, {
        ttlMs: MCP_LIST_FRESH_MS,
        cacheScope: "private"
      })
    })
  )

  it.effect("the rate-limit headers of a call are those of its response; of several calls, nobody's", () =>
    Effect.gen(function* () {
      const hasty = { authorization: "Bearer hasty" }
      const { headers, message } = modern(toolCall("search_entries"))
      for (const answered of [
        yield* post(toolCall("search_entries"), hasty),
        yield* post(message, { ...headers, ...hasty })
      ]) {
        assert.strictEqual(envelopesOf(answered)[0].error_code, 429)
        assert.deepInclude(Object.fromEntries(answered.headers), LIMITED_HEADERS)
      }
      const two = yield* post([toolCall("search_entries", {}, 1), toolCall("search_entries", {}, 2)], hasty)
      assert.isNull(two.headers.get("retry-after"))
    })
  )
})

for (const revision of ["2025", "2026-07-28"]) {
  layer(Endpoint.layer)(`a client of ${revision} that goes away`, (it) => {
    it.effect("takes its running call with it", () =>
      Effect.gen(function* () {
        const { url, waiting, interrupted } = yield* Endpoint
        const call = toolCall("wait_for_ever")
        const { headers, message } = revision === "2025" ? { headers: {}, message: call } : modern(call)
        yield* hangingUp(url, Deferred.await(waiting), {
          method: "POST",
          headers: { ...JSON_BODY, accept: BOTH, ...headers },
          body: JSON.stringify(message)
        })
        yield* Deferred.await(interrupted)
      })
    )
  })
}
