import { Equal, Result } from "effect"
import { isOrderPending, type OrderState } from "../../../domain/bookings/orders/order.ts"
import { listStayNights, toNightKey } from "../../../domain/bookings/reservations/rules/nights.ts"
import type { NewOrderStay } from "../../../domain/bookings/reservations/rules/order-diff.ts"
import { roomIndexOf, toStayCode } from "../../../domain/bookings/reservations/rules/reservation-codes.ts"
import { failValidation, type ValidationResult } from "../../../domain/bookings/reservations/rules/stay-validation.ts"
import type { ExistingStay } from "../../../domain/bookings/stays/stay.ts"
import type { ChannelOrderEvent } from "../../../domain/channels/port/channel-events.ts"
import type { ChannelStay } from "./channel-stays.ts"
import { computeExpiry } from "./new-order.ts"
import { computeNextStatus, predatesChannelDetails } from "./order-status.ts"

export interface IncomingOrder {
  readonly event: ChannelOrderEvent
  readonly stays: ReadonlyArray<ChannelStay>
  readonly freeProperties: ReadonlyArray<ReadonlyArray<number>>
  /** Stays whose nights other orders hold by now, because a pending order holds no nights. */
  readonly lostStayIds: ReadonlyArray<number>
  readonly accountId: number
  readonly receivedAt: Date
}

/**
 * Keeps the host's remarks, guests and additional fees. A room with the same listing keeps its property, unless its
 * stay is in `lostStayIds`. Stays of omitted rooms are removed.
 */
export const applyOrderEvent = (order: OrderState, incoming: IncomingOrder): ValidationResult<OrderState> => {
  const { event, receivedAt } = incoming
  if (event.currency !== order.currency && order.entries.length > 0) {
    return failValidation(`currency: entries of the order are in ${order.currency}.`)
  }
  const status = computeNextStatus(order.status, event.status)
  const predatesDetails = predatesChannelDetails(order)
  const changed: OrderState = {
    ...order,
    status,
    cancelled_at: status === "cancelled" ? (order.cancelled_at ?? receivedAt) : null,
    currency: event.currency,
    cancellation_policy_category: predatesDetails
      ? order.cancellation_policy_category
      : (event.cancellation_policy_category ?? null),
    channel_account_id: incoming.accountId,
    channel_version: event.version,
    // Must not change if the order predates channel details, because {@link predatesChannelDetails} reads it.
    channel_synced_at: predatesDetails ? order.channel_synced_at : receivedAt,
    expires_at: computeNextExpiry(order, status, incoming)
  }
  return Result.succeed({
    ...changed,
    stays: updateStays(order, incoming, status === "accepted" ? incoming.lostStayIds : [])
  })
}

const computeNextExpiry = (
  order: OrderState,
  status: OrderState["status"],
  { event, receivedAt }: IncomingOrder
): Date | null => {
  if (!isOrderPending({ status })) return null
  const isUnchanged = status === order.status && order.expires_at !== null
  const isReported = event.status === status && event.expires_at !== undefined && event.expires_at !== null
  return isUnchanged && !isReported ? order.expires_at : computeExpiry({ ...event, status }, receivedAt)
}

/** Matches stays by room id, and older stays, which have no room id, by position. */
const matchStays = (order: OrderState, stays: ReadonlyArray<ChannelStay>): ReadonlyArray<ExistingStay | undefined> => {
  const byRoom = new Map(order.stays.map((stay) => [stay.channel_room_id, stay]))
  const staysWithoutRoomId = order.stays.filter(({ channel_room_id }) => channel_room_id === null).values()
  return stays.map(({ channel_room_id }) => byRoom.get(channel_room_id) ?? staysWithoutRoomId.next().value)
}

const updateStays = (
  order: OrderState,
  { stays, freeProperties }: IncomingOrder,
  lostStayIds: ReadonlyArray<number>
): ReadonlyArray<ExistingStay> => {
  const previousStays = matchStays(order, stays)
  const reservedNights = new Set<string>()
  const listNightKeys = (stay: ChannelStay, property_id: number) =>
    listStayNights(stay).map((day) => toNightKey({ property_id, day }))
  const reserve = (stay: ChannelStay, property_id: number | null) => {
    for (const night of property_id === null ? [] : listNightKeys(stay, property_id)) reservedNights.add(night)
    return property_id
  }
  const isFree = (stay: ChannelStay) => (property: number) =>
    !listNightKeys(stay, property).some((night) => reservedNights.has(night))
  const keptPropertyIds = stays.map((stay, room) => {
    const previous = previousStays[room]
    const isSameListing = previous !== undefined && (previous.listing_id ?? stay.listing_id) === stay.listing_id
    const isLost = previous !== undefined && lostStayIds.includes(previous.id)
    return isSameListing && !isLost ? reserve(stay, previous.property_id) : undefined
  })
  const propertyIds = stays.map((stay, room) => {
    const keptPropertyId = keptPropertyIds[room]
    return keptPropertyId === undefined
      ? reserve(stay, freeProperties[room]?.find(isFree(stay)) ?? null)
      : keptPropertyId
  })
  const nextCode = makeStayCodeGenerator(order)
  return stays.map((stay, room) => {
    const previous = previousStays[room]
    const property_id = propertyIds[room] ?? null
    return previous === undefined
      ? toNewStay(stay, property_id, -1 - room, nextCode())
      : mergeStay(previous, stay, property_id)
  })
}

/** Never repeats the code of a removed stay. */
const makeStayCodeGenerator = (order: OrderState): (() => string) => {
  let room = Math.max(
    order.last_room,
    ...order.stays.map((stay) => roomIndexOf(order.reservation_code, stay.stay_code))
  )
  return () => {
    room += 1
    return toStayCode(order.reservation_code, room)
  }
}

const toNewStay = (stay: ChannelStay, property_id: number | null, id: number, stay_code: string): NewOrderStay => ({
  ...stay,
  property_id,
  id,
  stay_code
})

const mergeStay = (previous: ExistingStay, stay: ChannelStay, property_id: number | null): ExistingStay => {
  const { guests: _guests, additional_fees: _fees, remarks: _remarks, ...terms } = stay
  return {
    ...previous,
    ...terms,
    property_id,
    rate_details: Equal.equals(previous.rate_details, stay.rate_details) ? previous.rate_details : stay.rate_details
  }
}
