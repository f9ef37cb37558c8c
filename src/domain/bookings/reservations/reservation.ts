import { Schema } from "effect"
import { Id } from "../../../contract/fields.ts"
import { ExactAmount } from "../../../contract/money.ts"
import { OrderStatus } from "../orders/order.ts"
import {
  AdditionalFee,
  ClockTime,
  CustomFields,
  GuestDetails,
  IdRequired,
  RateDetail,
  StayStatus
} from "../stays/stay.ts"

/** Major units. */
const Money = Schema.Struct({ currency: Schema.String, amount: Schema.Finite })
const ExactMoney = Schema.Struct({ currency: Schema.String, amount: ExactAmount })

const NullableText = Schema.NullOr(Schema.String)

export const ReservationGuest = Schema.Struct({
  id: Id,
  ...GuestDetails.fields,
  id_images: Schema.Array(Schema.Struct({ id: Id, url: Schema.String })).annotateKey({
    description: "The large variant of each image."
  })
})

export const CheckInGuideImage = Schema.Struct({
  id: Id,
  client_id: Schema.NullOr(Id).annotateKey({ description: "The guest, null while the image belongs to nobody." }),
  url: Schema.String.annotateKey({ description: "The extra-large variant." })
})

const PaymentStatus = Schema.Literals(["unreceived", "partial", "received", "over_received"])

export const ReservationPayment = Schema.Struct({
  currency: Schema.String,
  total_amount: ExactAmount.annotateKey({ description: "Receivable: the rates of all stays of the order." }),
  received_amount: ExactAmount,
  balance_amount: ExactAmount.annotateKey({
    description: "What is still unpaid, never negative; 0 of a cancelled, denied or timed-out order."
  }),
  status: PaymentStatus
})

export const CheckInDetails = Schema.Struct({
  arrival_at: Schema.NullOr(ClockTime),
  departure_at: Schema.NullOr(ClockTime),
  lock_code: NullableText,
  lock_code_visible_after: NullableText,
  deposit: Schema.NullOr(Schema.Finite),
  id_required: IdRequired,
  check_in_guide_url: Schema.String
})

export const Reservation = Schema.Struct({
  id: Id.annotateKey({ description: "The stay's number: what the `id` filter finds." }),
  reservation_code: Schema.String,
  stay_code: Schema.String,
  channel_id: Schema.String,
  property_id: Schema.Int.annotateKey({ description: "0 while the stay is in no property (in the reservation box)." }),
  channel_type: Schema.String,
  listing_id: Schema.String,
  check_in_date: Schema.String,
  check_out_date: Schema.String,
  number_of_guests: Schema.Int,
  number_of_adults: Schema.Int,
  number_of_children: Schema.Int,
  number_of_infants: Schema.Int,
  number_of_pets: Schema.Int,
  status: OrderStatus,
  stay_status: StayStatus.annotateKey({
    description: "From check-out time on, `checkin_pending` of an accepted order reads `stay_completed`."
  }),
  guest_name: NullableText,
  guest_phone: NullableText,
  guest_email: NullableText,
  cancelled_at: NullableText.annotateKey({
    description: "ISO 8601 with the offset `+00:00`, as all times of the record."
  }),
  booked_at: Schema.String,
  created_at: Schema.String,
  creator: Schema.String,
  rates: Schema.Struct({
    total_rate: ExactMoney,
    total_commission: Schema.NullOr(ExactMoney),
    rate: Money,
    commission: Schema.NullOr(Money),
    tax: Schema.NullOr(ExactMoney),
    details: Schema.Array(Schema.Struct({ ...RateDetail.fields, currency: Schema.String }))
  }),
  payment: ReservationPayment,
  check_in_details: CheckInDetails,
  remarks: Schema.String,
  channel_remarks: Schema.String,
  conversation_id: NullableText,
  tags: Schema.Array(Schema.String),
  custom_channel: Schema.NullOr(Schema.Struct({ id: Id, name: Schema.String })),
  guests: Schema.Array(ReservationGuest),
  custom_fields: Schema.NullOr(CustomFields),
  in_reservation_box: Schema.Boolean,
  additional_fees: Schema.Array(AdditionalFee),
  checkin_guide_images: Schema.Array(CheckInGuideImage),
  channel_details: Schema.NullOr(
    Schema.Struct({ airbnb: Schema.Struct({ cancellation_policy_category: NullableText }) })
  ).annotateKey({ description: "Null for every channel but airbnb." })
})
export type Reservation = typeof Reservation.Type
