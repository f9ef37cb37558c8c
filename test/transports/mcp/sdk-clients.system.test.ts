import { assert, layer } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Context, Effect, Layer, Predicate } from "effect"
import { makeInputDecoder } from "../../../src/contract/input.ts"
import { isChange, routeOf } from "../../../src/contract/operation.ts"
import { describeOperations, type OperationDescription } from "../../../src/transports/docs/operation-descriptions.ts"
import { BaseUrl, layerHttpServer } from "../../support/http-server.ts"
import {
  COMPANION_FIELDS,
  makeSampleFields,
  payloadFieldsOf,
  tokenOperations
} from "../../support/operation-samples.ts"
import { findSampleValue, makeSampleWorld, type SampleWorld } from "../../support/sample-world.ts"

// Both official clients call every tool, at one process after the other: what they send fits the schema that they were shown, and
// what they are answered is what REST answers, byte for byte.

/** A second process on the same database: nothing of a client is remembered by the first alone. */
class OtherUrl extends Context.Service<OtherUrl, string>()("latchkey/test/OtherUrl") {
  static readonly layer = Layer.effect(OtherUrl, BaseUrl).pipe(Layer.provide(Layer.fresh(layerHttpServer())))
}

/** What reads needs no records of its own. */
class Ground extends Context.Service<Ground, SampleWorld>()("latchkey/test/mcp/Ground") {
  static readonly layer = Layer.effect(Ground, makeSampleWorld)
}

interface Asked {
  readonly name: string
  readonly arguments: Record<string, unknown>
  readonly _meta: Record<string, unknown>
}

const headersOf = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } })

/** The schema a tool is listed with, and what it answers, at two processes: connected at the first, called at the second. */
interface Heard {
  readonly tools: ReadonlyArray<{ readonly name: string; readonly inputSchema: object }>
  readonly content: unknown
  readonly isError: unknown
}

type Agent = (urls: readonly [string, string], token: string, asked: Asked) => Promise<Heard>

const asAgent: Readonly<Record<"older" | "newer", Agent>> = {
  older: async ([first, second], token, asked) => {
    const client = new OlderClient({ name: "test", version: "1" })
    let url = first
    const transport = new OlderTransport(new URL(`${first}/mcp`), {
      ...headersOf(token),
      fetch: (target, init) => fetch(String(target).replace(first, url), init)
    })
    // Its class says `sessionId?: string` where the interface that it is of says `string | undefined`.
    await client.connect(transport as unknown as Parameters<typeof client.connect>[0])
    const { tools } = await client.listTools()
    url = second
    const { content, isError } = await client.callTool(asked)
    await client.close()
    return { tools, content, isError }
  },
  newer: async ([first, second], token, asked) => {
    const client = new Client({ name: "test", version: "1" })
    let url = first
    const transport = new StreamableHTTPClientTransport(new URL(`${first}/mcp`), {
      ...headersOf(token),
      fetch: (target, init) => fetch(String(target).replace(first, url), init)
    })
    await client.connect(transport)
    const { tools } = await client.listTools()
    url = second
    const { content, isError } = await client.callTool(asked)
    await client.close()
    return { tools, content, isError }
  }
}

const restOf = async (
  base: string,
  token: string,
  { method, path, fields }: OperationDescription,
  sent: Asked["arguments"],
  key: string
) => {
  const placed = (place: string) => fields.filter((each) => each.location === place && each.name in sent)
  const target = path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => encodeURIComponent(String(sent[name])))
  const query = new URLSearchParams(placed("query").map(({ name }): [string, string] => [name, String(sent[name])]))
  const body = Object.fromEntries(placed("body").map(({ name }) => [name, sent[name]]))
  const response = await fetch(`${base}/v3${target}?${query.toString()}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
    ...(method === "GET" || method === "DELETE" ? {} : { body: JSON.stringify(body) })
  })
  return response.text()
}

const withoutId = (text: string): string => text.replace(/"request_id":"[^"]*"/, '"request_id":""')

const textOf = (content: unknown): string => {
  const [first] = Array.isArray(content) ? content : []
  return String(first?.text)
}

const ajv = new Ajv2020({ strict: false, validateFormats: false })

const tools = describeOperations().filter(({ tool }) => tool !== undefined)

layer(Layer.mergeAll(Ground.layer, OtherUrl.layer).pipe(Layer.provideMerge(layerHttpServer())))(
  "an official client of MCP",
  (it) => {
    it("has 72 tools to call", () => assert.lengthOf(tools, 72))

    it.effect("has tools that also read a list argument from JSON text", () =>
      Effect.gen(function* () {
        const world = yield* Ground
        const textOfLists = (value: unknown): unknown => {
          if (Array.isArray(value)) return JSON.stringify(value.map(textOfLists))
          if (!Predicate.isObject(value)) return value
          return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, textOfLists(each)]))
        }
        const sentAsText = new Set<string>()
        for (const { name } of tools) {
          const operation = tokenOperations.find(({ _tag }) => _tag === name)
          if (operation === undefined) return assert.fail(name)
          const lists = payloadFieldsOf(operation).flatMap(([field]) =>
            Array.isArray(findSampleValue(world, operation, field)) ? [field] : []
          )
          const decode = makeInputDecoder(operation.payloadSchema, routeOf(operation))
          const read = (fields: unknown) => Effect.map(decode({ encoding: "json", fields }, {}), JSON.stringify)
          for (const field of lists) {
            const fields = makeSampleFields(operation, world, [...COMPANION_FIELDS, field])
            assert.strictEqual(yield* read(textOfLists(fields)), yield* read(fields), `${name} ${field}`)
            sentAsText.add(name)
          }
        }
        assert.isAbove(sentAsText.size, 15)
      })
    )

    tools.forEach((described, at) => {
      const { name } = described
      it.effect(`calls ${name}`, () =>
        Effect.gen(function* () {
          const operation = tokenOperations.find(({ _tag }) => _tag === name)
          if (operation === undefined) return assert.fail(name)
          const world = isChange(operation) ? yield* makeSampleWorld : yield* Ground
          const [here, there] = [yield* BaseUrl, yield* OtherUrl]
          const shown = Object.keys(Object(described.inputSchema["properties"]))
          const made = { ...makeSampleFields(operation, world, COMPANION_FIELDS), ...world.edits[name] }
          const fields = Object.fromEntries(
            Object.entries(made).filter(([field, value]) => value !== null && shown.includes(field))
          )
          const key = `sdk-${name}-${world.operatorId}`
          const asked = { name, arguments: fields, _meta: { "latchkey/idempotency-key": key } }
          const call = at % 2 === 0 ? asAgent.older : asAgent.newer
          const agent = yield* Effect.promise(() => call([here, there], world.token, asked))
          const listed = agent.tools.find((tool) => tool.name === name)
          assert.isTrue(ajv.validate(listed?.inputSchema ?? false, fields), `${name}: ${ajv.errorsText()}`)
          const rest = yield* Effect.promise(() => restOf(here, world.token, described, fields, key))
          assert.strictEqual(withoutId(textOf(agent.content)), withoutId(rest))
          assert.isNotTrue(agent.isError, rest)
        })
      )
    })
  }
)
