import { dateInZone } from "../../../../contract/time.ts"
import type { SignedInVisit } from "../../visit.ts"
import { formatMonth } from "../page-parts.ts"

export interface ReportPeriod {
  readonly year: number
  /** 1 to 12. Undefined is the whole year. */
  readonly month: number | undefined
}

/** Limits the year to a range in which all computed dates are valid. */
const readYear = ({ query }: SignedInVisit): number | undefined => {
  const text = query.get("year") ?? ""
  return /^(?:19|20|21)\d\d$/.test(text) ? Number(text) : undefined
}

const readMonth = ({ query }: SignedInVisit): number | undefined => {
  const text = query.get("month") ?? ""
  return /^(?:[1-9]|1[0-2])$/.test(text) ? Number(text) : undefined
}

/** Without a year, returns that of `now` in the operator's time zone. */
export const readReportPeriod = (visit: SignedInVisit, now: Date): ReportPeriod => ({
  year: readYear(visit) ?? Number(dateInZone(now, visit.session.person.caller.timeZone).slice(0, 4)),
  month: readMonth(visit)
})

export const toMonthKey = (year: number, month: number): string => `${year}-${String(month).padStart(2, "0")}`

export const periodLabel = ({ year, month }: ReportPeriod): string =>
  month === undefined ? String(year) : formatMonth(toMonthKey(year, month))
