import { Result } from "effect"
import { decimalOf } from "../../../../contract/money.ts"
import { ROOM_FEE } from "../../../money/dictionaries.ts"
import { NewOrder } from "../../orders/order.ts"
import { GuestDetails, NewStay } from "../../stays/stay.ts"
import type { create_reservation } from "../contract.ts"
import { manualCode } from "./codes.ts"
import type { Contact } from "./contact.ts"
import { type Checked, checkedDates, checkedGuests } from "./stay-checks.ts"

type Payload = Omit<typeof create_reservation.payloadSchema.Type, keyof Contact> & Contact

/** The order a payload describes, under the given channel id; what cannot be an order says which field is why. */
export const orderByHand = (
  payload: Payload,
  made: { readonly channel_id: string; readonly at: Date; readonly creator: string }
): Checked<NewOrder> =>
  Result.gen(function* () {
    const stay = yield* stayByHand(payload)
    const received = yield* decimalOf("received_amount", payload.received_amount, payload.currency)
    return NewOrder.make({
      reservation_code: manualCode(made.channel_id),
      channel_type: "direct",
      channel_id: made.channel_id,
      status: "accepted",
      currency: payload.currency,
      booked_at: made.at,
      creator: made.creator,
      custom_channel_id: payload.custom_channel_id,
      stays: [stay],
      // Money that comes with it is for the room.
      received:
        payload.received_amount === 0
          ? null
          : { amount: received, item_id: ROOM_FEE, payment_method_id: payload.income_method_id }
    })
  })

const stayByHand = (payload: Payload): Checked<NewStay> =>
  Result.gen(function* () {
    const dates = yield* checkedDates({ check_in_date: payload.check_in_date, check_out_date: payload.check_out_date })
    const guests = yield* checkedGuests(payload.number_of_guests ?? 1, { number_of_children: 0 })
    const rate = yield* decimalOf("rate_amount", payload.rate_amount, payload.currency)
    const commission = yield* decimalOf("commission_amount", payload.commission_amount, payload.currency)
    const [name, phone, email] = [payload.guest_name, payload.guest_phone ?? null, payload.guest_email ?? null]
    return NewStay.make({
      property_id: payload.property_id,
      ...dates,
      ...guests,
      guest_name: name,
      guest_phone: phone,
      guest_email: email,
      rate,
      commission,
      // All of a rate made by hand is for the nights.
      accommodation_revenue: rate,
      remarks: payload.remarks ?? "",
      guests: [GuestDetails.make({ name, phone, email, is_booker: true })]
    })
  })
