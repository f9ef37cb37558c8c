import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { operations } from "../../../src/service/Api.ts"
import { makeToolAliases, resolveArgumentAliases } from "../../../src/transports/mcp/aliases.ts"
import { makeToolLookup, makeTools } from "../../../src/transports/mcp/tools.ts"
import { insertConversation } from "../../support/conversations.ts"
import { fieldOfError } from "../../support/error-messages.ts"
import { createOperator } from "../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../support/http-server.ts"
import { insertChannelAccount } from "../../support/listings.ts"
import { EchoEndpoint } from "../../support/transports/mcp/echo-endpoint.ts"
import {
  lastMessageOf,
  makeToolCall,
  parseEnvelopes,
  postMessage,
  rpcErrorOf,
  toModernMessage
} from "../../support/transports/mcp/mcp-requests.ts"

const tools = makeTools(operations)
const names = makeToolAliases(Array.from(tools.keys()))
const find = makeToolLookup(tools)

describe("other names of tools", () => {
  it("each name a tool, and none is the own name of a tool", () => {
    assert.isAbove(names.size, tools.size)
    for (const [name, tool] of names) {
      assert.isFalse(tools.has(name), name)
      assert.isTrue(tools.has(tool), tool)
    }
  })

  it.each([
    ["search_staffs", "query_staffs"],
    ["search_conversations", "query_conversations"],
    ["search_custom_channels", "query_custom_channels"],
    ["query_reservations", "search_reservations"],
    ["list_transactions", "search_transactions"],
    ["search_availabilities", "get_property_availability"],
    ["search_pricing_ratios", "get_pricing_ratios"],
    ["update_reservation_checkin_details", "update_check_in_details"],
    ["search_upcoming_automation_actions", "query_upcoming_automation_actions"]
  ])("%s calls %s", (name, tool) => assert.strictEqual(find(name)?.definition.name, tool))

  it("that begin with search, query, get or list call a tool that only reads", () => {
    for (const [name, tool] of names) {
      // This tool only reads too, but its operation is a POST.
      if (!/^(search|query|get|list)_/.test(name) || tool === "search_listing_calendars") continue
      assert.isTrue(find(name)?.definition.annotations?.readOnlyHint, `${name} is ${tool}`)
    }
  })
})

describe("other names of arguments", () => {
  it.each(["get_conversation", "send_message"])("%s takes conversation_id for id", (tool) => {
    assert.property(tools.get(tool)?.definition.inputSchema.properties, "id")
    const argumentsOf = (fields: Record<string, unknown>) => {
      const { fields: own, error: refusal } = resolveArgumentAliases(tool, fields)
      return refusal === undefined ? own : fieldOfError({ error_msg: refusal.message })
    }
    assert.deepStrictEqual(argumentsOf({ conversation_id: "a", message: "x" }), { id: "a", message: "x" })
    assert.deepStrictEqual(argumentsOf({ id: "a", conversation_id: "a" }), { id: "a" })
    assert.deepStrictEqual(argumentsOf({ id: null, conversation_id: "a" }), { id: "a" })
    assert.deepStrictEqual(argumentsOf({ id: "a", conversation_id: null }), { id: "a" })
    assert.deepStrictEqual(argumentsOf({ id: "a" }), { id: "a" })
    assert.strictEqual(argumentsOf({ id: "a", conversation_id: "b" }), "conversation_id")
  })

  it("never replace an argument that a tool has itself", () => {
    for (const [name, { definition: listed }] of tools) {
      const known = Object.keys(Object(listed.inputSchema.properties))
      const { fields } = resolveArgumentAliases(name, Object.fromEntries(known.map((each) => [each, each])))
      assert.sameMembers(Object.keys(fields), known, name)
    }
  })
})

layer(layerHttpServer())("a conversation", (it) => {
  it.effect("is read and written by id and by conversation_id, and both count in its message window", () =>
    Effect.gen(function* () {
      const [base, { operatorId, token }] = [yield* BaseUrl, yield* createOperator()]
      const accountId = yield* insertChannelAccount(operatorId, { channelType: "airbnb" })
      const { code: id } = yield* insertConversation({ operatorId, accountId, channelType: "airbnb" })
      const { code: other } = yield* insertConversation({ operatorId, accountId, channelType: "airbnb" })
      const answerOf = (name: string, fields: object) =>
        Effect.promise(async () => {
          const response = await fetch(`${base}/mcp`, {
            method: "POST",
            headers: {
              authorization: `Bearer ${token}`,
              "content-type": "application/json",
              accept: "application/json"
            },
            body: JSON.stringify(makeToolCall(name, { ...fields }))
          })
          const { result }: { result: { content: ReadonlyArray<{ text: string }> } } = JSON.parse(await response.text())
          const { error_code, error_msg, data } = JSON.parse(result.content[0]?.text ?? "")
          return { error_code, error_msg, data, texts: result.content.length }
        })
      assert.deepInclude(yield* answerOf("send_message", { conversation_id: id, message: "1" }), {
        error_code: 0,
        texts: 1
      })
      assert.deepInclude(yield* answerOf("send_message", { id, conversation_id: id, message: "2" }), { error_code: 0 })
      const both = { id, conversation_id: other, message: "3" }
      const refused = yield* answerOf("send_message", both)
      assert.deepStrictEqual([refused.error_code, fieldOfError(refused)], [400, "conversation_id"])
      const read = yield* answerOf("get_conversation", { conversation_id: id })
      assert.deepStrictEqual(
        read.data.messages.map(({ content }: { content: string }) => content),
        ["2", "1"]
      )
      assert.strictEqual(fieldOfError(yield* answerOf("get_conversation", {})), "id")
      // The message window of a conversation admits five messages, whichever argument names the conversation.
      for (const nth of ["4", "5", "6"]) yield* answerOf("send_message", { conversation_id: id, message: nth })
      assert.strictEqual((yield* answerOf("send_message", { conversation_id: id, message: "7" })).error_code, 429)
    })
  )
})

layer(EchoEndpoint.layer)("a tool call", (it) => {
  it.effect("under another name reaches the tool, and tools/list does not show that name", () =>
    Effect.gen(function* () {
      const { headers, message } = toModernMessage(makeToolCall("query_entries"))
      for (const response of [yield* postMessage(makeToolCall("list_entries")), yield* postMessage(message, headers)]) {
        assert.strictEqual(parseEnvelopes(response)[0].data.name, "search_entries")
      }
      const { result } = lastMessageOf(yield* postMessage({ jsonrpc: "2.0", id: 1, method: "tools/list" }))
      assert.notInclude(JSON.stringify(result), "query_entries")
    })
  )

  it.effect("under an unknown name is an error that names the nearest tool, if one is near", () =>
    Effect.gen(function* () {
      assert.match(rpcErrorOf(yield* postMessage(makeToolCall("paint_the_house"))).message, /: paint_the_house$/)
      const near = yield* postMessage(makeToolCall("serch_entries"))
      assert.match(rpcErrorOf(near).message, /: serch_entries\..*\bsearch_entries\b/)
    })
  )
})
