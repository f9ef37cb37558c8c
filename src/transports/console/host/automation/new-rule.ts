import type { Schema } from "effect"
import type { RuleDefinition, RuleTask } from "../../../../domain/automation/rules/rule.ts"
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
import type { StaffChoices } from "../../queries/form-choices.ts"
import type { NamedRecord } from "../../queries/named-records.ts"
import { ACTION_FIELD, type SignedInVisit, type SubmittedForm } from "../../visit.ts"
import { CHANNEL_OPTIONS } from "../channel-names.ts"
import {
  actionForm,
  checkboxGroup,
  type FieldFiller,
  input,
  makeFieldFiller,
  makeMultiFieldFiller,
  select,
  textArea,
  withCurrentOption
} from "../form-fields.ts"
import { parseLines, parseNumber, parseText } from "../form-values.ts"
import { type FailedSubmission, readSubmittedAction } from "../host-page.ts"
import { section } from "../page-parts.ts"
import { TASK_LEVEL_OPTIONS, TASK_TYPE_OPTIONS } from "../tasks/task-labels.ts"
import type { RuleKind, RuleTiming } from "./rule-kinds.ts"

export const TRY_RULE_ACTION = "try_rule"
export const CREATE_RULE_ACTION = "make_rule"
export const SAVE_RULE_ACTION = "save_rule"

const FIELD_DESCRIPTIONS: Readonly<Record<string, string>> = {
  "guest.name": "the guest's name",
  "guest.first_name": "the guest's first name",
  "property.name": "the property's name",
  "property.address": "its address",
  "host.name": "your business name",
  "stay.code": "the reservation code",
  "stay.check_in_date": "the check-in date",
  "stay.check_in_time": "the check-in time",
  "stay.check_out_date": "the check-out date",
  "stay.check_out_time": "the check-out time",
  "stay.nights": "the number of nights",
  "stay.guests": "the number of guests",
  "stay.door_code": "the door code, once it is visible to the guest",
  "stay.page": "the address of the guest portal"
}

const placeholderHelp = ({ timing }: RuleKind): Html => {
  const placeholders = timing === undefined ? INQUIRY_FIELD_NAMES : STAY_FIELD_NAMES
  return html`<div><h3>Placeholders</h3>
<p class="soft">Each placeholder is filled in from the reservation. If a value is unknown, the text is not sent. The preview says why.</p>
<dl class="facts">
${placeholders.map(
  (name) => html`<dt><code>{{${name}}}</code></dt><dd>${FIELD_DESCRIPTIONS[name] ?? name}</dd>
`
)}${
  timing === undefined
    ? nothing
    : html`<dt><code>{{cf.NAME}}</code></dt><dd>the custom field NAME of the stay</dd>
`
}</dl></div>
`
}

export interface RuleChoices {
  readonly properties: ReadonlyArray<NamedRecord>
  readonly staff: StaffChoices
}

interface RuleFormOptions extends RuleChoices {
  readonly kind: RuleKind
  readonly failedSubmission: FailedSubmission | undefined
  /** The rule to edit. Undefined for a new rule. */
  readonly rule?: RuleDefinition
}

/** The form shows a preview. The preview has the form that starts the rule. */
export const newRuleForm = (visit: SignedInVisit, options: RuleFormOptions): Html => {
  const { kind, failedSubmission } = options
  // After a failed start, the form has the values of the trial.
  const submittedAction = failedSubmission === undefined ? undefined : readSubmittedAction(failedSubmission)
  const action = submittedAction === CREATE_RULE_ACTION ? CREATE_RULE_ACTION : TRY_RULE_ACTION
  const fields = ruleFields(options, action)
  const form = actionForm(visit, { action: TRY_RULE_ACTION, label: "Preview", fields })
  return ruleFormSection(kind, form)
}

/** The same form saves the rule or shows a preview of its new values. */
export const editRuleForm = (visit: SignedInVisit, options: RuleFormOptions): Html => {
  const { kind, failedSubmission } = options
  const submittedAction = failedSubmission === undefined ? undefined : readSubmittedAction(failedSubmission)
  const fields = ruleFields(options, submittedAction === TRY_RULE_ACTION ? TRY_RULE_ACTION : SAVE_RULE_ACTION)
  // The first button of a form is also the one of the Enter key.
  const saveButton = html`<button class="primary" name="${ACTION_FIELD}" value="${SAVE_RULE_ACTION}">Save</button>`
  return ruleFormSection(
    kind,
    actionForm(visit, {
      action: TRY_RULE_ACTION,
      label: "Preview",
      kind: "plain",
      fields: html`${fields}${saveButton}`
    })
  )
}

const ruleFormSection = (kind: RuleKind, form: Html): Html => {
  if (kind.action === "answer") {
    return section(
      kind.label,
      html`<p>The <a href="/console/knowledge">knowledge base</a> answers guests' questions. Other questions wait for your answer.</p>
${form}`
    )
  }
  if (kind.action === "task") {
    return section(
      kind.label,
      html`<p>Each confirmed stay gets one task. It moves with the stay and is cancelled with it. A task that somebody has edited, started or completed keeps its values, and its note says what changed.</p>
${form}`
    )
  }
  return section(
    kind.label,
    html`<div class="columns"><div>${form}</div>${placeholderHelp(kind)}</div>
`
  )
}

const ruleFields = ({ kind, properties, staff, failedSubmission, rule }: RuleFormOptions, action: string): Html => {
  const fillField = makeFieldFiller(failedSubmission, action)
  const selectedValues = makeMultiFieldFiller(failedSubmission, action)
  const actionFields = {
    send_message: () => textField(fillField, kind),
    review: () =>
      html`${scoreField(fillField, rule?.action === "review" ? rule.score : 5)}${textField(fillField, kind)}`,
    task: () => taskFields(fillField, staff, rule?.action === "task" ? rule.task : undefined),
    answer: () => nothing
  }[kind.action]()
  return html`${input(fillField, { name: "name", label: "Name", value: kind.defaultName, isRequired: true, maxlength: RULE_NAME_LENGTH })}${kind.timing === undefined ? nothing : timingFields(fillField, kind.timing)}${actionFields}${scopeFields(fillField, properties, selectedValues, rule ?? {})}`
}

const NOBODY = ""
const PROPERTY_STAFF = "property"

const taskFields = (fillField: FieldFiller, staff: StaffChoices, task: RuleTask | undefined): Html => {
  const staffOptions = [
    { value: PROPERTY_STAFF, label: "Staff member of the property" },
    ...staff.filter(({ is_active }) => is_active).map(({ id, name }) => ({ value: String(id), label: name }))
  ]
  const current = task === undefined ? PROPERTY_STAFF : String(task.staff ?? NOBODY)
  return html`${select(fillField, { name: "type", label: "Type", value: task?.type ?? "cleaning", options: TASK_TYPE_OPTIONS })}${select(fillField, { name: "level", label: "Cleaning level", value: task?.level ?? "standard", options: TASK_LEVEL_OPTIONS })}${select(fillField, { name: "staff", label: "Assigned to", emptyLabel: "Unassigned", value: current, options: withCurrentOption(staffOptions, current, undefined) })}`
}

const OFFSET_UNITS = [
  { value: "days", label: "days" },
  { value: "hours", label: "hours" }
] as const

const timingFields = (
  fillField: FieldFiller,
  { event, direction, offset, offsetUnit, hoursOnly, timeOfDay = "10:00" }: RuleTiming
): Html => {
  const anchorText = `${direction} ${event.replace("check_", "check-").replace("request", "the request").replace("booking", "the booking")}`
  const offsetField = input(fillField, {
    name: "far",
    label: hoursOnly === true ? `Hours ${anchorText}` : `Time ${anchorText}`,
    type: "number",
    value: String(offset),
    min: 0,
    max: hoursOnly === true ? RULE_TRIGGER_HOURS : Math.max(RULE_TRIGGER_HOURS, RULE_TRIGGER_DAYS),
    isRequired: true
  })
  if (hoursOnly === true) return offsetField
  return html`${offsetField}${select(fillField, { name: "unit", label: "Unit", options: OFFSET_UNITS, value: offsetUnit })}${input(fillField, { name: "at", label: "Time of day", hint: "with days", type: "time", value: timeOfDay })}`
}

const scoreField = (fillField: FieldFiller, score: number): Html =>
  select(fillField, {
    name: "score",
    label: "Score",
    value: score,
    options: [5, 4, 3, 2, 1].map((value) => ({ value, label: `${value}/5` }))
  })

const textField = (fillField: FieldFiller, { action, defaultText }: RuleKind): Html =>
  textArea(fillField, {
    name: "text",
    label: action === "review" ? "Public review" : "Message",
    value: defaultText,
    rows: 10,
    isRequired: true,
    maxlength: action === "review" ? REVIEW_TEXT_LENGTH : MESSAGE_LENGTH
  })

type SelectedValues = ReturnType<typeof makeMultiFieldFiller>

const scopeFields = (
  fillField: FieldFiller,
  properties: ReadonlyArray<NamedRecord>,
  selectedValues: SelectedValues,
  {
    property_ids = [],
    channel_types = [],
    nights = {}
  }: Pick<RuleDefinition, "property_ids" | "channel_types" | "nights">
): Html => {
  const listedProperties = properties.slice(0, SCOPE_CHOICES_MAX)
  const unlistedIds = property_ids.filter((id) => !listedProperties.some((property) => property.id === id))
  return html`${unlistedIds.map((id) => html`<input type="hidden" name="property" value="${id}">`)}${
    listedProperties.length === 0
      ? nothing
      : checkboxGroup({
          name: "property",
          legend: "Properties (all if none ticked)",
          options: listedProperties.map(({ id, name }) => ({ value: id, label: name })),
          selected: selectedValues("property", property_ids.map(String))
        })
  }${
    properties.length > SCOPE_CHOICES_MAX
      ? html`<p class="soft">First ${SCOPE_CHOICES_MAX} by name.</p>
`
      : nothing
  }${checkboxGroup({ name: "channel", legend: "Channels (all if none ticked)", options: CHANNEL_OPTIONS, selected: selectedValues("channel", channel_types) })}${input(fillField, { name: "min", label: "Min. nights", type: "number", value: numberText(nights.min), min: 0, max: AUTOMATION_RULE_NIGHTS })}${input(fillField, { name: "max", label: "Max. nights", type: "number", value: numberText(nights.max), min: 0, max: AUTOMATION_RULE_NIGHTS })}`
}

const numberText = (value: number | undefined): string => (value === undefined ? "" : String(value))

export const readNewRule = (form: SubmittedForm, { action, timing, kind }: RuleKind): Schema.JsonObject => ({
  name: parseText(form.get("name") ?? ""),
  action,
  ...(kind === "inquiry" ? { trigger: { event: "inquiry" } } : {}),
  ...(timing === undefined ? {} : { trigger: readTrigger(form, timing) }),
  ...(action === "review" ? { score: parseNumber(form.get("score") ?? "") } : {}),
  ...(action === "task" ? { task: readTask(form) } : {}),
  ...(action === "answer" || action === "task" ? {} : { text: parseLines(form.get("text") ?? "") }),
  ...readScope(form)
})

/** An empty condition of the form removes the condition. The action is left out, because it cannot change. */
export const readEditedRule = (form: SubmittedForm, kind: RuleKind): Schema.JsonObject => {
  const { action: _, ...fields } = readNewRule(form, kind)
  return { property_ids: null, channel_types: null, nights: null, ...fields }
}

const readTask = (form: SubmittedForm): Schema.JsonObject => {
  const staff = form.get("staff") ?? NOBODY
  return {
    type: form.get("type") ?? "",
    level: form.get("level") ?? "",
    staff: staff === NOBODY ? null : staff === PROPERTY_STAFF ? PROPERTY_STAFF : parseNumber(staff)
  }
}

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
