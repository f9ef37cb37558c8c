import { assert, layer } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect, type Scope } from "effect"
import { EchoEndpoint, WAIT_FOR_ALL_CALLS } from "../../support/transports/mcp/echo-endpoint.ts"

// The endpoint as the two official clients meet it, each revision of the protocol it serves.

interface Tool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: unknown
  readonly annotations?: unknown
  readonly _meta?: unknown
}

/** What the tests use of any client. */
interface Peer {
  readonly ping: () => Promise<unknown>
  readonly listTools: () => Promise<{ readonly tools: ReadonlyArray<Tool> }>
  readonly callTool: (call: { name: string; arguments?: Record<string, unknown> }) => Promise<Record<string, unknown>>
  readonly getServerVersion: () => { readonly name: string; readonly version: string } | undefined
  readonly getInstructions: () => string | undefined
  readonly close: () => Promise<void>
}

const IDENTITY = { name: "test", version: "1" }

const bearer = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } })

const connect2 = (mode: "legacy" | "auto" | { pin: string }) => async (url: URL, token: string) => {
  const client = new Client(IDENTITY, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(url, bearer(token)))
  return client
}

const connect1 = async (url: URL, token: string) => {
  const client = new Client1(IDENTITY)
  await client.connect(new Transport1(url, bearer(token)))
  return client
}

const clients: ReadonlyArray<{
  readonly title: string
  readonly connect: (url: URL, token: string) => Promise<Peer>
  readonly has: { readonly ping: boolean }
}> = [
  { title: "client 2.4.0, pinned to 2026-07-28", connect: connect2({ pin: "2026-07-28" }), has: { ping: false } },
  { title: "client 2.4.0, negotiating", connect: connect2("auto"), has: { ping: false } },
  { title: "client 2.4.0, revisions of 2025", connect: connect2("legacy"), has: { ping: true } },
  { title: "sdk 1.32.2", connect: connect1, has: { ping: true } }
]

for (const { title, connect, has } of clients) {
  const connected = (token: string): Effect.Effect<Peer, never, EchoEndpoint | Scope.Scope> =>
    Effect.acquireRelease(
      Effect.flatMap(EchoEndpoint, ({ url }) => Effect.promise(() => connect(url, token))),
      (peer) => Effect.promise(() => peer.close())
    )
  const call = (peer: Peer, name: string, fields?: Record<string, unknown>) =>
    Effect.promise(() => peer.callTool(fields === undefined ? { name } : { name, arguments: fields }))

  layer(EchoEndpoint.layer)(title, (it) => {
    it.effect("connects and learns whom it speaks with", () =>
      Effect.gen(function* () {
        const peer = yield* connected("alice")
        assert.strictEqual(peer.getServerVersion()?.name, "latchkey")
        assert.match(peer.getServerVersion()?.version ?? "", /^3\.\d+\.\d+$/)
        assert.include(peer.getInstructions(), "error_code")
      })
    )

    if (has.ping) {
      it.effect("pings", () =>
        Effect.gen(function* () {
          const peer = yield* connected("alice")
          assert.deepStrictEqual(yield* Effect.promise(() => peer.ping()), {})
        })
      )
    }

    it.effect("lists what the token reaches: a read-only one nothing that writes", () =>
      Effect.gen(function* () {
        const peer = yield* connected("reader")
        const { tools } = yield* Effect.promise(() => peer.listTools())
        assert.deepStrictEqual(
          tools.map(({ name }) => name),
          ["search_entries", "wait_for_all", "wait_for_ever", "fill_answer"]
        )
      })
    )

    it.effect("lists every exposed operation with its card", () =>
      Effect.gen(function* () {
        const peer = yield* connected("alice")
        const { tools } = yield* Effect.promise(() => peer.listTools())
        assert.deepStrictEqual(
          tools.map((tool) => tool.name),
          [
            "search_entries",
            "create_entry",
            "delete_entry",
            "send_picture",
            "wait_for_all",
            "wait_for_ever",
            "fill_answer"
          ]
        )
        assert.deepStrictEqual(tools[0], {
          name: "search_entries",
          title: "Search entries",
          description: "Works with entries.",
          inputSchema: {
            type: "object",
            properties: {
              keyword: { type: "string", maxLength: 500 },
              id: { type: "integer", minimum: 1 }
            },
            additionalProperties: false
          },
          annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
          _meta: {
            category: "finance",
            read_only: true,
            requires_confirmation: false,
            since_version: "3.4.0",
            intent_examples: ["What did I earn in May?", "Show the cleaning costs"]
          }
        })
        assert.deepStrictEqual(
          [tools[1]?.annotations, tools[2]?.annotations],
          [
            { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
            { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true }
          ]
        )
        // What its card says goes before what its method would.
        assert.deepInclude(tools[3]?.annotations, { destructiveHint: true, idempotentHint: true })
        assert.deepInclude(tools[1]?._meta, { read_only: false, requires_confirmation: true })
      })
    )

    it.effect("carries a success as the text of the envelope, and nothing beside it", () =>
      Effect.gen(function* () {
        const peer = yield* connected("alice")
        const { _meta = {}, ...result } = yield* call(peer, "create_entry", { note: 'Wäsche 洗濯 \u2028 "quoted"' })
        const fields = { note: 'Wäsche 洗濯 \u2028 "quoted"' }
        assert.deepStrictEqual(result, {
          content: [
            {
              type: "text",
              text: JSON.stringify({
                request_id: "RT20270507100000ECHO0000",
                error_code: 0,
                error_msg: "",
                data: {
                  token: "alice",
                  name: "create_entry",
                  door: "mcp",
                  params: JSON.stringify(fields),
                  input: JSON.stringify({ encoding: "json", fields })
                }
              })
            }
          ],
          isError: false
        })
        // The newer revision names the server in every result.
        assert.includeMembers(["io.modelcontextprotocol/serverInfo"], Object.keys(Object(_meta)))
      })
    )

    it.effect("calls a tool without arguments with none", () =>
      Effect.gen(function* () {
        const peer = yield* connected("alice")
        for (const fields of [undefined, {}]) {
          const { data } = envelopeIn(yield* call(peer, "search_entries", fields))
          assert.deepInclude(data, {
            name: "search_entries",
            params: "{}",
            input: JSON.stringify({ encoding: "json", fields: {} })
          })
        }
      })
    )

    it.effect("tells of arguments nobody knows in a text of its own, and hands them on as they are", () =>
      Effect.gen(function* () {
        const peer = yield* connected("alice")
        const fields = { keywords: "x", colour: "red" }
        const { content } = yield* call(peer, "search_entries", fields)
        const [envelope, told, ...more] = Array.isArray(content) ? content : []
        assert.strictEqual(told.type, "text")
        assert.match(told.text, /^Ignored: keywords, colour\..*\bkeyword\?$/)
        assert.lengthOf(more, 0)
        assert.strictEqual(JSON.parse(envelope.text).data.params, JSON.stringify(fields))
        const refused = yield* call(yield* connected("lapsed"), "search_entries", fields)
        // Nothing is looked at of a call that was not let in.
        assert.lengthOf(Array.isArray(refused.content) ? refused.content : [], 1)
      })
    )

    it.effect.each([
      { token: "reader", error_code: 401, error_msg: "Not authorized for this action" },
      { token: "lapsed", error_code: 420, error_msg: "Subscription expired" },
      { token: "hasty", error_code: 429, error_msg: "Too Many Attempts." }
    ])("carries the refusal of $token as an error of the tool", ({ token, error_code, error_msg }) =>
      Effect.gen(function* () {
        const peer = yield* connected(token)
        const result = yield* call(peer, "create_entry", { note: "x" })
        assert.strictEqual(result.isError, true)
        const { request_id, ...envelope } = envelopeIn(result)
        assert.deepStrictEqual(envelope, { error_code, error_msg, data: {} })
        assert.strictEqual(request_id, "RT20270507100000FAILED00")
      })
    )

    it.effect("refuses a tool that is not there, or not exposed, as invalid parameters", () =>
      Effect.gen(function* () {
        const peer = yield* connected("alice")
        for (const name of ["no_such_tool", "rotate_secret"]) {
          const error = yield* Effect.flip(
            Effect.tryPromise({ try: () => peer.callTool({ name }), catch: (cause) => cause })
          )
          assert.deepInclude(error, { code: -32602 })
        }
      })
    )

    it.effect(`answers ${WAIT_FOR_ALL_CALLS} callers at once, each with their own`, () =>
      Effect.gen(function* () {
        const tokens = Array.from({ length: WAIT_FOR_ALL_CALLS }, (_, index) => `guest-${index}`)
        const heard = yield* Effect.forEach(
          tokens,
          (token) =>
            Effect.gen(function* () {
              const peer = yield* connected(token)
              const { data } = envelopeIn(yield* call(peer, "wait_for_all", { mine: token }))
              return [data.token, data.params]
            }),
          { concurrency: WAIT_FOR_ALL_CALLS }
        )
        assert.deepStrictEqual(
          heard,
          tokens.map((token) => [token, JSON.stringify({ mine: token })])
        )
      })
    )

    it.effect("does not get in without a known token", () =>
      Effect.gen(function* () {
        const { url } = yield* EchoEndpoint
        const error = yield* Effect.flip(Effect.tryPromise({ try: () => connect(url, "stranger"), catch: String }))
        assert.match(error, /401|Invalid access token/)
      })
    )
  })
}

interface Envelope {
  readonly request_id: string
  readonly error_code: number
  readonly error_msg: string
  readonly data: Readonly<Record<string, string>>
}

const envelopeIn = (result: Record<string, unknown>): Envelope => {
  const [block, ...more] = Array.isArray(result.content) ? result.content : []
  assert.deepStrictEqual([block?.type, more], ["text", []])
  return JSON.parse(block.text)
}
