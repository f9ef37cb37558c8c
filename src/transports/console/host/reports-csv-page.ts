import { DateTime, Effect } from "effect"
import { type MonthOfYear, Year, type YearReport } from "../queries/Year.ts"
import type { SignedInPage, SignedInVisit } from "../visit.ts"
import { type CsvColumn, csvResponse, renderCsv, trimDecimals } from "./csv.ts"
import { accountProblemResponse } from "./host-page.ts"
import { readIdParam } from "./page-parts.ts"
import { readReportPeriod, toMonthKey } from "./reports/report-period.ts"
import { REPORTS_CSV_PATH } from "./urls.ts"

interface ReportLine {
  readonly month: MonthOfYear
  readonly currency: string
  readonly income: string
  readonly expense: string
  readonly net: string
}

/** One line for each month and currency. A month without amounts has a line, too. */
const toReportLines = ({ months, totals }: YearReport, ownCurrency: string): ReadonlyArray<ReportLine> =>
  months.flatMap((month) => {
    const monthTotals = totals.filter((total) => total.month === month.month)
    return monthTotals.length === 0
      ? [{ month, currency: ownCurrency, income: "0", expense: "0", net: "0" }]
      : monthTotals.map((total) => ({ ...total, month }))
  })

const toCsvColumns = (year: number): ReadonlyArray<CsvColumn<ReportLine>> => [
  { name: "Month", toText: ({ month }) => toMonthKey(year, month.month) },
  { name: "Nights booked", toText: ({ month }) => String(month.sold) },
  { name: "Available nights", toText: ({ month }) => String(month.open) },
  { name: "Currency", toText: ({ currency }) => currency },
  { name: "Income", toText: ({ income }) => trimDecimals(income), isAmount: true },
  { name: "Expenses", toText: ({ expense }) => trimDecimals(expense), isAmount: true },
  { name: "Net", toText: ({ net }) => trimDecimals(net), isAmount: true }
]

export const makeReportsCsvPage = Effect.map(Year, (yearReports) => {
  const renderFile = Effect.fnUntraced(function* (visit: SignedInVisit) {
    const { year } = readReportPeriod(visit, yield* DateTime.nowAsDate)
    const report = yield* yearReports.of(year, readIdParam(visit, "property"))
    const lines = toReportLines(report, visit.session.person.caller.currency)
    return csvResponse(renderCsv(toCsvColumns(year), lines), `report-${year}.csv`)
  })
  const page: SignedInPage = {
    path: REPORTS_CSV_PATH,
    show: (visit) =>
      visit.accountProblem === undefined ? renderFile(visit) : Effect.succeed(accountProblemResponse(visit)),
    actions: new Map()
  }
  return page
})
