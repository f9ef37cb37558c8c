import { Effect } from "effect"
import { NewOrder } from "../../domain/bookings/orders/order.ts"
import { Orders } from "../../domain/bookings/reservations/Orders.ts"
import { countNights } from "../../domain/bookings/reservations/rules/nights.ts"
import { NewStay } from "../../domain/bookings/stays/stay.ts"
import type { DemoOperator } from "./demo-operator.ts"
import { bookerOf } from "./guests.ts"
import type { DemoOrder } from "./orders.ts"
import { commissionOf } from "./transactions.ts"

/** Custom channel of manual orders (domain/channels/custom-channels/built-in-channels.ts). */
const DIRECT_CHANNEL_ID = 30

export const writeDirectOrders = Effect.fn("demo.writeOrders")(function* ({
  operatorId,
  accountName,
  propertyIds,
  orders
}: DemoOperator) {
  const { createFromChannel } = yield* Orders
  yield* Effect.forEach(
    orders.filter(({ channelType }) => channelType === "direct"),
    (order) => createFromChannel(operatorId, toNewOrder(order, propertyIds, accountName), order.bookedAt),
    { discard: true }
  )
}, Effect.provide(Orders.layer))

const toNewOrder = (order: DemoOrder, propertyIds: ReadonlyArray<number>, accountName: string): NewOrder => {
  const booker = bookerOf(order)
  const toNewStay = (stay: DemoOrder["stays"][number]): NewStay => {
    const dates = { check_in_date: stay.checkIn, check_out_date: stay.checkOut }
    const guests = 1 + (countNights(dates) % 3)
    return NewStay.make({
      property_id: propertyIds[stay.propertyIndex] ?? null,
      ...dates,
      number_of_guests: guests,
      number_of_adults: guests,
      guest_name: booker.name,
      guest_phone: booker.phone,
      guest_email: booker.email,
      rate: String(stay.revenue),
      commission: commissionOf(order.channelType, stay.revenue).toFixed(2),
      accommodation_revenue: String(stay.revenue),
      guests: [booker]
    })
  }
  const [first, ...others] = order.stays
  return NewOrder.make({
    reservation_code: order.code,
    channel_type: order.channelType,
    channel_id: order.channelId,
    status: order.status,
    currency: order.currency,
    booked_at: order.bookedAt,
    creator: accountName,
    custom_channel_id: DIRECT_CHANNEL_ID,
    stays: [toNewStay(first), ...others.map(toNewStay)]
  })
}
