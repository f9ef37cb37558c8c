import { Effect } from "effect"
import type { NewOrder, NewStay } from "../resources/reservations/new-order.ts"
import { nightCount } from "../resources/reservations/nights.ts"
import { Orders } from "../resources/reservations/Orders.ts"
import type { DemoOperator } from "./demo-operator.ts"
import { commissionOf } from "./entries.ts"
import { bookerOf } from "./guests.ts"
import type { DemoOrder } from "./orders.ts"

/** Custom channel of orders made by hand (resources/custom-channels/dictionary.ts). */
const DIRECT = 30

/** Lets the orders in the way every order comes in: with their guests, the nights they hold and their events. */
export const writeOrders = Effect.fn("demo.writeOrders")(function* ({
  operatorId,
  accountName,
  propertyIds,
  orders
}: DemoOperator) {
  const entry = yield* Orders
  yield* Effect.forEach(
    orders,
    (order) => entry.enterSold(operatorId, newOrderOf(order, propertyIds, accountName), order.bookedAt),
    { discard: true }
  )
}, Effect.provide(Orders.layer))

const newOrderOf = (order: DemoOrder, propertyIds: ReadonlyArray<number>, accountName: string): NewOrder => {
  const direct = order.channelType === "direct"
  const booker = bookerOf(order)
  const stayOf = (stay: DemoOrder["stays"][number]): NewStay => {
    const guests = 1 + (nightCount(stay.checkIn, stay.checkOut) % 3)
    return {
      propertyId: propertyIds[stay.property] ?? null,
      listingId: direct ? null : `${order.channelId.slice(-4)}${stay.property}`,
      checkIn: stay.checkIn,
      checkOut: stay.checkOut,
      adults: guests,
      children: 0,
      infants: 0,
      pets: 0,
      numberOfGuests: guests,
      guestName: booker.name,
      guestPhone: booker.phone,
      guestEmail: booker.email,
      rate: String(stay.revenue),
      commission: commissionOf(order.channelType, stay.revenue).toFixed(2),
      revenue: String(stay.revenue),
      rateDetails: null,
      additionalFees: [],
      remarks: "",
      channelRemarks: "",
      guests: [booker]
    }
  }
  const [first, ...others] = order.stays
  return {
    reservationCode: order.code,
    channelType: order.channelType,
    channelId: order.channelId,
    status: order.status,
    currency: order.currency,
    bookedAt: order.bookedAt,
    creator: direct ? accountName : "System",
    customChannelId: direct ? DIRECT : null,
    conversationId: null,
    cancellationPolicyCategory: null,
    stays: [stayOf(first), ...others.map(stayOf)],
    received: null
  }
}
