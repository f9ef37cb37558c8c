import { addDays, dateInZone, daysInRange, toInstantRange } from "../../../../contract/time.ts"
import { TRANSACTION_DAYS } from "../../../../platform/limits.ts"
import type { TransactionFilter, TransactionSums } from "../../queries/Sums.ts"
import type { SignedInVisit } from "../../visit.ts"
import { readDateParam, readIdParam } from "../page-parts.ts"
import type { MoneyQuery } from "../urls.ts"

/** `from` and `to` are both included. */
export interface MoneyPeriod {
  readonly from: string
  readonly to: string
}

export interface MoneyFilter {
  /** Undefined selects all transactions of `order`. */
  readonly period: MoneyPeriod | undefined
  readonly property: number | undefined
  /** A reservation code or the code of any of its stays. */
  readonly order: string | undefined
}

export const toMonthPeriod = (day: string): MoneyPeriod => {
  const from = `${day.slice(0, 7)}-01`
  return { from, to: addDays(`${addDays(from, 31).slice(0, 7)}-01`, -1) }
}

export const readMoneyFilter = (visit: SignedInVisit, now: Date): MoneyFilter => {
  const [from, to] = [readDateParam(visit, "from"), readDateParam(visit, "to")]
  const order = (visit.query.get("order") ?? "").trim() || undefined
  const property = readIdParam(visit, "property")
  if (from === undefined && to === undefined && order !== undefined) return { period: undefined, property, order }
  const month = toMonthPeriod(from ?? to ?? dateInZone(now, visit.session.person.caller.timeZone))
  return { period: { from: from ?? month.from, to: to ?? month.to }, property, order }
}

/** A file without the unreadable filter would contain other transactions than requested. */
export const findUnreadableParam = (visit: SignedInVisit): string | undefined => {
  const isUnreadable = (name: string, value: unknown): boolean =>
    value === undefined && (visit.query.get(name) ?? "") !== ""
  const day = ["from", "to"].find((name) => isUnreadable(name, readDateParam(visit, name)))
  if (day !== undefined) return day === "from" ? "Choose the first day." : "Choose the last day."
  return isUnreadable("property", readIdParam(visit, "property")) ? "Choose a property." : undefined
}

export const findPeriodError = ({ period }: MoneyFilter): string | undefined => {
  if (period === undefined) return undefined
  const count = daysInRange(period.from, period.to)
  if (count < 1) return "The last day is before the first day."
  return count > TRANSACTION_DAYS ? `Choose at most ${TRANSACTION_DAYS} days.` : undefined
}

export const toTransactionFilter = (
  { period, property, order }: MoneyFilter,
  { session }: SignedInVisit
): TransactionFilter => {
  const instants =
    period === undefined ? undefined : toInstantRange(period.from, period.to, session.person.caller.timeZone)
  return { from: instants?.from, until: instants?.until, property_id: property, order_code: order }
}

export const isListTruncated = (
  { period }: MoneyFilter,
  { to }: MoneyPeriod,
  { last }: TransactionSums,
  { session }: SignedInVisit
): boolean => period === undefined && last !== null && dateInZone(last, session.person.caller.timeZone) > to

/** Without a period, returns the days of the order's transactions, up to the limit of one search. */
export const toListedPeriod = (
  { period }: MoneyFilter,
  { first, last }: TransactionSums,
  { session }: SignedInVisit,
  now: Date
): MoneyPeriod => {
  if (period !== undefined) return period
  const { timeZone } = session.person.caller
  const [from, to] = [dateInZone(first ?? now, timeZone), dateInZone(last ?? now, timeZone)]
  const latestEnd = addDays(from, TRANSACTION_DAYS - 1)
  return { from, to: to > latestEnd ? latestEnd : to }
}

export const toMoneyQuery = ({ period, property, order }: MoneyFilter): Omit<MoneyQuery, "add"> => ({
  ...period,
  ...(property === undefined ? {} : { property }),
  ...(order === undefined ? {} : { order })
})
