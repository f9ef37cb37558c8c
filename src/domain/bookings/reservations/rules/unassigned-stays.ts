import type { NewOrder, OrderState } from "../../orders/order.ts"
import type { ExistingStay, NewStay } from "../../stays/stay.ts"
import { listHeldNights, type PropertyNight, toNightKey } from "./nights.ts"

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
 * Unassigns each stay that would hold a taken night, or a night of another stay of the order. A night that the order
 * held before may pass to another of its stays.
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

export const listNewNights = (before: OrderState, after: OrderState): ReadonlyArray<PropertyNight> => {
  const nightsBefore = new Set(before.stays.flatMap((stay) => listHeldNights(before.status, stay).map(toNightKey)))
  return after.stays
    .flatMap((stay) => listHeldNights(after.status, stay))
    .filter((night) => !nightsBefore.has(toNightKey(night)))
}

export const unassignStay = (order: OrderState, stay: ExistingStay): OrderState =>
  unassignStaysIf(order, ({ id }) => id === stay.id)

/**
 * Moves the stay, and unassigns the stays that hold its nights in that property (contract facts 2.7). The stay of a
 * pending order displaces no other stay.
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

/** Unassigns each stay whose nights another order or an earlier stay of this order holds. */
export const acceptOrder = (order: OrderState, conflictingStayIds: ReadonlyArray<number>): OrderState => {
  const heldNightKeys = new Set<string>()
  return unassignStaysIf({ ...order, status: "accepted" }, (stay) => {
    const nights = listHeldNights("accepted", stay).map(toNightKey)
    if (conflictingStayIds.includes(stay.id) || nights.some((night) => heldNightKeys.has(night))) return true
    for (const night of nights) heldNightKeys.add(night)
    return false
  })
}
