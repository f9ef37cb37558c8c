import { heldNights, keyOf } from "./nights.ts"
import type { OrderState, StayState } from "./order-state.ts"

// What orders become when a stay goes to another property, into the box, or when the order is accepted.

const boxedIf = (order: OrderState, goes: (stay: StayState) => boolean): OrderState => ({
  ...order,
  stays: order.stays.map((stay) => (goes(stay) ? { ...stay, propertyId: null } : stay))
})

/** The stay out of its property, in the reservation box. */
export const boxed = (order: OrderState, stay: StayState): OrderState => boxedIf(order, ({ id }) => id === stay.id)

/**
 * The stay in the property, and every stay that held one of its nights there in the box (contract facts 2.7). A stay
 * that holds nothing, such as a pending one, displaces nobody.
 */
export const allocated = (
  orders: ReadonlyArray<OrderState>,
  stay: StayState,
  propertyId: number
): ReadonlyArray<OrderState> => {
  const status = orders.find((order) => order.stays.some(({ id }) => id === stay.id))?.status ?? "cancelled"
  const wanted = new Set(heldNights(status, { ...stay, propertyId }).map(keyOf))
  return orders.map((order) => {
    const displaced = boxedIf(
      order,
      (other) => other.id !== stay.id && heldNights(order.status, other).some((night) => wanted.has(keyOf(night)))
    )
    return {
      ...displaced,
      stays: displaced.stays.map((each) => (each.id === stay.id ? { ...each, propertyId } : each))
    }
  })
}

/** The order accepted; a stay whose nights are with others (`kept`), or with another stay of it, goes into the box. */
export const accepted = (order: OrderState, kept: ReadonlyArray<number>): OrderState => {
  const held = new Set<string>()
  return boxedIf({ ...order, status: "accepted" }, (stay) => {
    const nights = heldNights("accepted", stay).map(keyOf)
    if (kept.includes(stay.id) || nights.some((night) => held.has(night))) return true
    for (const night of nights) held.add(night)
    return false
  })
}
