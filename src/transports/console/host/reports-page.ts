import { DateTime, Effect } from "effect"
import { type Html, html, nothing } from "../../docs/html.ts"
import { type IncomeSum, type MonthOfYear, type PropertyOfYear, Year, type YearReport } from "../queries/Year.ts"
import type { SignedInVisit } from "../visit.ts"
import { filterForm, input, makeFieldFiller, select } from "./form-fields.ts"
import { makeHostPage, notFoundView } from "./host-page.ts"
import { toMonthPeriod } from "./money/money-filter.ts"
import { formatMonth, link, moneyHtml, readIdParam, section, table, timeZoneNote } from "./page-parts.ts"
import { periodSteps } from "./period-steps.ts"
import { periodLabel, type ReportPeriod, readReportPeriod, toMonthKey } from "./reports/report-period.ts"
import { formatOccupancy, yearChart } from "./reports/year-chart.ts"
import { bigMoneyHtml, totalsList } from "./totals.ts"
import { moneyUrl, PROPERTIES_PATH, REPORTS_PATH, reportsCsvUrl, reportsUrl } from "./urls.ts"

export const makeReportsPage = Effect.map(Year, (yearReports) =>
  makeHostPage({
    path: REPORTS_PATH,
    show: (visit) =>
      Effect.gen(function* () {
        const { currency } = visit.session.person.caller
        const period = readReportPeriod(visit, yield* DateTime.nowAsDate)
        const { year } = period
        const property = readIdParam(visit, "property")
        const report = yield* yearReports.of(year, property, period.month)
        const selectedProperty = property === undefined ? undefined : report.properties[0]
        if (property !== undefined && selectedProperty === undefined)
          return notFoundView("Reports", "This property does not exist.")
        return {
          title: [
            "Reports",
            periodLabel(period),
            ...(selectedProperty === undefined ? [] : [selectedProperty.title])
          ].join(" · "),
          body: html`${yearNavigation(period, property)}
${reportFilter(visit, period, property, report)}${totalsSection(period, report, currency)}
${section("By month", html`${yearChart(year, report.months, chooseChartCurrency(report, currency))}${monthTable(year, report.months, property)}`)}
${selectedProperty === undefined ? section("By property", propertyTable(period, report)) : nothing}
<p class="soft">Available nights leave out blocked days, days that are booked through iCal, and days when a property was not active. Income and expenses are what was paid. Properties of one reservation share its amounts.</p>
${timeZoneNote(visit)}`
        }
      })
  })
)

/** Chooses the operator's own currency, unless there is no income in it. */
const chooseChartCurrency = ({ months }: YearReport, ownCurrency: string): string => {
  const currencies = months.flatMap(({ income }) => income.map(({ currency }) => currency))
  return currencies.includes(ownCurrency) ? ownCurrency : (currencies[0] ?? ownCurrency)
}

const yearNavigation = ({ year, month }: ReportPeriod, property: number | undefined): Html => {
  const filters = { ...(month === undefined ? {} : { month }), ...(property === undefined ? {} : { property }) }
  const yearStep = (shownYear: number) => ({
    url: reportsUrl({ year: shownYear, ...filters }),
    label: String(shownYear)
  })
  const allPropertiesLink = property === undefined ? nothing : link(reportsUrl({ year }), "All properties")
  const exportLink = link(reportsCsvUrl({ year, ...(property === undefined ? {} : { property }) }), "Export CSV")
  return periodSteps(yearStep(year - 1), String(year), yearStep(year + 1), html`${allPropertiesLink} ${exportLink}`)
}

const MONTH_NUMBERS = Array.from({ length: 12 }, (_, index) => index + 1)

const reportFilter = (
  visit: SignedInVisit,
  { year, month }: ReportPeriod,
  property: number | undefined,
  { choices }: YearReport
): Html => {
  const fillField = makeFieldFiller(undefined, "")
  return filterForm(
    visit.path,
    html`${input(fillField, { name: "year", label: "Year", type: "number", min: 1900, max: 2199, value: String(year) })}${select(fillField, { name: "month", label: "Month", emptyLabel: "All months", value: month ?? "", options: MONTH_NUMBERS.map((value) => ({ value, label: formatMonth(toMonthKey(year, value)) })) })}${select(fillField, { name: "property", label: "Property", emptyLabel: "All properties", value: property ?? "", options: choices.map(({ id, title }) => ({ value: id, label: title })) })}`
  )
}

const sumNights = (periods: ReadonlyArray<{ readonly sold: number; readonly open: number }>) => ({
  sold: periods.reduce((sum, { sold }) => sum + sold, 0),
  open: periods.reduce((sum, { open }) => sum + open, 0)
})

const ZERO_TOTAL = { income: "0", expense: "0", net: "0" }

const totalsSection = ({ month }: ReportPeriod, { months, totals }: YearReport, ownCurrency: string): Html => {
  const nights = sumNights(months.filter((each) => month === undefined || each.month === month))
  const periodTotals = totals.filter((each) => each.month === (month ?? null))
  const shownTotals = periodTotals.length === 0 ? [{ ...ZERO_TOTAL, currency: ownCurrency }] : periodTotals
  return section(
    "Total",
    html`${shownTotals.map(({ currency, income, expense, net }) =>
      totalsList([
        { label: "Income", value: bigMoneyHtml(income, currency) },
        { label: "Expenses", value: bigMoneyHtml(expense, currency) },
        { label: "Net", value: bigMoneyHtml(net, currency) }
      ])
    )}${totalsList([
      { label: "Occupancy", value: formatOccupancy(nights) },
      { label: "Nights booked", value: nights.sold.toLocaleString("en") },
      { label: "Available nights", value: nights.open.toLocaleString("en") }
    ])}`
  )
}

const incomeCell = (income: ReadonlyArray<IncomeSum>): Html =>
  html`${income.map(({ amount, currency }, index) => html`${index === 0 ? nothing : html`<br>`}${moneyHtml(amount, currency)}`)}`

const monthTable = (year: number, months: ReadonlyArray<MonthOfYear>, property: number | undefined): Html => {
  const monthLink = ({ month }: MonthOfYear) => {
    const monthKey = toMonthKey(year, month)
    return link(
      moneyUrl({ ...toMonthPeriod(`${monthKey}-01`), ...(property === undefined ? {} : { property }) }),
      formatMonth(monthKey)
    )
  }
  return table(
    { empty: "" },
    [
      { label: "Month", cell: monthLink },
      { label: "Nights booked", cell: ({ sold }) => sold.toLocaleString("en"), isNumeric: true },
      { label: "Available nights", cell: ({ open }) => open.toLocaleString("en"), isNumeric: true, onPhone: "none" },
      { label: "Occupancy", cell: formatOccupancy, isNumeric: true },
      { label: "Income", cell: ({ income }) => incomeCell(income), isNumeric: true, onPhone: "side" }
    ],
    months
  )
}

interface PropertyRow {
  readonly id: number | undefined
  readonly title: string
  readonly nights: { readonly sold: number; readonly open: number } | undefined
  readonly income: ReadonlyArray<IncomeSum>
}

const toPropertyRow = ({ id, title, months, income }: PropertyOfYear, month: number | undefined): PropertyRow => ({
  id,
  title,
  nights: month === undefined ? sumNights(months) : months[month - 1],
  income
})

const propertyTable = ({ year, month }: ReportPeriod, { properties, total, elsewhere }: YearReport): Html => {
  const rows = properties.map((property) => toPropertyRow(property, month))
  const businessRow: PropertyRow = { id: undefined, title: "Business-wide", nights: undefined, income: elsewhere }
  return html`${total > properties.length ? html`<p class="soft">The first ${properties.length} of ${total} properties. The totals above include all.</p>` : nothing}
${table<PropertyRow>(
  { empty: html`No properties yet. ${link(PROPERTIES_PATH, "Add a property")}` },
  [
    {
      label: "Property",
      cell: ({ id, title }) =>
        id === undefined
          ? title
          : link(reportsUrl({ year, property: id, ...(month === undefined ? {} : { month }) }), title)
    },
    { label: "Nights booked", cell: ({ nights }) => nights?.sold.toLocaleString("en") ?? "", isNumeric: true },
    {
      label: "Available nights",
      cell: ({ nights }) => nights?.open.toLocaleString("en") ?? "",
      isNumeric: true,
      onPhone: "none"
    },
    {
      label: "Occupancy",
      cell: ({ nights }) => (nights === undefined ? "" : formatOccupancy(nights)),
      isNumeric: true
    },
    { label: "Income", cell: ({ income }) => incomeCell(income), isNumeric: true, onPhone: "side" }
  ],
  elsewhere.length === 0 ? rows : [...rows, businessRow]
)}`
}
