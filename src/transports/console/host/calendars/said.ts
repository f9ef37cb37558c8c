import { NAMES_CHOSEN_FROM } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { Named } from "../../queries/named.ts"
import type { Option } from "../fields.ts"
import type { Told } from "../page.ts"

// What the parts of the page of calendars say alike.

export type Properties = ReadonlyArray<Named>

/** Those that a form offers. */
export const propertyOptions = (properties: Properties): ReadonlyArray<Option> =>
  properties.slice(0, NAMES_CHOSEN_FROM).map(({ id, name }) => ({ value: id, words: name }))

/** Said where there are more than a form offers. */
export const cutNote = (properties: Properties): Html =>
  properties.length > NAMES_CHOSEN_FROM
    ? html`<p class="soft">Only the first ${NAMES_CHOSEN_FROM} by their names are listed.</p>
`
    : nothing

export const secretOf = (url: string): Html => html`<code class="secret">${url}</code>
`

/** What was done, and what is to be seen of it this once. */
export const saidOnce = (words: string, more: Html): Told => ({
  _tag: "Told",
  html: html`<div class="message done" role="status"><p>${words}</p>
${more}</div>
`
})
