import { Effect, Result, Schema } from "effect"
import { decoderOf } from "../../../contract/decode.ts"
import { BadRequest, ValidationFailed } from "../../../contract/errors.ts"
import { nameOf } from "../../../contract/names.ts"
import { toldName } from "../../../contract/told-name.ts"
import { FIELDS_TOLD } from "../../../platform/limits.ts"
import {
  AnswerRule,
  AtTimeOfBooking,
  AtTimeOfLeaving,
  AtTimeOfStay,
  InHoursOfBooking,
  InHoursOfLeaving,
  InHoursOfStay,
  messageRule,
  Nights,
  OnInquiry,
  type RuleDefinition,
  RuleTerms,
  reviewRule
} from "./rule.ts"
import { fieldOfStayIn, templateOf } from "./template.ts"

// What a host writes becomes a rule, or he is told which field is wrong. What there is to say depends on what is done and on
// what: that is read first, so that everything else is told of the rule he means.

type Refusal = BadRequest | ValidationFailed

interface Fields {
  readonly fields: object
}

/** One way to write a rule: how it is read, and which fields it has. */
interface Form {
  readonly read: (input: unknown) => Effect.Effect<RuleDefinition, Refusal>
  readonly fields: ReadonlyArray<string>
  readonly triggerFields: ReadonlyArray<string>
}

const form = (rule: Schema.ConstraintDecoder<RuleDefinition> & Fields, trigger: Fields = { fields: {} }): Form => ({
  read: decoderOf(rule),
  fields: Object.keys(rule.fields),
  triggerFields: Object.keys(trigger.fields)
})

const ANSWER = form(AnswerRule)
const ON_INQUIRY = form(messageRule(OnInquiry), OnInquiry)
const REVIEW_HOURS = form(reviewRule(InHoursOfLeaving), InHoursOfLeaving)
const REVIEW_DAYS = form(reviewRule(AtTimeOfLeaving), AtTimeOfLeaving)
const STAY_HOURS = form(messageRule(InHoursOfStay), InHoursOfStay)
const STAY_DAYS = form(messageRule(AtTimeOfStay), AtTimeOfStay)
const BOOKING_HOURS = form(messageRule(InHoursOfBooking), InHoursOfBooking)
const BOOKING_DAYS = form(messageRule(AtTimeOfBooking), AtTimeOfBooking)

const triggerOn = <Event extends string>(events: ReadonlyArray<Event>) =>
  decoderOf(Schema.Struct({ trigger: Schema.Struct({ ...HowFar, event: Schema.Literals(events) }) }))

const HowFar = {
  hours: Schema.optionalKey(Schema.Unknown),
  days: Schema.optionalKey(Schema.Unknown),
  at: Schema.optionalKey(Schema.Unknown)
}

const readAction = decoderOf(Schema.Struct({ action: RuleTerms.fields.action }))
const readMessageTrigger = triggerOn(["booking", "check_in", "check_out", "inquiry", "request"])
const readReviewTrigger = triggerOn(["check_out"])

const mixed = new BadRequest({ message: "trigger: must have either hours, or days and at." })

/** Which form is meant. */
const formOf = Effect.fnUntraced(function* (input: unknown) {
  const { action } = yield* readAction(input)
  if (action === "answer") return ANSWER
  const { trigger } = yield* action === "review" ? readReviewTrigger(input) : readMessageTrigger(input)
  const inDays = trigger.days !== undefined || trigger.at !== undefined
  if (inDays && trigger.hours !== undefined) return yield* mixed
  if (action === "review") return inDays ? REVIEW_DAYS : REVIEW_HOURS
  switch (trigger.event) {
    case "inquiry":
      return ON_INQUIRY
    case "request":
      return BOOKING_HOURS
    case "booking":
      return inDays ? BOOKING_DAYS : BOOKING_HOURS
    default:
      return inDays ? STAY_DAYS : STAY_HOURS
  }
})

const inside = Schema.Struct({
  trigger: Schema.optionalKey(Schema.Unknown),
  nights: Schema.optionalKey(Schema.Unknown)
})
const isRule = Schema.is(inside)

const othersIn = (value: unknown, known: ReadonlyArray<string>, within = ""): ReadonlyArray<string> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.keys(value)
        .filter((field) => !known.includes(field))
        .map((field) => `${within}${toldName(field)}: is an unknown field.`)
    : []

/** A field that nobody knows may be one that is misspelt, and without it the rule would do more than is meant. */
const unknownFields = (input: unknown, { fields, triggerFields }: Form): BadRequest | undefined => {
  const { trigger, nights } = isRule(input) ? input : {}
  const unknown = [
    ...othersIn(input, fields),
    ...othersIn(trigger, triggerFields, "trigger."),
    ...othersIn(nights, Object.keys(Nights.fields), "nights.")
  ]
  return unknown.length === 0 ? undefined : new BadRequest({ message: unknown.slice(0, FIELDS_TOLD).join(" ") })
}

const wrongNights = ({ nights }: RuleDefinition): string | undefined => {
  if (nights === undefined) return undefined
  const { min, max } = nights
  if (min === undefined && max === undefined) return "nights: must have min, max or both."
  return min !== undefined && max !== undefined && min > max ? "nights.min: must not be above nights.max." : undefined
}

const wrongText = (rule: RuleDefinition): string | undefined => {
  if (rule.action === "answer") return undefined
  return Result.match(templateOf(rule.text), {
    onFailure: (why) => `text: ${why}`,
    onSuccess: (template) => {
      const ofStay = rule.trigger.event === "inquiry" ? fieldOfStayIn(template) : undefined
      return ofStay === undefined ? undefined : `text: {{${toldName(ofStay)}}} is unknown for an inquiry.`
    }
  })
}

/** The rule that a host means; whether its properties are his is for whoever keeps it. */
export const ruleFrom = Effect.fnUntraced(function* (input: unknown) {
  const form = yield* formOf(input)
  const unknown = unknownFields(input, form)
  if (unknown !== undefined) return yield* unknown
  const rule = yield* form.read(input)
  const wrong = wrongNights(rule) ?? wrongText(rule)
  if (wrong !== undefined) return yield* new ValidationFailed({ message: wrong })
  return { ...rule, name: nameOf(rule.name) } satisfies RuleDefinition
})
