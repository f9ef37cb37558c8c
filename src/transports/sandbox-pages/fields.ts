import { type Html, html, nothing } from "../docs/html.ts"

// Forms, each sent to an address of its own below the page's.

interface FieldOptions {
  readonly type?: "text" | "date" | "number"
  readonly step?: string
  readonly value?: string
  readonly list?: string
  readonly required?: true
}

/** A field with its label. */
export const field = (name: string, label: string, options: FieldOptions = {}): Html => {
  const { type = "text", value = "", list, step, required } = options
  const named = list === undefined ? nothing : html` list="${list}"`
  const steps = step === undefined ? nothing : html` step="${step}"`
  const must = required === true ? html` required` : nothing
  return html`<label>${label} <input name="${name}" type="${type}" value="${value}" autocomplete="off"${named}${steps}${must}></label>`
}

/** A field for a text of several lines, in whatever script. */
export const lines = (name: string, label: string): Html =>
  html`<label class="lines">${label} <textarea name="${name}" rows="2" dir="auto" required></textarea></label>`

export const hidden = (name: string, value: string | number): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`

export const option = (value: string, isChosen: boolean): Html =>
  html`<option value="${value}"${isChosen ? html` selected` : nothing}>${value}</option>`

/** Of several texts one, by their values; the first is chosen. */
export const choice = (
  name: string,
  label: string,
  options: ReadonlyArray<readonly [value: string, words: string]>
): Html =>
  html`<label>${label} <select name="${name}">${options.map(([value, words]) => html`<option value="${value}">${words}</option>`)}</select></label>`

/** Fields that few need, behind a word. */
export const seldom = (summary: string, fields: Html): Html => html`<details>
<summary>${summary}</summary>
<div class="seldom">
${fields}
</div>
</details>`

/** `quiet`: one of several in a row. */
export const form = (act: string, button: string, fields: Html, look: "fields" | "quiet" = "fields"): Html =>
  html`<form class="${look}" method="post" action="/sandbox/${act}">
${fields}
<button>${button}</button>
</form>`
