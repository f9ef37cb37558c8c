import { PORTFOLIO_ROWS_MAX } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { PortfolioData, PortfolioProperty } from "../../queries/Portfolio.ts"
import type { SignedInVisit } from "../../visit.ts"
import { queryForm } from "../form-fields.ts"
import {
  badge,
  link,
  moneyHtml,
  pagination,
  pluralize,
  readOffsetParam,
  section,
  type TableColumn,
  table
} from "../page-parts.ts"
import { editUrl, readTitleQuery, titleField } from "../property-selection.ts"
import { CATEGORIES_PATH, PROPERTIES_PATH, propertyUrl } from "../urls.ts"
import { colorDot } from "./tag-colors.ts"

export const NEW_PROPERTY_URL = editUrl(PROPERTIES_PATH, "property", "new")

const LIST_LINKS = [
  ["groups", "Groups"],
  ["tags", "Tags"],
  ["room_types", "Room types"]
] as const

export const propertiesSection = (visit: SignedInVisit, { properties }: PortfolioData): Html => {
  const titleQuery = readTitleQuery(visit)
  const empty =
    titleQuery === undefined
      ? html`No properties yet. ${link(NEW_PROPERTY_URL, "Add your first property")}`
      : html`No properties match. ${link(PROPERTIES_PATH, "Show all")}`
  return html`<nav class="jumps" aria-label="On this page">${LIST_LINKS.map(([id, label]) => html`<a href="#${id}">${label}</a>`)}</nav>
${section(
  "All properties",
  html`${properties.total === 0 && titleQuery === undefined ? nothing : queryForm(PROPERTIES_PATH, titleField(titleQuery), "Search")}${table(
    { empty },
    PROPERTY_COLUMNS,
    properties.rows
  )}${listPagination(visit, properties.total)}`,
  "properties"
)}`
}

export const activityBadge = (isActive: boolean): Html =>
  isActive ? badge("Active", "good") : badge("Inactive", "wait")

export const tagsCell = (tags: PortfolioProperty["tags"]): Html =>
  html`${tags.map(({ name, color }) => html`<span class="whole">${colorDot(color)} ${name}</span> `)}`

/** A phone shows only the groups, so that a property has two lines. */
const groupsAndTagsCell = ({ groups, tags, room_type }: PortfolioProperty): Html => {
  const groupNames = groups.map(({ name }) => name).join(", ")
  const roomType = room_type === null ? nothing : html`<span class="soft">${room_type}</span> `
  return html`${groupNames}<span class="off-phone"> ${roomType}${tagsCell(tags)}</span>`
}

const PROPERTY_COLUMNS: ReadonlyArray<TableColumn<PortfolioProperty>> = [
  { label: "Name", cell: ({ id, title }) => html`<a class="name" href="${propertyUrl(id)}">${title}</a>` },
  {
    label: "Group and tags",
    cell: groupsAndTagsCell,
    onPhone: "detail"
  },
  {
    label: "Guests",
    cell: ({ capacity }) => (capacity === null ? "" : html`<span class="whole">max. ${capacity}</span>`),
    onPhone: "labelled"
  },
  { label: "Listings", cell: ({ listings }) => String(listings), isNumeric: true, onPhone: "labelled" },
  {
    label: "Price tonight",
    cell: ({ night: { price, currency } }) => (price === null ? "" : moneyHtml(String(price), currency)),
    isNumeric: true,
    onPhone: "detail"
  },
  {
    label: "Status",
    cell: ({ deactivated_at }) => activityBadge(deactivated_at === null),
    onPhone: "side"
  }
]

const listPagination = (visit: SignedInVisit, total: number, name = "offset"): Html =>
  pagination(visit, { offset: readOffsetParam(visit, name), limit: PORTFOLIO_ROWS_MAX, total, name })

const editLink = (kind: string, { id, name }: { readonly id: number; readonly name: string }): Html =>
  html`<a class="name" href="${editUrl(PROPERTIES_PATH, kind, id)}">${name}</a>`

const createLink = (
  kind: string,
  label: string
): Html => html`<p>${link(editUrl(PROPERTIES_PATH, kind, "new"), label)}</p>
`

const propertyCount = (count: number): string => pluralize(count, "property", "properties")

export const groupsSection = (visit: SignedInVisit, { groups }: PortfolioData): Html =>
  section(
    "Groups",
    html`<p class="soft">Sort properties by place or owner. A property can be in several groups.</p>
${table(
  { empty: "No groups yet." },
  [
    { label: "Name", cell: (group) => editLink("group", group) },
    { label: "Properties", cell: ({ properties }) => propertyCount(properties), onPhone: "side" }
  ],
  groups.rows
)}${listPagination(visit, groups.total, "groups")}${createLink("group", "New group")}`,
    "groups"
  )

export const propertyTagsSection = (visit: SignedInVisit, { tags }: PortfolioData): Html =>
  section(
    "Property tags",
    html`<p class="soft">Coloured labels for properties and room types. Reservation tags are under ${link(CATEGORIES_PATH, "Categories & tags")}.</p>
${table(
  { empty: "No tags yet." },
  [
    { label: "Name", cell: (tag) => html`${colorDot(tag.color)} ${editLink("tag", tag)}` },
    {
      label: "Used on",
      cell: ({ properties, room_types }) =>
        [propertyCount(properties), ...(room_types === 0 ? [] : [pluralize(room_types, "room type")])].join(", "),
      onPhone: "detail"
    }
  ],
  tags.rows
)}${listPagination(visit, tags.total, "tags")}${createLink("tag", "New tag")}`,
    "tags"
  )

export const roomTypesSection = (visit: SignedInVisit, { room_types }: PortfolioData): Html =>
  section(
    "Room types",
    html`<p class="soft">Equal rooms that are sold as one kind. Choose its properties when you add a room type.</p>
${table(
  { empty: "No room types yet." },
  [
    { label: "Name", cell: ({ name }) => html`<span class="name">${name}</span>` },
    { label: "Tags", cell: ({ tags }) => tagsCell(tags), onPhone: "detail" },
    { label: "Properties", cell: ({ properties }) => propertyCount(properties), onPhone: "side" }
  ],
  room_types.rows
)}${listPagination(visit, room_types.total, "room_types")}${createLink("room_type", "New room type")}`,
    "room_types"
  )
