import { type Html, html, nothing } from "../docs/html.ts"

interface SandboxFieldOptions {
  readonly type?: "text" | "date" | "number"
  readonly step?: string
  readonly value?: string
  readonly list?: string
  readonly required?: true
}

export const field = (name: string, label: string, options: SandboxFieldOptions = {}): Html => {
  const { type = "text", value = "", list, step, required } = options
  const listAttribute = list === undefined ? nothing : html` list="${list}"`
  const stepAttribute = step === undefined ? nothing : html` step="${step}"`
  const requiredAttribute = required === true ? html` required` : nothing
  return html`<label>${label} <input name="${name}" type="${type}" value="${value}" autocomplete="off"${listAttribute}${stepAttribute}${requiredAttribute}></label>`
}

export const multilineField = (name: string, label: string): Html =>
  html`<label class="lines">${label} <textarea name="${name}" rows="2" dir="auto" required></textarea></label>`

export const hiddenField = (name: string, value: string | number): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`

export const option = (value: string, isChosen: boolean): Html =>
  html`<option value="${value}"${isChosen ? html` selected` : nothing}>${value}</option>`

export const selectField = (
  name: string,
  label: string,
  options: ReadonlyArray<readonly [value: string, words: string]>
): Html =>
  html`<label>${label} <select name="${name}">${options.map(([value, label]) => html`<option value="${value}">${label}</option>`)}</select></label>`

export const optionalFields = (summary: string, fields: Html): Html => html`<details>
<summary>${summary}</summary>
<div class="seldom">
${fields}
</div>
</details>`

export const sandboxForm = (
  action: string,
  button: string,
  fields: Html,
  appearance: "fields" | "quiet" = "fields"
): Html =>
  html`<form class="${appearance}" method="post" action="/sandbox/${action}">
${fields}
<button>${button}</button>
</form>`
