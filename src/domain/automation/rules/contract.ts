import { Schema } from "effect"
import { Forbidden, NotFound, Unauthenticated } from "../../../contract/errors.ts"
import { Id, RecordCode } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { PageTotal, pageFields } from "../../../contract/page.ts"
import { TEMPLATE_FIELDS_MAX } from "../../../platform/limits.ts"
import { RuleState, ruleFields } from "./rule.ts"

// Automation rules are an extension of the specification.

export const AutomationRule = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the rule." }),
  ...ruleFields,
  state: RuleState.annotateKey({ documentation: "A `paused` rule does nothing." }),
  manageable: Schema.Boolean.annotateKey({
    documentation:
      "Whether the caller may change the rule. A connected application may change the rules that its connection created; the host may change all."
  }),
  active_since: Schema.String.annotateKey({
    documentation:
      "Time at which the rule was created or last resumed, ISO 8601 in UTC. Actions that were due before are not done."
  }),
  created_at: Schema.String.annotateKey({ documentation: "Time of creation, ISO 8601 in UTC." })
})
export type AutomationRule = typeof AutomationRule.Type

export const AutomationRuleTest = Schema.Struct({
  rule_id: Id.annotateKey({ documentation: "Id of the rule." }),
  stay_code: Schema.String.annotateKey({ documentation: "Code of the stay." }),
  state: RuleState.annotateKey({ documentation: "State of the rule. A `paused` rule does nothing." }),
  applies_to_stay: Schema.Boolean.annotateKey({
    documentation: "Whether property, channel, nights and status of the stay match the rule."
  }),
  scheduled_at: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Time at which the rule acts on the stay, ISO 8601 in UTC. Null if it never does."
  }),
  timeliness: Schema.NullOr(Schema.Literals(["early", "due", "late"])).annotateKey({
    documentation:
      "`early`: the time has not come. `due`: the rule would act now. `late`: the time has passed and the rule does not act. Null without a time."
  }),
  text: Schema.NullOr(Schema.String).annotateKey({
    documentation:
      "Text as the guest would read it. Null if a field is unknown. Only tokens of the main account show the door code and the address of the guest portal; for sub-accounts and applications the code and the end of the address are `••••`."
  }),
  reason: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Why the rule would do nothing. Null if it would act."
  }),
  guest_name: Schema.NullOr(Schema.String).annotateKey({ documentation: "Name of the guest, or null." }),
  channel_type: Schema.String.annotateKey({ documentation: "Channel of the stay." })
})
export type AutomationRuleTest = typeof AutomationRuleTest.Type

const operation = defineFamily({ category: "automation", since: "3.13.0", openWorld: false })

const exposure = {
  notATool: "a rule acts on every stay that it covers, so the host sets it up, by hand or with a program",
  extension: true
} as const

const RuleId = Id.annotateKey({ description: "Id of the rule, from list_automation_rules." })

export const list_automation_rules = operation("list_automation_rules", {
  route: "GET /automation/rules",
  summary: "List automation rules, oldest first",
  details: "Every caller of the operator sees all rules.",
  payload: pageFields,
  success: Schema.Struct({
    rules: Schema.Array(AutomationRule).annotateKey({ documentation: "Rules of the page, oldest first." }),
    total: PageTotal
  }),
  exposure
})

export const create_automation_rule = operation("create_automation_rule", {
  route: "POST /automation/rules",
  summary: "Create a rule that sends messages, reviews or answers automatically",
  details: `A rule cannot be edited: delete it and create another. A rule of a connected application is deleted when its connection ends. An operator has at most 100 rules, paused ones included; one more returns 422 and names \`automation_rule_limit\`.

The trigger has either \`hours\`, or \`days\` and \`at\`. An unknown field and a field of another action return 400.

Fields of templates:

- \`{{guest.name}}\`, \`{{guest.first_name}}\`, \`{{property.name}}\`, \`{{property.address}}\`, \`{{host.name}}\`
- \`{{stay.code}}\`, \`{{stay.check_in_date}}\`, \`{{stay.check_out_date}}\`, \`{{stay.check_in_time}}\`, \`{{stay.check_out_time}}\`, \`{{stay.nights}}\`, \`{{stay.guests}}\`
- \`{{stay.door_code}}\`, known only while the guest portal shows it, and \`{{stay.page}}\`, the address of the guest portal
- \`{{cf.gate}}\`, the custom field \`gate\` of the stay

A text for an inquiry has no fields of \`stay\` and \`cf\`. A text has at most ${TEMPLATE_FIELDS_MAX} fields; \`{{{{\` stands for two braces. If a field is unknown for a stay, or the text is too long for the channel, nothing is sent.

When the rule acts:

- An action that was due before the rule was created or resumed is not done.
- An action that is up to 24 hours late is done, a later one is skipped.
- A \`before\` action is skipped once its event has passed.
- An action that was due before the stay was booked is done at booking, unless its event has passed.
- A message without a conversation waits for one until it is late.
- A reservation gets one review, after its last stay.

How guests are answered:

- A message is answered at most once, and only within an hour after it was written.
- There is at least a minute between two answers in a conversation.
- After five answers in a row, a person of the host's side must write before the next one.
- A message of the host's side after the question means no answer.`,
  rejectsUnknownFields: true,
  payload: ruleFields,
  success: Schema.Struct({ rule_id: Id.annotateKey({ documentation: "Id of the new rule." }) }),
  errors: [NotFound, Unauthenticated],
  exposure
})

export const test_automation_rule = operation("test_automation_rule", {
  route: "POST /automation/rules/{id}/test",
  changesNothing: true,
  summary: "Test a rule on a stay; nothing is sent",
  details:
    "Shows when the rule would act on the stay and what it would send, as both are now. Nothing is sent and nothing changes. An unknown rule or stay returns 404.",
  payload: {
    id: RuleId,
    stay_code: RecordCode.annotateKey({ description: "Stay to test the rule on, from search_reservations." })
  },
  success: AutomationRuleTest,
  errors: [NotFound],
  exposure
})

const MANAGEABLE_ONLY =
  "A connected application may change only the rules that its own connection created; others return 403. An unknown rule returns 404."

const ruleChange = {
  payload: { id: RuleId },
  success: Schema.Struct({}),
  errors: [NotFound, Forbidden, Unauthenticated],
  exposure
} as const

export const pause_automation_rule = operation("pause_automation_rule", {
  ...ruleChange,
  route: "POST /automation/rules/{id}/pause",
  summary: "Pause a rule until it is resumed; its upcoming actions are dropped",
  details: `Pausing a paused rule changes nothing. ${MANAGEABLE_ONLY}`
})

export const resume_automation_rule = operation("resume_automation_rule", {
  ...ruleChange,
  route: "POST /automation/rules/{id}/resume",
  summary: "Resume a paused rule; actions missed during the pause are skipped",
  details: `Resuming an active rule changes nothing. ${MANAGEABLE_ONLY}`
})

export const delete_automation_rule = operation("delete_automation_rule", {
  ...ruleChange,
  route: "DELETE /automation/rules/{id}",
  summary: "Delete a rule and its upcoming actions",
  details: MANAGEABLE_ONLY
})

export const AutomationRuleOperations = {
  list_automation_rules,
  create_automation_rule,
  test_automation_rule,
  pause_automation_rule,
  resume_automation_rule,
  delete_automation_rule
}
