import { Schema, Struct } from "effect"
import { Conflict, Forbidden, NotFound, Unauthenticated } from "../../../contract/errors.ts"
import { Id, RecordCode } from "../../../contract/fields.ts"
import { editPayloadFields } from "../../../contract/immutable-fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { PageTotal, pageFields } from "../../../contract/page.ts"
import { RULE_TRIAL_LISTED, RULE_TRIAL_STAYS, TEMPLATE_FIELDS_MAX } from "../../../platform/limits.ts"
import { RuleTaskContent } from "../../work/tasks/rule-tasks.ts"
import { editableRuleFields, RuleState, ruleFields } from "./rule.ts"

// Automation rules are an extension of the specification.

export const AutomationRule = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the rule." }),
  ...ruleFields,
  state: RuleState.annotateKey({ documentation: "A `paused` rule does nothing." }),
  version: Schema.Int.annotateKey({ documentation: "1 for a new rule. Each edit adds 1." }),
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
  task: Schema.NullOr(RuleTaskContent).annotateKey({
    documentation:
      "Values of the task that the rule creates for the stay, as search_tasks shows them. Null for other actions, and if the rule never acts."
  }),
  reason: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Why the rule would do nothing. Null if it would act."
  }),
  guest_name: Schema.NullOr(Schema.String).annotateKey({ documentation: "Name of the guest, or null." }),
  channel_type: Schema.String.annotateKey({ documentation: "Channel of the stay." })
})
export type AutomationRuleTest = typeof AutomationRuleTest.Type

const TrialStay = Schema.Struct({
  ...Struct.pick(AutomationRuleTest.fields, ["stay_code", "scheduled_at", "text", "task", "reason"]),
  guest_name: AutomationRuleTest.fields.guest_name,
  channel_type: AutomationRuleTest.fields.channel_type,
  property_id: Schema.NullOr(Id).annotateKey({ documentation: "Property of the stay, or null." }),
  property_title: Schema.NullOr(Schema.String).annotateKey({ documentation: "Title of the property, or null." })
})

const MORE_STAYS = "Number of further examined stays that this list leaves out."

export const AutomationRuleTrial = Schema.Struct({
  planned: Schema.Array(TrialStay).annotateKey({
    documentation: `Stays on which the rule would act, soonest first, at most ${RULE_TRIAL_LISTED}. \`reason\` is null.`
  }),
  more_planned: Schema.Int.annotateKey({ documentation: MORE_STAYS }),
  never: Schema.Array(TrialStay).annotateKey({
    documentation: `Stays that the rule covers but on which it would never act, at most ${RULE_TRIAL_LISTED}. \`reason\` says why.`
  }),
  more_never: Schema.Int.annotateKey({ documentation: MORE_STAYS }),
  more_stays: Schema.Int.annotateKey({
    documentation: `Number of covered stays that were not examined. The trial examines the ${RULE_TRIAL_STAYS} stays with the earliest check-out.`
  }),
  note: Schema.NullOr(Schema.String).annotateKey({
    documentation:
      "Says that the rule acts on guests' messages, so that no stays can be listed in advance. Null for other rules."
  })
})
export type AutomationRuleTrial = typeof AutomationRuleTrial.Type

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
  summary: "Create a rule that sends messages, reviews or answers, or creates tasks, automatically",
  details: `The rule is active at once. Call try_automation_rule first to see on which stays it would act. update_automation_rule changes it later. A rule of a connected application is deleted when its connection ends. An operator has at most 100 rules, paused ones included; one more returns 422 and names \`automation_rule_limit\`.

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

How the action \`task\` works:

- A stay gets one task of the rule as soon as it is accepted. The trigger sets the day and time of the task. The event is \`booking\`, \`check_in\` or \`check_out\`. A stay whose time has passed gets none.
- The task follows the dates, the times and the property of its stay. It is cancelled with the stay, and when the rule is paused, deleted or no longer covers the stay. It becomes pending again if the stay needs it again.
- A task that a person has edited, started, completed or cancelled keeps its values. If its stay then moves or is cancelled, its note gets a line that says so. There is no second task.
- A task that a person deletes is not created again.
- query_upcoming_automation_actions does not list tasks, and execute_automation_action returns 400 for them.
- The staff member of \`task.staff\` must exist (404), be active (422) and work in all \`property_ids\` of the rule (422). In a property where this person does not work, or once the person is inactive or deleted, new tasks are unassigned. A change of staff members alone does not change existing tasks.

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

export const try_automation_rule = operation("try_automation_rule", {
  route: "POST /automation/rules/trial",
  changesNothing: true,
  summary: "Show on which stays a new rule would act; nothing is stored",
  details: `Takes the fields of create_automation_rule, with the same errors, and shows what the rule would do if it were created now. Nothing is stored and nothing is sent.

The trial examines stays that the rule covers, with its properties, channels, nights and status. It shows them in two lists: \`planned\`, on which the rule would act, and \`never\`, on which it would never act. The reason is that the time has passed, a field of the text is unknown, the text is too long, or there is no conversation with the guest. The rule also acts on stays that are booked later; they are in no list.`,
  rejectsUnknownFields: true,
  payload: ruleFields,
  success: AutomationRuleTrial,
  errors: [NotFound],
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

export const update_automation_rule = operation("update_automation_rule", {
  route: "PATCH /automation/rules/{id}",
  summary: "Change a rule; its upcoming actions are planned again",
  details: `An omitted field keeps its value. A sent \`trigger\`, \`task\` or \`nights\` replaces the former one as a whole. A record of list_automation_rules can be sent back whole. Fields that cannot change, such as \`action\`, accept only their present values; other values return 422. The edited rule must be valid as create_automation_rule requires, but \`task.staff\` is only checked if it names another staff member than before.

- Each edit gives the rule the next \`version\`. An edit that changes nothing gives none.
- Upcoming actions are planned again, with the new time, text and conditions. Tasks that no person has changed get the new values.
- The rule sends nothing twice for the same stay. A skipped or deleted action is not planned again.
- \`active_since\` keeps its value. An action whose new time passed more than 24 hours ago is skipped.
- ${MANAGEABLE_ONLY}
- If other calls change the rule at the same time, the call may return 409: repeat it.`,
  rejectsUnknownFields: true,
  payload: editPayloadFields(AutomationRule, { id: RuleId, ...editableRuleFields }),
  success: Schema.Struct({ version: Schema.Int.annotateKey({ documentation: "Version of the rule after the edit." }) }),
  errors: [NotFound, Conflict, Forbidden, Unauthenticated],
  exposure
})

export const AutomationRuleOperations = {
  list_automation_rules,
  create_automation_rule,
  try_automation_rule,
  update_automation_rule,
  test_automation_rule,
  pause_automation_rule,
  resume_automation_rule,
  delete_automation_rule
}
