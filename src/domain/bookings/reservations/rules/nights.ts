import { addDays, daysInRange } from "../../../../contract/time.ts"
import type { OrderStatus } from "../../orders/order.ts"

export interface StayDates {
  readonly check_in_date: string
  readonly check_out_date: string
}

/** The check-out day is not a night. */
export const countNights = (stay: StayDates): number => daysInRange(stay.check_in_date, stay.check_out_date) - 1

export const listStayNights = (stay: StayDates): ReadonlyArray<string> =>
  Array.from({ length: Math.max(0, countNights(stay)) }, (_, index) => addDays(stay.check_in_date, index))

export interface PropertyNight {
  readonly property_id: number
  readonly day: string
}

/** Only accepted orders hold nights, so a pending request never blocks another order. */
export const listHeldNights = (
  status: OrderStatus,
  stay: StayDates & { readonly property_id: number | null }
): ReadonlyArray<PropertyNight> => {
  const { property_id } = stay
  return status === "accepted" && property_id !== null ? listStayNights(stay).map((day) => ({ property_id, day })) : []
}

export const toNightKey = (night: PropertyNight): string => `${night.property_id} ${night.day}`
