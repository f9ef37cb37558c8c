import { listStayNights, toNightKey } from "../../../domain/bookings/reservations/rules/nights.ts"
import type { ChannelStay, ChannelStays } from "./channel-stays.ts"

/** Stays of one order never share a night of a property. A stay without a free property gets null. */
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
