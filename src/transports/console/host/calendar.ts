import { Clock, Effect } from "effect"
import { addDays, dateInZone, daysInRange } from "../../../contract/time.ts"
import { MONTH_PROPERTIES } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { Month, type MonthProperty, type MonthStay, type Shown } from "../queries/Month.ts"
import type { SignedInVisit } from "../visit.ts"
import { CALENDAR_PATH, stayAddress } from "./addresses.ts"
import { doing } from "./asking.ts"
import { chosenDays, chosenIn, daysForm } from "./calendar/days.ts"
import { type Cell, lanesOf, type Spanning } from "./calendar/lanes.ts"
import { asNumber } from "./fields.ts"
import { type HostAct, hereWith, hostPage } from "./page.ts"
import { dayOf, link, monthAfter, monthIn, monthText, offsetIn, pages, section, table, weekdayOf } from "./parts.ts"

/** A month of all properties by day: who stays where, what is closed, and what calendars of elsewhere say is busy. */
export const makeCalendarPage = Effect.gen(function* () {
  const [month, act] = [yield* Month, doing(yield* Service)]

  /** Closes or opens the days of the address, of the property there. */
  const setting = (available: boolean, done: string): HostAct => ({
    done,
    run: (visit, form) =>
      act(visit, form, "update_availabilities", {
        property_ids: [asNumber(form.get("property") ?? "")],
        available,
        start_date: form.get("from") ?? "",
        end_date: form.get("to") ?? ""
      })
  })

  return hostPage({
    path: CALENDAR_PATH,
    show: (visit) =>
      Effect.gen(function* () {
        const { operatorId, timeZone } = visit.session.person.caller
        const today = dateInZone(yield* Clock.currentTimeMillis, timeZone)
        const chosen = chosenIn(visit)
        const shownMonth = monthIn(visit) ?? (chosen?.first ?? today).slice(0, 7)
        const span = { first: `${shownMonth}-01`, last: lastDayOf(shownMonth) }
        const offset = offsetIn(visit)
        const shown = yield* month.of(operatorId, span, offset)
        const days =
          chosen === undefined
            ? nothing
            : chosenDays(visit, chosen, yield* month.ofProperty(operatorId, chosen, chosen.property), today)
        return {
          title: `Calendar, ${monthText(shownMonth)}`,
          wide: true,
          body: html`${monthsNav(visit, shownMonth)}${days}${gridOf(shown, span, today)}
${pages(visit, { offset, limit: MONTH_PROPERTIES, total: shown.total })}${LEGEND}
${shown.more ? html`<p class="message note">There are more stays in this month than are shown.</p>` : nothing}
${daysForm(visit, shown.properties, span, today)}${boxOf(shown.boxed)}`
        }
      }),
    acts: {
      close_days: setting(false, "The days are closed. Nights that are sold stay sold."),
      open_days: setting(true, "The days are open again, but for what is sold or busy elsewhere.")
    }
  })
})

const lastDayOf = (month: string): string => addDays(`${monthAfter(month, 1)}-01`, -1)

const monthsNav = (visit: SignedInVisit, month: string): Html => {
  const to = (other: string) => link(hereWith(visit, { month: other, ...NO_DAYS }), monthText(other))
  return html`<nav class="pages" aria-label="Months">${to(monthAfter(month, -1))} ${link(hereWith(visit, { month: undefined, ...NO_DAYS }), "This month")} ${to(monthAfter(month, 1))}</nav>
`
}

const NO_DAYS = { property: undefined, from: undefined, to: undefined }

type Held = { readonly kind: "stay"; readonly stay: MonthStay } | { readonly kind: "closed" | "elsewhere" }

/** Days in a row as one span. */
const runsOf = (days: ReadonlyArray<string>, kind: "closed" | "elsewhere"): ReadonlyArray<Spanning<Held>> => {
  const runs: Array<Spanning<Held>> = []
  for (const day of days.toSorted()) {
    const last = runs.at(-1)
    if (last !== undefined && last.before === day) runs[runs.length - 1] = { ...last, before: addDays(day, 1) }
    else runs.push({ from: day, before: addDays(day, 1), what: { kind } })
  }
  return runs
}

/** What is agreed first: it is in the first row, and what is only asked for beneath it. */
const spansOf = ({ stays, closed, elsewhere }: MonthProperty): ReadonlyArray<Spanning<Held>> => {
  const held = stays
    .toSorted((one, other) => Number(other.accepted) - Number(one.accepted))
    .map((stay) => ({ from: stay.check_in_date, before: stay.check_out_date, what: { kind: "stay", stay } as const }))
  return [
    ...held.filter(({ what }) => what.stay.accepted),
    ...runsOf(closed, "closed"),
    ...runsOf(elsewhere, "elsewhere"),
    ...held.filter(({ what }) => !what.stay.accepted)
  ]
}

const gridOf = (
  { properties }: Shown,
  { first, last }: { readonly first: string; readonly last: string },
  today: string
): Html => {
  const days = Array.from({ length: daysInRange(first, last) }, (_, index) => addDays(first, index))
  return properties.length === 0
    ? html`<p>There is no property yet.</p>
`
    : html`<div class="scroll" role="region" aria-label="The month" tabindex="0"><table class="month">
<thead><tr><th scope="row">Property</th>${days.map((day) => html`<th scope="col"${day === today ? TODAY : nothing}>${weekdayOf(day).slice(0, 2)}<br>${Number(day.slice(8))}</th>`)}</tr></thead>
<tbody>
${properties.map((property) => rowsOf(property, days))}</tbody>
</table></div>
`
}

const TODAY: Html = { html: ' class="today"' }

const rowsOf = (property: MonthProperty, days: ReadonlyArray<string>): Html => {
  const lanes = lanesOf(spansOf(property), days[0] ?? "", days.length)
  const named = html`<th scope="row"${lanes.length > 1 ? html` rowspan="${lanes.length}"` : nothing}>${property.title}${property.deactivated ? html` <span class="soft">off</span>` : nothing}</th>`
  return html`${lanes.map(
    (lane, index) => html`<tr>${index === 0 ? named : nothing}${lane.map((cell) => cellOf(cell, days))}</tr>
`
  )}`
}

const cellOf = ({ at, days: length, what, before, after }: Cell<Held>, days: ReadonlyArray<string>): Html => {
  if (what === undefined) return isWeekend(days[at] ?? "") ? WEEKEND : FREE
  const span = length > 1 ? html` colspan="${length}"` : nothing
  if (what.kind !== "stay") return html`<td class="${what.kind}"${span}>${SIGNS[what.kind]}</td>`
  const { stay_code, guest_name, accepted } = what.stay
  const name = guest_name ?? stay_code
  return html`<td class="stay${accepted ? "" : " request"}"${span}><a href="${stayAddress(stay_code)}" title="${name}">${before ? "◂ " : ""}${accepted ? "" : "? "}${name}${after ? " ▸" : ""}</a></td>`
}

const FREE: Html = { html: "<td></td>" }
const WEEKEND: Html = { html: '<td class="weekend"></td>' }
const SIGNS = { closed: "×", elsewhere: "≡" } as const

const isWeekend = (day: string): boolean => weekdayOf(day).startsWith("S")

const LEGEND = html`<p class="soft">A name: a stay, from its first night to its last; ? asks for the nights and holds none yet; × closed by you; ≡ busy in a calendar elsewhere; ◂ ▸ goes on beyond the month.</p>
`

const boxOf = (boxed: ReadonlyArray<MonthStay>): Html =>
  section(
    "In the reservation box",
    table(
      { empty: "No stay of this month is without a property." },
      [
        { label: "Guest", cell: ({ stay_code, guest_name }) => link(stayAddress(stay_code), guest_name ?? stay_code) },
        { label: "Check-in", cell: ({ check_in_date }) => dayOf(check_in_date) },
        { label: "Check-out", cell: ({ check_out_date }) => dayOf(check_out_date) }
      ],
      boxed
    ),
    "box"
  )
