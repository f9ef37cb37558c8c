import { Result } from "effect"
import { toDecimalText } from "../../../../contract/money.ts"
import { ROOM_FEE_ITEM } from "../../../money/dictionaries.ts"
import { NewOrder } from "../../orders/order.ts"
import { GuestDetails, NewStay } from "../../stays/stay.ts"
import type { create_reservation } from "../contract.ts"
import type { GuestContact } from "./guest-contact.ts"
import type { ReservationPrice } from "./quoted-price.ts"
import { toManualOrderCode } from "./reservation-codes.ts"
import { type ValidationResult, validateGuestCount, validateStayDates } from "./stay-validation.ts"

type CreateReservationPayload = Omit<
  typeof create_reservation.payloadSchema.Type,
  keyof GuestContact | keyof ReservationPrice
> &
  GuestContact &
  ReservationPrice

export const toManualOrder = (
  payload: CreateReservationPayload,
  source: { readonly channel_id: string; readonly at: Date; readonly creator: string }
): ValidationResult<NewOrder> =>
  Result.gen(function* () {
    const stay = yield* toManualStay(payload)
    const received = yield* toDecimalText("received_amount", payload.received_amount, payload.currency)
    return NewOrder.make({
      reservation_code: toManualOrderCode(source.channel_id),
      channel_type: "direct",
      channel_id: source.channel_id,
      status: "accepted",
      currency: payload.currency,
      booked_at: source.at,
      creator: source.creator,
      custom_channel_id: payload.custom_channel_id,
      stays: [stay],
      received:
        payload.received_amount === 0
          ? null
          : { amount: received, item_id: ROOM_FEE_ITEM, payment_method_id: payload.income_method_id }
    })
  })

const toManualStay = (payload: CreateReservationPayload): ValidationResult<NewStay> =>
  Result.gen(function* () {
    const dates = yield* validateStayDates({
      check_in_date: payload.check_in_date,
      check_out_date: payload.check_out_date
    })
    const guests = yield* validateGuestCount(payload.number_of_guests, { number_of_children: 0 })
    const rate = yield* toDecimalText("rate_amount", payload.rate_amount, payload.currency)
    const commission = yield* toDecimalText("commission_amount", payload.commission_amount, payload.currency)
    const accommodation = yield* toDecimalText("rate_amount", payload.accommodation_amount, payload.currency)
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
      accommodation_revenue: accommodation,
      rate_details: payload.rate_details,
      remarks: payload.remarks ?? "",
      guests: [GuestDetails.make({ name, phone, email, is_booker: true })]
    })
  })
