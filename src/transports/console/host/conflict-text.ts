import { CONFLICTING_STAYS_MAX } from "../../../platform/limits.ts"
import type { OfferedProperty } from "../queries/property-conflicts.ts"
import { formatDayRange } from "./page-parts.ts"

type StayInTheWay = OfferedProperty["stays"][number]

/** What keeps a property from a stay. */
export type PropertyConflict = Pick<OfferedProperty, "title" | "stays"> &
  Partial<Pick<OfferedProperty, "elsewhere" | "deactivated">>

const describeStay = ({ guest_name, stay_code, check_in_date, check_out_date }: StayInTheWay): string =>
  `${guest_name ?? stay_code}, ${formatDayRange(check_in_date, check_out_date)}`

/** Returns `Chloé Martin, 26–28 Dec 2026` for each stay, at most {@link CONFLICTING_STAYS_MAX}. */
export const describeStays = (stays: ReadonlyArray<StayInTheWay>): string =>
  [
    ...stays.slice(0, CONFLICTING_STAYS_MAX).map(describeStay),
    ...(stays.length > CONFLICTING_STAYS_MAX ? ["and others"] : [])
  ].join("; ")

/** Returns `iCal: airbnb.com` for nights that imported calendars block. */
export const describeImportedCalendars = (hosts: ReadonlyArray<string>): string => `iCal: ${hosts.join(", ")}`

const listReasons = ({ stays, elsewhere = [] }: PropertyConflict): ReadonlyArray<string> => [
  ...(stays.length === 0 ? [] : [describeStays(stays)]),
  ...(elsewhere.length === 0 ? [] : [describeImportedCalendars(elsewhere)])
]

/**
 * Returns `Lisbon, Belém is not free on these nights: Chloé Martin, 26–28 Dec 2026.`, or undefined if nothing is in the
 * way.
 */
export const describeConflict = (conflict: PropertyConflict): string | undefined => {
  if (conflict.deactivated === true) return `${conflict.title} is inactive. Activate it, or choose another property.`
  const reasons = listReasons(conflict)
  return reasons.length === 0 ? undefined : `${conflict.title} is not free on these nights: ${reasons.join("; ")}.`
}
