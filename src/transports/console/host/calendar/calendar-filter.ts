import { PROPERTY_TITLE_LENGTH } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { MonthView, PropertyFilter } from "../../queries/Month.ts"
import type { NamedRecord } from "../../queries/named-records.ts"
import type { SignedInVisit } from "../../visit.ts"
import { type FieldFiller, input, queryForm, select } from "../form-fields.ts"
import { link, readIdParam } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import { readTitleQuery } from "../property-selection.ts"
import { CALENDAR_PATH } from "../urls.ts"

export const readPropertyFilter = (visit: SignedInVisit): PropertyFilter => ({
  q: readTitleQuery(visit),
  group: readIdParam(visit, "group"),
  tag: readIdParam(visit, "tag")
})

export const isFiltered = ({ q, group, tag }: PropertyFilter): boolean =>
  q !== undefined || group !== undefined || tag !== undefined

export const withoutFilterUrl = (visit: SignedInVisit): string =>
  currentUrlWith(visit, { q: undefined, group: undefined, tag: undefined, offset: undefined })

const useDefault: FieldFiller = (_name, defaultValue) => defaultValue

const choiceField = (
  name: "group" | "tag",
  label: string,
  records: ReadonlyArray<NamedRecord>,
  value: number | undefined
): Html =>
  records.length === 0
    ? nothing
    : select(useDefault, {
        name,
        label,
        emptyLabel: "All",
        value: value ?? "",
        options: records.map(({ id, name: recordName }) => ({ value: id, label: recordName }))
      })

/** The form keeps the shown days. */
export const filterForm = (visit: SignedInVisit, { groups, tags }: MonthView): Html => {
  const filter = readPropertyFilter(visit)
  const dayFields = ["from", "days"].flatMap((name) => {
    const value = visit.query.get(name)
    return value === null ? [] : [html`<input type="hidden" name="${name}" value="${value}">`]
  })
  return html`<details class="calendar-filter"${isFiltered(filter) ? OPEN_ATTRIBUTE : nothing}><summary>Filter properties</summary>
${queryForm(
  CALENDAR_PATH,
  html`${dayFields}${input(useDefault, { name: "q", label: "Property name", type: "search", value: filter.q ?? "", maxlength: PROPERTY_TITLE_LENGTH })}${choiceField("group", "Group", groups, filter.group)}${choiceField("tag", "Tag", tags, filter.tag)}`,
  "Filter"
)}${isFiltered(filter) ? html`<p>${link(withoutFilterUrl(visit), "Show all properties")}</p>` : nothing}</details>
`
}

const OPEN_ATTRIBUTE: Html = { html: " open" }
