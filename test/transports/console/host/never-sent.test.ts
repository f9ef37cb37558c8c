import { assert, describe, it } from "@effect/vitest"
import type { StoredRule } from "../../../../src/domain/automation/rules/rule.ts"
import { findNeverSentReasons } from "../../../../src/transports/console/host/automation/never-sent.ts"

const RULE: StoredRule = {
  operator_id: 1,
  id: 7,
  definition: {
    name: "Before arrival",
    action: "send_message",
    trigger: { event: "check_in", when: "before", hours: 24 },
    text: "See you."
  },
  state: "active",
  version: 1,
  since: new Date(0),
  created_at: new Date(0)
}
const RULE_BOOK = { connected_channels: ["airbnb", "vrbo"], inactive_property_ids: [3], text_lengths: {} }

const withFields = (fields: Pick<StoredRule["definition"], "property_ids" | "channel_types">): StoredRule => ({
  ...RULE,
  definition: { ...RULE.definition, ...fields }
})

describe("the reasons why a rule would send nothing", () => {
  it("are none for an active rule with a connected channel", () => {
    assert.deepStrictEqual(findNeverSentReasons(RULE, RULE_BOOK), [])
    assert.deepStrictEqual(findNeverSentReasons(withFields({ property_ids: [3, 4] }), RULE_BOOK), [])
  })

  it("name a pause, channels that are not connected, and inactive properties", () => {
    assert.deepStrictEqual(findNeverSentReasons({ ...RULE, state: "paused" }, RULE_BOOK), ["The rule is paused."])
    assert.deepStrictEqual(findNeverSentReasons(withFields({ channel_types: ["expedia"] }), RULE_BOOK), [
      "Expedia: not connected."
    ])
    assert.deepStrictEqual(findNeverSentReasons(RULE, { ...RULE_BOOK, connected_channels: [] }), [
      "No channel is connected."
    ])
    assert.deepStrictEqual(findNeverSentReasons(withFields({ property_ids: [3] }), RULE_BOOK), [
      "All its properties are inactive."
    ])
  })

  it("name each channel for which the text is too long", () => {
    const reasonsAt = (length: number) => findNeverSentReasons(RULE, { ...RULE_BOOK, text_lengths: { 7: length } })
    assert.deepStrictEqual(reasonsAt(5_000), [])
    assert.deepStrictEqual(reasonsAt(5_001), ["Vrbo: the text has 5,001 characters, 5,000 max."])
  })
})
