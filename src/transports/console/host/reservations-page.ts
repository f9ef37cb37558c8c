import { DateTime, Effect } from "effect"
import { dateInZone, formatWallClock } from "../../../contract/time.ts"
import { RECORD_CODE_LENGTH, STAY_SEARCH_ROWS_MAX } from "../../../platform/limits.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import {
  type CheckOutRange,
  checkOutRangeOf,
  FoundStays,
  type StaySearchFilter,
  StaySearchPayment,
  type StaySearchRow,
  StaySearchStatus,
  UNASSIGNED_PROPERTY
} from "../queries/FoundStays.ts"
import { OfferedProperties } from "../queries/OfferedProperties.ts"
import type { SignedInVisit } from "../visit.ts"
import { type FieldFiller, input, queryForm, type SelectOption, select } from "./form-fields.ts"
import { makeHostPage } from "./host-page.ts"
import {
  badge,
  dayHtml,
  formatDay,
  link,
  moneyHtml,
  pagination,
  readDateParam,
  readIdParam,
  readOffsetParam,
  section,
  table
} from "./page-parts.ts"
import {
  arrivalLabel,
  bookingSourceLabel,
  guestLabel,
  limitProperties,
  RESERVATION_STATUS_OPTIONS,
  statusBadge
} from "./stay/stay-labels.ts"
import { newReservationUrl, RESERVATIONS_PATH, stayUrl } from "./urls.ts"

export const makeReservationsPage = Effect.gen(function* () {
  const [stays, properties] = [yield* FoundStays, yield* OfferedProperties]
  return makeHostPage({
    path: RESERVATIONS_PATH,
    show: (visit) =>
      Effect.gen(function* () {
        const { timeZone } = visit.session.person.caller
        const now = yield* DateTime.nowAsDate
        const today = dateInZone(now, timeZone)
        const stayFilter = readStayFilter(visit)
        const offset = readOffsetParam(visit)
        const { total, orders, rows } = yield* stays.of(stayFilter, formatWallClock(now, timeZone), offset)
        const { properties: limitedProperties, truncationNote } = limitProperties(yield* properties.of())
        return {
          title: "Reservations",
          body: html`<p>${link(newReservationUrl(), "Enter a reservation")}</p>
${searchForm(
  visit,
  limitedProperties.map(({ id, title }) => ({ value: id, label: title }))
)}${truncationNote}${section(
  resultCountText(total, orders),
  html`<p class="soft">${coveredRangeText(checkOutRangeOf(stayFilter, today), stayFilter)} The first to arrive is first.</p>
${staysTable(rows)}${pagination(visit, { offset, limit: STAY_SEARCH_ROWS_MAX, total })}`
)}`
        }
      })
  })
})

const readQueryText = ({ query }: SignedInVisit, name: string): string => (query.get(name) ?? "").trim()

const findLiteral = <Value extends string>(literals: ReadonlyArray<Value>, text: string): Value | undefined =>
  literals.find((each) => each === text)

/** Ignores invalid values. */
const readStayFilter = (visit: SignedInVisit): StaySearchFilter => {
  const searchText = readQueryText(visit, "q").slice(0, RECORD_CODE_LENGTH)
  return {
    searchText: searchText === "" ? undefined : searchText,
    propertyId:
      readQueryText(visit, "property") === String(UNASSIGNED_PROPERTY)
        ? UNASSIGNED_PROPERTY
        : readIdParam(visit, "property"),
    status: findLiteral(StaySearchStatus.literals, readQueryText(visit, "status")),
    payment: findLiteral(StaySearchPayment.literals, readQueryText(visit, "payment")),
    from: readDateParam(visit, "from"),
    to: readDateParam(visit, "to"),
    checkOutFrom: readDateParam(visit, "leaves_from"),
    checkOutTo: readDateParam(visit, "leaves_to")
  }
}

const PAYMENT_OPTIONS: ReadonlyArray<SelectOption> = [
  { value: "unpaid", label: "not paid in full" },
  { value: "paid", label: "paid in full" }
]

const searchForm = (visit: SignedInVisit, properties: ReadonlyArray<SelectOption>): Html => {
  const fillField: FieldFiller = (name, defaultValue) => visit.query.get(name) ?? defaultValue
  const unassignedOption = { value: UNASSIGNED_PROPERTY, label: "in the box" }
  return queryForm(
    RESERVATIONS_PATH,
    html`${input(fillField, { name: "q", label: "Code or guest", type: "search", maxlength: RECORD_CODE_LENGTH })}
${select(fillField, { name: "property", label: "Property", emptyLabel: "any", options: [unassignedOption, ...properties] })}
${select(fillField, { name: "status", label: "Stands", emptyLabel: "any", options: RESERVATION_STATUS_OPTIONS })}
${select(fillField, { name: "payment", label: "Payment", emptyLabel: "any", options: PAYMENT_OPTIONS })}
${input(fillField, { name: "from", label: "Arrives from", type: "date" })}
${input(fillField, { name: "to", label: "Arrives until", type: "date" })}
${input(fillField, { name: "leaves_from", label: "Leaves from", type: "date" })}
${input(fillField, { name: "leaves_to", label: "Leaves until", type: "date" })}`,
    "Search"
  )
}

const resultCountText = (total: number, orders: number): string => {
  if (total === 0) return "No stays"
  if (total === 1) return "One stay"
  return orders === total ? `${total} stays` : `${total} stays of ${orders} ${orders === 1 ? "order" : "orders"}`
}

const coveredRangeText = ({ from, to }: CheckOutRange, { searchText, ...stayFilter }: StaySearchFilter): string => {
  const codeNote = searchText === undefined ? "" : " A whole code is found whatever its days."
  if (from !== undefined) {
    const endText = to === undefined ? "or later" : `to ${formatDay(to)}`
    return `Of stays that leave from ${formatDay(from)} ${endText}; name days to search others.${codeNote}`
  }
  const hasDateFilter = [stayFilter.from, stayFilter.to, stayFilter.checkOutFrom, stayFilter.checkOutTo].some(
    (day) => day !== undefined
  )
  return hasDateFilter ? "Of the days that you named." : "Whatever their days."
}

const staysTable = (rows: ReadonlyArray<StaySearchRow>): Html =>
  table(
    { empty: "No stay is like that." },
    [
      { label: "Guest", cell: (stay) => link(stayUrl(stay.stay_code), guestLabel(stay)) },
      { label: "Code", cell: ({ stay_code }) => html`<span class="soft">${stay_code}</span>` },
      { label: "Property", cell: ({ property_title }) => property_title ?? badge("in the box", "wait") },
      { label: "Arrives", cell: ({ check_in_date }) => dayHtml(check_in_date) },
      { label: "Leaves", cell: ({ check_out_date }) => dayHtml(check_out_date) },
      { label: "Guests", cell: ({ number_of_guests }) => String(number_of_guests), isNumeric: true },
      { label: "Stands", cell: statusCell },
      { label: "Money", cell: moneyCell, isNumeric: true },
      { label: "Tags", cell: ({ tags }) => html`${tags.map((tag) => html`${badge(tag)} `)}` }
    ],
    rows
  )

const statusCell = ({ status, stay_status, channel_type }: StaySearchRow): Html => {
  const arrivalText = status === "accepted" ? ` ${arrivalLabel(stay_status)},` : ""
  return html`${statusBadge(status)} <span class="soft">${arrivalText} ${bookingSourceLabel(channel_type)}</span>`
}

const moneyCell = ({ status, total, balance, currency }: StaySearchRow): Html =>
  html`${moneyHtml(total, currency)}${
    status === "accepted" && Number(balance) > 0
      ? html` <span class="soft">due: ${moneyHtml(balance, currency)}</span>`
      : nothing
  }`
