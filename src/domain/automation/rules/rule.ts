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

// What a host lets the service do by itself. The specification has no words for rules: these are ours (docs/decisions.md).

const integerUpTo = (most: number, expected: string) =>
  Integer.check(Schema.isBetween({ minimum: 0, maximum: most }, { expected }))

const Hours = integerUpTo(RULE_TRIGGER_HOURS, `a number of hours from 0 to ${RULE_TRIGGER_HOURS}`)
const Days = integerUpTo(RULE_TRIGGER_DAYS, `a number of days from 0 to ${RULE_TRIGGER_DAYS}`)

const TriggerTime = hourAndMinute("09:00")

const BeforeOrAfter = Schema.Literals(["before", "after"])
// Nobody knows of a booking before it is made.
const After = Schema.Literals(["after"])

/** So many hours before or after something of a stay: `request` is an order that waits for the host's answer. */
const hoursTrigger = <Event extends string, When extends Schema.Top>(events: ReadonlyArray<Event>, when: When) =>
  Schema.Struct({ event: Schema.Literals(events), when, hours: Hours })

/** At a time of day, so many days before or after the day of something; 0: on that day. */
const daysTrigger = <Event extends string, When extends Schema.Top>(events: ReadonlyArray<Event>, when: When) =>
  Schema.Struct({ event: Schema.Literals(events), when, days: Days, at: TriggerTime })

export const StayHoursTrigger = hoursTrigger(["check_in", "check_out"], BeforeOrAfter)
export const BookingHoursTrigger = hoursTrigger(["booking", "request"], After)
export const StayDaysTrigger = daysTrigger(["check_in", "check_out"], BeforeOrAfter)
export const BookingDaysTrigger = daysTrigger(["booking"], After)

/** A guest is reviewed once he has left. */
export const CheckOutHoursTrigger = hoursTrigger(["check_out"], After)
export const CheckOutDaysTrigger = daysTrigger(["check_out"], After)

/** When something is done of a stay. */
export const StayTrigger = Schema.Union([StayHoursTrigger, BookingHoursTrigger, StayDaysTrigger, BookingDaysTrigger])
export type StayTrigger = typeof StayTrigger.Type

/** The first message of a guest who asks for something and has booked nothing: answered at once. */
export const InquiryTrigger = Schema.Struct({ event: Schema.Literals(["inquiry"]) })

const NightCount = integerUpTo(AUTOMATION_RULE_NIGHTS, `a number of nights from 0 to ${AUTOMATION_RULE_NIGHTS}`)

/** A length of stay, both ends included. */
const NightsRange = Schema.Struct({ min: Schema.optionalKey(NightCount), max: Schema.optionalKey(NightCount) })

const nonEmptyListUpTo = <Item extends Schema.Top>(item: Item, most: number) =>
  Schema.Array(item).check(
    Schema.isMinLength(1, { expected: "a list that is not empty" }),
    Schema.isMaxLength(most, { expected: `a list of at most ${most}` })
  )

/** For which stays; what is absent is for all. */
const scopeFields = {
  property_ids: narrowingField(nonEmptyListUpTo(Id, RULE_PROPERTIES_MAX)),
  channel_types: narrowingField(nonEmptyListUpTo(ChannelType, ChannelType.literals.length)),
  nights: narrowingField(NightsRange)
}

const RuleName = nameUpTo(RULE_NAME_LENGTH)

export const RuleAction = Schema.Literals(["send_message", "review", "answer"])
export type RuleAction = typeof RuleAction.Type

/** What a template (template.ts) is written in: it says something. */
const templateUpTo = (most: number) =>
  Schema.String.check(
    Schema.makeFilter((text) => (text.trim() === "" ? MUST_NOT_BE_EMPTY : hasAtMostCharacters(text, most)), {
      expected: `at most ${most} characters`,
      toJsonSchema: () => ({ minLength: 1, maxLength: most })
    })
  )

const Score = Integer.check(Schema.isBetween({ minimum: 1, maximum: 5 }, { expected: "a score from 1 to 5" }))

/** A message to the guest. */
export const makeMessageRuleSchema = <Trigger extends Schema.Top>(trigger: Trigger) =>
  Schema.Struct({
    name: RuleName,
    action: Schema.Literal("send_message"),
    trigger,
    text: templateUpTo(MESSAGE_LENGTH),
    ...scopeFields
  })

/** A review of the guest after check-out. `text` is what the public sees, and a template. */
export const makeReviewRuleSchema = <Trigger extends Schema.Top>(trigger: Trigger) =>
  Schema.Struct({
    name: RuleName,
    action: Schema.Literal("review"),
    trigger,
    score: Score,
    text: templateUpTo(REVIEW_TEXT_LENGTH),
    ...scopeFields
  })

export const MessageRule = makeMessageRuleSchema(Schema.Union([...StayTrigger.members, InquiryTrigger]))
export const ReviewRule = makeReviewRuleSchema(Schema.Union([CheckOutHoursTrigger, CheckOutDaysTrigger]))

/** What guests ask is answered from the knowledge base. */
export const AnswerRule = Schema.Struct({ name: RuleName, action: Schema.Literal("answer"), ...scopeFields })

/** What a host writes, as JSON. */
export const RuleDefinition = Schema.Union([MessageRule, ReviewRule, AnswerRule])
export type RuleDefinition = typeof RuleDefinition.Type

/** The fields of all kinds of triggers. */
const TriggerFields = Schema.Struct({
  event: Schema.Literals(["booking", "check_in", "check_out", "inquiry", "request"]),
  when: Schema.optionalKey(BeforeOrAfter).annotateKey({
    description:
      "Needed unless the event is inquiry. After booking and request, and after the check_out of a review, only after."
  }),
  hours: Schema.optionalKey(Hours).annotateKey({
    description: "So many hours before or after. A request has only hours."
  }),
  days: Schema.optionalKey(Days).annotateKey({ description: "With at, in place of hours; 0: on that day." }),
  at: Schema.optionalKey(TriggerTime).annotateKey({ description: "HH:mm on the clock of the property." })
})

/**
 * The fields of all kinds of rules: what the API declares, and so what OpenAPI shows. Which of them belong together depends on
 * `action` and `trigger`: parseRuleDefinition (rule-parser.ts) checks that for every caller.
 */
export const ruleFields = {
  name: RuleName,
  action: RuleAction.annotateKey({
    description:
      "send_message: a message to the guest; review: a review of the guest after check-out; answer: guests' questions are answered from the knowledge base."
  }),
  trigger: Schema.optionalKey(TriggerFields).annotateKey({ description: "When; a rule with action answer has none." }),
  text: Schema.optionalKey(templateUpTo(MESSAGE_LENGTH)).annotateKey({
    description: `A template, such as "Dear {{guest.first_name}}"; of a review at most ${REVIEW_TEXT_LENGTH} characters. A rule with action answer has none.`
  }),
  score: Schema.optionalKey(Score).annotateKey({ description: "Of a review, which needs one." }),
  ...scopeFields
}

/** What of a rule decides for which stays it is, and when: without what it says. */
export const RuleConditions = Schema.Struct({
  action: RuleAction,
  /** Absent of a rule that answers. */
  trigger: Schema.optionalKey(Schema.Union([...StayTrigger.members, InquiryTrigger])),
  ...scopeFields
})
export type RuleConditions = typeof RuleConditions.Type

/** The same of a rule that does something of stays. */
export const StayRuleTerms = Schema.Struct({
  action: Schema.Literals(["send_message", "review"]),
  trigger: StayTrigger,
  ...scopeFields
})
export type StayRuleTerms = typeof StayRuleTerms.Type

/** The state of a rule. The row of a removed one stays, for what the rule did, and is never read as a rule. */
export const RuleState = Schema.Literals(["active", "paused"])
export type RuleState = typeof RuleState.Type

/** A rule as it is followed. */
export interface Rule {
  readonly id: number
  readonly definition: RuleDefinition
  /** When it was made, or last resumed: what it would have done before is not made up for. */
  readonly since: Date
}

/** A rule as it is kept. */
export const StoredRule = Schema.Struct({
  operator_id: Id,
  id: Id,
  definition: RuleDefinition,
  state: RuleState,
  since: Schema.Date,
  created_at: Schema.Date
})
export type StoredRule = typeof StoredRule.Type
