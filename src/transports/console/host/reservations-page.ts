import { DateTime, Effect } from "effect"
import { dateInZone, formatWallClock } from "../../../contract/time.ts"
import { STAY_SEARCH_ROWS_MAX } from "../../../platform/limits.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { type CheckOutRange, checkOutRangeOf, FoundStays, type StaySearchFilter } from "../queries/FoundStays.ts"
import { OfferedProperties } from "../queries/OfferedProperties.ts"
import type { SignedInVisit } from "../visit.ts"
import { makeHostPage } from "./host-page.ts"
import { buttonLink, formatDay, link, pagination, pluralize, readOffsetParam } from "./page-parts.ts"
import { hasFilter, readStayFilter } from "./reservations/reservation-filter.ts"
import { reservationsTable } from "./reservations/reservations-table.ts"
import { searchForm } from "./reservations/search-form.ts"
import { limitProperties } from "./stay/stay-labels.ts"
import { CHANNELS_PATH, newReservationUrl, RESERVATIONS_CSV_PATH, RESERVATIONS_PATH } from "./urls.ts"

export const makeReservationsPage = Effect.gen(function* () {
  const [stays, properties] = [yield* FoundStays, yield* OfferedProperties]
  return makeHostPage({
    path: RESERVATIONS_PATH,
    show: (visit) =>
      Effect.gen(function* () {
        const { timeZone } = visit.session.person.caller
        const now = yield* DateTime.nowAsDate
        const filter = readStayFilter(visit)
        const offset = readOffsetParam(visit)
        const { total, orders, rows } = yield* stays.of(filter, formatWallClock(now, timeZone), offset)
        const { properties: limitedProperties, truncationNote } = limitProperties(yield* properties.of())
        const propertyOptions = limitedProperties.map(({ id, title }) => ({ value: id, label: title }))
        return {
          title: "Reservations",
          primaryAction: buttonLink(newReservationUrl(), "New reservation"),
          body: html`${searchForm(visit, filter, propertyOptions)}${truncationNote}<section>
<div class="section-head"><h2>${resultCountText(total, orders)}</h2>${total === 0 ? nothing : link(csvUrl(visit), "Export CSV")}</div>
<p class="soft desk">${coveredRangeText(checkOutRangeOf(filter, dateInZone(now, timeZone)), filter)}</p>
${reservationsTable(rows, emptyText(filter))}${pagination(visit, { offset, limit: STAY_SEARCH_ROWS_MAX, total })}</section>
`
        }
      })
  })
})

/** The file has the same filters, and no pages. */
const csvUrl = ({ query }: SignedInVisit): string => {
  const params = new URLSearchParams(Array.from(query).filter(([name, value]) => name !== "offset" && value !== ""))
  return params.size === 0 ? RESERVATIONS_CSV_PATH : `${RESERVATIONS_CSV_PATH}?${params.toString()}`
}

const resultCountText = (total: number, orders: number): string => {
  if (total === 0) return "No reservations"
  return orders === total
    ? pluralize(total, "reservation")
    : `${pluralize(total, "stay")} of ${pluralize(orders, "reservation")}`
}

const emptyText = (filter: StaySearchFilter): Html =>
  hasFilter(filter)
    ? html`No reservations match. ${link(RESERVATIONS_PATH, "Clear filters")} or ${link(newReservationUrl(), "add a reservation")}.`
    : html`No upcoming reservations. ${link(newReservationUrl(), "Add a reservation")} or ${link(CHANNELS_PATH, "connect a channel")}.`

const coveredRangeText = ({ from, to }: CheckOutRange, { searchText, ...filter }: StaySearchFilter): string => {
  const codeNote = searchText === undefined ? "" : " A complete code is found on any date."
  if (from !== undefined) {
    const rangeText = `${formatDay(from)}${to === undefined ? " on" : ` to ${formatDay(to)}`}`
    return `Check-outs from ${rangeText}, by check-in. Pick dates to see others.${codeNote}`
  }
  const hasDates = [filter.from, filter.to, filter.checkOutFrom, filter.checkOutTo].some((day) => day !== undefined)
  return hasDates ? "By check-in." : "On any date, by check-in."
}
