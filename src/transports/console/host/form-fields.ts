import { type Html, html, nothing } from "../../docs/html.ts"
import { formKeyFields } from "../form-keys.ts"
import { ACTION_FIELD, FORM_TOKEN_FIELD, type SignedInVisit } from "../visit.ts"
import { toFieldErrors } from "./field-errors.ts"
import { INITIAL_VALUE_PREFIX } from "./form-values.ts"
import { type FailedSubmission, readSubmittedAction } from "./host-page.ts"
import { currentUrlWith } from "./page-url.ts"

/** Returns the submitted value if the form has just failed, and otherwise the default. */
export interface FieldFiller {
  (name: string, defaultValue: string): string
  /** Errors of the form that has just failed, by the API's field. */
  readonly errors?: ReadonlyMap<string, string>
}

/** `id` distinguishes the forms of a page that has one for each record. */
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
    ? Object.assign((name: string, defaultValue: string) => failedSubmission.form.get(name) ?? defaultValue, {
        errors: readFieldErrors(failedSubmission)
      })
    : (_name, defaultValue) => defaultValue
}

/** Returns the first error of each field. */
const readFieldErrors = ({ error }: FailedSubmission): ReadonlyMap<string, string> =>
  new Map(
    (error === undefined ? [] : toFieldErrors(error.message))
      .toReversed()
      .flatMap(({ field, text }) => (field === undefined ? [] : [[field, text] as const]))
  )

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
  /** The API's name of the field, if the form has another one. */
  readonly apiName?: string
  /** Adds the initial value to the form, so that only touched fields are changed. */
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
  readonly step?: string | number
  readonly autocomplete?: string
  /** Gets the focus when the page is opened, so that the user can type at once. */
  readonly hasFocus?: boolean
  readonly placeholder?: string
}

const attribute = (name: string, value: string | number | undefined): Html =>
  value === undefined ? nothing : html` ${name}="${value}"`

const booleanAttribute = (name: string, isSet: boolean | undefined): Html =>
  isSet === true ? { html: ` ${name}` } : nothing

const hintHtml = ({ hint }: BaseField): Html =>
  hint === undefined ? nothing : html` <span class="soft">${hint}</span>`

const findError = ({ errors }: FieldFiller, { name, apiName = name }: BaseField): string | undefined =>
  errors?.get(apiName)

const errorHtml = (text: string | undefined): Html =>
  text === undefined ? nothing : html`<span class="field-error">${text}</span>`

const invalidAttribute = (text: string | undefined): Html =>
  text === undefined ? nothing : { html: ' aria-invalid="true"' }

/** A failed form keeps its first initial value. With a newer one, another user's change would count as this user's. */
const initialValueField = (
  fillField: FieldFiller,
  { name, isEdit }: Pick<BaseField, "name" | "isEdit">,
  value: string
): Html =>
  isEdit === true
    ? html`<input type="hidden" name="${INITIAL_VALUE_PREFIX}${name}" value="${fillField(`${INITIAL_VALUE_PREFIX}${name}`, value)}">`
    : nothing

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
    autocomplete = "off",
    hasFocus,
    placeholder
  } = field
  const valueAttribute = type === "password" ? nothing : attribute("value", fillField(name, value))
  const error = findError(fillField, field)
  return html`${initialValueField(fillField, field, toOneLine(value))}<label>${label}${hintHtml(field)} <input type="${type}" name="${name}"${valueAttribute}${attribute("minlength", minlength)}${attribute("maxlength", maxlength)}${attribute("min", min)}${attribute("max", max)}${attribute("step", step)}${attribute("placeholder", placeholder)} autocomplete="${autocomplete}"${booleanAttribute("required", isRequired)}${booleanAttribute("autofocus", hasFocus)}${invalidAttribute(error)}>${errorHtml(error)}</label>
`
}

/** Browsers remove line breaks from a one-line field. */
const toOneLine = (text: string): string => text.replace(/[\r\n]/g, "")

interface TextAreaOptions extends BaseField {
  readonly value?: string
  readonly maxlength?: number
  readonly rows?: number
}

// A browser drops one line break after the opening tag, so the template adds one.
export const textArea = (fillField: FieldFiller, field: TextAreaOptions): Html => {
  const { name, label, value = "", isRequired, maxlength, rows = 3 } = field
  const error = findError(fillField, field)
  return html`${initialValueField(fillField, field, normalizeLineBreaks(value))}<label>${label}${hintHtml(field)} <textarea name="${name}" rows="${rows}"${attribute("maxlength", maxlength)}${booleanAttribute("required", isRequired)}${invalidAttribute(error)}>
${fillField(name, value)}</textarea>${errorHtml(error)}</label>
`
}

/** Converts line breaks to those that forms send (HTML standard 4.10.22.4). */
const normalizeLineBreaks = (text: string): string => text.replace(/\r\n?|\n/g, "\r\n")

export interface SelectOption {
  readonly value: string | number
  readonly label: string
  readonly isDisabled?: boolean
}

/** Keeps the current value selectable, even if it is no longer offered. */
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
  readonly emptyLabel?: string
}

export const select = (fillField: FieldFiller, field: SelectFieldOptions): Html => {
  const { name, label, value = "", options, emptyLabel, isRequired } = field
  const selectedValue = fillField(name, String(value))
  const allOptions = emptyLabel === undefined ? options : [{ value: "", label: emptyLabel }, ...options]
  const error = findError(fillField, field)
  return html`${initialValueField(fillField, field, String(value))}<label>${label}${hintHtml(field)} <select name="${name}"${booleanAttribute("required", isRequired)}${invalidAttribute(error)}>
${allOptions.map((option) => html`<option value="${option.value}"${booleanAttribute("selected", String(option.value) === selectedValue)}${booleanAttribute("disabled", option.isDisabled)}>${option.label}</option>`)}
</select>${errorHtml(error)}</label>
`
}

export const checkbox = (
  fillField: FieldFiller,
  { name, label, isChecked }: { readonly name: string; readonly label: string; readonly isChecked?: boolean }
): Html => {
  const value = isChecked === true ? CHECKED_VALUE : ""
  // Browsers omit an unticked checkbox, but always send the token. So the token shows whether submitted values are
  // restored.
  const isRestored = fillField(FORM_TOKEN_FIELD, "") !== ""
  return html`<label class="choice"><input type="checkbox" name="${name}" value="${CHECKED_VALUE}"${booleanAttribute("checked", fillField(name, isRestored ? "" : value) === CHECKED_VALUE)}> ${label}</label>
`
}

const CHECKED_VALUE = "yes"

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
  /** An edit form must pass the {@link initialSelection}. */
  readonly initial?: string
}): Html => html`${initial === undefined ? nothing : html`<input type="hidden" name="${INITIAL_VALUE_PREFIX}${name}" value="${initial}">`}<fieldset class="choices${options.length <= ROW_OPTIONS_MAX ? " few" : ""}"><legend>${legend}</legend>
${options.map(({ value, label: optionLabel }) => html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"${booleanAttribute("checked", selected.includes(String(value)))}> ${optionLabel}</label>`)}
</fieldset>
`

/** So many checkboxes stand side by side, such as the days of a week. More scroll in a list. */
const ROW_OPTIONS_MAX = 8

export const initialSelection = (fillField: FieldFiller, name: string, ids: ReadonlyArray<number>): string =>
  fillField(`${INITIAL_VALUE_PREFIX}${name}`, ids.join(" "))

interface ActionFormOptions {
  readonly action: string
  readonly label: string
  readonly subject?: string
  readonly fields?: Html
  readonly id?: string | number
  readonly kind?: "primary" | "danger" | "plain"
  readonly isInline?: boolean
  /** Further buttons of the same form, which accept incomplete fields. The enter key presses the first button. */
  readonly otherActions?: ReadonlyArray<{ readonly action: string; readonly label: string }>
}

export const actionForm = (
  visit: SignedInVisit,
  { action, label, subject, fields = nothing, id, kind = "primary", isInline, otherActions = [] }: ActionFormOptions
): Html => html`<form method="post" action="${currentUrlWith(visit)}"${isInline === true ? ROW_ATTRIBUTE : nothing}>
${formKeyFields(visit)}${id === undefined ? nothing : html`<input type="hidden" name="id" value="${id}">`}
${fields}${otherActions.length === 0 ? nothing : ACTS_START}<button${kind === "plain" ? nothing : html` class="${kind}"`} name="${ACTION_FIELD}" value="${action}"${subject === undefined ? nothing : html` aria-label="${label} ${subject}"`}>${label}</button>
${otherActions.map((other) => html`<button name="${ACTION_FIELD}" value="${other.action}" formnovalidate>${other.label}</button>`)}${otherActions.length === 0 ? nothing : ACTS_END}</form>
`

const ACTS_START: Html = { html: '<div class="acts">' }
const ACTS_END: Html = { html: "</div>\n" }

const ROW_ATTRIBUTE: Html = { html: ' class="row"' }

/** Hides a form behind a summary, so that one click cannot submit it. */
export const disclosure = (summary: string, content: Html, isOpen = false): Html =>
  html`<details${booleanAttribute("open", isOpen)}><summary>${summary}</summary>
${content}</details>
`

/** A filter of a list. Phones show only its summary until it is opened. */
export const filterForm = (path: string, fields: Html, isOpen = false): Html =>
  html`<details class="filters noprint"${booleanAttribute("open", isOpen)}><summary>Filter</summary>
${queryForm(path, fields, "Show")}</details>
`

export const queryForm = (path: string, fields: Html, label: string): Html =>
  html`<form method="get" action="${path}" class="row">
${fields}<button>${label}</button>
</form>
`
