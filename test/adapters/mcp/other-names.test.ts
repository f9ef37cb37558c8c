import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { operations } from "../../../src/Api.ts"
import { otherNames } from "../../../src/adapters/mcp/other-names.ts"
import { toolFinder, toolsOf } from "../../../src/adapters/mcp/tools.ts"
import { Endpoint } from "./endpoint.ts"
import { envelopesOf, errorOf, lastOf, modern, post, toolCall } from "./requests.ts"

const tools = toolsOf(operations)
const names = otherNames(Array.from(tools.keys()))
const find = toolFinder(tools)

describe("other names of tools", () => {
  it("are none of a tool's own, and lead to tools", () => {
    assert.isAbove(names.size, 72)
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
  ])("%s is %s", (name, tool) => assert.strictEqual(find(name)?.listed.name, tool))

  it("stand for a read where they begin like one: none leads to what writes, but the calendars that are read by POST", () => {
    for (const [name, tool] of names) {
      if (!/^(search|query|get|list)_/.test(name) || tool === "search_listing_calendars") continue
      assert.isTrue(find(name)?.listed.annotations?.readOnlyHint, `${name} is ${tool}`)
    }
  })
})

layer(Endpoint.layer)("other names of tools", (it) => {
  it.effect("are called by the tool's own, and listed nowhere", () =>
    Effect.gen(function* () {
      const { headers, message } = modern(toolCall("query_entries"))
      for (const answered of [yield* post(toolCall("list_entries")), yield* post(message, headers)]) {
        assert.strictEqual(envelopesOf(answered)[0].data.name, "search_entries")
      }
      const { result } = lastOf(yield* post({ jsonrpc: "2.0", id: 1, method: "tools/list" }))
      assert.notInclude(JSON.stringify(result), "query_entries")
    })
  )

  it.effect("are none at all for what is far from every tool; what is near is named", () =>
    Effect.gen(function* () {
      assert.strictEqual(errorOf(yield* post(toolCall("paint_the_house"))).message, "Unknown tool: paint_the_house")
      const near = yield* post(toolCall("serch_entries"))
      assert.strictEqual(errorOf(near).message, "Unknown tool: serch_entries. Did you mean search_entries?")
    })
  )
})
