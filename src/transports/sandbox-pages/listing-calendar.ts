import type { GuestCalendarDay } from "../../connectors/sandbox/SandboxQueries.ts"
import { type Html, html, nothing } from "../docs/html.ts"

const WEEK = 7
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

const weekdayIndex = (date: string): number => (new Date(`${date}T00:00:00Z`).getUTCDay() + WEEK - 1) % WEEK

const dayLabel = (date: string, isFirst: boolean): string => {
  const day = Number(date.slice(8))
  return isFirst || day === 1 ? `${day} ${MONTHS[Number(date.slice(5, 7)) - 1]}` : String(day)
}

const restrictionsText = ({ restrictions: rules }: GuestCalendarDay): string => {
  const limitText = (name: string, nights: number | undefined) => (nights === undefined ? [] : [`${name} ${nights}`])
  return [
    ...(rules.closed_on_arrival === true ? ["no arrival"] : []),
    ...(rules.closed_on_departure === true ? ["no departure"] : []),
    ...limitText("min", rules.min_stay_on_arrival),
    ...limitText("max", rules.max_stay_on_arrival),
    ...limitText("exactly", rules.exact_stay_on_arrival),
    ...limitText("through min", rules.min_stay_through),
    ...limitText("through max", rules.max_stay_through),
    ...(rules.min_advance_reservation === undefined ? [] : [`from ${rules.min_advance_reservation} ahead`]),
    ...(rules.max_advance_reservation === undefined ? [] : [`up to ${rules.max_advance_reservation} ahead`])
  ].join(", ")
}

const dayCell = (day: GuestCalendarDay, isFirst: boolean): Html => {
  const { availableCount: left, soldCount: sold } = day
  const [state, stateText] =
    left > 0 ? ["free", left > 1 ? `${left} left` : ""] : sold > 0 ? ["sold", "sold"] : ["closed", "closed"]
  const rules = restrictionsText(day)
  return html`<td class="${state}"><b>${dayLabel(day.date, isFirst)}</b><span class="price">${day.price}</span>${stateText === "" ? nothing : html`<span class="state">${stateText}</span>`}${rules === "" ? nothing : html`<span class="rule">${rules}</span>`}</td>`
}

export const listingCalendar = (days: ReadonlyArray<GuestCalendarDay>, currency: string): Html => {
  const [first] = days
  if (first === undefined) return nothing
  const leadingBlanks = weekdayIndex(first.date)
  const cells = [
    ...Array.from({ length: leadingBlanks }, () => html`<td></td>`),
    ...days.map((day, at) => dayCell(day, at === 0))
  ]
  const weeks = Array.from({ length: Math.ceil(cells.length / WEEK) }, (_, at) =>
    cells.slice(at * WEEK, (at + 1) * WEEK)
  )
  return html`<div class="scroll"><table class="calendar">
<caption>Nights, ${currency} before cleaning and taxes</caption>
<thead><tr>${WEEKDAYS.map((weekday) => html`<th scope="col">${weekday}</th>`)}</tr></thead>
<tbody>${weeks.map(
    (week) => html`<tr>${week}</tr>
`
  )}</tbody>
</table></div>`
}
