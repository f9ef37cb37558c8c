import { Schema } from "effect"
import { Forbidden, NotFound, Unauthenticated } from "../../../contract/errors.ts"
import { Id, RecordCode } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { pageFields } from "../../../contract/page.ts"
import { RuleState, ruleFields } from "./rule.ts"

// The automation rules of an operator (an extension). What the rules are about to do: ../contract.ts.

export const AutomationRule = Schema.Struct({
  id: Id,
  ...ruleFields,
  state: RuleState.annotateKey({ description: "A paused rule does nothing." }),
  manageable: Schema.Boolean.annotateKey({
    description:
      "False when an application calls that did not create the rule: it sees the rule and cannot change it. The host may change all."
  }),
  active_since: Schema.String.annotateKey({
    description: "When the rule was created or last resumed, ISO 8601 in UTC. It does nothing that was due before."
  }),
  created_at: Schema.String.annotateKey({ description: "ISO 8601 in UTC." })
})
export type AutomationRule = typeof AutomationRule.Type

/** What a rule would do of a stay, as both are now. */
export const AutomationRuleTest = Schema.Struct({
  rule_id: Id,
  stay_code: Schema.String,
  state: RuleState,
  applies_to_stay: Schema.Boolean.annotateKey({
    description: "Whether property, channel, nights and status of the stay match the rule."
  }),
  scheduled_at: Schema.NullOr(Schema.String).annotateKey({
    description: "When the rule acts on the stay, ISO 8601 in UTC; null if it never does."
  }),
  timeliness: Schema.NullOr(Schema.Literals(["early", "due", "late"])).annotateKey({
    description: "early: its time has not come; due: it would act now; late: its time has passed and it does not act."
  }),
  text: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The text with its fields filled in; null if a field is unknown. Only the main account reads the door code and the address of the guest portal; sub-accounts and applications read •••• in place of the code and of the end of the address."
  }),
  reason: Schema.NullOr(Schema.String).annotateKey({
    description: "Why the rule would do nothing; null if it would act."
  }),
  guest_name: Schema.NullOr(Schema.String),
  channel_type: Schema.String
})
export type AutomationRuleTest = typeof AutomationRuleTest.Type

const operation = defineFamily({ category: "automation", since: "3.13.0", openWorld: false })

const exposure = {
  notATool: "a rule acts on every stay that it covers, so the host sets it up, by hand or with a program",
  extension: true
} as const

export const list_automation_rules = operation("list_automation_rules", {
  route: "GET /automation/rules",
  summary: "List the automation rules, the oldest first",
  payload: pageFields,
  success: Schema.Struct({ rules: Schema.Array(AutomationRule), total: Schema.Int }),
  exposure
})

export const create_automation_rule = operation("create_automation_rule", {
  route: "POST /automation/rules",
  summary: "Create a rule that sends messages, reviews or answers automatically",
  rejectsUnknownFields: true,
  payload: ruleFields,
  success: Schema.Struct({ rule_id: Id }),
  errors: [NotFound, Unauthenticated],
  exposure
})

export const test_automation_rule = operation("test_automation_rule", {
  route: "POST /automation/rules/{id}/test",
  changesNothing: true,
  summary: "Show when a rule would act on a stay and what it would send; sends nothing",
  payload: { id: Id, stay_code: RecordCode },
  success: AutomationRuleTest,
  errors: [NotFound],
  exposure
})

const ruleChange = {
  payload: { id: Id },
  success: Schema.Struct({}),
  errors: [NotFound, Forbidden, Unauthenticated],
  exposure
} as const

export const pause_automation_rule = operation("pause_automation_rule", {
  ...ruleChange,
  route: "POST /automation/rules/{id}/pause",
  summary: "Pause a rule until it is resumed; what it was about to do is not done"
})

export const resume_automation_rule = operation("resume_automation_rule", {
  ...ruleChange,
  route: "POST /automation/rules/{id}/resume",
  summary: "Resume a paused rule; actions missed during the pause are skipped"
})

export const delete_automation_rule = operation("delete_automation_rule", {
  ...ruleChange,
  route: "DELETE /automation/rules/{id}",
  summary: "Delete a rule; what it was about to do is not done"
})

export const AutomationRuleOperations = {
  list_automation_rules,
  create_automation_rule,
  test_automation_rule,
  pause_automation_rule,
  resume_automation_rule,
  delete_automation_rule
}
