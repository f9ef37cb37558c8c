import { Schema } from "effect"
import {
  hasAtMostCharacters,
  hourAndMinute,
  Id,
  Integer,
  MUST_NOT_BE_EMPTY,
  narrowingField
} from "../../../contract/fields.ts"
import { nameUpTo } from "../../../contract/names.ts"
import {
  AUTOMATION_RULE_NIGHTS,
  MESSAGE_LENGTH,
  REVIEW_TEXT_LENGTH,
  RULE_NAME_LENGTH,
  RULE_PROPERTIES_MAX,
  RULE_TRIGGER_DAYS,
  RULE_TRIGGER_HOURS
} from "../../../platform/limits.ts"
import { ChannelType } from "../../channels/port/channel-type.ts"
import { TaskLevel, TaskType } from "../../work/tasks/contract.ts"

const integerUpTo = (most: number, expected: string) =>
  Integer.check(Schema.isBetween({ minimum: 0, maximum: most }, { expected }))

const Hours = integerUpTo(RULE_TRIGGER_HOURS, `a number of hours from 0 to ${RULE_TRIGGER_HOURS}`)
const Days = integerUpTo(RULE_TRIGGER_DAYS, `a number of days from 0 to ${RULE_TRIGGER_DAYS}`)

const TriggerTime = hourAndMinute("09:00")

const BeforeOrAfter = Schema.Literals(["before", "after"])
const After = Schema.Literals(["after"])

const hoursTrigger = <Event extends string, When extends Schema.Top>(events: ReadonlyArray<Event>, when: When) =>
  Schema.Struct({ event: Schema.Literals(events), when, hours: Hours })

/** 0 `days` means the day of the event. */
const daysTrigger = <Event extends string, When extends Schema.Top>(events: ReadonlyArray<Event>, when: When) =>
  Schema.Struct({ event: Schema.Literals(events), when, days: Days, at: TriggerTime })

export const StayHoursTrigger = hoursTrigger(["check_in", "check_out"], BeforeOrAfter)
/** For tasks, which only accepted stays have. */
export const AcceptedBookingHoursTrigger = hoursTrigger(["booking"], After)
/** `request`: an order that waits for the host's decision. */
export const BookingHoursTrigger = hoursTrigger(["booking", "request"], After)
export const StayDaysTrigger = daysTrigger(["check_in", "check_out"], BeforeOrAfter)
export const BookingDaysTrigger = daysTrigger(["booking"], After)

export const CheckOutHoursTrigger = hoursTrigger(["check_out"], After)
export const CheckOutDaysTrigger = daysTrigger(["check_out"], After)

export const StayTrigger = Schema.Union([StayHoursTrigger, BookingHoursTrigger, StayDaysTrigger, BookingDaysTrigger])
export type StayTrigger = typeof StayTrigger.Type

/** The first message of a guest without a booking. */
export const InquiryTrigger = Schema.Struct({ event: Schema.Literals(["inquiry"]) })

const NightCount = integerUpTo(AUTOMATION_RULE_NIGHTS, `a number of nights from 0 to ${AUTOMATION_RULE_NIGHTS}`)

const NightsRange = Schema.Struct({
  min: Schema.optionalKey(NightCount).annotateKey({ description: "Fewest nights, included. Default: no minimum." }),
  max: Schema.optionalKey(NightCount).annotateKey({ description: "Most nights, included. Default: no maximum." })
})

const nonEmptyListUpTo = <Item extends Schema.Top>(item: Item, most: number) =>
  Schema.Array(item).check(
    Schema.isMinLength(1, { expected: "a list that is not empty" }),
    Schema.isMaxLength(most, { expected: `a list of at most ${most}` })
  )

const scopeFields = {
  property_ids: narrowingField(nonEmptyListUpTo(Id, RULE_PROPERTIES_MAX)).annotateKey({
    description: "Covers only stays in these properties. Omitted: all stays, also unassigned ones."
  }),
  channel_types: narrowingField(nonEmptyListUpTo(ChannelType, ChannelType.literals.length)).annotateKey({
    description: "Covers only these channels. Omitted: all channels."
  }),
  nights: narrowingField(NightsRange).annotateKey({
    description:
      "Covers only stays of this length, with `min`, `max` or both. Omitted: any length, also inquiries without dates."
  })
}

const RuleName = nameUpTo(RULE_NAME_LENGTH)

export const RuleAction = Schema.Literals(["send_message", "review", "answer", "task"])
export type RuleAction = typeof RuleAction.Type

const templateUpTo = (most: number) =>
  Schema.String.check(
    Schema.makeFilter((text) => (text.trim() === "" ? MUST_NOT_BE_EMPTY : hasAtMostCharacters(text, most)), {
      expected: `at most ${most} characters`,
      toJsonSchema: () => ({ minLength: 1, maxLength: most })
    })
  )

const Score = Integer.check(Schema.isBetween({ minimum: 1, maximum: 5 }, { expected: "a score from 1 to 5" }))

export const makeMessageRuleSchema = <Trigger extends Schema.Top>(trigger: Trigger) =>
  Schema.Struct({
    name: RuleName,
    action: Schema.Literal("send_message"),
    trigger,
    text: templateUpTo(MESSAGE_LENGTH),
    ...scopeFields
  })

export const makeReviewRuleSchema = <Trigger extends Schema.Top>(trigger: Trigger) =>
  Schema.Struct({
    name: RuleName,
    action: Schema.Literal("review"),
    trigger,
    score: Score,
    text: templateUpTo(REVIEW_TEXT_LENGTH),
    ...scopeFields
  })

const TaskStaff = Schema.NullOr(Schema.Union([Schema.Literal("property"), Id])).annotate({
  expected: "property, the id of a staff member, or null"
})

/** The task that a rule creates. */
export const RuleTask = Schema.Struct({
  type: TaskType.annotateKey({ description: "Kind of work." }),
  level: Schema.optionalKey(TaskLevel).annotateKey({
    description: "How thorough a cleaning must be. Default: `standard`."
  }),
  staff: Schema.optionalKey(TaskStaff).annotateKey({
    description:
      "`property`: the only active staff member who is assigned to the property of the stay, or else the only active one who works in all properties; the task is unassigned if there is no such person. An id: that staff member, from query_staffs. Default: null, unassigned."
  })
})
export type RuleTask = typeof RuleTask.Type

export const makeTaskRuleSchema = <Trigger extends Schema.Top>(trigger: Trigger) =>
  Schema.Struct({
    name: RuleName,
    action: Schema.Literal("task"),
    trigger,
    task: RuleTask,
    ...scopeFields
  })

export const TaskTrigger = Schema.Union([
  StayHoursTrigger,
  AcceptedBookingHoursTrigger,
  StayDaysTrigger,
  BookingDaysTrigger
])
export const TaskRule = makeTaskRuleSchema(TaskTrigger)

export const MessageRule = makeMessageRuleSchema(Schema.Union([...StayTrigger.members, InquiryTrigger]))
export const ReviewRule = makeReviewRuleSchema(Schema.Union([CheckOutHoursTrigger, CheckOutDaysTrigger]))

export const AnswerRule = Schema.Struct({ name: RuleName, action: Schema.Literal("answer"), ...scopeFields })

export const RuleDefinition = Schema.Union([MessageRule, ReviewRule, AnswerRule, TaskRule])
export type RuleDefinition = typeof RuleDefinition.Type

const TriggerFields = Schema.Struct({
  event: Schema.Literals(["booking", "check_in", "check_out", "inquiry", "request"]).annotateKey({
    description:
      "What the time counts from. `booking`: when an accepted stay was booked. `check_in`, `check_out`: that day of an accepted stay, at the usual time of the property or the host. `request`: when a reservation was requested that waits for the host. `inquiry`: the first message of a guest without a reservation, answered at once; it takes no other field."
  }),
  when: Schema.optionalKey(BeforeOrAfter).annotateKey({
    description:
      "Whether the rule acts before or after the event. Required, unless the event is `inquiry`. `booking`, `request` and the `check_out` of a review allow only `after`."
  }),
  hours: Schema.optionalKey(Hours).annotateKey({
    description: "Elapsed hours before or after the event. A `request` needs it."
  }),
  days: Schema.optionalKey(Days).annotateKey({
    description: "Calendar days before or after the day of the event, in place of `hours`. 0: on that day."
  }),
  at: Schema.optionalKey(TriggerTime).annotateKey({
    description: "Time of day for `days`, HH:mm in the host's time zone."
  })
})

/** The fields of all rules. `parseRuleDefinition` checks which of them may be combined. */
export const ruleFields = {
  name: RuleName.annotateKey({ description: "Name of the rule, one line." }),
  action: RuleAction.annotateKey({
    description:
      "`send_message`: sends a message to the guest. `review`: reviews the guest after check-out. `answer`: answers guests' questions from the knowledge base. `task`: creates a task for the staff."
  }),
  trigger: Schema.optionalKey(TriggerFields).annotateKey({
    description: "When the rule acts. Required, except for `answer`, which has none."
  }),
  text: Schema.optionalKey(templateUpTo(MESSAGE_LENGTH)).annotateKey({
    description: `Template of the message or review, such as "Dear {{guest.first_name}}". A review has at most ${REVIEW_TEXT_LENGTH} characters. Required, except for \`answer\` and \`task\`, which have none.`
  }),
  task: Schema.optionalKey(RuleTask).annotateKey({ description: "The task to create. Required for `task` only." }),
  score: Schema.optionalKey(Score).annotateKey({ description: "Score of a review. Required for `review` only." }),
  ...scopeFields
}

const makeRemovableField = <Field extends Schema.Top>(field: Field, description: string) =>
  Schema.optionalKey(Schema.NullOr(field)).annotateKey({
    description: `${description} Null removes the condition. Omitted: the rule keeps it.`
  })

/** Fields that an edit can change. Null removes a condition. */
export const editableRuleFields = {
  name: Schema.optionalKey(RuleName).annotateKey({ description: "New name of the rule, one line." }),
  trigger: ruleFields.trigger,
  text: ruleFields.text,
  task: ruleFields.task,
  score: ruleFields.score,
  property_ids: makeRemovableField(nonEmptyListUpTo(Id, RULE_PROPERTIES_MAX), "Covers only stays in these properties."),
  channel_types: makeRemovableField(
    nonEmptyListUpTo(ChannelType, ChannelType.literals.length),
    "Covers only these channels."
  ),
  nights: makeRemovableField(NightsRange, "Covers only stays of this length, with `min`, `max` or both.")
}

export const RuleConditions = Schema.Struct({
  action: RuleAction,
  trigger: Schema.optionalKey(Schema.Union([...StayTrigger.members, InquiryTrigger])),
  ...scopeFields
})
export type RuleConditions = typeof RuleConditions.Type

export const StayRuleTerms = Schema.Struct({
  action: Schema.Literals(["send_message", "review", "task"]),
  trigger: StayTrigger,
  task: Schema.optionalKey(RuleTask),
  ...scopeFields
})
export type StayRuleTerms = typeof StayRuleTerms.Type

/** A removed rule keeps its row for the history, but is never read as a rule. */
export const RuleState = Schema.Literals(["active", "paused"])
export type RuleState = typeof RuleState.Type

export interface Rule {
  readonly id: number
  readonly definition: RuleDefinition
  /** When the rule was created or last resumed. The rule never runs actions that were due earlier. */
  readonly since: Date
}

export const StoredRule = Schema.Struct({
  operator_id: Id,
  id: Id,
  definition: RuleDefinition,
  state: RuleState,
  /** 1 for a new rule. Each edit adds 1. */
  version: Schema.Int,
  since: Schema.Date,
  created_at: Schema.Date
})
export type StoredRule = typeof StoredRule.Type
