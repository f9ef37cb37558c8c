import { PROPERTY_PAGE_ROWS_MAX } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { PropertyDetail, PropertyListing } from "../../queries/PropertyPage.ts"
import type { SignedInVisit } from "../../visit.ts"
import { channelName } from "../channel-names.ts"
import { actionForm, disclosure } from "../form-fields.ts"
import { badge, fact, link, moneyHtml, pluralize, section, table, timeHtml } from "../page-parts.ts"
import { editUrl } from "../property-selection.ts"
import {
  activityLogUrl,
  CHANNELS_PATH,
  ICAL_SYNC_PATH,
  listingUrl,
  moneyUrl,
  newReservationUrl,
  PEOPLE_PATH,
  PRICES_PATH,
  PROPERTIES_PATH,
  reportsUrl,
  reservationsUrl,
  tasksUrl
} from "../urls.ts"
import { activityBadge, tagsCell } from "./property-lists.ts"

export const DEACTIVATE_ACTION = "stop_letting"
export const ACTIVATE_ACTION = "let_again"

const shownRows = <Row>(rows: ReadonlyArray<Row>): ReadonlyArray<Row> => rows.slice(0, PROPERTY_PAGE_ROWS_MAX)

const furtherLink = (rows: ReadonlyArray<unknown>, url: string): Html =>
  rows.length > PROPERTY_PAGE_ROWS_MAX
    ? html`<p>${link(url, `These are the first ${PROPERTY_PAGE_ROWS_MAX}. Show all`)}</p>
`
    : nothing

export const overviewSection = (visit: SignedInVisit, property: PropertyDetail): Html => {
  const { id, night_price, currency, room_type, groups, tags, cover_url } = property
  const price =
    night_price === null
      ? html`none · ${link(PRICES_PATH, "Set prices")}`
      : html`${moneyHtml(String(night_price), currency)} · ${link(PRICES_PATH, "Prices")}`
  const groupLinks = groups.map(
    (group, index) => html`${index === 0 ? "" : ", "}${link(editUrl(PROPERTIES_PATH, "group", group.id), group.name)}`
  )
  return section(
    "Overview",
    html`<dl class="facts">
${fact("Status", statusCell(visit, property))}${fact("Price tonight", price)}${fact("Groups", groups.length === 0 ? null : html`${groupLinks}`)}${fact("Room type", room_type)}${fact("Tags", tags.length === 0 ? null : tagsCell(tags))}${fact("Photo", cover_url === null || !/^https?:\/\//i.test(cover_url) ? null : html`<a href="${cover_url}" rel="noreferrer noopener">Cover photo</a>`)}</dl>
<p>${link(reservationsUrl({ property: id }), "Reservations")} · ${link(moneyUrl({ property: id }), "Money")} · ${link(reportsUrl({ property: id }), "Reports")} · ${link(tasksUrl(), "Tasks")} · ${link(activityLogUrl(`property:${id}`), "Activity")}</p>
${activationForm(visit, property)}`,
    "overview"
  )
}

export const newReservationLink = ({ id }: PropertyDetail): Html =>
  html`<a class="button" href="${newReservationUrl({ property: id })}">New reservation</a>`

const statusCell = (visit: SignedInVisit, { deactivated_at }: PropertyDetail): Html =>
  html`${activityBadge(deactivated_at === null)}${deactivated_at === null ? nothing : html` <span class="soft">since ${timeHtml(deactivated_at, visit)}</span>`}`

const activationForm = (visit: SignedInVisit, { id, title, deactivated_at }: PropertyDetail): Html =>
  deactivated_at === null
    ? disclosure(
        "Deactivate…",
        html`<p>Existing stays are kept. All other days are blocked, here and on every channel.</p>
${actionForm(visit, { action: DEACTIVATE_ACTION, label: "Deactivate", subject: title, id, kind: "danger" })}`
      )
    : actionForm(visit, { action: ACTIVATE_ACTION, label: "Activate", subject: title, id, kind: "plain" })

const formatMarkup = (ratio: number): string => {
  if (ratio === 100) return "no markup"
  return ratio > 100 ? `+${ratio - 100} %` : `−${100 - ratio} %`
}

export const listingsSection = ({ listings, room_type }: PropertyDetail): Html =>
  section(
    "Listings",
    html`${table(
      { empty: html`Not on any channel yet. ${link(CHANNELS_PATH, "Map a listing")}` },
      [
        {
          label: "Channel",
          cell: ({ id, channel_type }: PropertyListing) => link(listingUrl(id), channelName(channel_type))
        },
        {
          label: "Listing",
          cell: ({ title, listing_id, is_of_room_type }) =>
            html`<span class="name">${title === "" ? listing_id : title}</span>${is_of_room_type ? html` <span class="soft">room type ${room_type ?? ""}</span>` : nothing}`,
          onPhone: "detail"
        },
        {
          label: "Markup",
          cell: ({ ratio }) => html`<span class="whole">${formatMarkup(ratio)}</span>`,
          isNumeric: true,
          onPhone: "side"
        }
      ],
      shownRows(listings)
    )}${furtherLink(listings, CHANNELS_PATH)}`,
    "listings"
  )

const IMPORT_BADGES = {
  new: badge("Not fetched yet", "wait"),
  ok: badge("In sync", "good"),
  failing: badge("Failing", "bad")
} as const

export const calendarsSection = ({ imported_calendars, exported_calendars, house_calendars }: PropertyDetail): Html =>
  section(
    "iCal sync",
    html`${
      imported_calendars.length === 0
        ? nothing
        : table(
            { caption: "Imported calendars", empty: "" },
            [
              { label: "Calendar", cell: ({ host }) => html`<span class="name">${host}</span>` },
              {
                label: "Import",
                cell: ({ events }) => (events === "stay" ? "as reservations" : "as blocked days"),
                onPhone: "detail"
              },
              { label: "Status", cell: ({ state }) => IMPORT_BADGES[state], onPhone: "side" }
            ],
            shownRows(imported_calendars)
          )
    }${furtherLink(imported_calendars, ICAL_SYNC_PATH)}<p>${[
      ...(imported_calendars.length === 0 ? ["No imported calendars"] : []),
      pluralize(exported_calendars, "exported calendar"),
      pluralize(house_calendars, "house calendar")
    ].join(" · ")}</p>
<p>${link(ICAL_SYNC_PATH, "Import or export iCal")}</p>
`,
    "calendars"
  )

export const staffSection = ({ staff }: PropertyDetail): Html =>
  section(
    "Team",
    html`${table(
      { empty: html`Nobody works here yet. ${link(editUrl(PEOPLE_PATH, "staff", "new"), "Add staff")}` },
      [
        {
          label: "Name",
          cell: ({ id, name }) => html`<a class="name" href="${editUrl(PEOPLE_PATH, "staff", id)}">${name}</a>`
        },
        {
          label: "Works in",
          cell: ({ works_everywhere }) => (works_everywhere ? "all properties" : "this property"),
          onPhone: "side"
        }
      ],
      shownRows(staff)
    )}${furtherLink(staff, PEOPLE_PATH)}`,
    "staff"
  )
