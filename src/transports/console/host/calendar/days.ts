import { addDays, daysInRange } from "../../../../contract/time.ts"
import { CHOSEN_DAYS } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { MonthProperty, Shown, Span } from "../../queries/Month.ts"
import type { SignedInVisit } from "../../visit.ts"
import { CALENDAR_PATH, newReservationAddress, stayAddress } from "../addresses.ts"
import { type Fill, formOf, input, lookingForm, select } from "../fields.ts"
import { hereWith } from "../page.ts"
import { dayIn, dayOf, idIn, link, offsetIn, section } from "../parts.ts"

// Days of one property: chosen first, so that what stands there is seen before they are closed, opened or booked.

export interface ChosenDays extends Span {
  readonly property: number
}

const asShown: Fill = (_name, otherwise) => otherwise

/** Which days, of which property; the page is shown again with what stands there. */
export const daysForm = (
  visit: SignedInVisit,
  properties: ReadonlyArray<MonthProperty>,
  { first, last }: Span,
  today: string
): Html => {
  const from = today > first && today <= last ? today : first
  const fields = html`<input type="hidden" name="month" value="${first.slice(0, 7)}"><input type="hidden" name="offset" value="${offsetIn(visit)}">
${select(asShown, { name: "property", label: "Property", value: idIn(visit, "property") ?? "", options: properties.map(({ id, title }) => ({ value: id, words: title })), required: true })}
${input(asShown, { name: "from", label: "First day", type: "date", value: visit.query.get("from") ?? from, required: true })}
${input(asShown, { name: "to", label: "Last day", type: "date", value: visit.query.get("to") ?? from, required: true })}`
  return properties.length === 0
    ? nothing
    : section(
        "Close, open or book days",
        html`${wrongDays(visit)}${lookingForm(CALENDAR_PATH, fields, "Look at these days")}`,
        "choose"
      )
}

/** What stands on the chosen days, and what can be done with them. */
export const chosenDays = (visit: SignedInVisit, chosen: ChosenDays, { properties }: Shown, today: string): Html => {
  const [property] = properties
  if (property === undefined)
    return html`<p class="message error" role="alert">There is no such property.</p>
`
  const { first, last } = chosen
  return section(
    `${property.title}`,
    html`<p>${dayOf(first)} to ${dayOf(last)}, ${daysInRange(first, last)} days.</p>
${standing(property)}
${last < today ? html`<p>These days are over.</p>` : forms(visit, chosen, property)}
<p>${link(hereWith(visit, { property: undefined, from: undefined, to: undefined }), "Choose other days")}</p>
`,
    "days"
  )
}

/** What is wrong with days, in words: they are not looked at then. */
const wrongWith = (first: string, last: string): string | undefined => {
  const count = daysInRange(first, last)
  if (count < 1) return "The last day is before the first."
  return count > CHOSEN_DAYS ? `At most ${CHOSEN_DAYS} days are looked at: choose fewer.` : undefined
}

/** The days that the address names, and of which property. */
const askedIn = (visit: SignedInVisit) => {
  const [property, first, last] = [idIn(visit, "property"), dayIn(visit, "from"), dayIn(visit, "to")]
  return first === undefined || last === undefined
    ? undefined
    : { property, first, last, wrong: wrongWith(first, last) }
}

/** The days that are looked at. */
export const chosenIn = (visit: SignedInVisit) => {
  const asked = askedIn(visit)
  if (asked === undefined || asked.property === undefined || asked.wrong !== undefined) return undefined
  const { property, first, last } = asked
  return { property, first, last }
}

const wrongDays = (visit: SignedInVisit): Html => {
  const wrong = askedIn(visit)?.wrong
  return wrong === undefined
    ? nothing
    : html`<p class="message error" role="alert">${wrong}</p>
`
}

const standing = ({ stays, closed, elsewhere, deactivated }: MonthProperty): Html => {
  const taken = stays.map(
    ({ stay_code, guest_name, check_in_date, check_out_date, accepted }) =>
      html`<li>${link(stayAddress(stay_code), guest_name ?? stay_code)} ${accepted ? "stays" : "asks for it"} from ${dayOf(check_in_date)} to ${dayOf(check_out_date)}.</li>
`
  )
  const counts = [
    ...(closed.length === 0 ? [] : [html`<li>${closed.length} of them are closed by you.</li>`]),
    ...(elsewhere.length === 0 ? [] : [html`<li>${elsewhere.length} of them are busy in a calendar elsewhere.</li>`]),
    ...(deactivated ? [html`<li>The property is switched off: nothing of it can be booked.</li>`] : [])
  ]
  return taken.length + counts.length === 0
    ? html`<p>All of them are open and free.</p>
`
    : html`<ul>${taken}${counts}</ul>
`
}

/** Nights that somebody holds already: booked there, a reservation would be refused. */
const isTaken = ({ stays, elsewhere }: MonthProperty): boolean =>
  elsewhere.length > 0 || stays.some(({ accepted }) => accepted)

const forms = (visit: SignedInVisit, { property, first, last }: ChosenDays, shown: MonthProperty): Html => {
  const fields = html`<input type="hidden" name="property" value="${property}"><input type="hidden" name="from" value="${first}"><input type="hidden" name="to" value="${last}">`
  const isOpen = shown.closed.length === 0
  const isClosed = shown.closed.length >= daysInRange(first, last)
  return html`<div class="acts">
${isClosed ? nothing : formOf(visit, { act: "close_days", button: "Close these days", fields, kind: "plain" })}
${isOpen ? nothing : formOf(visit, { act: "open_days", button: "Open these days", fields, kind: "plain" })}
</div>
<p>${
    isTaken(shown) || shown.deactivated
      ? "A reservation of all these nights would clash with what stands there."
      : link(
          newReservationAddress({ property, check_in_date: first, check_out_date: addDays(last, 1) }),
          "Enter a reservation for these nights"
        )
  }</p>`
}
