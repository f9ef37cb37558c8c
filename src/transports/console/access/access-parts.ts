import { Effect } from "effect"
import { formatWallClock } from "../../../contract/time.ts"
import type { OperationName } from "../../../service/Api.ts"
import type { Service } from "../../../service/service.ts"
import { type Html, html } from "../../docs/html.ts"
import type { ActionDone, ActionOutcome, FormAction } from "../action-outcome.ts"
import { TEXTS } from "../console-texts.ts"
import { makeVoidMutation } from "../host/api-operations.ts"
import { ACCESS_PATH, formKeyFields } from "../page-frame.ts"
import { ACTION_FIELD, parseRecordId, type SignedInVisit, type SubmittedForm } from "../visit.ts"

// What the sections of the page have alike.

/** A part of the page under its heading. */
export const accessSection = (id: string, heading: string, body: Html): Html => html`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
${body}</section>
`

/** An instant on the operator's clock, to the minute; the page says which zone that is. */
export const instantHtml = (instant: Date, { session }: SignedInVisit): Html =>
  html`<time datetime="${instant.toISOString()}">${formatWallClock(instant, session.person.caller.timeZone).slice(0, 16)}</time>`

/** When something was last used, or that it never was. */
export const lastUsedHtml = (instant: Date | null, visit: SignedInVisit): Html =>
  instant === null ? html`${TEXTS.access.never}` : instantHtml(instant, visit)

/** A list with a row for each; on a phone each is a card, so every cell says what it is, but for the last, which says so itself. */
export const accessTable = (
  caption: string,
  labels: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Html>>
): Html => html`<table class="cards">
<caption>${caption}</caption>
<thead><tr>${labels.map((label) => html`<th scope="col">${label}</th>`)}</tr></thead>
<tbody>
${rows.map((cells) => tableRow(labels, cells))}</tbody>
</table>
`

const tableRow = (labels: ReadonlyArray<string>, cells: ReadonlyArray<Html>): Html =>
  html`<tr>${cells.slice(0, -1).map((content, columnIndex) => html`<td data-label="${labels[columnIndex] ?? ""}">${content}</td>`)}<td class="acts">${cells.slice(-1)}</td></tr>
`

interface RevocationOptions {
  readonly action: string
  /** The hidden field that says which one, and its value. */
  readonly field: string
  readonly value: string
  /** What the button says, and of which row that is. */
  readonly label: string
  readonly subject: string
  /** What it ends, in a sentence. */
  readonly consequence: string
}

/** What cannot be undone takes two steps, without a script: the first says what it ends. */
export const revocationForm = (
  visit: SignedInVisit,
  { action, field, value, label, subject, consequence }: RevocationOptions
): Html =>
  html`<details class="withdraw"><summary aria-label="${label} ${subject}">${label}…</summary>
<form method="post" action="${ACCESS_PATH}">
${formKeyFields(visit)}<input type="hidden" name="${field}" value="${value}">
<p>${consequence}</p>
<button class="primary danger" name="${ACTION_FIELD}" value="${action}" aria-label="${label} ${subject}">${label}</button>
</form>
</details>`

/** An operation that ends what a form names by its id; `notFoundText` is what the page says if there is no such record. */
export const makeRevocation = (
  service: Service["Service"],
  operation: OperationName,
  messageKey: ActionDone["messageKey"],
  notFoundText: string
): FormAction => {
  const mutate = makeVoidMutation(service)
  const notFoundOutcome: ActionOutcome = { _tag: "Refused", status: 404, message: notFoundText }
  return (visit: SignedInVisit, form: SubmittedForm) => {
    const id = parseRecordId(form.get("id"))
    if (id === undefined) return Effect.succeed(notFoundOutcome)
    return Effect.match(mutate(visit, form, operation, { id }), {
      onSuccess: (): ActionOutcome => ({ _tag: "Done", messageKey }),
      onFailure: (error) => (error.status === 404 ? notFoundOutcome : error)
    })
  }
}

/** What a thing is for, and where one reads more. */
export const explanation = ({ text, linkText }: Explanation, docsUrl: string): Html =>
  html`<p>${text} <a href="${docsUrl}">${linkText}</a></p>
`

interface Explanation {
  readonly text: string
  readonly linkText: string
}
