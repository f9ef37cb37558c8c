import { daysInRange } from "../../../../contract/time.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { StaySearchRow } from "../../queries/FoundStays.ts"
import { badge, formatDayRange, link, moneyHtml, pluralize, type TableColumn, table } from "../page-parts.ts"
import { bookingSourceLabel, guestLabel, stayBadge } from "../stay/stay-labels.ts"
import { stayUrl } from "../urls.ts"

const guestCell = (stay: StaySearchRow): Html =>
  html`${link(stayUrl(stay.stay_code), guestLabel(stay))}<span class="desk"><br><span class="soft">${stay.stay_code}</span>${stay.tags.map((tag) => html` ${badge(tag)}`)}</span>`

/** Phones show no year. */
const datesCell = ({ check_in_date, check_out_date, number_of_guests }: StaySearchRow): Html =>
  html`<time datetime="${check_in_date}" class="desk">${formatDayRange(check_in_date, check_out_date)}</time><span class="phone">${formatDayRange(check_in_date, check_out_date).replaceAll(/ \d{4}\b/g, "")}</span><span class="desk"><br><span class="soft">${pluralize(daysInRange(check_in_date, check_out_date) - 1, "night")}, ${pluralize(number_of_guests, "guest")}</span></span>`

const statusCell = (stay: StaySearchRow): Html =>
  html`${stayBadge(stay)}<span class="desk"><br><span class="soft">${bookingSourceLabel(stay.channel_type)}</span></span>`

const paymentState = ({ status, total, balance, currency }: StaySearchRow): Html => {
  if (status !== "accepted" || Number(total) === 0) return html`<span class="desk">—</span>`
  return Number(balance) > 0
    ? html`<span class="due"><span class="desk">Balance due</span><span class="phone">Due</span> ${moneyHtml(balance, currency)}</span>`
    : html`<span class="desk">${badge("Paid", "good")}</span>`
}

/** The amounts of the whole reservation, which may have several stays. Phones show the balance instead of the total. */
const paymentCell = (stay: StaySearchRow): Html => {
  const isDue = stay.status === "accepted" && Number(stay.balance) > 0
  const stays = stay.stays === 1 ? nothing : html` <span class="soft desk">for ${stay.stays} stays</span>`
  return html`<span${isDue ? DESK_ATTRIBUTE : nothing}>${moneyHtml(stay.total, stay.currency)}${stays}<br class="desk"></span>${paymentState(stay)}`
}

const DESK_ATTRIBUTE: Html = { html: ' class="desk"' }

const COLUMNS: ReadonlyArray<TableColumn<StaySearchRow>> = [
  { label: "Guest", cell: guestCell, onPhone: "title" },
  { label: "Dates", cell: datesCell, onPhone: "detail" },
  {
    label: "Property",
    cell: ({ property_title }) => property_title ?? badge("Unassigned", "wait"),
    onPhone: "detail"
  },
  { label: "Status", cell: statusCell, onPhone: "side" },
  { label: "Payment", cell: paymentCell, isNumeric: true, onPhone: "detail" }
]

export const reservationsTable = (rows: ReadonlyArray<StaySearchRow>, empty: Html): Html =>
  html`<div class="reservations">${table({ empty }, COLUMNS, rows)}</div>
`
