import { listStayNights, toNightKey } from "../../../domain/bookings/reservations/rules/nights.ts"
import type { ChannelStay, ChannelStays } from "./channel-stays.ts"

/**
 * Assigns to each stay the first free property that no earlier stay of the order has reserved for these nights, or
 * null.
 */
export const assignProperties = (
  [first, ...others]: ChannelStays,
  freeProperties: ReadonlyArray<ReadonlyArray<number>>
): ChannelStays => {
  const reservedNights = new Set<string>()
  const assignProperty = (stay: ChannelStay, room: number): ChannelStay => {
    const listNightKeys = (property_id: number) => listStayNights(stay).map((day) => toNightKey({ property_id, day }))
    const property_id =
      freeProperties[room]?.find((property) => !listNightKeys(property).some((night) => reservedNights.has(night))) ??
      null
    if (property_id !== null) for (const night of listNightKeys(property_id)) reservedNights.add(night)
    return { ...stay, property_id }
  }
  return [assignProperty(first, 0), ...others.map((stay, at) => assignProperty(stay, at + 1))]
}
