import { DateTime, Effect } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { type IncomeSum, type MonthOfYear, type PropertyOfYear, Year, type YearReport } from "../queries/Year.ts"
import type { SignedInVisit } from "../visit.ts"
import { makeHostPage, notFoundView } from "./host-page.ts"
import { toMonthPeriod } from "./money/money-filter.ts"
import { formatMonth, link, moneyHtml, readIdParam, section, table, timeZoneNote } from "./page-parts.ts"
import { formatOccupancy, yearChart } from "./reports/year-chart.ts"
import { moneyUrl, REPORTS_PATH, reportsUrl } from "./urls.ts"

export const makeReportsPage = Effect.map(Year, (yearReports) =>
  makeHostPage({
    path: REPORTS_PATH,
    show: (visit) =>
      Effect.gen(function* () {
        const { timeZone, currency } = visit.session.person.caller
        const year = readYear(visit) ?? Number(dateInZone(yield* DateTime.nowAsDate, timeZone).slice(0, 4))
        const property = readIdParam(visit, "property")
        const report = yield* yearReports.of(year, property)
        const selectedProperty = property === undefined ? undefined : report.properties[0]
        if (property !== undefined && selectedProperty === undefined)
          return notFoundView("The year", "There is no such property.")
        return {
          title: selectedProperty === undefined ? `The year ${year}` : `The year ${year}, ${selectedProperty.title}`,
          body: html`${yearNavigation(year, property)}
${section("By month", html`${yearChart(year, report.months, chooseChartCurrency(report, currency))}${monthTable(year, report.months, property)}`)}
${selectedProperty === undefined ? section("By property", propertyTable(year, report)) : nothing}
<p class="soft">Nights that could be sold are those of properties entered here and not deactivated, without days that were closed or taken elsewhere. Income is what was paid, not what is outstanding; of a reservation of several properties each has its share.</p>
${timeZoneNote(visit)}`
        }
      })
  })
)

/** Limits the year to a range in which all computed dates are valid. */
const readYear = ({ query }: SignedInVisit): number | undefined => {
  const text = query.get("year") ?? ""
  return /^(?:19|20|21)\d\d$/.test(text) ? Number(text) : undefined
}

/** Chooses the operator's own currency, unless there is no income in it. */
const chooseChartCurrency = ({ months }: YearReport, ownCurrency: string): string => {
  const currencies = months.flatMap(({ income }) => income.map(({ currency }) => currency))
  return currencies.includes(ownCurrency) ? ownCurrency : (currencies[0] ?? ownCurrency)
}

const yearNavigation = (year: number, property: number | undefined): Html => {
  const propertyFilter = property === undefined ? {} : { property }
  return html`<nav class="pages" aria-label="Years">${link(reportsUrl({ year: year - 1, ...propertyFilter }), String(year - 1))} ${link(reportsUrl({ year: year + 1, ...propertyFilter }), String(year + 1))}${property === undefined ? nothing : html` ${link(reportsUrl({ year }), "All properties")}`}</nav>
`
}

const incomeCell = (income: ReadonlyArray<IncomeSum>): Html =>
  html`${income.map(({ amount, currency }, index) => html`${index === 0 ? nothing : html`, `}${moneyHtml(amount, currency)}`)}`

const monthTable = (year: number, months: ReadonlyArray<MonthOfYear>, property: number | undefined): Html => {
  const monthLink = ({ month }: MonthOfYear) => {
    const monthKey = `${year}-${String(month).padStart(2, "0")}`
    return link(
      moneyUrl({ ...toMonthPeriod(`${monthKey}-01`), ...(property === undefined ? {} : { property }) }),
      formatMonth(monthKey)
    )
  }
  return table(
    { empty: "" },
    [
      { label: "Month", cell: monthLink },
      { label: "Nights sold", cell: ({ sold }) => String(sold), isNumeric: true },
      { label: "Of", cell: ({ open }) => String(open), isNumeric: true },
      { label: "Occupancy", cell: formatOccupancy, isNumeric: true },
      { label: "Income", cell: ({ income }) => incomeCell(income), isNumeric: true }
    ],
    months
  )
}

const MONTH_NAMES = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

const propertyRow = (year: number, property: PropertyOfYear): Html =>
  html`<tr><th scope="row">${link(reportsUrl({ year, property: property.id }), property.title)}</th>${property.months.map((month) => html`<td>${formatOccupancy(month)}</td>`)}<td>${property.sold}</td><td>${property.open}</td><td>${formatOccupancy(property)}</td><td>${incomeCell(property.income)}</td></tr>
`

const propertyTable = (year: number, { properties, total, elsewhere }: YearReport): Html => {
  if (total === 0) return html`<p>There is no property yet.</p>`
  return html`${total > properties.length ? html`<p>The first ${properties.length} of ${total} properties have a row here; the months above count all.</p>` : nothing}
<div class="scroll" role="region" aria-label="The year by property" tabindex="0"><table class="figures">
<thead><tr><th scope="col">Property</th>${MONTH_NAMES.map((month) => html`<th scope="col">${month}</th>`)}<th scope="col">Nights sold</th><th scope="col">Of</th><th scope="col">Occupancy</th><th scope="col">Income</th></tr></thead>
<tbody>
${properties.map((property) => propertyRow(year, property))}${
  elsewhere.length === 0
    ? nothing
    : html`<tr><th scope="row">On no property</th><td colspan="15"></td><td>${incomeCell(elsewhere)}</td></tr>
`
}</tbody>
</table></div>
`
}
