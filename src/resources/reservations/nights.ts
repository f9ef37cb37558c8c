import { addDays, daysInRange } from "../../contract/time.ts"
import type { Status } from "./record.ts"

/** Nights from check-in to check-out; the day of leaving is not one of them. */
export const nightCount = (checkIn: string, checkOut: string): number => daysInRange(checkIn, checkOut) - 1

export const nightsOf = (stay: { readonly checkIn: string; readonly checkOut: string }): ReadonlyArray<string> =>
  Array.from({ length: Math.max(0, nightCount(stay.checkIn, stay.checkOut)) }, (_, index) =>
    addDays(stay.checkIn, index)
  )

/** One night of one property. */
export interface Night {
  readonly propertyId: number
  readonly day: string
}

/**
 * The nights a stay holds: those of an accepted order, in a property. A pending request holds none, so it never keeps
 * a night from whoever is accepted first.
 */
export const heldNights = (
  status: Status,
  stay: { readonly propertyId: number | null; readonly checkIn: string; readonly checkOut: string }
): ReadonlyArray<Night> => {
  const { propertyId } = stay
  return status === "accepted" && propertyId !== null ? nightsOf(stay).map((day) => ({ propertyId, day })) : []
}

export const keyOf = (night: Night): string => `${night.propertyId} ${night.day}`
