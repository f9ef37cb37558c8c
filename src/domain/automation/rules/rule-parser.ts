import { Effect, Result, Schema } from "effect"
import { makeDecoder } from "../../../contract/decoder.ts"
import { BadRequest, ValidationFailed } from "../../../contract/errors.ts"
import { trimName } from "../../../contract/names.ts"
import { toPrintableName } from "../../../contract/printable-name.ts"
import { REPORTED_FIELDS_MAX } from "../../../platform/limits.ts"
import {
  AnswerRule,
  BookingDaysTrigger,
  BookingHoursTrigger,
  CheckOutDaysTrigger,
  CheckOutHoursTrigger,
  InquiryTrigger,
  makeMessageRuleSchema,
  makeReviewRuleSchema,
  NightsRange,
  RuleConditions,
  type RuleDefinition,
  StayDaysTrigger,
  StayHoursTrigger
} from "./rule.ts"
import { findStayOnlyField, parseTemplate } from "./template.ts"

// What a host writes becomes a rule, or he is told which field is wrong. What there is to say depends on what is done and on
// what: that is read first, so that everything else is told of the rule he means.

type RuleInputError = BadRequest | ValidationFailed

interface HasFields {
  readonly fields: object
}

/** One way to write a rule: how it is read, and which fields it has. */
interface RuleVariant {
  readonly read: (input: unknown) => Effect.Effect<RuleDefinition, RuleInputError>
  readonly fields: ReadonlyArray<string>
  readonly triggerFields: ReadonlyArray<string>
}

const makeRuleVariant = (
  rule: Schema.ConstraintDecoder<RuleDefinition> & HasFields,
  trigger: HasFields = { fields: {} }
): RuleVariant => ({
  read: makeDecoder(rule),
  fields: Object.keys(rule.fields),
  triggerFields: Object.keys(trigger.fields)
})

const ANSWER_VARIANT = makeRuleVariant(AnswerRule)
const INQUIRY_VARIANT = makeRuleVariant(makeMessageRuleSchema(InquiryTrigger), InquiryTrigger)
const REVIEW_HOURS_VARIANT = makeRuleVariant(makeReviewRuleSchema(CheckOutHoursTrigger), CheckOutHoursTrigger)
const REVIEW_DAYS_VARIANT = makeRuleVariant(makeReviewRuleSchema(CheckOutDaysTrigger), CheckOutDaysTrigger)
const STAY_HOURS_VARIANT = makeRuleVariant(makeMessageRuleSchema(StayHoursTrigger), StayHoursTrigger)
const STAY_DAYS_VARIANT = makeRuleVariant(makeMessageRuleSchema(StayDaysTrigger), StayDaysTrigger)
const BOOKING_HOURS_VARIANT = makeRuleVariant(makeMessageRuleSchema(BookingHoursTrigger), BookingHoursTrigger)
const BOOKING_DAYS_VARIANT = makeRuleVariant(makeMessageRuleSchema(BookingDaysTrigger), BookingDaysTrigger)

const makeTriggerDecoder = <Event extends string>(events: ReadonlyArray<Event>) =>
  makeDecoder(Schema.Struct({ trigger: Schema.Struct({ ...OffsetFields, event: Schema.Literals(events) }) }))

const OffsetFields = {
  hours: Schema.optionalKey(Schema.Unknown),
  days: Schema.optionalKey(Schema.Unknown),
  at: Schema.optionalKey(Schema.Unknown)
}

const readAction = makeDecoder(Schema.Struct({ action: RuleConditions.fields.action }))
const readMessageTrigger = makeTriggerDecoder(["booking", "check_in", "check_out", "inquiry", "request"])
const readReviewTrigger = makeTriggerDecoder(["check_out"])

const hoursAndDaysMixed = new BadRequest({ message: "trigger: must have either hours, or days and at." })

/** Which form is meant. */
const selectRuleVariant = Effect.fnUntraced(function* (input: unknown) {
  const { action } = yield* readAction(input)
  if (action === "answer") return ANSWER_VARIANT
  const { trigger } = yield* action === "review" ? readReviewTrigger(input) : readMessageTrigger(input)
  const isInDays = trigger.days !== undefined || trigger.at !== undefined
  if (isInDays && trigger.hours !== undefined) return yield* hoursAndDaysMixed
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

const RuleShape = Schema.Struct({
  trigger: Schema.optionalKey(Schema.Unknown),
  nights: Schema.optionalKey(Schema.Unknown)
})
const hasRuleShape = Schema.is(RuleShape)

const listUnknownFieldMessages = (
  value: unknown,
  knownFields: ReadonlyArray<string>,
  prefix = ""
): ReadonlyArray<string> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.keys(value)
        .filter((field) => !knownFields.includes(field))
        .map((field) => `${prefix}${toPrintableName(field)}: is an unknown field.`)
    : []

/** A field that nobody knows may be one that is misspelt, and without it the rule would do more than is meant. */
const findUnknownFieldsError = (input: unknown, { fields, triggerFields }: RuleVariant): BadRequest | undefined => {
  const { trigger, nights } = hasRuleShape(input) ? input : {}
  const messages = [
    ...listUnknownFieldMessages(input, fields),
    ...listUnknownFieldMessages(trigger, triggerFields, "trigger."),
    ...listUnknownFieldMessages(nights, Object.keys(NightsRange.fields), "nights.")
  ]
  return messages.length === 0
    ? undefined
    : new BadRequest({ message: messages.slice(0, REPORTED_FIELDS_MAX).join(" ") })
}

const findNightsProblem = ({ nights }: RuleDefinition): string | undefined => {
  if (nights === undefined) return undefined
  const { min, max } = nights
  if (min === undefined && max === undefined) return "nights: must have min, max or both."
  return min !== undefined && max !== undefined && min > max ? "nights.min: must not be above nights.max." : undefined
}

const findTextProblem = (rule: RuleDefinition): string | undefined => {
  if (rule.action === "answer") return undefined
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

/** The rule that a host means; whether its properties are his is for whoever keeps it. */
export const parseRuleDefinition = Effect.fnUntraced(function* (input: unknown) {
  const variant = yield* selectRuleVariant(input)
  const unknownFieldsError = findUnknownFieldsError(input, variant)
  if (unknownFieldsError !== undefined) return yield* unknownFieldsError
  const rule = yield* variant.read(input)
  const problem = findNightsProblem(rule) ?? findTextProblem(rule)
  if (problem !== undefined) return yield* new ValidationFailed({ message: problem })
  return { ...rule, name: trimName(rule.name) } satisfies RuleDefinition
})
