import { type Html, html, nothing } from "../docs/html.ts"

/** A day as a shared calendar shows it. */
export interface Day {
  readonly date: string
  readonly available: boolean
}

/** The days of one month, in order. */
export interface Month {
  /** `YYYY-MM`. */
  readonly month: string
  readonly days: ReadonlyArray<Day>
}

/** Days in order as months in order. */
export const monthsOf = (days: ReadonlyArray<Day>): ReadonlyArray<Month> =>
  Array.from(
    Map.groupBy(days, ({ date }) => date.slice(0, 7)),
    ([month, ofMonth]) => ({ month, days: ofMonth })
  )

const MONTH_NAME = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" })

/** `May 2027`. */
export const monthName = (month: string): string => MONTH_NAME.format(new Date(`${month}-01T00:00:00Z`))

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

/** 0 for Monday to 6 for Sunday. */
const weekdayOf = (date: string): number => (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7

const DAYS_A_WEEK = WEEKDAYS.length

/** What a screen reader says is written out; the eye sees two letters. */
const HEAD = html`<thead><tr>${WEEKDAYS.map(
  (name) => html`<th scope="col"><span aria-hidden="true">${name.slice(0, 2)}</span><i>${name}</i></th>`
)}</tr></thead>`

/**
 * A day says in words what its look says: only then can it be heard. Days gone by say nothing of themselves.
 */
const dayCell = ({ date, available }: Day, today: string): Html => {
  const [look, word] = date < today ? ["past", "past"] : available ? ["free", "free"] : ["taken", "taken"]
  const current = date === today ? html` aria-current="date"` : nothing
  return html`<td class="${look}"${current}><b>${Number(date.slice(8))}</b><i> ${word}</i></td>`
}

const filler = (days: number): Html => (days === 0 ? nothing : html`<td colspan="${days}"></td>`)

const weekRow = (week: ReadonlyArray<Day>, today: string): Html => {
  const before = weekdayOf(week[0]?.date ?? today)
  return html`<tr>${filler(before)}${week.map((day) => dayCell(day, today))}${filler(DAYS_A_WEEK - before - week.length)}</tr>
`
}

/** A month as a table: weeks are rows, and its name is its caption. */
export const monthTable = ({ month, days }: Month, today: string): Html => {
  const weeks = Map.groupBy(days, ({ date }) => Number(date.slice(8)) - weekdayOf(date))
  return html`<table><caption>${monthName(month)}</caption>${HEAD}<tbody>
${Array.from(weeks.values(), (week) => weekRow(week, today))}</tbody></table>
`
}
