import { Schema } from "effect"
import { Conflict, NotFound, NotImplemented, Upstream } from "../../contract/errors.ts"
import { Id, InstantText, RecordCode, textUpTo } from "../../contract/fields.ts"
import { IdsOrText } from "../../contract/id-list.ts"
import { defineFamily, toolMetadata } from "../../contract/operation.ts"
import { pageFields } from "../../contract/page.ts"
import { ACTION_KEYWORD_LENGTH, PLANNED_DAYS } from "../../platform/limits.ts"
import { ChannelTypesParameter } from "../channels/port/channel-types-parameter.ts"

// What rules are going to do (specification, "Knowledge base and automation"; contract facts 10.2).

export const AutomationActionType = Schema.Literals(["message", "review"])
export type AutomationActionType = typeof AutomationActionType.Type

export const AutomationAction = Schema.Struct({
  id: Id.annotateKey({ description: "Of the plan." }),
  type: AutomationActionType,
  name: Schema.String.annotateKey({ description: "Of the rule." }),
  send_to: Schema.String.annotateKey({ description: "The guest's name; empty where it is not known." }),
  stay_code: Schema.NullOr(Schema.String).annotateKey({
    description: "Null of an answer to somebody who has booked nothing."
  }),
  property_id: Schema.Int.annotateKey({ description: "0 while the stay is in no property." }),
  property_title: Schema.String.annotateKey({ description: "Empty without a property." }),
  scheduled_at: Schema.String.annotateKey({ description: "ISO 8601 on the host's clock, with its offset." }),
  channel_type: Schema.String
})
export type AutomationAction = typeof AutomationAction.Type

const operation = defineFamily({ category: "automation", since: "3.4.0", openWorld: false })

export const query_upcoming_automation_actions = operation("query_upcoming_automation_actions", {
  route: "GET /automation/actions",
  summary: "List what rules are about to do",
  payload: {
    type: AutomationActionType,
    keyword: Schema.optionalKey(textUpTo(ACTION_KEYWORD_LENGTH)),
    stay_code: Schema.optionalKey(RecordCode),
    property_ids: Schema.optionalKey(IdsOrText),
    start_time: Schema.optionalKey(InstantText),
    end_time: Schema.optionalKey(InstantText),
    channel_types: Schema.optionalKey(ChannelTypesParameter),
    ...pageFields
  },
  /** `total` is how many are answered. */
  success: Schema.Struct({ actions: Schema.Array(AutomationAction), total: Schema.Int }),
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
  payload: { plan_id: Id },
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
  summary: "Take an upcoming action away",
  payload: { plan_id: Id },
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
