import { Effect, type Schema } from "effect"
import { type Html, html, nothing } from "../../docs/html.ts"
import { hiddenOnce } from "../frame.ts"
import { ACT_FIELD, FORM_FIELD, type Form, type SignedInVisit } from "../visit.ts"
import { actOf, hereWith, type NotTaken } from "./page.ts"

// Forms of the host's pages: how they are written, and how what was filled in is read.

/** What a field has: what was filled in, where it is a field of the form that was just not taken, or else what there is. */
export type Fill = (name: string, otherwise: string) => string

/** Of the form of that act, and of that record where a page has a form for each (its hidden field `id`). */
export const filling = (notTaken: NotTaken | undefined, act: string, id?: string | number): Fill => {
  const isIt =
    notTaken !== undefined && actOf(notTaken) === act && (id === undefined || notTaken.form.get("id") === String(id))
  return isIt ? (name, otherwise) => notTaken.form.get(name) ?? otherwise : (_name, otherwise) => otherwise
}

/** The same of a field that may have several values. */
export const fillingAll = (
  notTaken: NotTaken | undefined,
  act: string,
  id?: string | number
): ((name: string, otherwise: ReadonlyArray<string>) => ReadonlyArray<string>) => {
  const isIt =
    notTaken !== undefined && actOf(notTaken) === act && (id === undefined || notTaken.form.get("id") === String(id))
  return isIt ? (name) => notTaken.form.getAll(name) : (_name, otherwise) => otherwise
}

interface Described {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly required?: boolean
  /** Of an edit: what it has is sent along, so that only what was touched is changed. */
  readonly edited?: boolean
}

export interface InputField extends Described {
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

const flag = (name: string, is: boolean | undefined): Html => (is === true ? { html: ` ${name}` } : nothing)

const hintOf = ({ hint }: Described): Html => (hint === undefined ? nothing : html` <span class="soft">${hint}</span>`)

/** Of a form that came back it is what it was at the first look: else what somebody else has changed since would seem touched here. */
const was = (fill: Fill, { name, edited }: Pick<Described, "name" | "edited">, value: string): Html =>
  edited === true ? html`<input type="hidden" name="${WAS}${name}" value="${fill(`${WAS}${name}`, value)}">` : nothing

/** Before the name of a field: what it had when the page was shown. */
const WAS = "was."

export const input = (fill: Fill, field: InputField): Html => {
  const {
    name,
    label,
    value = "",
    type = "text",
    required,
    minlength,
    maxlength,
    min,
    max,
    step,
    autocomplete = "off"
  } = field
  const filled = type === "password" ? nothing : attribute("value", fill(name, value))
  return html`${was(fill, field, inOneLine(value))}<label>${label}${hintOf(field)} <input type="${type}" name="${name}"${filled}${attribute("minlength", minlength)}${attribute("maxlength", maxlength)}${attribute("min", min)}${attribute("max", max)}${attribute("step", step)} autocomplete="${autocomplete}"${flag("required", required)}></label>
`
}

/** As a browser sends a field of one line: without the line breaks that its value may have. */
const inOneLine = (text: string): string => text.replace(/[\r\n]/g, "")

export interface AreaField extends Described {
  readonly value?: string
  readonly maxlength?: number
  readonly rows?: number
}

// A browser drops one line break after the tag: so that none of the text's own is lost, there is one.
export const area = (fill: Fill, field: AreaField): Html => {
  const { name, label, value = "", required, maxlength, rows = 3 } = field
  return html`${was(fill, field, asSent(value))}<label>${label}${hintOf(field)} <textarea name="${name}" rows="${rows}"${attribute("maxlength", maxlength)}${flag("required", required)}>
${fill(name, value)}</textarea></label>
`
}

/** Line breaks as a form sends them (HTML, 4.10.22.4). */
const asSent = (text: string): string => text.replace(/\r\n?|\n/g, "\r\n")

export interface Option {
  readonly value: string | number
  readonly words: string
}

/** What something has already it may keep, be it among what is offered or not. */
export const withOwn = (
  options: ReadonlyArray<Option>,
  own: string | number | null | undefined,
  words: string | null | undefined
): ReadonlyArray<Option> =>
  own === null || own === undefined || own === "" || options.some(({ value }) => value === own)
    ? options
    : [{ value: own, words: words ?? "As it is" }, ...options]

export interface SelectField extends Described {
  readonly value?: string | number
  readonly options: ReadonlyArray<Option>
  /** What is to be chosen for none of them: its words. */
  readonly none?: string
}

export const select = (fill: Fill, field: SelectField): Html => {
  const { name, label, value = "", options, none, required } = field
  const chosen = fill(name, String(value))
  const all = none === undefined ? options : [{ value: "", words: none }, ...options]
  return html`${was(fill, field, String(value))}<label>${label}${hintOf(field)} <select name="${name}"${flag("required", required)}>
${all.map((option) => html`<option value="${option.value}"${flag("selected", String(option.value) === chosen)}>${option.words}</option>`)}
</select></label>
`
}

/** One that is on or off. */
export const checkbox = (
  fill: Fill,
  { name, label, checked }: { readonly name: string; readonly label: string; readonly checked?: boolean }
): Html => {
  const value = checked === true ? ON : ""
  // A form that came back says nothing of a box that was not ticked, and always has its token.
  const cameBack = fill(FORM_FIELD, "") !== ""
  return html`<label class="choice"><input type="checkbox" name="${name}" value="${ON}"${flag("checked", fill(name, cameBack ? "" : value) === ON)}> ${label}</label>
`
}

const ON = "yes"

/** Several of many, each a checkbox of the same name. */
export const choices = ({
  name,
  legend,
  options,
  chosen,
  had
}: {
  readonly name: string
  readonly legend: string
  readonly options: ReadonlyArray<Option>
  readonly chosen: ReadonlyArray<string>
  /** Of an edit: what was on the list ({@link hadAt}), sent along so that only what was ticked or unticked is changed ({@link ticksIn}). */
  readonly had?: string
}): Html => html`${had === undefined ? nothing : html`<input type="hidden" name="${WAS}${name}" value="${had}">`}<fieldset class="choices"><legend>${legend}</legend>
${options.map(({ value, words }) => html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"${flag("checked", chosen.includes(String(value)))}> ${words}</label>`)}
</fieldset>
`

/** What was on a list at the first look at the form. */
export const hadAt = (fill: Fill, name: string, ids: ReadonlyArray<number>): string =>
  fill(`${WAS}${name}`, ids.join(" "))

export interface WrittenForm {
  readonly act: string
  readonly button: string
  /** For who hears the button by itself: of what it is. */
  readonly of?: string
  readonly fields?: Html
  /** Which record it is, where a page has a form for each: its hidden field `id`. */
  readonly id?: string | number
  readonly kind?: "primary" | "danger" | "plain"
  /** Beside one another. */
  readonly row?: boolean
}

/**
 * A form of the page that is shown, with its button. What an operation does for it is done once, however often it is sent; what is
 * no operation is told apart by what it makes (an e-mail address, a name), and the second answer says that there is one.
 */
export const formOf = (
  visit: SignedInVisit,
  { act, button, of, fields = nothing, id, kind = "primary", row }: WrittenForm
): Html => html`<form method="post" action="${hereWith(visit)}"${row === true ? ROW : nothing}>
${hiddenOnce(visit)}${id === undefined ? nothing : html`<input type="hidden" name="id" value="${id}">`}
${fields}<button${kind === "plain" ? nothing : html` class="${kind}"`} name="${ACT_FIELD}" value="${act}"${of === undefined ? nothing : html` aria-label="${button} ${of}"`}>${button}</button>
</form>
`

const ROW: Html = { html: ' class="row"' }

/** What is not done by one touch: its form is behind a summary, which says what it is. */
export const behind = (summary: string, inner: Html, isOpen = false): Html =>
  html`<details${flag("open", isOpen)}><summary>${summary}</summary>
${inner}</details>
`

/** A form that only looks: its fields become the address. */
export const lookingForm = (path: string, fields: Html, button: string): Html =>
  html`<form method="get" action="${path}" class="row">
${fields}<button>${button}</button>
</form>
`

/** How a field's text becomes what an operation takes. */
type Read = (text: string) => Schema.Json

/** As it is, without spaces around it. */
export const asText: Read = (text) => text.trim()
/** What is no number goes on as it is: the operation says what is wrong with it. */
export const asNumber: Read = (text) => {
  const trimmed = text.trim()
  return trimmed === "" || !Number.isFinite(Number(trimmed)) ? trimmed : Number(trimmed)
}
/** Several lines, with the line breaks that the API has. */
export const asLines: Read = (text) => text.replace(/\r\n?/g, "\n").trim()
/** Nothing filled in takes away what there is. */
export const orNull =
  (read: Read): Read =>
  (text) =>
    text.trim() === "" ? null : read(text)

type Readings = Readonly<Record<string, Read>>

/** What is filled in of a form that makes something; what is left empty is not said. */
export const givenIn = (form: Form, fields: Readings): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, read]) => {
      const text = form.get(name) ?? ""
      return text.trim() === "" ? [] : [[name, read(text)]]
    })
  )

/** What was touched of a form that edits something: what another has changed meanwhile stays, unless it is the same field. */
export const touchedIn = (form: Form, fields: Readings): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, read]) => {
      const text = form.get(name)
      return text === null || text === form.get(`${WAS}${name}`) ? [] : [[name, read(text)]]
    })
  )

/** The ids that the checkboxes of a name say, as JSON numbers where they are such. */
export const idsIn = (form: Form, name: string): ReadonlyArray<Schema.Json> => form.getAll(name).map(asNumber)

/** What was ticked and what was unticked since the first look at a form. */
export interface Ticks {
  readonly on: ReadonlyArray<string>
  readonly off: ReadonlyArray<string>
}

/** Undefined: neither. */
export const ticksIn = (form: Form, name: string): Ticks | undefined => {
  const now = form.getAll(name)
  const had = (form.get(`${WAS}${name}`) ?? "").split(" ").filter((id) => id !== "")
  const [on, off] = [now.filter((id) => !had.includes(id)), had.filter((id) => !now.includes(id))]
  return on.length + off.length === 0 ? undefined : { on, off }
}

/** What a form has ticked and unticked of lists of a record, by their names; the record is read only where it has. */
export const tickedLists = <E, R>(
  form: Form,
  names: ReadonlyArray<string>,
  now: Effect.Effect<Readonly<Record<string, ReadonlyArray<number>>>, E, R>
): Effect.Effect<Schema.JsonObject, E, R> => {
  const ticked = names.flatMap((name) => {
    const ticks = ticksIn(form, name)
    return ticks === undefined ? [] : [{ name, ticks }]
  })
  return ticked.length === 0
    ? Effect.succeed({})
    : Effect.map(now, (lists) =>
        Object.fromEntries(ticked.map(({ name, ticks }) => [name, withTicks(lists[name] ?? [], ticks)]))
      )
}

/**
 * A list as it is now with what a form ticked and unticked: what somebody else has put on it or taken off meanwhile stays so.
 * In one order, so that a form sent twice asks twice for the same.
 */
export const withTicks = (now: ReadonlyArray<number>, { on, off }: Ticks): ReadonlyArray<Schema.Json> =>
  Array.from(new Set([...now.map(String).filter((id) => !off.includes(id)), ...on]))
    .toSorted()
    .map(asNumber)
