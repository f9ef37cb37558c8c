import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parseRuleDefinition } from "../../../../src/domain/automation/rules/rule-parser.ts"
import {
  AUTOMATION_RULE_NIGHTS,
  MESSAGE_LENGTH,
  REVIEW_TEXT_LENGTH,
  RULE_NAME_LENGTH,
  RULE_PROPERTIES_MAX,
  RULE_TRIGGER_DAYS,
  RULE_TRIGGER_HOURS
} from "../../../../src/platform/limits.ts"

const MESSAGE = {
  name: "Before arrival",
  action: "send_message",
  trigger: { event: "check_in", when: "before", hours: 24 },
  text: "See you tomorrow, {{guest.first_name}}."
}
const REVIEW = {
  name: "A review",
  action: "review",
  trigger: { event: "check_out", when: "after", days: 1, at: "10:00" },
  score: 5,
  text: "A pleasure."
}
const TASK = {
  name: "Cleaning",
  action: "task",
  trigger: { event: "check_out", when: "after", hours: 0 },
  task: { type: "cleaning" }
}
const ANSWER = { name: "Answers", action: "answer" }

const read = (written: unknown) => Effect.runPromise(Effect.result(parseRuleDefinition(written)))
const rule = (written: unknown): Promise<unknown> => Effect.runPromise(parseRuleDefinition(written))
const refusal = async (written: unknown) => {
  const result = await read(written)
  return result._tag === "Failure"
    ? `${result.failure._tag} ${result.failure.message}`
    : `read: ${JSON.stringify(result.success)}`
}

describe("what a host writes", () => {
  it.each([
    [MESSAGE],
    [REVIEW],
    [{ ...REVIEW, trigger: { event: "check_out", when: "after", hours: 0 }, score: 1 }],
    [ANSWER],
    [{ ...ANSWER, property_ids: [1, 2], channel_types: ["airbnb", "direct"], nights: { min: 2, max: 2 } }],
    [{ ...MESSAGE, trigger: { event: "check_out", when: "before", days: 0, at: "09:00" }, nights: { min: 2 } }],
    [{ ...MESSAGE, trigger: { event: "booking", when: "after", hours: 0 } }],
    [{ ...MESSAGE, trigger: { event: "booking", when: "after", days: 1, at: "23:59" } }],
    [{ ...MESSAGE, trigger: { event: "request", when: "after", hours: 1 } }],
    [{ ...MESSAGE, trigger: { event: "inquiry" }, text: "Dear {{guest.name}}, {{property.name}} of {{host.name}}" }]
  ])("is a rule: %j", async (written) => {
    assert.deepStrictEqual(await rule(written), written)
  })

  it("keeps a name without the blanks around it", async () => {
    assert.deepStrictEqual(await rule({ ...ANSWER, name: " Answers " }), ANSWER)
  })

  it.each([
    [
      { ...TASK, task: { type: "cleaning", staff: "Marta" } },
      /^ValidationFailed task\.staff: must be property, the id of a staff member, or null\.$/
    ],
    [
      { ...TASK, task: { type: "cleaning", staff: true } },
      /^BadRequest task\.staff: must be property, the id of a staff member, or null\.$/
    ],
    [null, /^BadRequest .*an object/],
    [[], /^BadRequest .*an object/],
    [{}, /^BadRequest action: .*required/],
    [{ ...MESSAGE, action: "call" }, /^ValidationFailed action: .*send_message, review, answer/],
    [{ ...MESSAGE, name: "" }, /^ValidationFailed name: .*empty/],
    [{ ...MESSAGE, name: "a\nb" }, new RegExp(`^ValidationFailed name: .*${RULE_NAME_LENGTH}`)],
    [{ ...MESSAGE, trigger: undefined }, /^BadRequest trigger: .*an object/],
    [{ ...MESSAGE, trigger: {} }, /^BadRequest trigger\.event: .*required/],
    [
      { ...MESSAGE, trigger: { event: "payment" } },
      /^ValidationFailed trigger\.event: .*booking, check_in, check_out, inquiry, request/
    ],
    [
      { ...MESSAGE, trigger: { event: "booking", when: "before", hours: 1 } },
      /^ValidationFailed trigger\.when: .*after/
    ],
    [
      { ...MESSAGE, trigger: { event: "request", when: "before", hours: 1 } },
      /^ValidationFailed trigger\.when: .*after/
    ],
    [
      { ...MESSAGE, trigger: { event: "request", when: "after", days: 1, at: "09:00" } },
      /^BadRequest trigger\.days: .* trigger\.at: /
    ],
    [
      { ...MESSAGE, trigger: { event: "check_in", when: "before", hours: 1, at: "09:00" } },
      /^BadRequest trigger: .*hours.*days/
    ],
    [{ ...MESSAGE, trigger: { event: "check_in", when: "before" } }, /^BadRequest trigger\.hours: .*required/],
    [{ ...MESSAGE, trigger: { event: "check_in", when: "before", days: 1 } }, /^BadRequest trigger\.at: .*required/],
    [
      { ...MESSAGE, trigger: { event: "check_in", when: "before", at: "09:00" } },
      /^BadRequest trigger\.days: .*required/
    ],
    [
      { ...MESSAGE, trigger: { event: "check_in", when: "before", hours: 1.5 } },
      /^BadRequest trigger\.hours: .*a whole number/
    ],
    [
      { ...MESSAGE, trigger: { event: "check_in", when: "before", hours: -1 } },
      new RegExp(`^ValidationFailed trigger\\.hours: .*0 to ${RULE_TRIGGER_HOURS}`)
    ],
    [
      { ...MESSAGE, trigger: { event: "check_in", when: "before", days: 1, at: "24:00" } },
      /^BadRequest trigger\.at: .*09:00/
    ],
    [
      { ...REVIEW, trigger: { event: "check_in", when: "after", hours: 1 } },
      /^ValidationFailed trigger\.event: .*check_out/
    ],
    [
      { ...REVIEW, trigger: { event: "check_out", when: "before", hours: 1 } },
      /^ValidationFailed trigger\.when: .*after/
    ],
    [{ ...REVIEW, score: 0 }, /^ValidationFailed score: .*1 to 5/],
    [{ ...REVIEW, score: 4.5 }, /^BadRequest score: .*a whole number/],
    [{ ...MESSAGE, text: " \n" }, /^ValidationFailed text: .*empty/],
    [{ ...MESSAGE, text: "{{guest.nane}}" }, /^ValidationFailed text: \{\{guest\.nane\}\}: .*unknown/],
    [{ ...MESSAGE, text: "half \ud800" }, /^ValidationFailed text: .*surrogate/],
    [
      { ...MESSAGE, trigger: { event: "inquiry" }, text: "{{stay.door_code}}" },
      /^ValidationFailed text: \{\{stay\.door_code\}\}.*inquiry/
    ],
    [{ ...ANSWER, text: "Hello" }, /^BadRequest text: is not a field of the action "answer"\.$/],
    [{ ...MESSAGE, property_id: [1], score: 5 }, /^BadRequest property_id: .* score: /],
    [{ ...MESSAGE, trigger: { ...MESSAGE.trigger, day: 1 } }, /^BadRequest trigger\.day: .*unknown/],
    [{ ...MESSAGE, nights: { least: 2 } }, /^BadRequest nights\.least: .*unknown/],
    [{ ...MESSAGE, nights: {} }, /^ValidationFailed nights: .*min, max/],
    [{ ...MESSAGE, nights: { min: 3, max: 2 } }, /^ValidationFailed nights\.min: .*above/],
    [{ ...MESSAGE, property_ids: [] }, /^ValidationFailed property_ids: .*empty/],
    [{ ...MESSAGE, property_ids: ["1"] }, /^BadRequest property_ids\[0\]: .*a number/],
    [{ ...MESSAGE, property_ids: [0] }, /^ValidationFailed property_ids\[0\]: .*positive/],
    [{ ...MESSAGE, channel_types: [] }, /^ValidationFailed channel_types: .*empty/]
  ])("is refused, and told why: %j", async (written, why) => {
    assert.match(await refusal(written), why)
  })

  it("names a channel type that there is not", async () => {
    assert.match(
      await refusal({ ...ANSWER, channel_types: ["airbnb", "ebay"] }),
      /^ValidationFailed channel_types\[1\]: must be one of airbnb, /
    )
  })

  it.each([
    ["name", RULE_NAME_LENGTH, (most: number) => ({ ...ANSWER, name: "n".repeat(most) })],
    ["text", MESSAGE_LENGTH, (most: number) => ({ ...MESSAGE, text: "😀".repeat(most) })],
    ["text", REVIEW_TEXT_LENGTH, (most: number) => ({ ...REVIEW, text: "t".repeat(most) })],
    ["trigger.hours", RULE_TRIGGER_HOURS, (hours: number) => ({ ...MESSAGE, trigger: { ...MESSAGE.trigger, hours } })],
    ["trigger.days", RULE_TRIGGER_DAYS, (days: number) => ({ ...REVIEW, trigger: { ...REVIEW.trigger, days } })],
    ["nights.min", AUTOMATION_RULE_NIGHTS, (min: number) => ({ ...ANSWER, nights: { min } })],
    ["nights.max", AUTOMATION_RULE_NIGHTS, (max: number) => ({ ...ANSWER, nights: { max } })],
    ["score", 5, (score: number) => ({ ...REVIEW, score })],
    [
      "property_ids",
      RULE_PROPERTIES_MAX,
      (most: number) => ({ ...ANSWER, property_ids: Array.from({ length: most }, () => 1) })
    ]
  ])("has a bound: %s of %i", async (field, most, written) => {
    assert.strictEqual((await read(written(most)))._tag, "Success")
    assert.match(await refusal(written(most + 1)), new RegExp(`^ValidationFailed ${field}: `))
  })
})
