import { type Html, html, nothing } from "../../../docs/html.ts"
import type { MonthOfYear } from "../../queries/Year.ts"
import { formatMoney, formatMonth } from "../page-parts.ts"

interface ChartLayout {
  readonly id: string
  readonly width: number
  readonly height: number
  /** Room for the amounts at the right. */
  readonly marginRight: number
  readonly monthLetters: 1 | 3
  readonly hasBarLabels: boolean
}

/** Phones show the narrow chart, so that its text keeps its size. */
const WIDE_LAYOUT: ChartLayout = {
  ...{ id: "year-picture", width: 720, height: 240, marginRight: 48, monthLetters: 3, hasBarLabels: true }
}
const NARROW_LAYOUT: ChartLayout = {
  ...{ id: "year-picture-narrow", width: 340, height: 220, marginRight: 40, monthLetters: 1, hasBarLabels: false }
}
const MARGIN_LEFT = 36
const MARGIN_TOP = 20
const MARGIN_BOTTOM = 24

const roundToTenth = (value: number): number => Math.round(value * 10) / 10

const yOf = ({ height }: ChartLayout, share: number): number =>
  roundToTenth(height - MARGIN_BOTTOM - share * (height - MARGIN_BOTTOM - MARGIN_TOP))

const monthWidth = ({ width, marginRight }: ChartLayout): number => (width - MARGIN_LEFT - marginRight) / 12

const monthCenter = (layout: ChartLayout, month: number): number =>
  roundToTenth(MARGIN_LEFT + (month - 0.5) * monthWidth(layout))

const occupancyOf = ({ sold, open }: { readonly sold: number; readonly open: number }): number | undefined =>
  open === 0 ? undefined : sold / open

export const formatOccupancy = (nights: { readonly sold: number; readonly open: number }): string => {
  const share = occupancyOf(nights)
  return share === undefined ? "–" : `${Math.round(share * 100)}%`
}

/** A floating-point number is exact enough for a chart. */
const monthIncomeOf = ({ income }: MonthOfYear, currency: string): number =>
  Number(income.find((each) => each.currency === currency)?.amount ?? 0)

const occupancyBars = (layout: ChartLayout, months: ReadonlyArray<MonthOfYear>): ReadonlyArray<Html> =>
  months.map((month) => {
    const [top, bottom] = [yOf(layout, Math.min(1, occupancyOf(month) ?? 0)), yOf(layout, 0)]
    const [center, width] = [monthCenter(layout, month.month), roundToTenth(monthWidth(layout) * 0.6)]
    const label = layout.hasBarLabels
      ? html`<text x="${center}" y="${top - 4}" text-anchor="middle">${formatOccupancy(month)}</text>
`
      : nothing
    return html`<rect class="occupancy" x="${roundToTenth(center - width / 2)}" y="${top}" width="${width}" height="${roundToTenth(bottom - top)}"/>
${label}`
  })

/** Returns the next of 1, 2, 5, 10, 20, 50 and so on, so that the axis has round amounts. */
const roundUpForAxis = (amount: number): number => {
  const power = 10 ** Math.floor(Math.log10(amount))
  return power * ([1, 2, 5, 10].find((step) => step * power >= amount) ?? 10)
}

const formatAxisAmount = (amount: number): string => amount.toLocaleString("en", { notation: "compact" })

/** Occupancy at the left, income at the right. */
const gridLines = (layout: ChartLayout, axisEnd: number): ReadonlyArray<Html> =>
  [0, 0.5, 1].map((share) => {
    const [y, right] = [yOf(layout, share), layout.width - layout.marginRight]
    const amount =
      axisEnd === 0 ? nothing : html`<text x="${right + 4}" y="${y + 4}">${formatAxisAmount(axisEnd * share)}</text>`
    return html`<line class="line" x1="${MARGIN_LEFT}" x2="${right}" y1="${y}" y2="${y}"/>
<text x="${MARGIN_LEFT - 4}" y="${y + 4}" text-anchor="end">${share * 100}%</text>${amount}
`
  })

const monthLabels = (layout: ChartLayout, year: number, months: ReadonlyArray<MonthOfYear>): ReadonlyArray<Html> =>
  months.map(
    ({ month }) =>
      html`<text x="${monthCenter(layout, month)}" y="${layout.height - 8}" text-anchor="middle">${formatMonth(`${year}-${month}`).slice(0, layout.monthLetters)}</text>
`
  )

const incomeLine = (
  layout: ChartLayout,
  months: ReadonlyArray<MonthOfYear>,
  currency: string,
  axisEnd: number
): Html => {
  if (axisEnd === 0) return nothing
  const points = months.map((month) => ({
    x: monthCenter(layout, month.month),
    y: yOf(layout, monthIncomeOf(month, currency) / axisEnd)
  }))
  return html`<polyline class="income" points="${points.map(({ x, y }) => `${x},${y}`).join(" ")}"/>
${points.map(
  ({ x, y }) => html`<circle class="income" cx="${x}" cy="${y}" r="3"/>
`
)}`
}

const chartDescription = (year: number, months: ReadonlyArray<MonthOfYear>, currency: string): string => {
  const describeMonth = (month: MonthOfYear) =>
    `${formatMonth(`${year}-${month.month}`)} ${formatOccupancy(month)}, ${formatMoney(monthIncomeOf(month, currency), currency)}`
  return `Occupancy (bars) and income in ${currency} (line) by month: ${months.map(describeMonth).join("; ")}.`
}

const chartSvg = (layout: ChartLayout, year: number, months: ReadonlyArray<MonthOfYear>, currency: string): Html => {
  const highestIncome = Math.max(...months.map((month) => monthIncomeOf(month, currency)))
  const axisEnd = highestIncome <= 0 ? 0 : roundUpForAxis(highestIncome)
  return html`<svg class="year${layout === NARROW_LAYOUT ? " narrow-chart" : ""}" viewBox="0 0 ${layout.width} ${layout.height}" role="img" aria-labelledby="${layout.id}">
<title id="${layout.id}">${chartDescription(year, months, currency)}</title>
${gridLines(layout, axisEnd)}${occupancyBars(layout, months)}${incomeLine(layout, months, currency, axisEnd)}${monthLabels(layout, year, months)}</svg>
`
}

export const yearChart = (
  year: number,
  months: ReadonlyArray<MonthOfYear>,
  currency: string
): Html => html`${[WIDE_LAYOUT, NARROW_LAYOUT].map((layout) => chartSvg(layout, year, months, currency))}
<p class="soft">Bars: occupancy (left axis). Line: income in ${currency} (right axis).</p>
`
