import { DateTime, Effect } from "effect"
import { dateInZone, wallClockText } from "../../../contract/time.ts"
import { CODE, FOUND_STAYS } from "../../../platform/limits.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import {
  type Covered,
  coveredBy,
  type Found,
  FoundStays,
  IN_BOX,
  Payment,
  type Sought,
  Standing
} from "../queries/FoundStays.ts"
import { OfferedProperties } from "../queries/OfferedProperties.ts"
import type { SignedInVisit } from "../visit.ts"
import { newReservationAddress, RESERVATIONS_PATH, stayAddress } from "./addresses.ts"
import { type Fill, input, lookingForm, type Option, select } from "./fields.ts"
import { hostPage } from "./page.ts"
import { badge, dayIn, dayOf, dayText, idIn, link, moneyOf, offsetIn, pages, section, table } from "./parts.ts"
import { offeredOf, STANDINGS, soldWords, standingBadge, whereabouts, whoOf } from "./stay/words.ts"

/** Search of reservations, a row a stay: by code or guest, days, property, how they stand, and whether they are paid. */
export const makeReservationsPage = Effect.gen(function* () {
  const [stays, properties] = [yield* FoundStays, yield* OfferedProperties]
  return hostPage({
    path: RESERVATIONS_PATH,
    show: (visit) =>
      Effect.gen(function* () {
        const { operatorId, timeZone } = visit.session.person.caller
        const now = yield* DateTime.nowAsDate
        const today = dateInZone(now, timeZone)
        const sought = soughtIn(visit)
        const offset = offsetIn(visit)
        const { total, orders, rows } = yield* stays.of(operatorId, sought, wallClockText(now, timeZone), offset)
        const { offered, more } = offeredOf(yield* properties.of(operatorId))
        return {
          title: "Reservations",
          body: html`<p>${link(newReservationAddress(), "Enter a reservation")}</p>
${searchForm(
  visit,
  offered.map(({ id, title }) => ({ value: id, words: title }))
)}${more}${section(
  foundWords(total, orders),
  html`<p class="soft">${coveredWords(coveredBy(sought, today), sought)} The first to arrive is first.</p>
${foundTable(rows)}${pages(visit, { offset, limit: FOUND_STAYS, total })}`
)}`
        }
      })
  })
})

const asked = ({ query }: SignedInVisit, name: string): string => (query.get(name) ?? "").trim()

const oneOf = <Value extends string>(literals: ReadonlyArray<Value>, text: string): Value | undefined =>
  literals.find((each) => each === text)

/** What the address asks for; what it says that is nothing of the kind narrows nothing. */
const soughtIn = (visit: SignedInVisit): Sought => {
  const words = asked(visit, "q").slice(0, CODE)
  return {
    words: words === "" ? undefined : words,
    propertyId: asked(visit, "property") === String(IN_BOX) ? IN_BOX : idIn(visit, "property"),
    status: oneOf(Standing.literals, asked(visit, "status")),
    payment: oneOf(Payment.literals, asked(visit, "payment")),
    from: dayIn(visit, "from"),
    to: dayIn(visit, "to"),
    leavesFrom: dayIn(visit, "leaves_from"),
    leavesTo: dayIn(visit, "leaves_to")
  }
}

const PAID: ReadonlyArray<Option> = [
  { value: "unpaid", words: "not paid in full" },
  { value: "paid", words: "paid in full" }
]

const searchForm = (visit: SignedInVisit, properties: ReadonlyArray<Option>): Html => {
  const fill: Fill = (name, otherwise) => visit.query.get(name) ?? otherwise
  const box = { value: IN_BOX, words: "in the box" }
  return lookingForm(
    RESERVATIONS_PATH,
    html`${input(fill, { name: "q", label: "Code or guest", type: "search", maxlength: CODE })}
${select(fill, { name: "property", label: "Property", none: "any", options: [box, ...properties] })}
${select(fill, { name: "status", label: "Stands", none: "any", options: STANDINGS })}
${select(fill, { name: "payment", label: "Payment", none: "any", options: PAID })}
${input(fill, { name: "from", label: "Arrives from", type: "date" })}
${input(fill, { name: "to", label: "Arrives until", type: "date" })}
${input(fill, { name: "leaves_from", label: "Leaves from", type: "date" })}
${input(fill, { name: "leaves_to", label: "Leaves until", type: "date" })}`,
    "Search"
  )
}

const foundWords = (total: number, orders: number): string => {
  if (total === 0) return "No stays"
  if (total === 1) return "One stay"
  return orders === total ? `${total} stays` : `${total} stays of ${orders} ${orders === 1 ? "order" : "orders"}`
}

/** Which days were looked through, where the search itself does not say. */
const coveredWords = ({ from, to }: Covered, { words, ...sought }: Sought): string => {
  const whole = words === undefined ? "" : " A whole code is found whatever its days."
  if (from !== undefined) {
    const until = to === undefined ? "or later" : `to ${dayText(to)}`
    return `Of stays that leave from ${dayText(from)} ${until}; name days to search others.${whole}`
  }
  const namesDays = [sought.from, sought.to, sought.leavesFrom, sought.leavesTo].some((day) => day !== undefined)
  return namesDays ? "Of the days that you named." : "Whatever their days."
}

const foundTable = (rows: ReadonlyArray<Found>): Html =>
  table(
    { empty: "No stay is like that." },
    [
      { label: "Guest", cell: (stay) => link(stayAddress(stay.stay_code), whoOf(stay)) },
      { label: "Code", cell: ({ stay_code }) => html`<span class="soft">${stay_code}</span>` },
      { label: "Property", cell: ({ property_title }) => property_title ?? badge("in the box", "wait") },
      { label: "Arrives", cell: ({ check_in_date }) => dayOf(check_in_date) },
      { label: "Leaves", cell: ({ check_out_date }) => dayOf(check_out_date) },
      { label: "Guests", cell: ({ number_of_guests }) => String(number_of_guests), number: true },
      { label: "Stands", cell: standsCell },
      { label: "Money", cell: moneyCell, number: true },
      { label: "Tags", cell: ({ tags }) => html`${tags.map((tag) => html`${badge(tag)} `)}` }
    ],
    rows
  )

const standsCell = ({ status, stay_status, channel_type }: Found): Html => {
  const where = status === "accepted" ? ` ${whereabouts(stay_status)},` : ""
  return html`${standingBadge(status)} <span class="soft">${where} ${soldWords(channel_type)}</span>`
}

const moneyCell = ({ status, total, balance, currency }: Found): Html =>
  html`${moneyOf(total, currency)}${
    status === "accepted" && Number(balance) > 0
      ? html` <span class="soft">due: ${moneyOf(balance, currency)}</span>`
      : nothing
  }`
