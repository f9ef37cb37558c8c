import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  type MessageOrReviewRule,
  renderInquiryText,
  renderStayText
} from "../../../../src/domain/automation/rules/rule-text.ts"
import { getMessageLimit } from "../../../../src/domain/channels/port/message-limits.ts"
import { MESSAGE_LENGTH, REVIEW_TEXT_LENGTH } from "../../../../src/platform/limits.ts"
import { makeStayFacts } from "../../../support/stay-facts.ts"

const message = (text: string) => ({
  name: "Welcome",
  action: "send_message" as const,
  trigger: { event: "booking" as const, when: "after" as const, hours: 0 },
  text
})

const review = (text: string) => ({
  name: "A review",
  action: "review" as const,
  trigger: { event: "check_out" as const, when: "after" as const, hours: 2 },
  score: 5,
  text
})

const said = (rule: MessageOrReviewRule, channel_type: string, gate: string) =>
  Result.map(
    renderStayText(rule, {
      stay: makeStayFacts({ channel_type, custom_fields: { gate } }),
      now: new Date("2027-05-04T14:30:00Z"),
      publicUrl: "https://pms.example.test"
    }),
    ({ text }) => text
  )

const refusalOf = (outcome: Result.Result<unknown, string>) =>
  Result.match(outcome, { onSuccess: () => "", onFailure: (why) => why })
const tooLong = (most: number) => new RegExp(` ${most} characters`)

describe("what a rule says", () => {
  it.each([
    ["ctrip", message("{{cf.gate}}"), getMessageLimit("ctrip")],
    ["airbnb", message("{{cf.gate}}"), getMessageLimit("airbnb")],
    ["direct", message("{{cf.gate}}"), MESSAGE_LENGTH],
    ["ctrip", review("{{cf.gate}}"), REVIEW_TEXT_LENGTH]
  ])("is as long as %s takes, counted in characters once everything is in it", (channelType, rule, most) => {
    const longest = "😀".repeat(most)
    assert.deepStrictEqual(said(rule, channelType, longest), Result.succeed(longest))
    assert.match(refusalOf(said(rule, channelType, `${longest}a`)), tooLong(most))
  })

  it("is nothing where a field is not known", () => {
    assert.match(refusalOf(said(message("{{cf.door}}"), "airbnb", "blue")), /^\{\{cf\.door\}\}: /)
  })

  it("is bounded to who inquires too", () => {
    const inquiry = (guest_name: string) => ({
      guest_name,
      host_name: "Harbour",
      channel_type: "agoda",
      property_id: null,
      title: null,
      address: null,
      check_in_date: null,
      check_out_date: null
    })
    const rule = { ...message("{{guest.name}}"), trigger: { event: "inquiry" as const } }
    const most = getMessageLimit("agoda")
    assert.deepStrictEqual(
      renderInquiryText(rule, inquiry("n".repeat(most))),
      Result.succeed({ text: "n".repeat(most), guide: [] })
    )
    assert.match(refusalOf(renderInquiryText(rule, inquiry("n".repeat(most + 1)))), tooLong(most))
  })
})
