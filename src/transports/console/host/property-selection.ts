import { NAMED_PROPERTIES_MAX, PROPERTY_TITLE_LENGTH } from "../../../platform/limits.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import type { PickableProperty } from "../queries/property-picker.ts"
import type { SignedInVisit } from "../visit.ts"
import { checkboxGroup, input, queryForm } from "./form-fields.ts"

/** Query parameter with the record to create or edit: `group:new` or `group:12`. */
const EDIT_FIELD = "change"
const TITLE_QUERY_FIELD = "q"

export const readTitleQuery = ({ query }: SignedInVisit): string | undefined => {
  const text = (query.get(TITLE_QUERY_FIELD) ?? "").trim().slice(0, PROPERTY_TITLE_LENGTH)
  return text === "" ? undefined : text
}

export interface EditTarget {
  readonly kind: string
  /** Undefined for a new record. */
  readonly id: number | undefined
}

export const readEditTarget = ({ query }: SignedInVisit): EditTarget | undefined => {
  const [, kind = "", id = ""] = /^(\w+):([1-9]\d{0,14}|new)$/.exec(query.get(EDIT_FIELD) ?? "") ?? []
  return kind === "" ? undefined : { kind, id: id === "new" ? undefined : Number(id) }
}

export const editUrl = (path: string, kind: string, id: number | "new"): string => `${path}?${EDIT_FIELD}=${kind}:${id}`

interface PropertyCheckboxOptions {
  readonly legend: string
  readonly properties: ReadonlyArray<PickableProperty>
  readonly selected: ReadonlyArray<string>
  readonly initial?: string
  readonly emptyText: string
}

export const propertyCheckboxes = ({ properties, emptyText, ...options }: PropertyCheckboxOptions): Html =>
  properties.length === 0
    ? html`<p class="soft">${emptyText}</p>
`
    : checkboxGroup({
        name: "property_ids",
        options: properties.slice(0, NAMED_PROPERTIES_MAX).map(({ id, title, deactivated }) => ({
          value: id,
          label: deactivated ? `${title} (inactive)` : title
        })),
        ...options
      })

export const propertyFilter = (visit: SignedInVisit, properties: ReadonlyArray<PickableProperty>): Html => {
  const titleQuery = readTitleQuery(visit)
  if (properties.length <= NAMED_PROPERTIES_MAX && titleQuery === undefined) return nothing
  return html`<p>Not all properties are shown. Ticked properties stay ticked.</p>
${queryForm(
  visit.path,
  html`<input type="hidden" name="${EDIT_FIELD}" value="${visit.query.get(EDIT_FIELD) ?? ""}">
${titleField(titleQuery)}`,
  "Search"
)}`
}

export const titleField = (titleQuery: string | undefined): Html =>
  input((_name, defaultValue) => defaultValue, {
    name: TITLE_QUERY_FIELD,
    label: "Search by name",
    type: "search",
    value: titleQuery ?? "",
    maxlength: PROPERTY_TITLE_LENGTH
  })
