import { type Html, html, nothing } from "../../../docs/html.ts"
import type { MonthOfYear } from "../../queries/Year.ts"
import { moneyText, monthText } from "../parts.ts"

// A year as a picture: a bar a month, as high as the share of its nights that was sold, and a line of what came in.

const WIDTH = 720
const HEIGHT = 240
const LEFT = 36
const RIGHT = 12
const TOP = 24
const BOTTOM = 24
const MONTH = (WIDTH - LEFT - RIGHT) / 12
const FLOOR = HEIGHT - BOTTOM
const BAR = MONTH * 0.6

/** Where a share of the whole height is. */
const level = (share: number): number => Math.round((FLOOR - share * (FLOOR - TOP)) * 10) / 10

const middleOf = (month: number): number => Math.round((LEFT + (month - 0.5) * MONTH) * 10) / 10

/** The share of the nights that was sold; undefined where none could be. */
export const occupancyOf = ({ sold, open }: { readonly sold: number; readonly open: number }): number | undefined =>
  open === 0 ? undefined : sold / open

/** 71%; a dash where no night could be sold. */
export const occupancyText = (nights: { readonly sold: number; readonly open: number }): string => {
  const share = occupancyOf(nights)
  return share === undefined ? "–" : `${Math.round(share * 100)}%`
}

/** A month's income in a currency; for the picture alone, where a cent is no part of a pixel. */
const incomeIn = ({ income }: MonthOfYear, currency: string): number =>
  Number(income.find((each) => each.currency === currency)?.amount ?? 0)

const bars = (months: ReadonlyArray<MonthOfYear>): ReadonlyArray<Html> =>
  months.map((month) => {
    const top = level(Math.min(1, occupancyOf(month) ?? 0))
    const left = Math.round((middleOf(month.month) - BAR / 2) * 10) / 10
    return html`<rect class="bar" x="${left}" y="${top}" width="${Math.round(BAR)}" height="${Math.round((FLOOR - top) * 10) / 10}"/>
<text x="${middleOf(month.month)}" y="${top - 4}" text-anchor="middle">${occupancyText(month)}</text>
`
  })

const grid: ReadonlyArray<Html> = [0, 0.5, 1].map(
  (share) => html`<line class="line" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${level(share)}" y2="${level(share)}"/>
<text x="${LEFT - 4}" y="${level(share) + 4}" text-anchor="end">${share * 100}%</text>
`
)

const names = (year: number, months: ReadonlyArray<MonthOfYear>): ReadonlyArray<Html> =>
  months.map(
    ({ month }) =>
      html`<text x="${middleOf(month)}" y="${HEIGHT - 8}" text-anchor="middle">${monthText(`${year}-${month}`).split(" ", 1)[0] ?? ""}</text>
`
  )

/** As high as the best month's is the whole height. */
const line = (months: ReadonlyArray<MonthOfYear>, currency: string): Html => {
  const most = Math.max(...months.map((month) => incomeIn(month, currency)))
  if (most <= 0) return nothing
  const points = months.map((month) => `${middleOf(month.month)},${level(incomeIn(month, currency) / most)}`)
  return html`<polyline class="income" points="${points.join(" ")}"/>
${points.map((point) => {
  const [x = "", y = ""] = point.split(",")
  return html`<circle class="income" cx="${x}" cy="${y}" r="3"/>
`
})}`
}

/** What the picture says, for who cannot see it: the numbers are in the table beneath. */
const described = (year: number, months: ReadonlyArray<MonthOfYear>, currency: string): string => {
  const of = (month: MonthOfYear) =>
    `${monthText(`${year}-${month.month}`)} ${occupancyText(month)}, ${moneyText(incomeIn(month, currency), currency)}`
  return `Occupancy (bars) and income in ${currency} (line) by month: ${months.map(of).join("; ")}.`
}

export const pictureOf = (
  year: number,
  months: ReadonlyArray<MonthOfYear>,
  currency: string
): Html => html`<div class="scroll" role="region" aria-label="The year" tabindex="0">
<svg class="year" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="year-picture">
<title id="year-picture">${described(year, months, currency)}</title>
${grid}${bars(months)}${line(months, currency)}${names(year, months)}</svg>
</div>
<p class="soft">Bars: nights sold of those that could be. Line: income in ${currency}, as high as the picture in the best month.</p>
`
