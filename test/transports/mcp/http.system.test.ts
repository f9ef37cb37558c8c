import { request } from "node:http"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { BODY_BYTES, IMAGE_BODY_BYTES, JSON_DEPTH_MAX, JSON_PARTS_MAX } from "../../../src/platform/limits.ts"
import { EchoEndpoint, PUBLIC_URL } from "../../support/transports/mcp/echo-endpoint.ts"
import {
  BOTH_MEDIA_TYPES,
  JSON_HEADERS,
  lastMessageOf,
  makeToolCall,
  parseEnvelopes,
  postMessage,
  type RequestHeaders,
  rpcErrorOf,
  sendMcpRequest,
  toModernMessage
} from "../../support/transports/mcp/mcp-requests.ts"

// The endpoint as plain HTTP: who may speak, in which media types, and how much.

layer(EchoEndpoint.layer)("media types", (it) => {
  it.effect.each([
    { accept: "text/event-stream" },
    { accept: "text/*" },
    { accept: "text/event-stream;q=1, text/plain;q=0.5" },
    { accept: "*/*" },
    { accept: BOTH_MEDIA_TYPES }
  ])("a request of 2025 that accepts $accept gets an event stream", ({ accept }) =>
    Effect.gen(function* () {
      const answered = yield* postMessage(makeToolCall("search_entries"), { accept })
      assert.strictEqual(answered.status, 200)
      assert.strictEqual(answered.headers.get("content-type"), "text/event-stream")
      const { jsonrpc, id, result } = lastMessageOf(answered)
      assert.deepStrictEqual([jsonrpc, id], ["2.0", 1])
      assert.deepInclude(result, { isError: false })
      assert.strictEqual(parseEnvelopes(answered)[0].data.name, "search_entries")
    })
  )

  it.effect.each([
    { accept: "text/event-stream", type: "text/event-stream" },
    { accept: BOTH_MEDIA_TYPES, type: "application/json" },
    { accept: "application/json", type: "application/json" },
    { accept: "*/*", type: "application/json" }
  ])("a request of 2026-07-28 that accepts $accept gets $type", ({ accept, type }) =>
    Effect.gen(function* () {
      const { headers, message } = toModernMessage(makeToolCall("search_entries"))
      const answered = yield* postMessage(message, { ...headers, accept })
      assert.strictEqual(answered.status, 200)
      assert.strictEqual(answered.headers.get("content-type"), type)
      assert.strictEqual(parseEnvelopes(answered)[0].data.name, "search_entries")
    })
  )

  it.effect.each([{ accept: "application/json" }, { accept: "application/*;q=0.9" }])(
    "a request of 2025 that accepts $accept alone gets one JSON document",
    ({ accept }) =>
      Effect.gen(function* () {
        const answered = yield* postMessage(makeToolCall("search_entries"), { accept })
        assert.strictEqual(answered.status, 200)
        assert.strictEqual(answered.headers.get("content-type"), "application/json")
        assert.strictEqual(answered.headers.get("x-request-id"), parseEnvelopes(answered)[0].request_id)
        assert.strictEqual(parseEnvelopes(answered)[0].data.name, "search_entries")
        const batch = yield* postMessage(
          [makeToolCall("search_entries", {}, 1), makeToolCall("search_entries", {}, 2)],
          {
            accept
          }
        )
        assert.deepStrictEqual(
          JSON.parse(batch.body).map(({ id }: { readonly id: number }) => id),
          [1, 2]
        )
        const initialize = {
          jsonrpc: "2.0",
          id: 3,
          method: "initialize",
          params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
        }
        assert.deepInclude(lastMessageOf(yield* postMessage(initialize, { accept })).result, {
          protocolVersion: "2025-06-18"
        })
        const notified = yield* postMessage({ jsonrpc: "2.0", method: "notifications/initialized" }, { accept })
        assert.deepStrictEqual([notified.status, notified.body], [202, ""])
      })
  )

  it.effect("a request of 2025 for JSON alone stops its call when the client goes away", () =>
    Effect.gen(function* () {
      const { waitStarted: waiting, waitInterrupted: interrupted } = yield* EchoEndpoint
      const asking = yield* Effect.forkChild(postMessage(makeToolCall("wait_for_ever"), { accept: "application/json" }))
      yield* Deferred.await(waiting)
      yield* Fiber.interrupt(asking)
      yield* Deferred.await(interrupted)
    })
  )

  it.effect("a request of 2025 that accepts neither form is told what to accept", () =>
    Effect.gen(function* () {
      const answered = yield* postMessage(makeToolCall("search_entries"), { accept: "text/html" })
      assert.strictEqual(answered.status, 406)
      assert.include(rpcErrorOf(answered).message, "text/event-stream")
    })
  )

  it.effect("a tool that is not there is named in a short and printable way", () =>
    Effect.gen(function* () {
      const answered = yield* postMessage(makeToolCall(`\ud83d\u0000${"x".repeat(1000)}`))
      assert.strictEqual(rpcErrorOf(answered).message, `Unknown tool: \ufffd\ufffd${"x".repeat(48)}…`)
    })
  )

  it.effect("a body that is not UTF-8 is refused, and calls nothing", () =>
    Effect.gen(function* () {
      const body = Buffer.from(JSON.stringify(makeToolCall("search_entries", { keyword: "Caf@" })))
      body[body.indexOf("@")] = 0xe9
      const answered = yield* sendMcpRequest({
        method: "POST",
        headers: { ...JSON_HEADERS, accept: BOTH_MEDIA_TYPES },
        body
      })
      assert.strictEqual(answered.status, 400)
      assert.include(rpcErrorOf(answered).message, "UTF-8")
    })
  )

  it.effect("a body that is not JSON by its type is 415, and the connection lives on", () =>
    Effect.gen(function* () {
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"]) {
        const answered = yield* postMessage(makeToolCall("search_entries"), { "content-type": type })
        assert.strictEqual(answered.status, 415)
        assert.isNumber(rpcErrorOf(answered).code)
      }
      const answered = yield* postMessage(makeToolCall("search_entries"), {
        "content-type": "application/json; charset=utf-8"
      })
      assert.strictEqual(answered.status, 200)
    })
  )
})

layer(EchoEndpoint.layer)("who may speak", (it) => {
  const metadata = `resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp"`

  it.effect.each([{ method: "POST" }, { method: "GET" }, { method: "DELETE" }])(
    "$method without a token is 401 with the way to one",
    ({ method }) =>
      Effect.gen(function* () {
        const answered = yield* sendMcpRequest({ method, headers: {} })
        assert.strictEqual(answered.status, 401)
        assert.strictEqual(answered.headers.get("www-authenticate"), `Bearer realm="latchkey", ${metadata}`)
        assert.deepInclude(JSON.parse(answered.body), { error_code: 401, error_msg: "Invalid access token", data: {} })
      })
  )

  it.effect("a token that nobody knows is 401 and called invalid", () =>
    Effect.gen(function* () {
      const answered = yield* postMessage(makeToolCall("search_entries"), { authorization: "Bearer stranger" })
      assert.strictEqual(answered.status, 401)
      assert.strictEqual(
        answered.headers.get("www-authenticate"),
        `Bearer realm="latchkey", ${metadata}, error="invalid_token", error_description="Invalid access token"`
      )
    })
  )

  it.effect("the token may stand in either header of REST, its own first", () =>
    Effect.gen(function* () {
      const own = yield* postMessage(makeToolCall("search_entries"), {
        "service-access-token": "guest-own",
        authorization: "Bearer stranger"
      })
      assert.strictEqual(parseEnvelopes(own)[0].data.token, "guest-own")
      const wrong = yield* postMessage(makeToolCall("search_entries"), { "service-access-token": "stranger" })
      assert.strictEqual(wrong.status, 401)
    })
  )

  it.effect.each([
    { origin: "https://evil.example" },
    { origin: "http://localhost.evil.example" },
    { origin: "https://localhost:8080" },
    { origin: "null" },
    { origin: "nonsense" }
  ])("a page of $origin is 403, whatever token it has", ({ origin }) =>
    Effect.gen(function* () {
      const answered = yield* postMessage(makeToolCall("search_entries"), { origin })
      assert.strictEqual(answered.status, 403)
      assert.deepInclude(JSON.parse(answered.body), { error_code: 403, data: {} })
    })
  )

  it.effect.each([{ origin: PUBLIC_URL }, { origin: "http://127.0.0.1:6274" }, { origin: "http://[::1]:3000" }])(
    "a page of $origin may call",
    ({ origin }) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* postMessage(makeToolCall("search_entries"), { origin })).status, 200)
      })
  )

  it.effect.each([{ method: "GET" }, { method: "DELETE" }, { method: "PUT" }])(
    "$method with a token is 405: there is no session to read or end",
    ({ method }) =>
      Effect.gen(function* () {
        const answered = yield* sendMcpRequest({ method, headers: { ...JSON_HEADERS, accept: "text/event-stream" } })
        assert.strictEqual(answered.status, 405)
        assert.strictEqual(answered.headers.get("allow"), "POST")
        assert.strictEqual(
          answered.headers.get("www-authenticate"),
          method === "GET" ? `Bearer realm="latchkey", ${metadata}` : null
        )
        assert.isString(rpcErrorOf(answered).message)
      })
  )
})

const statusOf = Effect.fnUntraced(function* (options: { readonly method: string; readonly headers: RequestHeaders }) {
  const { url } = yield* EchoEndpoint
  // fetch refuses to send some methods, and says its own Host.
  return yield* Effect.callback<number | undefined>((resume) => {
    request(url, options, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode))
    }).end()
  })
})

layer(EchoEndpoint.layer)("names of the service", (it) => {
  it.effect.each([
    { host: "rebound.example", status: 403 },
    { host: "rebound.example:8080", status: 403 },
    { host: "localhost:8080", status: 405 },
    { host: "127.0.0.1", status: 405 }
  ])("a request to $host is answered with $status", ({ host, status }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* statusOf({ method: "GET", headers: { authorization: "Bearer alice", host } }), status)
    })
  )
})

layer(EchoEndpoint.layer)("odd methods", (it) => {
  it.effect.each([{ method: "TRACE" }, { method: "OPTIONS" }, { method: "HEAD" }, { method: "PROPFIND" }])(
    "$method is 405 like any other",
    ({ method }) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* statusOf({ method, headers: { authorization: "Bearer alice" } }), 405)
      })
  )
})

layer(EchoEndpoint.layer)("bodies", (it) => {
  it.effect.each([{ body: "" }, { body: "{" }, { body: "\u0000" }, { body: '{"jsonrpc":"2.0"' }])(
    "what is no JSON (%j) is a parse error",
    ({ body }) =>
      Effect.gen(function* () {
        const answered = yield* sendMcpRequest({
          method: "POST",
          headers: { ...JSON_HEADERS, accept: BOTH_MEDIA_TYPES },
          body
        })
        assert.strictEqual(answered.status, 400)
        assert.deepInclude(lastMessageOf(answered), { jsonrpc: "2.0", id: null })
        assert.strictEqual(rpcErrorOf(answered).code, -32700)
      })
  )

  it.effect.each([
    {
      body: `[${"[".repeat(JSON_DEPTH_MAX)}${"]".repeat(JSON_DEPTH_MAX)}]`,
      why: `must not be nested deeper than ${JSON_DEPTH_MAX} levels`
    },
    { body: `[0${",0".repeat(JSON_PARTS_MAX)}]`, why: `must not have more than ${JSON_PARTS_MAX} fields and elements` }
  ])("too much in one body is refused: it $why", ({ body, why }) =>
    Effect.gen(function* () {
      const answered = yield* sendMcpRequest({
        method: "POST",
        headers: { ...JSON_HEADERS, accept: BOTH_MEDIA_TYPES },
        body
      })
      assert.deepStrictEqual(
        [answered.status, rpcErrorOf(answered)],
        [400, { code: -32600, message: `The body ${why}.` }]
      )
    })
  )

  it.effect.each([
    { message: null },
    { message: 7 },
    { message: "tools/call" },
    { message: {} },
    { message: { id: 1 } }
  ])("JSON that is no message (%j) is a client error with a JSON-RPC body", ({ message }) =>
    Effect.gen(function* () {
      const answered = yield* postMessage(message)
      assert.strictEqual(answered.status, 400)
      assert.isNumber(rpcErrorOf(answered).code)
    })
  )

  /** A call of the tool whose message is exactly so many bytes long. */
  const sized = (name: string, field: string, bytes: number) => {
    const empty = JSON.stringify(makeToolCall(name, { [field]: "" }))
    return makeToolCall(name, { [field]: "a".repeat(bytes - empty.length) })
  }

  it.effect.each([
    { name: "create_entry", field: "note", most: BODY_BYTES },
    { name: "send_picture", field: "image", most: IMAGE_BODY_BYTES }
  ])("a call of $name may be $most bytes long and no longer", ({ name, field, most }) =>
    Effect.gen(function* () {
      const fits = yield* postMessage(sized(name, field, most))
      assert.strictEqual(parseEnvelopes(fits)[0].error_code, 0)
      const answered = yield* postMessage(sized(name, field, most + 1))
      assert.strictEqual(answered.status, 413)
      assert.deepStrictEqual([lastMessageOf(answered)["id"], rpcErrorOf(answered).code], [null, -32600])
      assert.include(rpcErrorOf(answered).message, `${most} bytes`)
    })
  )

  it.effect("a body without a declared length is cut off at the limit", () =>
    Effect.gen(function* () {
      const chunk = new TextEncoder().encode(" ".repeat(1024 * 1024))
      const body = ReadableStream.from(Array.from({ length: 21 }, () => chunk))
      // Undici streams a body only for who takes an answer before its end.
      const init = {
        method: "POST",
        headers: { ...JSON_HEADERS, accept: BOTH_MEDIA_TYPES },
        body,
        duplex: "half" as const
      }
      assert.strictEqual((yield* sendMcpRequest(init)).status, 413)
      assert.strictEqual((yield* postMessage(makeToolCall("search_entries"))).status, 200)
    })
  )
})
