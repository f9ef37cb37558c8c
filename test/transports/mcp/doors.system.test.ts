import { assert, layer } from "@effect/vitest"
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv"
import { Effect } from "effect"
import { isAllowedForReadOnlyToken, toolMetadataOf } from "../../../src/contract/operation.ts"
import { operations } from "../../../src/service/Api.ts"
import { makeTools } from "../../../src/transports/mcp/tools.ts"
import { fieldOfError } from "../../support/error-messages.ts"
import { createOperator, insertProperty } from "../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../support/http-server.ts"

// The two doors of the real service, side by side.

const tools = makeTools(operations)

const rest = (path: string, token: string, body?: object) =>
  Effect.flatMap(BaseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}/v3${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return { text: await response.text(), headers: response.headers }
    })
  )

/** As the specification's clients call: an event stream alone is accepted, and nothing is negotiated. */
const mcp = (name: string, token: string, fields: object) =>
  Effect.flatMap(BaseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}/mcp`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "text/event-stream"
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: fields } })
      })
      assert.deepStrictEqual([response.status, response.headers.get("content-type")], [200, "text/event-stream"])
      const events = (await response.text()).split("\n").filter((line) => line.startsWith("data: "))
      const { content, isError } = JSON.parse(events.at(-1)?.slice("data: ".length) ?? "{}").result
      assert.lengthOf(content, 1)
      assert.strictEqual(content[0].type, "text")
      return { text: String(content[0].text), isError, headers: response.headers }
    })
  )

const withoutId = (text: string): string => text.replace(/"request_id":"[^"]*"/, '"request_id":""')

const entry = { direction: "income", amount: 35.5, currency: "EUR", item_id: 11, payment_method_id: 197 }

layer(layerHttpServer())("REST and MCP", (it) => {
  it.effect("answer a reading call with the same bytes", () =>
    Effect.gen(function* () {
      const { operatorId, token, readOnlyToken } = yield* createOperator()
      const property_id = yield* insertProperty(operatorId, "Hafen 1 – Löwe")
      const created = yield* mcp("create_transaction", token, { ...entry, property_id, note: "Wäsche \u2028" })
      assert.isFalse(created.isError)
      const { transaction_id: id } = JSON.parse(created.text).data
      const here = yield* mcp("search_transactions", readOnlyToken, { id })
      const there = yield* rest(`/transactions?id=${id}`, readOnlyToken)
      assert.include(here.text, "Löwe")
      assert.strictEqual(withoutId(here.text), withoutId(there.text))
      assert.isFalse(here.isError)
    })
  )

  it.effect("read a list as JSON text over MCP, and refuse it over REST", () =>
    Effect.gen(function* () {
      const { operatorId, token } = yield* createOperator()
      const property = yield* insertProperty(operatorId, "Harbour 1")
      const days = { available: true, start_date: "1970-01-02", end_date: "1970-01-02" }
      const fields = { property_ids: `[${property}]`, ...days }
      const toolAnswer = yield* mcp("update_availabilities", token, fields)
      assert.deepInclude(JSON.parse(toolAnswer.text), { error_code: 0, error_msg: "" })
      assert.isFalse(toolAnswer.isError)
      const restAnswer = yield* rest("/availabilities", token, fields)
      const refused = JSON.parse(restAnswer.text)
      assert.deepStrictEqual([refused.error_code, fieldOfError(refused)], [400, "property_ids"])
    })
  )

  it.effect("answer a failing call with the same bytes, which MCP calls an error", () =>
    Effect.gen(function* () {
      const { token, readOnlyToken } = yield* createOperator()
      const lapsed = yield* createOperator({ subscriptionUntil: new Date("1969-01-01") })
      for (const [code, who, fields] of [
        [400, token, {}],
        [422, token, { ...entry, amount: -1 }],
        [401, readOnlyToken, {}],
        [420, lapsed.token, {}]
      ] as const) {
        const here = yield* mcp("create_transaction", who, fields)
        const there = yield* rest("/transactions", who, fields)
        assert.strictEqual(JSON.parse(here.text).error_code, code)
        assert.strictEqual(withoutId(here.text), withoutId(there.text))
        assert.isTrue(here.isError)
      }
    })
  )

  it.effect("know the same tokens; MCP turns strangers away before a call", () =>
    Effect.gen(function* () {
      const base = yield* BaseUrl
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
      const headers = { authorization: "Bearer lk_unknown", "content-type": "application/json" }
      const response = yield* Effect.promise(() => fetch(`${base}/mcp`, { method: "POST", headers, body }))
      assert.strictEqual(response.status, 401)
      assert.include(response.headers.get("www-authenticate"), "resource_metadata=")
      const there = yield* rest("/income_items", "lk_unknown")
      assert.strictEqual(withoutId(yield* Effect.promise(() => response.text())), withoutId(there.text))
    })
  )

  it.effect("count in the same windows and say so in the same headers", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const here = yield* mcp("query_income_items", token, {})
      const there = yield* rest("/income_items", token)
      const names = (headers: Headers) =>
        [...headers.keys()].filter((name) => /^(x-ratelimit|ratelimit|x-request)/.test(name))
      assert.includeMembers(names(there.headers), ["x-request-id"])
      assert.deepStrictEqual(names(here.headers), names(there.headers))
      assert.strictEqual(here.headers.get("x-request-id"), JSON.parse(here.text).request_id)
    })
  )

  for (const [name, { definition: listed }] of tools) {
    it.effect(`${name} is a tool an agent can use`, () =>
      Effect.sync(() => {
        const operation = operations.find(({ _tag }) => _tag === name)
        assert.match(name, /^[a-z]+(_[a-z]+)*$/)
        assert.isAbove(listed.description?.length ?? 0, 20)
        assert.strictEqual(
          listed.annotations?.readOnlyHint,
          operation !== undefined && isAllowedForReadOnlyToken(operation)
        )
        // Compiles by itself: nothing it refers to is missing.
        const accepts = new AjvJsonSchemaValidator().getValidator(JSON.parse(JSON.stringify(listed.inputSchema)))
        assert.isFalse(accepts("no object").valid)
        assert.isTrue(accepts({}).valid || listed.inputSchema.required !== undefined)
      })
    )
  }

  it.effect("offer the same operations, but for those that say why not", () =>
    Effect.sync(() => {
      const exposed = operations.filter((operation) => toolMetadataOf(operation) !== undefined)
      assert.sameMembers(
        [...tools.keys()],
        exposed.map((operation) => operation._tag)
      )
    })
  )
})
