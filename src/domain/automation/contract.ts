import { Schema } from "effect"
import { Conflict, NotFound, NotImplemented, Upstream } from "../../contract/errors.ts"
import { Id, InstantText, RecordCode, textUpTo } from "../../contract/fields.ts"
import { IdsOrText } from "../../contract/id-list.ts"
import { defineFamily, toolMetadata } from "../../contract/operation.ts"
import { pageFields } from "../../contract/page.ts"
import { ACTION_KEYWORD_LENGTH, PLANNED_DAYS } from "../../platform/limits.ts"
import { ChannelTypesParameter } from "../channels/port/channel-types-parameter.ts"

// Specification, "Knowledge base and automation"; contract facts 10.2.

export const AutomationActionType = Schema.Literals(["message", "review"])
export type AutomationActionType = typeof AutomationActionType.Type

export const AutomationAction = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the action, the `plan_id` of the other operations." }),
  type: AutomationActionType.annotateKey({
    documentation: "`message`: a message to the guest. `review`: a review of the guest."
  }),
  name: Schema.String.annotateKey({
    documentation: "Name of the rule. Empty for an answer to a guest's question."
  }),
  send_to: Schema.String.annotateKey({ documentation: "Name of the guest. Empty if it is unknown." }),
  stay_code: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Code of the stay. Null for an answer to a guest's question."
  }),
  property_id: Schema.Int.annotateKey({ documentation: "Property of the stay. 0 without a stay or a property." }),
  property_title: Schema.String.annotateKey({
    documentation: "Title of the property. Empty without a stay or a property."
  }),
  scheduled_at: Schema.String.annotateKey({
    documentation: "Time at which the action runs, ISO 8601 with the offset of the host's time zone."
  }),
  channel_type: Schema.String.annotateKey({ documentation: "Channel of the reservation or conversation." })
})
export type AutomationAction = typeof AutomationAction.Type

const PlanId = Id.annotateKey({
  description: "From query_upcoming_automation_actions.",
  documentation: "Id of the action, from query_upcoming_automation_actions."
})

const operation = defineFamily({ category: "automation", since: "3.4.0", openWorld: false })

export const query_upcoming_automation_actions = operation("query_upcoming_automation_actions", {
  route: "GET /automation/actions",
  summary: "List upcoming actions of the automation rules",
  details:
    "Every account of the operator sees the same actions. Answers to guests that wait for their time are listed as messages. An unknown property or stay returns 404.",
  payload: {
    type: AutomationActionType.annotateKey({ documentation: "Kind of actions to list." }),
    keyword: Schema.optionalKey(textUpTo(ACTION_KEYWORD_LENGTH)).annotateKey({
      description: "In rule name, guest name, property title or stay code.",
      documentation: "Part of the rule's name, guest's name, property's title or stay code, in any case."
    }),
    stay_code: Schema.optionalKey(RecordCode).annotateKey({
      description: "Finds actions of this stay. From search_reservations."
    }),
    property_ids: Schema.optionalKey(IdsOrText).annotateKey({
      documentation: "Finds actions of stays in these properties. Ids separated by commas, or a list."
    }),
    start_time: Schema.optionalKey(InstantText).annotateKey({
      documentation:
        "First scheduled time, included to the second, ISO 8601. Without an offset it is in the host's time zone."
    }),
    end_time: Schema.optionalKey(InstantText).annotateKey({
      description: "As start_time.",
      documentation:
        "Last scheduled time, included to the second, ISO 8601. Without an offset it is in the host's time zone."
    }),
    channel_types: Schema.optionalKey(ChannelTypesParameter).annotateKey({
      documentation: "Finds actions on these channels. Channel types separated by commas, or a list."
    }),
    ...pageFields
  },
  success: Schema.Struct({
    actions: Schema.Array(AutomationAction).annotateKey({ documentation: "Actions of the page, soonest first." }),
    total: Schema.Int.annotateKey({ documentation: "Number of actions in this response, not on all pages." })
  }),
  errors: [NotFound],
  exposure: toolMetadata(
    `Lists the messages, or the reviews, that the host's rules will send in the next ${PLANNED_DAYS} days, soonest first. An id is the plan_id of the other automation tools.`,
    ["Which messages go out tomorrow?", "Who will be reviewed this week?"],
    false
  )
})

export const execute_automation_action = operation("execute_automation_action", {
  route: "POST /automation/actions/{plan_id}/execute",
  summary: "Run an upcoming action now",
  details: `The action runs whatever its time, and is not run again.

- An action that is no longer pending returns 404.
- An answer to a guest's question returns 400; use send_message.
- A review before the day of check-out, in the host's time zone, returns 400.
- A template with a field that is unknown for the stay returns 400. So does a text that is too long for the channel.
- Without a conversation with the guest the call returns 409. So does a conversation with too many queued messages.
- A review fails as create_review does.`,
  payload: { plan_id: PlanId },
  success: Schema.Struct({}),
  errors: [NotFound, Conflict, NotImplemented, Upstream],
  exposure: toolMetadata(
    "Runs an upcoming action now: the guest gets the message, or is reviewed; it cannot be taken back. Reviews only from check-out on.",
    ["Send Ada's arrival message now"],
    true,
    { openWorld: true, destructive: true }
  )
})

export const delete_automation_action = operation("delete_automation_action", {
  route: "DELETE /automation/actions/{plan_id}",
  summary: "Delete an upcoming action",
  details: "The action is not planned again for this stay. An action that is no longer pending returns 404.",
  payload: { plan_id: PlanId },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    "Takes an upcoming action away: it is not run, for this stay. Its rule goes on for other stays.",
    ["Don't review the Lovelaces"],
    true
  )
})

export const AutomationOperations = {
  query_upcoming_automation_actions,
  execute_automation_action,
  delete_automation_action
}
