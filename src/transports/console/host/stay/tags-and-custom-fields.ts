import type { Schema } from "effect"
import { CUSTOM_FIELD_NAME_LENGTH, CUSTOM_FIELD_VALUE_LENGTH, TAG_NAME_LENGTH } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { SubmittedForm } from "../../visit.ts"
import { actionForm, input, makeFieldFiller } from "../form-fields.ts"
import { nullIfEmpty, parseText, readChangedFields } from "../form-values.ts"
import { badge, section } from "../page-parts.ts"
import { actionDisclosure, type StayView } from "./stay-view.ts"

export const tagsSection = ({ visit, failedSubmission, stay, context }: StayView): Html => {
  const fillField = makeFieldFiller(failedSubmission, "tag")
  return section(
    "Tags",
    html`${
      stay.tags.length === 0
        ? html`<p class="soft">No tags yet.</p>
`
        : nothing
    }<div class="acts">${stay.tags.map((tag) => html`${badge(tag)}${actionForm(visit, { action: "untag", label: "Remove", subject: tag, kind: "plain", fields: html`<input type="hidden" name="tag_name" value="${tag}">` })}`)}</div>
${actionForm(visit, {
  action: "tag",
  label: "Add tag",
  kind: "plain",
  isInline: true,
  fields: html`<label>Tag <span class="soft">an existing or a new one</span> <input type="text" name="tag_name" value="${fillField("tag_name", "")}" list="tags" maxlength="${TAG_NAME_LENGTH}" autocomplete="off" required></label>
<datalist id="tags">${context.tag_names.map((name) => html`<option value="${name}"></option>`)}</datalist>`
})}`,
    "tags"
  )
}

/** Custom fields may have any name, so a prefix separates them from other fields. */
const CUSTOM_FIELD_PREFIX = "field."

export const customFieldsSection = (view: StayView): Html => {
  const { visit, failedSubmission, stay } = view
  const existingFields = Object.entries(stay.custom_fields ?? {})
  const fillField = makeFieldFiller(failedSubmission, "fields")
  return section(
    "Custom fields",
    html`${
      existingFields.length === 0
        ? html`<p class="soft">No custom fields yet.</p>
`
        : html`<dl class="facts">${existingFields.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl>
`
    }${actionDisclosure(
      view,
      "fields",
      "Edit custom fields",
      actionForm(visit, {
        action: "fields",
        label: "Save",
        fields: html`${existingFields.map(([name, text]) => input(fillField, { name: `${CUSTOM_FIELD_PREFIX}${name}`, label: name, hint: "empty removes it", value: text, maxlength: CUSTOM_FIELD_VALUE_LENGTH, isEdit: true }))}
${input(fillField, { name: "new_name", label: "New field", hint: "replaces a field of this name", maxlength: CUSTOM_FIELD_NAME_LENGTH })}
${input(fillField, { name: "new_text", label: "Text of the new field", maxlength: CUSTOM_FIELD_VALUE_LENGTH })}`
      })
    )}`,
    "fields"
  )
}

export const readCustomFields = (form: SubmittedForm): Schema.JsonObject => {
  const names = Array.from(new Set(form.keys())).filter((name) => name.startsWith(CUSTOM_FIELD_PREFIX))
  const changes = readChangedFields(form, Object.fromEntries(names.map((name) => [name, nullIfEmpty(parseText)])))
  const newFieldName = (form.get("new_name") ?? "").trim()
  return Object.fromEntries([
    ...Object.entries(changes).map(([name, text]) => [name.slice(CUSTOM_FIELD_PREFIX.length), text] as const),
    ...(newFieldName === "" ? [] : [[newFieldName, (form.get("new_text") ?? "").trim()] as const])
  ])
}
