import { type Html, html, nothing } from "../docs/html.ts"

interface SharedCalendarDay {
  readonly date: string
  readonly available: boolean
}

interface SharedCalendarMonth {
  /** `YYYY-MM`. */
  readonly month: string
  readonly days: ReadonlyArray<SharedCalendarDay>
}

export const groupByMonth = (days: ReadonlyArray<SharedCalendarDay>): ReadonlyArray<SharedCalendarMonth> =>
  Array.from(
    Map.groupBy(days, ({ date }) => date.slice(0, 7)),
    ([month, daysOfMonth]) => ({ month, days: daysOfMonth })
  )

const MONTH_NAME = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" })

export const formatMonthName = (month: string): string => MONTH_NAME.format(new Date(`${month}-01T00:00:00Z`))

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

/** Returns 0 for Monday. */
const weekdayIndex = (date: string): number => (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7

const DAYS_A_WEEK = WEEKDAYS.length

/** Screen readers read the full name, sighted users see two letters. */
const WEEKDAY_HEADER = html`<thead><tr>${WEEKDAYS.map(
  (name) => html`<th scope="col"><span aria-hidden="true">${name.slice(0, 2)}</span><i>${name}</i></th>`
)}</tr></thead>`

const dayCell = ({ date, available }: SharedCalendarDay, today: string): Html => {
  const [cssClass, label] = date < today ? ["past", "past"] : available ? ["free", "free"] : ["taken", "taken"]
  const current = date === today ? html` aria-current="date"` : nothing
  return html`<td class="${cssClass}"${current}><b>${Number(date.slice(8))}</b><i> ${label}</i></td>`
}

const blankCells = (days: number): Html => (days === 0 ? nothing : html`<td colspan="${days}"></td>`)

const weekRow = (week: ReadonlyArray<SharedCalendarDay>, today: string): Html => {
  const leadingBlanks = weekdayIndex(week[0]?.date ?? today)
  return html`<tr>${blankCells(leadingBlanks)}${week.map((day) => dayCell(day, today))}${blankCells(DAYS_A_WEEK - leadingBlanks - week.length)}</tr>
`
}

export const monthTable = ({ month, days }: SharedCalendarMonth, today: string): Html => {
  const weeks = Map.groupBy(days, ({ date }) => Number(date.slice(8)) - weekdayIndex(date))
  return html`<table><caption>${formatMonthName(month)}</caption>${WEEKDAY_HEADER}<tbody>
${Array.from(weeks.values(), (week) => weekRow(week, today))}</tbody></table>
`
}
