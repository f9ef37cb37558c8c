import { Effect, Result, Schema } from "effect"
import { makeDecoder } from "../../../contract/decoder.ts"
import { BadRequest, ValidationFailed } from "../../../contract/errors.ts"
import { trimName } from "../../../contract/names.ts"
import { toPrintableName } from "../../../contract/printable-name.ts"
import { explainUnknownField, makeUnknownFieldCheck } from "../../../contract/unknown-fields.ts"
import {
  AcceptedBookingHoursTrigger,
  AnswerRule,
  BookingDaysTrigger,
  BookingHoursTrigger,
  CheckOutDaysTrigger,
  CheckOutHoursTrigger,
  InquiryTrigger,
  makeMessageRuleSchema,
  makeReviewRuleSchema,
  makeTaskRuleSchema,
  RuleAction,
  type RuleDefinition,
  ruleFields,
  StayDaysTrigger,
  StayHoursTrigger
} from "./rule.ts"
import { findStayOnlyField, parseTemplate } from "./template.ts"

type RuleInputError = BadRequest | ValidationFailed

interface RuleVariant {
  readonly read: (input: unknown) => Effect.Effect<RuleDefinition, RuleInputError>
  readonly checkFields: (input: unknown) => BadRequest | undefined
}

const makeRuleVariant = (action: RuleAction, rule: Schema.ConstraintDecoder<RuleDefinition>): RuleVariant => ({
  read: makeDecoder(rule),
  checkFields: makeUnknownFieldCheck(rule.ast, (field) =>
    Object.hasOwn(ruleFields, field) ? `is not a field of the action "${action}".` : explainUnknownField(field)
  )
})

const ANSWER_VARIANT = makeRuleVariant("answer", AnswerRule)
const INQUIRY_VARIANT = makeRuleVariant("send_message", makeMessageRuleSchema(InquiryTrigger))
const REVIEW_HOURS_VARIANT = makeRuleVariant("review", makeReviewRuleSchema(CheckOutHoursTrigger))
const REVIEW_DAYS_VARIANT = makeRuleVariant("review", makeReviewRuleSchema(CheckOutDaysTrigger))
const STAY_HOURS_VARIANT = makeRuleVariant("send_message", makeMessageRuleSchema(StayHoursTrigger))
const STAY_DAYS_VARIANT = makeRuleVariant("send_message", makeMessageRuleSchema(StayDaysTrigger))
const BOOKING_HOURS_VARIANT = makeRuleVariant("send_message", makeMessageRuleSchema(BookingHoursTrigger))
const BOOKING_DAYS_VARIANT = makeRuleVariant("send_message", makeMessageRuleSchema(BookingDaysTrigger))
const TASK_STAY_HOURS_VARIANT = makeRuleVariant("task", makeTaskRuleSchema(StayHoursTrigger))
const TASK_STAY_DAYS_VARIANT = makeRuleVariant("task", makeTaskRuleSchema(StayDaysTrigger))
const TASK_BOOKING_HOURS_VARIANT = makeRuleVariant("task", makeTaskRuleSchema(AcceptedBookingHoursTrigger))
const TASK_BOOKING_DAYS_VARIANT = makeRuleVariant("task", makeTaskRuleSchema(BookingDaysTrigger))

const makeTriggerDecoder = <Event extends string>(events: ReadonlyArray<Event>) =>
  makeDecoder(Schema.Struct({ trigger: Schema.Struct({ ...OffsetFields, event: Schema.Literals(events) }) }))

const OffsetFields = {
  hours: Schema.optionalKey(Schema.Unknown),
  days: Schema.optionalKey(Schema.Unknown),
  at: Schema.optionalKey(Schema.Unknown)
}

const readAction = makeDecoder(Schema.Struct({ action: RuleAction }))
const readMessageTrigger = makeTriggerDecoder(["booking", "check_in", "check_out", "inquiry", "request"])
const readReviewTrigger = makeTriggerDecoder(["check_out"])
const readTaskTrigger = makeTriggerDecoder(["booking", "check_in", "check_out"])

const hoursAndDaysMixedError = new BadRequest({ message: "trigger: must have either hours, or days and at." })

const selectTaskVariant = Effect.fnUntraced(function* (input: unknown) {
  const { trigger } = yield* readTaskTrigger(input)
  const isInDays = trigger.days !== undefined || trigger.at !== undefined
  if (isInDays && trigger.hours !== undefined) return yield* hoursAndDaysMixedError
  if (trigger.event === "booking") return isInDays ? TASK_BOOKING_DAYS_VARIANT : TASK_BOOKING_HOURS_VARIANT
  return isInDays ? TASK_STAY_DAYS_VARIANT : TASK_STAY_HOURS_VARIANT
})

const selectRuleVariant = Effect.fnUntraced(function* (input: unknown) {
  const { action } = yield* readAction(input)
  if (action === "answer") return ANSWER_VARIANT
  if (action === "task") return yield* selectTaskVariant(input)
  const { trigger } = yield* action === "review" ? readReviewTrigger(input) : readMessageTrigger(input)
  const isInDays = trigger.days !== undefined || trigger.at !== undefined
  if (isInDays && trigger.hours !== undefined) return yield* hoursAndDaysMixedError
  if (action === "review") return isInDays ? REVIEW_DAYS_VARIANT : REVIEW_HOURS_VARIANT
  switch (trigger.event) {
    case "inquiry":
      return INQUIRY_VARIANT
    case "request":
      return BOOKING_HOURS_VARIANT
    case "booking":
      return isInDays ? BOOKING_DAYS_VARIANT : BOOKING_HOURS_VARIANT
    default:
      return isInDays ? STAY_DAYS_VARIANT : STAY_HOURS_VARIANT
  }
})

const findNightsProblem = ({ nights }: RuleDefinition): string | undefined => {
  if (nights === undefined) return undefined
  const { min, max } = nights
  if (min === undefined && max === undefined) return "nights: must have min, max or both."
  return min !== undefined && max !== undefined && min > max ? "nights.min: must not be above nights.max." : undefined
}

const findTextProblem = (rule: RuleDefinition): string | undefined => {
  if (rule.action === "answer" || rule.action === "task") return undefined
  return Result.match(parseTemplate(rule.text), {
    onFailure: (problem) => `text: ${problem}`,
    onSuccess: (template) => {
      const stayOnlyField = rule.trigger.event === "inquiry" ? findStayOnlyField(template) : undefined
      return stayOnlyField === undefined
        ? undefined
        : `text: {{${toPrintableName(stayOnlyField)}}} is unknown for an inquiry.`
    }
  })
}

const completeRule = (rule: RuleDefinition): RuleDefinition => {
  const name = trimName(rule.name)
  return rule.action === "task"
    ? { ...rule, name, task: { level: "standard", staff: null, ...rule.task } }
    : { ...rule, name }
}

/** Does not check that the properties and the staff member belong to the operator. The caller must. */
export const parseRuleDefinition = Effect.fnUntraced(function* (input: unknown) {
  const variant = yield* selectRuleVariant(input)
  const unknownFieldsError = variant.checkFields(input)
  if (unknownFieldsError !== undefined) return yield* unknownFieldsError
  const rule = yield* variant.read(input)
  const problem = findNightsProblem(rule) ?? findTextProblem(rule)
  if (problem !== undefined) return yield* new ValidationFailed({ message: problem })
  return completeRule(rule)
})
