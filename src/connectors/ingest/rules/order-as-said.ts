import { Equal, Result } from "effect"
import { isWaiting, type OrderState } from "../../../domain/bookings/orders/order.ts"
import { roomOf, stayCodeOf } from "../../../domain/bookings/reservations/rules/codes.ts"
import { keyOf, nightsOf } from "../../../domain/bookings/reservations/rules/nights.ts"
import type { NextStay } from "../../../domain/bookings/reservations/rules/order-change.ts"
import { broken, type Checked } from "../../../domain/bookings/reservations/rules/stay-checks.ts"
import type { StayState } from "../../../domain/bookings/stays/stay.ts"
import type { OrderSaid } from "../../../domain/channels/port/said.ts"
import { expiryOf } from "./order-sold.ts"
import { hadStopped, statusAfter } from "./standing.ts"
import type { StaySaid } from "./stays-said.ts"

// What a known order becomes when its channel says something newer of it.

/** What came in: what is said, its rooms as stays, where each can be (see `placed`), of whom, and when. */
export interface CameIn {
  readonly said: OrderSaid
  readonly stays: ReadonlyArray<StaySaid>
  readonly free: ReadonlyArray<ReadonlyArray<number>>
  /** Ids of stays of the order whose nights others hold, as of a request that others were faster than. */
  readonly kept: ReadonlyArray<number>
  readonly accountId: number
  readonly at: Date
}

/**
 * The order as it is said: the whole of it is the new state. What is the host's own stays: the property, or the box, of a
 * room whose listing is the same, his remarks, the people of a stay; only a request that lost its place to others gets
 * another one of its listing. A room that is not said any more is no stay any more.
 */
export const orderAsSaid = (order: OrderState, came: CameIn): Checked<OrderState> => {
  const { said, at } = came
  if (said.currency !== order.currency && order.entries.length > 0) {
    return broken(`currency: entries of the order are in ${order.currency}.`)
  }
  const status = statusAfter(order.status, said.status)
  const isOfBefore = hadStopped(order)
  const changed: OrderState = {
    ...order,
    status,
    cancelled_at: status === "cancelled" ? (order.cancelled_at ?? at) : null,
    currency: said.currency,
    cancellation_policy_category: isOfBefore
      ? order.cancellation_policy_category
      : (said.cancellation_policy_category ?? null),
    channel_account_id: came.accountId,
    channel_version: said.version,
    // Of an order whose channel had stopped talking of it, the time of its last word tells that for ever.
    channel_synced_at: isOfBefore ? order.channel_synced_at : at,
    expires_at: expiryAfter(order, status, came)
  }
  return Result.succeed({ ...changed, stays: staysAsSaid(order, came, status === "accepted" ? came.kept : []) })
}

/** A wait goes on as it began, unless another end of it is said. */
const expiryAfter = (order: OrderState, status: OrderState["status"], { said, at }: CameIn): Date | null => {
  if (!isWaiting({ status })) return null
  const isAsBefore = status === order.status && order.expires_at !== null
  const isSaid = said.status === status && said.expires_at !== undefined && said.expires_at !== null
  return isAsBefore && !isSaid ? order.expires_at : expiryOf({ ...said, status }, at)
}

/** Which stay each room is; undefined for a new one. Stays that came before rooms had ids are known by their order. */
const known = (order: OrderState, stays: ReadonlyArray<StaySaid>): ReadonlyArray<StayState | undefined> => {
  const byRoom = new Map(order.stays.map((stay) => [stay.channel_room_id, stay]))
  const nameless = order.stays.filter(({ channel_room_id }) => channel_room_id === null).values()
  return stays.map(({ channel_room_id }) => byRoom.get(channel_room_id) ?? nameless.next().value)
}

/** The stays of the order; of those in `lost` others hold the nights. */
const staysAsSaid = (
  order: OrderState,
  { stays, free }: CameIn,
  lost: ReadonlyArray<number>
): ReadonlyArray<StayState> => {
  const before = known(order, stays)
  const wanted = new Set<string>()
  const nightsIn = (stay: StaySaid, property_id: number) => nightsOf(stay).map((day) => keyOf({ property_id, day }))
  const want = (stay: StaySaid, property_id: number | null) => {
    for (const night of property_id === null ? [] : nightsIn(stay, property_id)) wanted.add(night)
    return property_id
  }
  const isFree = (stay: StaySaid) => (property: number) => !nightsIn(stay, property).some((night) => wanted.has(night))
  const staying = stays.map((stay, room) => {
    const was = before[room]
    const isAsBefore = was !== undefined && (was.listing_id ?? stay.listing_id) === stay.listing_id
    const isLost = was !== undefined && lost.includes(was.id)
    return isAsBefore && !isLost ? want(stay, was.property_id) : undefined
  })
  const properties = stays.map((stay, room) => {
    const stays = staying[room]
    return stays === undefined ? want(stay, free[room]?.find(isFree(stay)) ?? null) : stays
  })
  const codes = newCodes(order)
  return stays.map((stay, room) => {
    const was = before[room]
    const property_id = properties[room] ?? null
    return was === undefined ? nextStay(stay, property_id, -1 - room, codes()) : stayAsSaid(was, stay, property_id)
  })
}

/** Codes no stay of the order has or had, one after the other, each after all that there were. */
const newCodes = (order: OrderState): (() => string) => {
  let room = Math.max(order.last_room, ...order.stays.map((stay) => roomOf(order.reservation_code, stay.stay_code)))
  return () => {
    room += 1
    return stayCodeOf(order.reservation_code, room)
  }
}

const nextStay = (stay: StaySaid, property_id: number | null, id: number, stay_code: string): NextStay => ({
  ...stay,
  property_id,
  id,
  stay_code
})

/** A stay that was there, as it is said now. */
const stayAsSaid = (was: StayState, stay: StaySaid, property_id: number | null): StayState => {
  const { guests: _guests, additional_fees: _fees, remarks: _remarks, ...terms } = stay
  return {
    ...was,
    ...terms,
    property_id,
    rate_details: Equal.equals(was.rate_details, stay.rate_details) ? was.rate_details : stay.rate_details
  }
}
