import { DateTime, Effect } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { type Income, type MonthOfYear, type PropertyOfYear, type Whole, Year } from "../queries/Year.ts"
import type { SignedInVisit } from "../visit.ts"
import { moneyAddress, YEAR_PATH, yearAddress } from "./addresses.ts"
import { monthOf } from "./money/period.ts"
import { hostPage, notThere } from "./page.ts"
import { idIn, link, moneyOf, monthText, section, table, zoneOf } from "./parts.ts"
import { occupancyText, pictureOf } from "./year/picture.ts"

/** A calendar year: how much of what could be sold was, and what came in, as a picture and in numbers, of all properties or of one. */
export const makeYearPage = Effect.map(Year, (years) =>
  hostPage({
    path: YEAR_PATH,
    show: (visit) =>
      Effect.gen(function* () {
        const { operatorId, timeZone, currency } = visit.session.person.caller
        const year = yearIn(visit) ?? Number(dateInZone(yield* DateTime.nowAsDate, timeZone).slice(0, 4))
        const property = idIn(visit, "property")
        const whole = yield* years.of(operatorId, { year, timeZone, property })
        const one = property === undefined ? undefined : whole.properties[0]
        if (property !== undefined && one === undefined) return notThere("The year", "There is no such property.")
        return {
          title: one === undefined ? `The year ${year}` : `The year ${year}, ${one.title}`,
          body: html`${around(year, property)}
${section("By month", html`${pictureOf(year, whole.months, drawnIn(whole, currency))}${monthTable(year, whole.months, property)}`)}
${one === undefined ? section("By property", propertyTable(year, whole)) : nothing}
<p class="soft">Nights that could be sold are those of properties entered here and not deactivated, without days that were closed or taken elsewhere. Income is what was paid, not what is outstanding; of a reservation of several properties each has its share.</p>
${zoneOf(visit)}`
        }
      })
  })
)

/** Years that four digits can say, and that begin and end in such. */
const yearIn = ({ query }: SignedInVisit): number | undefined => {
  const text = query.get("year") ?? ""
  return /^(?:19|20|21)\d\d$/.test(text) ? Number(text) : undefined
}

/** Only one currency can be drawn: the operator's own, unless nothing came in in that. */
const drawnIn = ({ months }: Whole, own: string): string => {
  const currencies = months.flatMap(({ income }) => income.map(({ currency }) => currency))
  return currencies.includes(own) ? own : (currencies[0] ?? own)
}

const around = (year: number, property: number | undefined): Html => {
  const of = property === undefined ? {} : { property }
  return html`<nav class="pages" aria-label="Years">${link(yearAddress({ year: year - 1, ...of }), String(year - 1))} ${link(yearAddress({ year: year + 1, ...of }), String(year + 1))}${property === undefined ? nothing : html` ${link(yearAddress({ year }), "All properties")}`}</nav>
`
}

const incomeOf = (income: ReadonlyArray<Income>): Html =>
  html`${income.map(({ amount, currency }, index) => html`${index === 0 ? nothing : html`, `}${moneyOf(amount, currency)}`)}`

const monthTable = (year: number, months: ReadonlyArray<MonthOfYear>, property: number | undefined): Html => {
  const entries = ({ month }: MonthOfYear) => {
    const words = `${year}-${String(month).padStart(2, "0")}`
    return link(
      moneyAddress({ ...monthOf(`${words}-01`), ...(property === undefined ? {} : { property }) }),
      monthText(words)
    )
  }
  return table(
    { empty: "" },
    [
      { label: "Month", cell: entries },
      { label: "Nights sold", cell: ({ sold }) => String(sold), number: true },
      { label: "Of", cell: ({ open }) => String(open), number: true },
      { label: "Occupancy", cell: occupancyText, number: true },
      { label: "Income", cell: ({ income }) => incomeOf(income), number: true }
    ],
    months
  )
}

const SHORT = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

const propertyRow = (year: number, property: PropertyOfYear): Html =>
  html`<tr><th scope="row">${link(yearAddress({ year, property: property.id }), property.title)}</th>${property.months.map((month) => html`<td>${occupancyText(month)}</td>`)}<td>${property.sold}</td><td>${property.open}</td><td>${occupancyText(property)}</td><td>${incomeOf(property.income)}</td></tr>
`

/** A row a property, with the occupancy of each month. */
const propertyTable = (year: number, { properties, total, elsewhere }: Whole): Html => {
  if (total === 0) return html`<p>There is no property yet.</p>`
  return html`${total > properties.length ? html`<p>The first ${properties.length} of ${total} properties have a row here; the months above count all.</p>` : nothing}
<div class="scroll" role="region" aria-label="The year by property" tabindex="0"><table class="figures">
<thead><tr><th scope="col">Property</th>${SHORT.map((month) => html`<th scope="col">${month}</th>`)}<th scope="col">Nights sold</th><th scope="col">Of</th><th scope="col">Occupancy</th><th scope="col">Income</th></tr></thead>
<tbody>
${properties.map((property) => propertyRow(year, property))}${
  elsewhere.length === 0
    ? nothing
    : html`<tr><th scope="row">On no property</th><td colspan="15"></td><td>${incomeOf(elsewhere)}</td></tr>
`
}</tbody>
</table></div>
`
}
