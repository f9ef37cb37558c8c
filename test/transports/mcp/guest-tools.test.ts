import { assert, it } from "@effect/vitest"
import { operations } from "../../../src/service/Api.ts"
import { makeTools } from "../../../src/transports/mcp/tools.ts"

// The tools for talking with guests, as the catalogue has them: category, read_only, requires_confirmation, since_version.
const CATALOGUE = {
  search_reviews: ["reservation", true, false, "3.4.0"],
  create_review: ["reservation", false, true, "3.4.0"],
  search_special_offers: ["reservation", true, false, "3.7.0"],
  send_special_offer: ["reservation", false, true, "3.7.0"],
  send_preapproval: ["reservation", false, true, "3.7.0"],
  withdraw_special_offer: ["reservation", false, false, "3.7.0"],
  query_conversations: ["messaging", true, false, "3.4.0"],
  get_conversation: ["messaging", true, false, "3.4.0"],
  send_message: ["messaging", false, true, "3.4.0"],
  update_conversation_note: ["messaging", false, false, "3.5.0"]
} as const

const tools = makeTools(operations)

for (const [name, [category, read_only, requires_confirmation, since_version]] of Object.entries(CATALOGUE)) {
  it(`${name} is listed with the card the catalogue gives it`, () => {
    const listed = tools.get(name)?.definition
    assert.deepInclude(listed?._meta, { category, read_only, requires_confirmation, since_version })
    assert.isNotEmpty(listed?.description)
    assert.isNotEmpty(listed?._meta?.["intent_examples"])
  })
}
