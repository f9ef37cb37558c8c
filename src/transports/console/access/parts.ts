import { wallClockText } from "../../../contract/time.ts"
import { type Html, html } from "../../docs/html.ts"
import { ACCESS_PATH, hiddenOnce } from "../frame.ts"
import { idOf } from "../id.ts"
import { TEXTS } from "../texts.ts"
import { ACT_FIELD, type Form, type SignedInVisit } from "../visit.ts"

// What the sections of the page have alike.

/** A part of the page under its heading. */
export const sectionOf = (id: string, heading: string, body: Html): Html => html`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
${body}</section>
`

/** An instant on the operator's clock, to the minute; the page says which zone that is. */
export const whenOf = (instant: Date, { session }: SignedInVisit): Html =>
  html`<time datetime="${instant.toISOString()}">${wallClockText(instant, session.person.caller.timeZone).slice(0, 16)}</time>`

/** When something was last used, or that it never was. */
export const lastUsed = (instant: Date | null, visit: SignedInVisit): Html =>
  instant === null ? html`${TEXTS.access.never}` : whenOf(instant, visit)

/** A list with a row for each; on a phone each is a card, so every cell says what it is, but for the last, which says so itself. */
export const tableOf = (
  caption: string,
  labels: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Html>>
): Html => html`<table class="cards">
<caption>${caption}</caption>
<thead><tr>${labels.map((label) => html`<th scope="col">${label}</th>`)}</tr></thead>
<tbody>
${rows.map((cells) => rowOf(labels, cells))}</tbody>
</table>
`

const rowOf = (labels: ReadonlyArray<string>, cells: ReadonlyArray<Html>): Html =>
  html`<tr>${cells.slice(0, -1).map((content, at) => html`<td data-label="${labels[at] ?? ""}">${content}</td>`)}<td class="acts">${cells.slice(-1)}</td></tr>
`

export interface Withdrawing {
  readonly act: string
  /** The hidden field that says which one, and its value. */
  readonly field: string
  readonly value: string
  /** What the button says, and of which row that is. */
  readonly button: string
  readonly of: string
  /** What it ends, in a sentence. */
  readonly ends: string
}

/** What cannot be undone takes two steps, without a script: the first says what it ends. */
export const withdrawing = (visit: SignedInVisit, { act, field, value, button, of, ends }: Withdrawing): Html =>
  html`<details class="withdraw"><summary aria-label="${button} ${of}">${button}…</summary>
<form method="post" action="${ACCESS_PATH}">
${hiddenOnce(visit)}<input type="hidden" name="${field}" value="${value}">
<p>${ends}</p>
<button class="primary danger" name="${ACT_FIELD}" value="${act}" aria-label="${button} ${of}">${button}</button>
</form>
</details>`

/** The id that a form names; undefined: it is none, so nobody has it. */
export const idIn = (form: Form): number | undefined => idOf(form.get("id"))

/** What a thing is for, and where one reads more. */
export const explained = ({ what, more }: Explanation, document: string): Html =>
  html`<p>${what} <a href="${document}">${more}</a></p>
`

interface Explanation {
  readonly what: string
  readonly more: string
}
