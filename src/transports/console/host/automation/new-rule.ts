import type { Schema } from "effect"
import { INQUIRY_FIELD_NAMES, STAY_FIELD_NAMES } from "../../../../domain/automation/rules/template.ts"
import {
  AUTOMATION_RULE_NIGHTS,
  MESSAGE_LENGTH,
  REVIEW_TEXT_LENGTH,
  RULE_NAME_LENGTH,
  RULE_TRIGGER_DAYS,
  RULE_TRIGGER_HOURS,
  SCOPE_CHOICES_MAX
} from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { NamedRecord } from "../../queries/named-records.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { CHANNEL_OPTIONS } from "../channel-names.ts"
import {
  actionForm,
  checkboxGroup,
  type FieldFiller,
  input,
  makeFieldFiller,
  makeMultiFieldFiller,
  parseLines,
  parseNumber,
  parseText,
  select,
  textArea
} from "../form-fields.ts"
import type { FailedSubmission } from "../host-page.ts"
import { section } from "../page-parts.ts"
import type { RuleKind, RuleTiming } from "./rule-kinds.ts"

export const CREATE_RULE_ACTION = "make_rule"

const FIELD_DESCRIPTIONS: Readonly<Record<string, string>> = {
  "guest.name": "the guest's name",
  "guest.first_name": "the first word of it",
  "property.name": "the property's name",
  "property.address": "its address",
  "host.name": "your name as a business",
  "stay.code": "the code of the stay",
  "stay.check_in_date": "the day of arrival",
  "stay.check_in_time": "the usual time of arrival",
  "stay.check_out_date": "the day of leaving",
  "stay.check_out_time": "the usual time of leaving",
  "stay.nights": "how many nights",
  "stay.guests": "how many guests",
  "stay.door_code": "the door code, once the guest may see it",
  "stay.page": "the address of the guest's page"
}

const placeholderHelp = ({ timing }: RuleKind): Html => {
  const placeholders = timing === undefined ? INQUIRY_FIELD_NAMES : STAY_FIELD_NAMES
  return html`<div><h3>What a text may name</h3>
<p class="soft">Written in two braces, a field is filled in from the stay of whoever reads it. Where something of it is not known, the whole text is kept back, and the page of trying a rule says why.</p>
<dl class="facts">
${placeholders.map(
  (name) => html`<dt><code>{{${name}}}</code></dt><dd>${FIELD_DESCRIPTIONS[name] ?? name}</dd>
`
)}${
  timing === undefined
    ? nothing
    : html`<dt><code>{{cf.NAME}}</code></dt><dd>the stay's own field NAME</dd>
`
}</dl></div>
`
}

export const newRuleForm = (
  visit: SignedInVisit,
  kind: RuleKind,
  properties: ReadonlyArray<NamedRecord>,
  failedSubmission: FailedSubmission | undefined
): Html => {
  const fillField = makeFieldFiller(failedSubmission, CREATE_RULE_ACTION)
  const fields = html`${input(fillField, { name: "name", label: "Name of the rule", value: kind.defaultName, isRequired: true, maxlength: RULE_NAME_LENGTH })}${kind.timing === undefined ? nothing : timingFields(fillField, kind.timing)}${kind.action === "review" ? scoreField(fillField) : nothing}${kind.action === "answer" ? nothing : textField(fillField, kind)}${scopeFields(fillField, properties, failedSubmission)}`
  const form = actionForm(visit, { action: CREATE_RULE_ACTION, label: "Make the rule", fields })
  return section(
    kind.label,
    kind.action === "answer"
      ? html`<p>Guests' questions are answered from the <a href="/console/knowledge">knowledge base</a>, where an entry answers them. What nothing answers waits for you.</p>
${form}`
      : html`<div class="columns"><div>${form}</div>${placeholderHelp(kind)}</div>
`
  )
}

const OFFSET_UNITS = [
  { value: "days", label: "days, at a time of day" },
  { value: "hours", label: "hours" }
] as const

const timingFields = (
  fillField: FieldFiller,
  { event, direction, offset, offsetUnit, hoursOnly }: RuleTiming
): Html => {
  const anchorText = `${direction} ${event.replace("check_", "check-").replace("request", "the request").replace("booking", "the booking")}`
  const offsetField = input(fillField, {
    name: "far",
    label: hoursOnly === true ? `Hours ${anchorText}` : `How long ${anchorText}`,
    type: "number",
    value: String(offset),
    min: 0,
    max: hoursOnly === true ? RULE_TRIGGER_HOURS : Math.max(RULE_TRIGGER_HOURS, RULE_TRIGGER_DAYS),
    isRequired: true
  })
  if (hoursOnly === true) return offsetField
  return html`${offsetField}${select(fillField, { name: "unit", label: "In", options: OFFSET_UNITS, value: offsetUnit })}${input(fillField, { name: "at", label: "Time of day", hint: "for days", type: "time", value: "10:00" })}`
}

const scoreField = (fillField: FieldFiller): Html =>
  select(fillField, {
    name: "score",
    label: "Score",
    value: 5,
    options: [5, 4, 3, 2, 1].map((value) => ({ value, label: `${value} of 5` }))
  })

const textField = (fillField: FieldFiller, { action, defaultText }: RuleKind): Html =>
  textArea(fillField, {
    name: "text",
    label: action === "review" ? "What the public reads" : "What the guest reads",
    value: defaultText,
    rows: 10,
    isRequired: true,
    maxlength: action === "review" ? REVIEW_TEXT_LENGTH : MESSAGE_LENGTH
  })

const scopeFields = (
  fillField: FieldFiller,
  properties: ReadonlyArray<NamedRecord>,
  failedSubmission: FailedSubmission | undefined
): Html => {
  const selectedValues = makeMultiFieldFiller(failedSubmission, CREATE_RULE_ACTION)
  const listedProperties = properties.slice(0, SCOPE_CHOICES_MAX)
  return html`${
    listedProperties.length === 0
      ? nothing
      : checkboxGroup({
          name: "property",
          legend: "Only in these properties (none: in all)",
          options: listedProperties.map(({ id, name }) => ({ value: id, label: name })),
          selected: selectedValues("property", [])
        })
  }${
    properties.length > SCOPE_CHOICES_MAX
      ? html`<p class="soft">These are the first ${SCOPE_CHOICES_MAX} by name.</p>
`
      : nothing
  }${checkboxGroup({ name: "channel", legend: "Only booked at these (none: at all)", options: CHANNEL_OPTIONS, selected: selectedValues("channel", []) })}${input(fillField, { name: "min", label: "At least so many nights", type: "number", min: 0, max: AUTOMATION_RULE_NIGHTS })}${input(fillField, { name: "max", label: "At most so many nights", type: "number", min: 0, max: AUTOMATION_RULE_NIGHTS })}`
}

export const readNewRule = (form: SubmittedForm, { action, timing, kind }: RuleKind): Schema.JsonObject => ({
  name: parseText(form.get("name") ?? ""),
  action,
  ...(kind === "inquiry" ? { trigger: { event: "inquiry" } } : {}),
  ...(timing === undefined ? {} : { trigger: readTrigger(form, timing) }),
  ...(action === "review" ? { score: parseNumber(form.get("score") ?? "") } : {}),
  ...(action === "answer" ? {} : { text: parseLines(form.get("text") ?? "") }),
  ...readScope(form)
})

const readTrigger = (form: SubmittedForm, { event, direction, hoursOnly }: RuleTiming): Schema.JsonObject => {
  const offset = parseNumber(form.get("far") ?? "")
  return hoursOnly === true || form.get("unit") !== "days"
    ? { event, when: direction, hours: offset }
    : { event, when: direction, days: offset, at: form.get("at") ?? "" }
}

const readScope = (form: SubmittedForm): Schema.JsonObject => {
  const [properties, channels] = [form.getAll("property"), form.getAll("channel")]
  const nights = Object.fromEntries(
    ["min", "max"].flatMap((name) => {
      const text = form.get(name) ?? ""
      return text.trim() === "" ? [] : [[name, parseNumber(text)]]
    })
  )
  return {
    ...(properties.length === 0 ? {} : { property_ids: properties.map(parseNumber) }),
    ...(channels.length === 0 ? {} : { channel_types: channels }),
    ...(Object.keys(nights).length === 0 ? {} : { nights })
  }
}
