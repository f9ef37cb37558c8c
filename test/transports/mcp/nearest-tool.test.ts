import { assert, it } from "@effect/vitest"
import { operations } from "../../../src/service/Api.ts"
import { findNearestTool } from "../../../src/transports/mcp/nearest-tool.ts"
import { makeTools } from "../../../src/transports/mcp/tools.ts"

const tools = Array.from(makeTools(operations).keys())

it.each([
  ["remove_transaction", "delete_transaction"],
  ["remove_knowledge_base", "delete_knowledge_base"],
  ["delete_reservation", "cancel_reservation"],
  ["get_reservation", "search_reservations"],
  ["get_transaction", "search_transactions"],
  ["get_property", "search_properties"],
  ["find_listings", "search_listings"],
  ["get_task", "search_tasks"],
  ["list_staff", "query_staffs"],
  ["remove_staff", "delete_staff"],
  ["add_transaction", "create_transaction"],
  ["edit_task", "update_task"],
  ["Search_Reservation", "search_reservations"],
  // No word of doing: what is written alike.
  ["aprove_reservation", "approve_reservation"],
  ["paint_the_house", undefined],
  ["delete_everything", undefined],
  ["delete", undefined],
  ["", undefined]
] as const)("%s may stand for %s", (name, tool) => {
  assert.strictEqual(findNearestTool(name, tools), tool)
})
