import { assert, describe, it, layer } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Effect } from "effect"
import { isAllowedForReadOnlyToken, routeOf, toolMetadataOf } from "../../../src/contract/operation.ts"
import { CURRENT_VERSION } from "../../../src/contract/releases.ts"
import { operations } from "../../../src/service/Api.ts"
import { INSTRUCTIONS } from "../../../src/transports/mcp/server-factory.ts"
import { makeTools } from "../../../src/transports/mcp/tools.ts"
import { createOperator } from "../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../support/http-server.ts"
import {
  TOOL_CATALOGUE,
  TOOL_COUNTS_BY_CATEGORY,
  type ToolCatalogueRow
} from "../../support/transports/mcp/tool-catalogue.ts"

// What the specification's catalogue says of every tool, of the contracts and of what is really listed.

const declared: ReadonlyArray<ToolCatalogueRow> = operations.flatMap((operation) => {
  const [{ method, path }, card] = [routeOf(operation), toolMetadataOf(operation)]
  if (card === undefined) return []
  const { category, since, requiresConfirmation } = card
  return [
    {
      name: operation._tag,
      route: `${method} ${path}`,
      category,
      since,
      readOnly: isAllowedForReadOnlyToken(operation),
      requiresConfirmation
    }
  ]
})

const byName = (rows: ReadonlyArray<ToolCatalogueRow>) =>
  rows.toSorted((one, other) => (one.name < other.name ? -1 : 1))

describe("the tools of the contracts", () => {
  it("are those of the catalogue", () => assert.deepStrictEqual(byName(declared), byName(TOOL_CATALOGUE)))

  it("add up, a category and in all", () => {
    const totals: Record<string, [number, number, number, number]> = {}
    for (const { category, readOnly, requiresConfirmation } of declared) {
      totals[category] ??= [0, 0, 0, 0]
      totals[category][0] += 1
      totals[category][readOnly ? 1 : 2] += 1
      if (requiresConfirmation) totals[category][3] += 1
    }
    assert.deepStrictEqual(totals, { ...TOOL_COUNTS_BY_CATEGORY })
    const all = Object.values(totals).reduce<ReadonlyArray<number>>(
      (sum, each) => sum.map((count, at) => count + (each[at] ?? 0)),
      [0, 0, 0, 0]
    )
    assert.deepStrictEqual(all, [72, 27, 45, 31])
  })

  it("come with instructions of fewer than 300 tokens of four bytes", () => {
    assert.isBelow(Buffer.byteLength(INSTRUCTIONS) / 4, 300)
  })
})

const listedTo = (token: string) =>
  Effect.gen(function* () {
    const client = new Client({ name: "test", version: "1" })
    const requestInit = { headers: { authorization: `Bearer ${token}` } }
    const transport = new StreamableHTTPClientTransport(new URL(`${yield* BaseUrl}/mcp`), { requestInit })
    yield* Effect.promise(() => client.connect(transport))
    const { tools } = yield* Effect.promise(() => client.listTools())
    const server = client.getServerVersion()
    yield* Effect.promise(() => client.close())
    return { tools, server }
  })

layer(layerHttpServer())("the tools that are listed", (it) => {
  it.effect("are the 72 to a writable token, each with what the catalogue says of it and nothing more", () =>
    Effect.gen(function* () {
      const { tools, server } = yield* listedTo((yield* createOperator()).token)
      assert.strictEqual(server?.version, CURRENT_VERSION)
      assert.strictEqual(tools.length, 72)
      for (const { name, description = "", annotations, inputSchema, _meta = {} } of tools) {
        const row = TOOL_CATALOGUE.find((each) => each.name === name)
        const { intent_examples, ...meta } = _meta
        assert.deepStrictEqual(meta, {
          category: row?.category,
          since_version: row?.since,
          requires_confirmation: row?.requiresConfirmation,
          read_only: row?.readOnly
        })
        assert.isNotEmpty(intent_examples)
        assert.isNotEmpty(description)
        assert.strictEqual(annotations?.readOnlyHint, row?.readOnly)
        assert.sameMembers(Object.keys(annotations ?? {}), [
          "readOnlyHint",
          "destructiveHint",
          "idempotentHint",
          "openWorldHint"
        ])
        assert.strictEqual(inputSchema.additionalProperties, false)
      }
    })
  )

  it.effect("are the 27 that read to a read-only token, and a write called by its name is 401 to it", () =>
    Effect.gen(function* () {
      const { readOnlyToken } = yield* createOperator()
      const { tools } = yield* listedTo(readOnlyToken)
      assert.deepStrictEqual(
        tools.map(({ name }) => name).toSorted(),
        TOOL_CATALOGUE.flatMap(({ name, readOnly }) => (readOnly ? [name] : [])).toSorted()
      )
    })
  )

  it.effect("are listed to who may do nothing for now as well", () =>
    Effect.gen(function* () {
      const lapsed = yield* createOperator({ subscriptionUntil: new Date("1969-01-01") })
      assert.strictEqual((yield* listedTo(lapsed.token)).tools.length, 72)
    })
  )
})

it("a tool's argument has the form of its deployment", () => {
  const mobileIn = (deployment: "international" | "regional") =>
    Object(makeTools(operations, deployment).get("create_staff")?.definition.inputSchema["properties"]).mobile
      .description
  assert.strictEqual(mobileIn("international"), "+<country code> <number>, as +49 15112345678")
  assert.strictEqual(mobileIn("regional"), "a telephone number, as 13800138000")
})
