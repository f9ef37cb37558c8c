import { PORTFOLIO_ROWS_MAX, PROPERTY_TITLE_LENGTH } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { PortfolioData, PortfolioProperty } from "../../queries/Portfolio.ts"
import type { SignedInVisit } from "../../visit.ts"
import { actionForm, disclosure, input, makeFieldFiller, queryForm } from "../form-fields.ts"
import type { FailedSubmission } from "../host-page.ts"
import { badge, link, pagination, readOffsetParam, section, type TableColumn, table, timeHtml } from "../page-parts.ts"
import { editUrl, readTitleQuery, titleField } from "../property-selection.ts"
import { activityLogUrl, PROPERTIES_PATH, reservationsUrl } from "../urls.ts"
import { colorDot } from "./tag-colors.ts"

export const propertiesSection = (
  visit: SignedInVisit,
  { properties }: PortfolioData,
  failedSubmission?: FailedSubmission
): Html => {
  const titleQuery = readTitleQuery(visit)
  const titleForm =
    properties.total > PORTFOLIO_ROWS_MAX || titleQuery !== undefined
      ? queryForm(PROPERTIES_PATH, titleField(titleQuery), "Find")
      : nothing
  return section(
    "Properties",
    html`${titleForm}${table(
      { empty: titleQuery === undefined ? "There is no property yet." : "No property has that in its title." },
      propertyColumns(visit),
      properties.rows
    )}${listPagination(visit, properties.total)}
<h3>One more</h3>
<p class="soft">Its title is not changed later, and no other property has it.</p>
${actionForm(visit, {
  action: "add_property",
  label: "Add the property",
  isInline: true,
  fields: input(makeFieldFiller(failedSubmission, "add_property"), {
    name: "title",
    label: "Title",
    isRequired: true,
    maxlength: PROPERTY_TITLE_LENGTH
  })
})}`,
    "properties"
  )
}

const propertyColumns = (visit: SignedInVisit): ReadonlyArray<TableColumn<PortfolioProperty>> => [
  {
    label: "Title",
    cell: ({ id, title }) => html`<a class="name" href="${reservationsUrl({ property: id })}">${title}</a>`
  },
  { label: "Room type", cell: ({ room_type }) => room_type ?? "none" },
  { label: "Groups", cell: ({ groups }) => groups.map(({ name }) => name).join(", ") || "none" },
  { label: "Tags", cell: ({ tags }) => tagsCell(tags) },
  {
    label: "Stands",
    cell: ({ deactivated_at }) =>
      deactivated_at === null
        ? badge("let", "good")
        : html`${badge("not let", "wait")} <span class="soft">since ${timeHtml(deactivated_at, visit)}</span>`
  },
  { label: "Change", cell: (property) => activationForm(visit, property) }
]

const tagsCell = (tags: PortfolioProperty["tags"]): Html | string =>
  tags.length === 0 ? "none" : html`${tags.map(({ name, color }) => html`${colorDot(color)} ${name} `)}`

const activationForm = (visit: SignedInVisit, { id, title, deactivated_at }: PortfolioProperty): Html =>
  html`${
    deactivated_at === null
      ? disclosure(
          "Stop letting…",
          html`<p>Its stays stay. Every other night is closed, here and on every channel, until you let it again.</p>
${actionForm(visit, { action: "stop_letting", label: "Stop letting", subject: title, id, kind: "danger" })}`
        )
      : actionForm(visit, { action: "let_again", label: "Let it again", subject: title, id, kind: "plain" })
  }${editLink("property", { id, name: `the prices of ${title}` }, "Prices")} <a class="soft" href="${activityLogUrl(`property:${id}`)}" aria-label="History of ${title}">History</a>`

const listPagination = (visit: SignedInVisit, total: number, name = "offset"): Html =>
  pagination(visit, { offset: readOffsetParam(visit, name), limit: PORTFOLIO_ROWS_MAX, total, name })

const editLink = (kind: string, { id, name }: { readonly id: number; readonly name: string }, label = "Change"): Html =>
  html`<a href="${editUrl(PROPERTIES_PATH, kind, id)}" aria-label="Change ${name}">${label}</a>`

const createLink = (
  kind: string,
  label: string
): Html => html`<p>${link(editUrl(PROPERTIES_PATH, kind, "new"), label)}</p>
`

const countText = (count: number, singular: string, plural: string): string =>
  count === 1 ? `1 ${singular}` : `${count} ${plural}`

export const groupsSection = (visit: SignedInVisit, { groups }: PortfolioData): Html =>
  section(
    "Groups",
    html`<p class="soft">A property may be in several groups, such as those of a street or of an owner.</p>
${table(
  { empty: "There is no group yet." },
  [
    { label: "Name", cell: ({ name }) => html`<span class="name">${name}</span>` },
    { label: "Properties", cell: ({ properties }) => String(properties), isNumeric: true },
    { label: "Change", cell: (group) => editLink("group", group) }
  ],
  groups.rows
)}${listPagination(visit, groups.total, "groups")}${createLink("group", "Make a group")}`,
    "groups"
  )

export const propertyTagsSection = (visit: SignedInVisit, { tags }: PortfolioData): Html =>
  section(
    "Tags of properties",
    html`<p class="soft">A word with a colour, on properties and room types. Tags of reservations are on the page of words.</p>
${table(
  { empty: "There is no tag yet." },
  [
    { label: "Name", cell: ({ name, color }) => html`${colorDot(color)} <span class="name">${name}</span>` },
    {
      label: "On",
      cell: ({ properties, room_types }) =>
        `${countText(properties, "property", "properties")}, ${countText(room_types, "room type", "room types")}`
    },
    { label: "Change", cell: (tag) => editLink("tag", tag) }
  ],
  tags.rows
)}${listPagination(visit, tags.total, "tags")}${createLink("tag", "Make a tag")}`,
    "tags"
  )

export const roomTypesSection = (visit: SignedInVisit, { room_types }: PortfolioData): Html =>
  section(
    "Room types",
    html`<p class="soft">Rooms that are sold as one kind: as many as there are can be sold at once. A room type is renamed over the API: <code>PATCH /room_types/{id}</code>. Its rooms are chosen when it is made.</p>
${table(
  { empty: "There is no room type yet." },
  [
    { label: "Title", cell: ({ name }) => html`<span class="name">${name}</span>` },
    { label: "Properties", cell: ({ properties }) => String(properties), isNumeric: true },
    { label: "Tags", cell: ({ tags }) => tagsCell(tags) }
  ],
  room_types.rows
)}${listPagination(visit, room_types.total, "room_types")}${createLink("room_type", "Make a room type")}`,
    "room_types"
  )
