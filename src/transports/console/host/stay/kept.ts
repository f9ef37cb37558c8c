import type { Schema } from "effect"
import { CUSTOM_FIELD_NAME, CUSTOM_FIELD_VALUE, TAG_NAME } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { Form } from "../../visit.ts"
import { asText, filling, formOf, input, orNull, touchedIn } from "../fields.ts"
import { badge, section } from "../parts.ts"
import { behindAct, type Seen } from "./seen.ts"

// What a host keeps about a stay: tags, and texts under names of their own.

export const tags = ({ visit, notTaken, stay, beside }: Seen): Html => {
  const fill = filling(notTaken, "tag")
  return section(
    "Tags",
    html`${
      stay.tags.length === 0
        ? html`<p>No tags.</p>
`
        : nothing
    }<div class="acts">${stay.tags.map((tag) => html`${badge(tag)}${formOf(visit, { act: "untag", button: "Take off", of: tag, kind: "plain", fields: html`<input type="hidden" name="tag_name" value="${tag}">` })}`)}</div>
${formOf(visit, {
  act: "tag",
  button: "Put it on",
  kind: "plain",
  row: true,
  fields: html`<label>Tag <span class="soft">one there is, or a new one</span> <input type="text" name="tag_name" value="${fill("tag_name", "")}" list="tags" maxlength="${TAG_NAME}" autocomplete="off" required></label>
<datalist id="tags">${beside.tag_names.map((name) => html`<option value="${name}"></option>`)}</datalist>`
})}`,
    "tags"
  )
}

/** Before the name of a custom field, which may be any text. */
const FIELD = "field."

export const customFields = (seen: Seen): Html => {
  const { visit, notTaken, stay } = seen
  const kept = Object.entries(stay.custom_fields ?? {})
  const fill = filling(notTaken, "fields")
  return section(
    "Your own fields",
    html`${
      kept.length === 0
        ? html`<p>None.</p>
`
        : html`<dl class="facts">${kept.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl>
`
    }${behindAct(
      seen,
      "fields",
      "Change or add fields",
      formOf(visit, {
        act: "fields",
        button: "Save the fields",
        fields: html`${kept.map(([name, text]) => input(fill, { name: `${FIELD}${name}`, label: name, hint: "empty takes it away", value: text, maxlength: CUSTOM_FIELD_VALUE, edited: true }))}
${input(fill, { name: "new_name", label: "Name of a new field", hint: "a field of that name is replaced", maxlength: CUSTOM_FIELD_NAME })}
${input(fill, { name: "new_text", label: "Its text", maxlength: CUSTOM_FIELD_VALUE })}`
      })
    )}`,
    "fields"
  )
}

/** What was touched of the fields there are, and the new one. */
export const fieldsIn = (form: Form): Schema.JsonObject => {
  const names = Array.from(new Set(form.keys())).filter((name) => name.startsWith(FIELD))
  const touched = touchedIn(form, Object.fromEntries(names.map((name) => [name, orNull(asText)])))
  const added = (form.get("new_name") ?? "").trim()
  return Object.fromEntries([
    ...Object.entries(touched).map(([name, text]) => [name.slice(FIELD.length), text] as const),
    ...(added === "" ? [] : [[added, (form.get("new_text") ?? "").trim()] as const])
  ])
}
