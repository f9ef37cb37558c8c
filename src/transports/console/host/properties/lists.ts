import { PORTFOLIO_ROWS, PROPERTY_TITLE } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { PortfolioProperty, ShownPortfolio } from "../../queries/Portfolio.ts"
import type { SignedInVisit } from "../../visit.ts"
import { historyAddress, PROPERTIES_PATH, reservationsAddress } from "../addresses.ts"
import { changeAddress, lookedForIn, titleField } from "../choosing.ts"
import { behind, filling, formOf, input, lookingForm } from "../fields.ts"
import type { NotTaken } from "../page.ts"
import { badge, type Column, link, offsetIn, pages, section, table, timeOf } from "../parts.ts"
import { colourOf } from "./colours.ts"

// The lists of the page: what there is, each with a way to change it.

/** The properties, and a form for one more. */
export const propertiesPart = (visit: SignedInVisit, { properties }: ShownPortfolio, notTaken?: NotTaken): Html => {
  const lookedFor = lookedForIn(visit)
  const finding =
    properties.total > PORTFOLIO_ROWS || lookedFor !== undefined
      ? lookingForm(PROPERTIES_PATH, titleField(lookedFor), "Find")
      : nothing
  return section(
    "Properties",
    html`${finding}${table(
      { empty: lookedFor === undefined ? "There is no property yet." : "No property has that in its title." },
      propertyColumns(visit),
      properties.rows
    )}${pagesOf(visit, properties.total)}
<h3>One more</h3>
<p class="soft">Its title is not changed later, and no other property has it.</p>
${formOf(visit, {
  act: "add_property",
  button: "Add the property",
  row: true,
  fields: input(filling(notTaken, "add_property"), {
    name: "title",
    label: "Title",
    required: true,
    maxlength: PROPERTY_TITLE
  })
})}`,
    "properties"
  )
}

const propertyColumns = (visit: SignedInVisit): ReadonlyArray<Column<PortfolioProperty>> => [
  {
    label: "Title",
    cell: ({ id, title }) => html`<a class="name" href="${reservationsAddress({ property: id })}">${title}</a>`
  },
  { label: "Room type", cell: ({ room_type }) => room_type ?? "none" },
  { label: "Groups", cell: ({ groups }) => groups.map(({ name }) => name).join(", ") || "none" },
  { label: "Tags", cell: ({ tags }) => tagsOf(tags) },
  {
    label: "Stands",
    cell: ({ deactivated_at }) =>
      deactivated_at === null
        ? badge("let", "good")
        : html`${badge("not let", "wait")} <span class="soft">since ${timeOf(deactivated_at, visit)}</span>`
  },
  { label: "Change", cell: (property) => turningOf(visit, property) }
]

const tagsOf = (tags: PortfolioProperty["tags"]): Html | string =>
  tags.length === 0 ? "none" : html`${tags.map(({ name, color }) => html`${colourOf(color)} ${name} `)}`

const turningOf = (visit: SignedInVisit, { id, title, deactivated_at }: PortfolioProperty): Html =>
  html`${
    deactivated_at === null
      ? behind(
          "Stop letting…",
          html`<p>Its stays stay. Every other night is closed, here and on every channel, until you let it again.</p>
${formOf(visit, { act: "stop_letting", button: "Stop letting", of: title, id, kind: "danger" })}`
        )
      : formOf(visit, { act: "let_again", button: "Let it again", of: title, id, kind: "plain" })
  }<a class="soft" href="${historyAddress(`property:${id}`)}" aria-label="History of ${title}">History</a>`

const pagesOf = (visit: SignedInVisit, total: number, name = "offset"): Html =>
  pages(visit, { offset: offsetIn(visit, name), limit: PORTFOLIO_ROWS, total, name })

const changing = (kind: string, { id, name }: { readonly id: number; readonly name: string }): Html =>
  html`<a href="${changeAddress(PROPERTIES_PATH, kind, id)}" aria-label="Change ${name}">Change</a>`

const making = (
  kind: string,
  words: string
): Html => html`<p>${link(changeAddress(PROPERTIES_PATH, kind, "new"), words)}</p>
`

const counted = (count: number, one: string, several: string): string =>
  count === 1 ? `1 ${one}` : `${count} ${several}`

export const groupsPart = (visit: SignedInVisit, { groups }: ShownPortfolio): Html =>
  section(
    "Groups",
    html`<p class="soft">A property may be in several groups, such as those of a street or of an owner.</p>
${table(
  { empty: "There is no group yet." },
  [
    { label: "Name", cell: ({ name }) => html`<span class="name">${name}</span>` },
    { label: "Properties", cell: ({ properties }) => String(properties), number: true },
    { label: "Change", cell: (group) => changing("group", group) }
  ],
  groups.rows
)}${pagesOf(visit, groups.total, "groups")}${making("group", "Make a group")}`,
    "groups"
  )

export const tagsPart = (visit: SignedInVisit, { tags }: ShownPortfolio): Html =>
  section(
    "Tags of properties",
    html`<p class="soft">A word with a colour, on properties and room types. Tags of reservations are on the page of words.</p>
${table(
  { empty: "There is no tag yet." },
  [
    { label: "Name", cell: ({ name, color }) => html`${colourOf(color)} <span class="name">${name}</span>` },
    {
      label: "On",
      cell: ({ properties, room_types }) =>
        `${counted(properties, "property", "properties")}, ${counted(room_types, "room type", "room types")}`
    },
    { label: "Change", cell: (tag) => changing("tag", tag) }
  ],
  tags.rows
)}${pagesOf(visit, tags.total, "tags")}${making("tag", "Make a tag")}`,
    "tags"
  )

export const roomTypesPart = (visit: SignedInVisit, { room_types }: ShownPortfolio): Html =>
  section(
    "Room types",
    html`<p class="soft">Rooms that are sold as one kind: as many as there are can be sold at once. A room type is not changed once it is made.</p>
${table(
  { empty: "There is no room type yet." },
  [
    { label: "Title", cell: ({ name }) => html`<span class="name">${name}</span>` },
    { label: "Properties", cell: ({ properties }) => String(properties), number: true },
    { label: "Tags", cell: ({ tags }) => tagsOf(tags) }
  ],
  room_types.rows
)}${pagesOf(visit, room_types.total, "room_types")}${making("room_type", "Make a room type")}`,
    "room_types"
  )
