import { Result } from "effect"
import { BadRequest, ValidationFailed } from "../../../contract/errors.ts"
import { toSortedUniqueIds } from "../../../contract/id-list.ts"
import { addDays } from "../../../contract/time.ts"
import { SHARED_PAGE_PROPERTIES_MAX, SHARED_PART_PROPERTIES_MAX } from "../../../platform/limits.ts"

/** See specification, Errors: 400. */
export const parseLinkPropertyIds = (payload: {
  readonly scope: "entire" | "partial"
  readonly property_ids?: ReadonlyArray<number>
}): Result.Result<ReadonlyArray<number>, BadRequest | ValidationFailed> => {
  const { scope, property_ids: ids } = payload
  if (scope === "entire") {
    return ids === undefined || ids.length === 0
      ? Result.succeed([])
      : Result.fail(new BadRequest({ message: "property_ids: cannot be given with scope entire." }))
  }
  if (ids === undefined)
    return Result.fail(new BadRequest({ message: "property_ids: is required with scope partial." }))
  return ids.length === 0
    ? Result.fail(new ValidationFailed({ message: "property_ids: must name a property with scope partial." }))
    : Result.succeed(toSortedUniqueIds(ids))
}

/** `months` may be negative. */
export const firstOfMonthAfter = (day: string, months: number): string => {
  const month = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 + months
  const year = String(Math.floor(month / 12)).padStart(4, "0")
  return `${year}-${String((month % 12) + 1).padStart(2, "0")}-01`
}

export const locatePage = (page: number): { readonly partNumber: number; readonly offset: number } => {
  const offset = (page - 1) * SHARED_PAGE_PROPERTIES_MAX
  return {
    partNumber: Math.floor(offset / SHARED_PART_PROPERTIES_MAX) + 1,
    offset: offset % SHARED_PART_PROPERTIES_MAX
  }
}

interface UnavailablePeriod {
  readonly start: string
  /** Exclusive. */
  readonly end: string
}

/** `days` must be sorted and without gaps. */
export const listUnavailablePeriods = (
  days: ReadonlyArray<{ readonly date: string; readonly available: boolean }>
): ReadonlyArray<UnavailablePeriod> => {
  const periods: Array<UnavailablePeriod> = []
  for (const { date, available } of days) {
    if (available) continue
    const last = periods.at(-1)
    const start = last?.end === date ? (periods.pop()?.start ?? date) : date
    periods.push({ start, end: addDays(date, 1) })
  }
  return periods
}
