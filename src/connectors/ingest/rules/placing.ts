import { keyOf, nightsOf } from "../../../domain/bookings/reservations/rules/nights.ts"
import type { StaySaid, StaysSaid } from "./stays-said.ts"

// In which property a room is that a listing sold.

/**
 * Every stay in the first of its properties whose nights no stay before it wants, and where there is none in the box.
 * `free`: of each room the properties that have all its nights free, the best first.
 */
export const placed = ([first, ...others]: StaysSaid, free: ReadonlyArray<ReadonlyArray<number>>): StaysSaid => {
  const wanted = new Set<string>()
  const place = (stay: StaySaid, room: number): StaySaid => {
    const nights = (property_id: number) => nightsOf(stay).map((day) => keyOf({ property_id, day }))
    const property_id = free[room]?.find((property) => !nights(property).some((night) => wanted.has(night))) ?? null
    if (property_id !== null) for (const night of nights(property_id)) wanted.add(night)
    return { ...stay, property_id }
  }
  return [place(first, 0), ...others.map((stay, at) => place(stay, at + 1))]
}
