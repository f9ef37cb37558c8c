import { type Html, html, nothing } from "../../../docs/html.ts"
import type { MonthOfYear } from "../../queries/Year.ts"
import { formatMoney, formatMonth } from "../page-parts.ts"

const WIDTH = 720
const HEIGHT = 240
const MARGIN_LEFT = 36
const MARGIN_RIGHT = 12
const MARGIN_TOP = 24
const MARGIN_BOTTOM = 24
const MONTH_WIDTH = (WIDTH - MARGIN_LEFT - MARGIN_RIGHT) / 12
const BASELINE = HEIGHT - MARGIN_BOTTOM
const BAR_WIDTH = MONTH_WIDTH * 0.6

const yOf = (share: number): number => Math.round((BASELINE - share * (BASELINE - MARGIN_TOP)) * 10) / 10

const monthCenter = (month: number): number => Math.round((MARGIN_LEFT + (month - 0.5) * MONTH_WIDTH) * 10) / 10

const occupancyOf = ({ sold, open }: { readonly sold: number; readonly open: number }): number | undefined =>
  open === 0 ? undefined : sold / open

export const formatOccupancy = (nights: { readonly sold: number; readonly open: number }): string => {
  const share = occupancyOf(nights)
  return share === undefined ? "–" : `${Math.round(share * 100)}%`
}

/** A floating-point number is exact enough for a chart. */
const monthIncomeOf = ({ income }: MonthOfYear, currency: string): number =>
  Number(income.find((each) => each.currency === currency)?.amount ?? 0)

const occupancyBars = (months: ReadonlyArray<MonthOfYear>): ReadonlyArray<Html> =>
  months.map((month) => {
    const top = yOf(Math.min(1, occupancyOf(month) ?? 0))
    const left = Math.round((monthCenter(month.month) - BAR_WIDTH / 2) * 10) / 10
    return html`<rect class="bar" x="${left}" y="${top}" width="${Math.round(BAR_WIDTH)}" height="${Math.round((BASELINE - top) * 10) / 10}"/>
<text x="${monthCenter(month.month)}" y="${top - 4}" text-anchor="middle">${formatOccupancy(month)}</text>
`
  })

const GRID_LINES: ReadonlyArray<Html> = [0, 0.5, 1].map(
  (
    share
  ) => html`<line class="line" x1="${MARGIN_LEFT}" x2="${WIDTH - MARGIN_RIGHT}" y1="${yOf(share)}" y2="${yOf(share)}"/>
<text x="${MARGIN_LEFT - 4}" y="${yOf(share) + 4}" text-anchor="end">${share * 100}%</text>
`
)

const monthLabels = (year: number, months: ReadonlyArray<MonthOfYear>): ReadonlyArray<Html> =>
  months.map(
    ({ month }) =>
      html`<text x="${monthCenter(month)}" y="${HEIGHT - 8}" text-anchor="middle">${formatMonth(`${year}-${month}`).split(" ", 1)[0] ?? ""}</text>
`
  )

const incomeLine = (months: ReadonlyArray<MonthOfYear>, currency: string): Html => {
  const highestIncome = Math.max(...months.map((month) => monthIncomeOf(month, currency)))
  if (highestIncome <= 0) return nothing
  const points = months.map(
    (month) => `${monthCenter(month.month)},${yOf(monthIncomeOf(month, currency) / highestIncome)}`
  )
  return html`<polyline class="income" points="${points.join(" ")}"/>
${points.map((point) => {
  const [x = "", y = ""] = point.split(",")
  return html`<circle class="income" cx="${x}" cy="${y}" r="3"/>
`
})}`
}

const chartDescription = (year: number, months: ReadonlyArray<MonthOfYear>, currency: string): string => {
  const describeMonth = (month: MonthOfYear) =>
    `${formatMonth(`${year}-${month.month}`)} ${formatOccupancy(month)}, ${formatMoney(monthIncomeOf(month, currency), currency)}`
  return `Occupancy (bars) and income in ${currency} (line) by month: ${months.map(describeMonth).join("; ")}.`
}

export const yearChart = (
  year: number,
  months: ReadonlyArray<MonthOfYear>,
  currency: string
): Html => html`<div class="scroll" role="region" aria-label="The year" tabindex="0">
<svg class="year" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="year-picture">
<title id="year-picture">${chartDescription(year, months, currency)}</title>
${GRID_LINES}${occupancyBars(months)}${incomeLine(months, currency)}${monthLabels(year, months)}</svg>
</div>
<p class="soft">Bars: nights sold of those that could be. Line: income in ${currency}, as high as the picture in the best month.</p>
`
