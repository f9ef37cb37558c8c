import type { NewOrder, OrderState } from "../../orders/order.ts"
import type { ExistingStay, NewStay } from "../../stays/stay.ts"
import { listHeldNights, type PropertyNight, toNightKey } from "./nights.ts"

// Who goes into the reservation box: when an order comes in, when a stay goes to another property, when an order is
// accepted.

/** The order with every stay in the box that would hold one of the nights of `takenNights` or of a stay before it. */
export const unassignConflictingNewStays = (order: NewOrder, takenNights: ReadonlySet<string>): NewOrder => {
  const heldNightKeys = new Set(takenNights)
  const unassignIfTaken = (stay: NewStay): NewStay => {
    const nights = listHeldNights(order.status, stay).map(toNightKey)
    if (nights.some((night) => heldNightKeys.has(night))) return withoutProperty(stay)
    for (const night of nights) heldNightKeys.add(night)
    return stay
  }
  return mapStays(order, unassignIfTaken)
}

/** The order with every stay in the box. */
export const unassignAllStays = (order: NewOrder): NewOrder => mapStays(order, withoutProperty)

const mapStays = (order: NewOrder, change: (stay: NewStay) => NewStay): NewOrder => {
  const [first, ...others] = order.stays
  return { ...order, stays: [change(first), ...others.map(change)] }
}

const withoutProperty = <Stay extends { readonly property_id: number | null }>(stay: Stay): Stay => ({
  ...stay,
  property_id: null
})

const unassignStaysIf = (order: OrderState, shouldUnassign: (stay: ExistingStay) => boolean): OrderState => ({
  ...order,
  stays: order.stays.map((stay) => (shouldUnassign(stay) ? withoutProperty(stay) : stay))
})

/**
 * The order with every stay in the box that would take a night of `takenNights`, or one that another stay of the order keeps or
 * comes to first. Nights the order had before are its own: its stays may pass them on to each other.
 */
export const unassignConflictingStays = (
  before: OrderState,
  after: OrderState,
  takenNights: ReadonlySet<string>
): OrderState => {
  const holders = new Map(
    before.stays.flatMap((stay) =>
      listHeldNights(before.status, stay).map((night) => [toNightKey(night), stay.id] as const)
    )
  )
  const nightKeysOf = (stay: ExistingStay) => listHeldNights(after.status, stay).map(toNightKey)
  const keepsItsNights = (stay: ExistingStay) => nightKeysOf(stay).every((night) => holders.get(night) === stay.id)
  const heldNightKeys = new Set(after.stays.filter(keepsItsNights).flatMap(nightKeysOf))
  return unassignStaysIf(after, (stay) => {
    const nights = keepsItsNights(stay) ? [] : nightKeysOf(stay)
    if (nights.some((night) => heldNightKeys.has(night) || (takenNights.has(night) && !holders.has(night)))) return true
    for (const night of nights) heldNightKeys.add(night)
    return false
  })
}

/** The nights the order should hold and did not. */
export const listNewNights = (before: OrderState, after: OrderState): ReadonlyArray<PropertyNight> => {
  const nightsBefore = new Set(before.stays.flatMap((stay) => listHeldNights(before.status, stay).map(toNightKey)))
  return after.stays
    .flatMap((stay) => listHeldNights(after.status, stay))
    .filter((night) => !nightsBefore.has(toNightKey(night)))
}

/** The stay out of its property, in the reservation box. */
export const unassignStay = (order: OrderState, stay: ExistingStay): OrderState =>
  unassignStaysIf(order, ({ id }) => id === stay.id)

/**
 * The stay in the property, and every stay that held one of its nights there in the box (contract facts 2.7). A stay
 * that holds nothing, such as a pending one, displaces nobody.
 */
export const moveStayToProperty = (
  orders: ReadonlyArray<OrderState>,
  stay: ExistingStay,
  property_id: number
): ReadonlyArray<OrderState> => {
  const status = orders.find((order) => order.stays.some(({ id }) => id === stay.id))?.status ?? "cancelled"
  const wantedNightKeys = new Set(listHeldNights(status, { ...stay, property_id }).map(toNightKey))
  return orders.map((order) => {
    const orderAfterDisplacement = unassignStaysIf(
      order,
      (other) =>
        other.id !== stay.id &&
        listHeldNights(order.status, other).some((night) => wantedNightKeys.has(toNightKey(night)))
    )
    return {
      ...orderAfterDisplacement,
      stays: orderAfterDisplacement.stays.map((each) => (each.id === stay.id ? { ...each, property_id } : each))
    }
  })
}

/** The order accepted; a stay whose nights are with others (`kept`), or with another stay of it, goes into the box. */
export const acceptOrder = (order: OrderState, conflictingStayIds: ReadonlyArray<number>): OrderState => {
  const heldNightKeys = new Set<string>()
  return unassignStaysIf({ ...order, status: "accepted" }, (stay) => {
    const nights = listHeldNights("accepted", stay).map(toNightKey)
    if (conflictingStayIds.includes(stay.id) || nights.some((night) => heldNightKeys.has(night))) return true
    for (const night of nights) heldNightKeys.add(night)
    return false
  })
}
