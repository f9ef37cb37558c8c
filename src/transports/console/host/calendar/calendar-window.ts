import { addDays } from "../../../../contract/time.ts"
import { CALENDAR_DAYS, CALENDAR_DAYS_MAX } from "../../../../platform/limits.ts"
import { type Html, html } from "../../../docs/html.ts"
import type { SignedInVisit } from "../../visit.ts"
import { link, readDateParam } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"

/** The days that the calendar shows. `first` and `last` are both included. */
export interface CalendarWindow {
  readonly first: string
  readonly last: string
  readonly days: ReadonlyArray<string>
}

export const makeWindow = (first: string, dayCount: number): CalendarWindow => ({
  first,
  last: addDays(first, dayCount - 1),
  days: Array.from({ length: dayCount }, (_, index) => addDays(first, index))
})

/** Returns {@link CALENDAR_DAYS} for a text that is no number, and at most {@link CALENDAR_DAYS_MAX}. */
export const parseDayCount = (text: string | null): number =>
  /^[1-9]\d{0,5}$/.test(text ?? "") ? Math.min(Number(text), CALENDAR_DAYS_MAX) : CALENDAR_DAYS

/** The calendar begins today, unless the query names another day. */
export const readWindow = (visit: SignedInVisit, today: string): CalendarWindow =>
  makeWindow(readDateParam(visit, "from") ?? today, parseDayCount(visit.query.get("days")))

/** Groups the days by month, for the upper row of the table's head. */
export const groupByMonth = (days: ReadonlyArray<string>) =>
  Array.from(
    Map.groupBy(days, (day) => day.slice(0, 7)),
    ([month, { length }]) => ({ month, dayCount: length })
  )

/** Parameters of a selection, which belong to the days that were shown. */
const NO_SELECTION = { property: undefined, to: undefined }

export const windowLinks = (visit: SignedInVisit, { first, days }: CalendarWindow): Html => {
  const linkTo = (from: string | undefined, text: string) =>
    link(currentUrlWith(visit, { ...NO_SELECTION, from }), text)
  return html`<nav class="pages" aria-label="Days">${linkTo(addDays(first, -days.length), "Earlier")} ${linkTo(undefined, "Today")} ${linkTo(addDays(first, days.length), "Later")}</nav>
`
}
