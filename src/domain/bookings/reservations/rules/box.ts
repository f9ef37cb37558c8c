import type { NewOrder, OrderState } from "../../orders/order.ts"
import type { NewStay, StayState } from "../../stays/stay.ts"
import { heldNights, keyOf, type Night } from "./nights.ts"

// Who goes into the reservation box: when an order comes in, when a stay goes to another property, when an order is
// accepted.

/** The order with every stay in the box that would hold one of the nights of `taken` or of a stay before it. */
export const boxedWhere = (order: NewOrder, taken: ReadonlySet<string>): NewOrder => {
  const held = new Set(taken)
  const stayed = (stay: NewStay): NewStay => {
    const nights = heldNights(order.status, stay).map(keyOf)
    if (nights.some((night) => held.has(night))) return inBox(stay)
    for (const night of nights) held.add(night)
    return stay
  }
  return withStays(order, stayed)
}

/** The order with every stay in the box. */
export const allBoxed = (order: NewOrder): NewOrder => withStays(order, inBox)

const withStays = (order: NewOrder, become: (stay: NewStay) => NewStay): NewOrder => {
  const [first, ...others] = order.stays
  return { ...order, stays: [become(first), ...others.map(become)] }
}

const inBox = <Stay extends { readonly property_id: number | null }>(stay: Stay): Stay => ({
  ...stay,
  property_id: null
})

const boxedIf = (order: OrderState, goes: (stay: StayState) => boolean): OrderState => ({
  ...order,
  stays: order.stays.map((stay) => (goes(stay) ? inBox(stay) : stay))
})

/**
 * The order with every stay in the box that would take a night of `taken`, or one that another stay of the order keeps or
 * comes to first. Nights the order had before are its own: its stays may pass them on to each other.
 */
export const boxedAround = (before: OrderState, after: OrderState, taken: ReadonlySet<string>): OrderState => {
  const holders = new Map(
    before.stays.flatMap((stay) => heldNights(before.status, stay).map((night) => [keyOf(night), stay.id] as const))
  )
  const nightsOf = (stay: StayState) => heldNights(after.status, stay).map(keyOf)
  const keeps = (stay: StayState) => nightsOf(stay).every((night) => holders.get(night) === stay.id)
  const held = new Set(after.stays.filter(keeps).flatMap(nightsOf))
  return boxedIf(after, (stay) => {
    const nights = keeps(stay) ? [] : nightsOf(stay)
    if (nights.some((night) => held.has(night) || (taken.has(night) && !holders.has(night)))) return true
    for (const night of nights) held.add(night)
    return false
  })
}

/** The nights the order should hold and did not. */
export const newNights = (before: OrderState, after: OrderState): ReadonlyArray<Night> => {
  const own = new Set(before.stays.flatMap((stay) => heldNights(before.status, stay).map(keyOf)))
  return after.stays.flatMap((stay) => heldNights(after.status, stay)).filter((night) => !own.has(keyOf(night)))
}

/** The stay out of its property, in the reservation box. */
export const boxed = (order: OrderState, stay: StayState): OrderState => boxedIf(order, ({ id }) => id === stay.id)

/**
 * The stay in the property, and every stay that held one of its nights there in the box (contract facts 2.7). A stay
 * that holds nothing, such as a pending one, displaces nobody.
 */
export const allocated = (
  orders: ReadonlyArray<OrderState>,
  stay: StayState,
  property_id: number
): ReadonlyArray<OrderState> => {
  const status = orders.find((order) => order.stays.some(({ id }) => id === stay.id))?.status ?? "cancelled"
  const wanted = new Set(heldNights(status, { ...stay, property_id }).map(keyOf))
  return orders.map((order) => {
    const displaced = boxedIf(
      order,
      (other) => other.id !== stay.id && heldNights(order.status, other).some((night) => wanted.has(keyOf(night)))
    )
    return {
      ...displaced,
      stays: displaced.stays.map((each) => (each.id === stay.id ? { ...each, property_id } : each))
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
