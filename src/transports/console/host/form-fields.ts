import { Effect, type Schema } from "effect"
import { type Html, html, nothing } from "../../docs/html.ts"
import { formKeyFields } from "../page-frame.ts"
import { ACTION_FIELD, FORM_TOKEN_FIELD, type SignedInVisit, type SubmittedForm } from "../visit.ts"
import { currentUrlWith, type FailedSubmission, readSubmittedAction } from "./host-page.ts"

// Forms of the host's pages: how they are written, and how what was filled in is read.

/** What a field has: what was filled in, where it is a field of the form that was just not taken, or else what there is. */
export type FieldFiller = (name: string, defaultValue: string) => string

/** Of the form of that act, and of that record where a page has a form for each (its hidden field `id`). */
export const makeFieldFiller = (
  failedSubmission: FailedSubmission | undefined,
  action: string,
  id?: string | number
): FieldFiller => {
  const isSameForm =
    failedSubmission !== undefined &&
    readSubmittedAction(failedSubmission) === action &&
    (id === undefined || failedSubmission.form.get("id") === String(id))
  return isSameForm
    ? (name, defaultValue) => failedSubmission.form.get(name) ?? defaultValue
    : (_name, defaultValue) => defaultValue
}

/** The same of a field that may have several values. */
export const makeMultiFieldFiller = (
  failedSubmission: FailedSubmission | undefined,
  action: string,
  id?: string | number
): ((name: string, defaultValue: ReadonlyArray<string>) => ReadonlyArray<string>) => {
  const isSameForm =
    failedSubmission !== undefined &&
    readSubmittedAction(failedSubmission) === action &&
    (id === undefined || failedSubmission.form.get("id") === String(id))
  return isSameForm ? (name) => failedSubmission.form.getAll(name) : (_name, defaultValue) => defaultValue
}

interface BaseField {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly isRequired?: boolean
  /** Of an edit: what it has is sent along, so that only what was touched is changed. */
  readonly isEdit?: boolean
}

interface InputFieldOptions extends BaseField {
  readonly value?: string
  readonly type?:
    | "text"
    | "date"
    | "time"
    | "number"
    | "email"
    | "tel"
    | "url"
    | "password"
    | "datetime-local"
    | "search"
  readonly minlength?: number
  readonly maxlength?: number
  readonly min?: string | number
  readonly max?: string | number
  /** `any` where decimals are. */
  readonly step?: string | number
  readonly autocomplete?: string
}

const attribute = (name: string, value: string | number | undefined): Html =>
  value === undefined ? nothing : html` ${name}="${value}"`

const booleanAttribute = (name: string, isSet: boolean | undefined): Html =>
  isSet === true ? { html: ` ${name}` } : nothing

const hintHtml = ({ hint }: BaseField): Html =>
  hint === undefined ? nothing : html` <span class="soft">${hint}</span>`

/** Of a form that came back it is what it was at the first look: else what somebody else has changed since would seem touched here. */
const initialValueField = (
  fillField: FieldFiller,
  { name, isEdit }: Pick<BaseField, "name" | "isEdit">,
  value: string
): Html =>
  isEdit === true
    ? html`<input type="hidden" name="${INITIAL_VALUE_PREFIX}${name}" value="${fillField(`${INITIAL_VALUE_PREFIX}${name}`, value)}">`
    : nothing

/** Before the name of a field: what it had when the page was shown. */
const INITIAL_VALUE_PREFIX = "was."

export const input = (fillField: FieldFiller, field: InputFieldOptions): Html => {
  const {
    name,
    label,
    value = "",
    type = "text",
    isRequired,
    minlength,
    maxlength,
    min,
    max,
    step,
    autocomplete = "off"
  } = field
  const valueAttribute = type === "password" ? nothing : attribute("value", fillField(name, value))
  return html`${initialValueField(fillField, field, toOneLine(value))}<label>${label}${hintHtml(field)} <input type="${type}" name="${name}"${valueAttribute}${attribute("minlength", minlength)}${attribute("maxlength", maxlength)}${attribute("min", min)}${attribute("max", max)}${attribute("step", step)} autocomplete="${autocomplete}"${booleanAttribute("required", isRequired)}></label>
`
}

/** As a browser sends a field of one line: without the line breaks that its value may have. */
const toOneLine = (text: string): string => text.replace(/[\r\n]/g, "")

interface TextAreaOptions extends BaseField {
  readonly value?: string
  readonly maxlength?: number
  readonly rows?: number
}

// A browser drops one line break after the tag: so that none of the text's own is lost, there is one.
export const textArea = (fillField: FieldFiller, field: TextAreaOptions): Html => {
  const { name, label, value = "", isRequired, maxlength, rows = 3 } = field
  return html`${initialValueField(fillField, field, normalizeLineBreaks(value))}<label>${label}${hintHtml(field)} <textarea name="${name}" rows="${rows}"${attribute("maxlength", maxlength)}${booleanAttribute("required", isRequired)}>
${fillField(name, value)}</textarea></label>
`
}

/** Line breaks as a form sends them (HTML, 4.10.22.4). */
const normalizeLineBreaks = (text: string): string => text.replace(/\r\n?|\n/g, "\r\n")

export interface SelectOption {
  readonly value: string | number
  readonly label: string
}

/** What something has already it may keep, be it among what is offered or not. */
export const withCurrentOption = (
  options: ReadonlyArray<SelectOption>,
  currentValue: string | number | null | undefined,
  currentLabel: string | null | undefined
): ReadonlyArray<SelectOption> =>
  currentValue === null ||
  currentValue === undefined ||
  currentValue === "" ||
  options.some(({ value }) => value === currentValue)
    ? options
    : [{ value: currentValue, label: currentLabel ?? "As it is" }, ...options]

interface SelectFieldOptions extends BaseField {
  readonly value?: string | number
  readonly options: ReadonlyArray<SelectOption>
  /** What is to be chosen for none of them: its words. */
  readonly emptyLabel?: string
}

export const select = (fillField: FieldFiller, field: SelectFieldOptions): Html => {
  const { name, label, value = "", options, emptyLabel, isRequired } = field
  const selectedValue = fillField(name, String(value))
  const allOptions = emptyLabel === undefined ? options : [{ value: "", label: emptyLabel }, ...options]
  return html`${initialValueField(fillField, field, String(value))}<label>${label}${hintHtml(field)} <select name="${name}"${booleanAttribute("required", isRequired)}>
${allOptions.map((option) => html`<option value="${option.value}"${booleanAttribute("selected", String(option.value) === selectedValue)}>${option.label}</option>`)}
</select></label>
`
}

/** One that is on or off. */
export const checkbox = (
  fillField: FieldFiller,
  { name, label, isChecked }: { readonly name: string; readonly label: string; readonly isChecked?: boolean }
): Html => {
  const value = isChecked === true ? CHECKED_VALUE : ""
  // A form that came back says nothing of a box that was not ticked, and always has its token.
  const isRestored = fillField(FORM_TOKEN_FIELD, "") !== ""
  return html`<label class="choice"><input type="checkbox" name="${name}" value="${CHECKED_VALUE}"${booleanAttribute("checked", fillField(name, isRestored ? "" : value) === CHECKED_VALUE)}> ${label}</label>
`
}

const CHECKED_VALUE = "yes"

/** Several of many, each a checkbox of the same name. */
export const checkboxGroup = ({
  name,
  legend,
  options,
  selected,
  initial
}: {
  readonly name: string
  readonly legend: string
  readonly options: ReadonlyArray<SelectOption>
  readonly selected: ReadonlyArray<string>
  /**
   * Of an edit: what was on the list ({@link initialSelection}), sent along so that only what was ticked or unticked is changed
   * ({@link readCheckboxChanges}).
   */
  readonly initial?: string
}): Html => html`${initial === undefined ? nothing : html`<input type="hidden" name="${INITIAL_VALUE_PREFIX}${name}" value="${initial}">`}<fieldset class="choices"><legend>${legend}</legend>
${options.map(({ value, label: optionLabel }) => html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"${booleanAttribute("checked", selected.includes(String(value)))}> ${optionLabel}</label>`)}
</fieldset>
`

/** What was on a list at the first look at the form. */
export const initialSelection = (fillField: FieldFiller, name: string, ids: ReadonlyArray<number>): string =>
  fillField(`${INITIAL_VALUE_PREFIX}${name}`, ids.join(" "))

interface ActionFormOptions {
  readonly action: string
  readonly label: string
  /** For who hears the button by itself: of what it is. */
  readonly subject?: string
  readonly fields?: Html
  /** Which record it is, where a page has a form for each: its hidden field `id`. */
  readonly id?: string | number
  readonly kind?: "primary" | "danger" | "plain"
  /** Beside one another. */
  readonly isInline?: boolean
}

/**
 * A form of the page that is shown, with its button. What an operation does for it is done once, however often it is sent; what is
 * no operation is told apart by what it makes (an e-mail address, a name), and the second answer says that there is one.
 */
export const actionForm = (
  visit: SignedInVisit,
  { action, label, subject, fields = nothing, id, kind = "primary", isInline }: ActionFormOptions
): Html => html`<form method="post" action="${currentUrlWith(visit)}"${isInline === true ? ROW_ATTRIBUTE : nothing}>
${formKeyFields(visit)}${id === undefined ? nothing : html`<input type="hidden" name="id" value="${id}">`}
${fields}<button${kind === "plain" ? nothing : html` class="${kind}"`} name="${ACTION_FIELD}" value="${action}"${subject === undefined ? nothing : html` aria-label="${label} ${subject}"`}>${label}</button>
</form>
`

const ROW_ATTRIBUTE: Html = { html: ' class="row"' }

/** What is not done by one touch: its form is behind a summary, which says what it is. */
export const disclosure = (summary: string, content: Html, isOpen = false): Html =>
  html`<details${booleanAttribute("open", isOpen)}><summary>${summary}</summary>
${content}</details>
`

/** A form that only looks: its fields become the address. */
export const queryForm = (path: string, fields: Html, label: string): Html =>
  html`<form method="get" action="${path}" class="row">
${fields}<button>${label}</button>
</form>
`

/** How a field's text becomes what an operation takes. */
type FieldParser = (text: string) => Schema.Json

/** As it is, without spaces around it. */
export const parseText: FieldParser = (text) => text.trim()
/** What is no number goes on as it is: the operation says what is wrong with it. */
export const parseNumber: FieldParser = (text) => {
  const trimmed = text.trim()
  return trimmed === "" || !Number.isFinite(Number(trimmed)) ? trimmed : Number(trimmed)
}
/** Several lines, with the line breaks that the API has. */
export const parseLines: FieldParser = (text) => text.replace(/\r\n?/g, "\n").trim()
/** Nothing filled in takes away what there is. */
export const nullIfEmpty =
  (parse: FieldParser): FieldParser =>
  (text) =>
    text.trim() === "" ? null : parse(text)

type FieldParsers = Readonly<Record<string, FieldParser>>

/** What is filled in of a form that makes something; what is left empty is not said. */
export const readFilledFields = (form: SubmittedForm, fields: FieldParsers): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, parse]) => {
      const text = form.get(name) ?? ""
      return text.trim() === "" ? [] : [[name, parse(text)]]
    })
  )

/** What was touched of a form that edits something: what another has changed meanwhile stays, unless it is the same field. */
export const readChangedFields = (form: SubmittedForm, fields: FieldParsers): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, parse]) => {
      const text = form.get(name)
      return text === null || text === form.get(`${INITIAL_VALUE_PREFIX}${name}`) ? [] : [[name, parse(text)]]
    })
  )

/** The ids that the checkboxes of a name say, as JSON numbers where they are such. */
export const readSelectedIds = (form: SubmittedForm, name: string): ReadonlyArray<Schema.Json> =>
  form.getAll(name).map(parseNumber)

/** What was ticked and what was unticked since the first look at a form. */
interface CheckboxChanges {
  readonly checked: ReadonlyArray<string>
  readonly unchecked: ReadonlyArray<string>
}

/** Undefined: neither. */
export const readCheckboxChanges = (form: SubmittedForm, name: string): CheckboxChanges | undefined => {
  const selected = form.getAll(name)
  const initial = (form.get(`${INITIAL_VALUE_PREFIX}${name}`) ?? "").split(" ").filter((id) => id !== "")
  const [checked, unchecked] = [
    selected.filter((id) => !initial.includes(id)),
    initial.filter((id) => !selected.includes(id))
  ]
  return checked.length + unchecked.length === 0 ? undefined : { checked, unchecked }
}

/** What a form has ticked and unticked of lists of a record, by their names; the record is read only where it has. */
export const readChangedLists = <E, R>(
  form: SubmittedForm,
  names: ReadonlyArray<string>,
  loadLists: Effect.Effect<Readonly<Record<string, ReadonlyArray<number>>>, E, R>
): Effect.Effect<Schema.JsonObject, E, R> => {
  const changedLists = names.flatMap((name) => {
    const changes = readCheckboxChanges(form, name)
    return changes === undefined ? [] : [{ name, changes }]
  })
  return changedLists.length === 0
    ? Effect.succeed({})
    : Effect.map(loadLists, (lists) =>
        Object.fromEntries(
          changedLists.map(({ name, changes }) => [name, applyCheckboxChanges(lists[name] ?? [], changes)])
        )
      )
}

/**
 * A list as it is now with what a form ticked and unticked: what somebody else has put on it or taken off meanwhile stays so.
 * In one order, so that a form sent twice asks twice for the same.
 */
export const applyCheckboxChanges = (
  ids: ReadonlyArray<number>,
  { checked, unchecked }: CheckboxChanges
): ReadonlyArray<Schema.Json> =>
  Array.from(new Set([...ids.map(String).filter((id) => !unchecked.includes(id)), ...checked]))
    .toSorted()
    .map(parseNumber)
