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

const Money = Schema.Struct({
  currency: Schema.String.annotateKey({ documentation: "ISO 4217 code." }),
  amount: Schema.Finite.annotateKey({ documentation: "Amount in major units." })
})
const ExactMoney = Schema.Struct({
  currency: Money.fields.currency,
  amount: ExactAmount.annotateKey({ documentation: "Amount in major units, with all digits." })
})

const NullableText = Schema.NullOr(Schema.String)

export const ReservationGuest = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the guest. `client_id` in `checkin_guide_images` refers to it." }),
  name: GuestDetails.fields.name.annotateKey({ documentation: "Name of the guest." }),
  phone: GuestDetails.fields.phone.annotateKey({ documentation: "Phone number; null if unknown." }),
  email: GuestDetails.fields.email.annotateKey({ documentation: "E-mail address; null if unknown." }),
  id_type: GuestDetails.fields.id_type.annotateKey({
    documentation: "Kind of the identity document; null if unknown."
  }),
  id_number: GuestDetails.fields.id_number.annotateKey({
    documentation: "Number of the identity document; null if unknown."
  }),
  gender: GuestDetails.fields.gender.annotateKey({ documentation: "Gender; null if unknown." }),
  country: GuestDetails.fields.country.annotateKey({
    documentation: "ISO 3166-1 alpha-2 code of the guest's country; null if unknown."
  }),
  is_booker: GuestDetails.fields.is_booker.annotateKey({ documentation: "True for the guest who booked." }),
  id_images: Schema.Array(
    Schema.Struct({
      id: Id.annotateKey({ documentation: "Id of the image." }),
      url: Schema.String.annotateKey({
        documentation: "Address of the image. It opens without a token, 60 times a minute."
      })
    })
  ).annotateKey({
    documentation:
      "Photos of the guest's identity documents, in the large variant. By default they are deleted 30 days after check-out."
  })
})

export const CheckInGuideImage = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the image." }),
  client_id: Schema.NullOr(Id).annotateKey({
    documentation: "`id` of the guest in `guests`; null if the image belongs to no listed guest."
  }),
  url: Schema.String.annotateKey({
    documentation: "Address of the image, in the extra-large variant. It opens without a token, 60 times a minute."
  })
})

const PaymentStatus = Schema.Literals(["unreceived", "partial", "received", "over_received"])

export const ReservationPayment = Schema.Struct({
  currency: Schema.String.annotateKey({ documentation: "ISO 4217 code of the reservation's currency." }),
  total_amount: ExactAmount.annotateKey({ documentation: "Amount due, in major units: the rates of all stays." }),
  received_amount: ExactAmount.annotateKey({
    documentation:
      "Sum of the paid income entries of the reservation, in major units. Outstanding entries and expenses do not count. create_transaction adds an entry."
  }),
  balance_amount: ExactAmount.annotateKey({
    documentation:
      "Amount still unpaid in major units, never negative. 0 if the reservation is `cancelled`, `denied` or `timeout`."
  }),
  status: PaymentStatus.annotateKey({
    documentation:
      "`unreceived`: nothing was received. `partial`: less than `total_amount`. `received`: exactly that, or nothing is due. `over_received`: more."
  })
})

export const CheckInDetails = Schema.Struct({
  arrival_at: Schema.NullOr(ClockTime).annotateKey({
    documentation: "Expected time of arrival, local time of the property. Null if unknown. The guest may set it."
  }),
  departure_at: Schema.NullOr(ClockTime).annotateKey({
    documentation: "Expected time of departure, local time of the property. Null if unknown."
  }),
  lock_code: NullableText.annotateKey({ documentation: "Code of the door; null if there is none." }),
  lock_code_visible_after: NullableText.annotateKey({
    documentation:
      "Time of the check-in day, `HH:mm`, from which the guest portal shows the code. `12:00` for a new stay. Null: from the start of the day."
  }),
  deposit: Schema.NullOr(Schema.Finite).annotateKey({
    documentation: "Deposit in major units of the host's currency; null if there is none."
  }),
  id_required: IdRequired.annotateKey({
    documentation:
      "Whether guests must hand in identity documents before they see the door code. With `required_with_review` the host must approve them."
  }),
  check_in_guide_url: Schema.String.annotateKey({
    documentation:
      "Address of the stay's guest portal. Anyone who has it sees the page. Empty after the guest's data was erased."
  })
})

export const Reservation = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the stay. The filter `id` of search_reservations finds it." }),
  reservation_code: Schema.String.annotateKey({
    documentation: "Code of the reservation, which its stays share. Codes of reservations made by hand begin with `5-`."
  }),
  stay_code: Schema.String.annotateKey({
    documentation: "Code of the stay. The code of a stay that a channel dropped is never used again."
  }),
  channel_id: Schema.String.annotateKey({
    documentation: "The channel's own id of the reservation. For one made by hand: the caller's, or a generated one."
  }),
  property_id: Schema.Int.annotateKey({ documentation: "Property of the stay; 0 if the stay is unassigned." }),
  channel_type: Schema.String.annotateKey({
    documentation: "Channel that sold the stay; `direct` for a reservation made by hand."
  }),
  listing_id: Schema.String.annotateKey({
    documentation:
      "The channel's own id of the listing that was sold. For a reservation made by hand: `property_id` as text."
  }),
  check_in_date: Schema.String.annotateKey({ documentation: "Day of arrival, `YYYY-MM-DD` in the host's time zone." }),
  check_out_date: Schema.String.annotateKey({
    documentation: "Day of departure, `YYYY-MM-DD` in the host's time zone. Its night is not part of the stay."
  }),
  number_of_guests: Schema.Int.annotateKey({ documentation: "Adults and children. Infants do not count." }),
  number_of_adults: Schema.Int.annotateKey({ documentation: "Number of adults." }),
  number_of_children: Schema.Int.annotateKey({ documentation: "Number of children." }),
  number_of_infants: Schema.Int.annotateKey({ documentation: "Number of infants." }),
  number_of_pets: Schema.Int.annotateKey({ documentation: "Number of pets." }),
  status: OrderStatus.annotateKey({
    documentation:
      "`wait_accept` waits for the host's answer and `wait_pay` for the guest's payment. Only `accepted` holds nights. `denied`: the request was declined. `timeout`: nobody answered or paid in time. `cancelled`, `denied` and `timeout` are final."
  }),
  stay_status: StayStatus.annotateKey({
    documentation:
      "`checkin_pending`: not yet arrived. `in_house`: arrived. `stay_completed`: left. From check-out time on, an accepted stay that is still `checkin_pending` shows `stay_completed`."
  }),
  guest_name: NullableText.annotateKey({
    documentation: "Name of the guest; null if unknown. On a channel's reservation its next update replaces it."
  }),
  guest_phone: NullableText.annotateKey({
    documentation: "Phone number of the guest; null if unknown. On a channel's reservation its next update replaces it."
  }),
  guest_email: NullableText.annotateKey({
    documentation:
      "E-mail address of the guest; null if unknown. On a channel's reservation its next update replaces it."
  }),
  cancelled_at: NullableText.annotateKey({
    documentation:
      "When the reservation was cancelled, ISO 8601 with the offset `+00:00`. Null unless the status is `cancelled`."
  }),
  booked_at: Schema.String.annotateKey({
    documentation: "When the guest booked, ISO 8601 with the offset `+00:00`."
  }),
  created_at: Schema.String.annotateKey({
    documentation: "When the reservation entered this service, ISO 8601 with the offset `+00:00`."
  }),
  creator: Schema.String.annotateKey({
    documentation:
      "Account that entered the reservation; `System` for reservations of channels. update_reservation_basic can change it."
  }),
  rates: Schema.Struct({
    total_rate: ExactMoney.annotateKey({ documentation: "Price of all stays of the reservation, with commission." }),
    total_commission: Schema.NullOr(ExactMoney).annotateKey({
      documentation: "Commission for all stays of the reservation; null if unknown."
    }),
    rate: Money.annotateKey({ documentation: "Price of this stay, with commission." }),
    commission: Schema.NullOr(Money).annotateKey({ documentation: "Commission for this stay; null if unknown." }),
    tax: Schema.NullOr(ExactMoney).annotateKey({
      documentation: "Sum of the `details` of type `TAXES`; null if there are none."
    }),
    details: Schema.Array(
      Schema.Struct({
        ...RateDetail.fields,
        currency: Schema.String.annotateKey({ documentation: "ISO 4217 code." })
      })
    ).annotateKey({ documentation: "Parts of the price of this stay." })
  }).annotateKey({ documentation: "Prices of this stay and of the whole reservation." }),
  payment: ReservationPayment.annotateKey({
    documentation: "Payment of the whole reservation. Its stays show the same values."
  }),
  check_in_details: CheckInDetails.annotateKey({
    documentation: "How the guest checks in. update_check_in_details changes it."
  }),
  remarks: Schema.String.annotateKey({
    documentation: "The host's own note; empty if there is none. Channel updates keep it."
  }),
  channel_remarks: Schema.String.annotateKey({
    documentation: "Note that came from the channel; empty if there is none."
  }),
  conversation_id: NullableText.annotateKey({
    documentation: "Conversation with the guest, for get_conversation. Null if there is none."
  }),
  tags: Schema.Array(Schema.String).annotateKey({
    documentation:
      "Names of the stay's tags. Deleting a tag takes it off every stay; restoring the tag does not put it back."
  }),
  custom_channel: Schema.NullOr(
    Schema.Struct({
      id: Id.annotateKey({ documentation: "Id from query_custom_channels." }),
      name: Schema.String.annotateKey({ documentation: "Name of the source." })
    })
  ).annotateKey({
    documentation:
      "Source of the reservation, such as Phone. Null for a channel's reservation, unless update_reservation_basic set a source."
  }),
  guests: Schema.Array(ReservationGuest).annotateKey({ documentation: "Guests of the stay that are known by name." }),
  custom_fields: Schema.NullOr(CustomFields).annotateKey({
    documentation:
      "The host's own texts by name. update_reservation_custom_fields changes them. Null if there are none."
  }),
  in_reservation_box: Schema.Boolean.annotateKey({ documentation: "True if the stay is unassigned." }),
  additional_fees: Schema.Array(AdditionalFee).annotateKey({
    documentation: "Fees beside the rate; an empty list if there are none."
  }),
  checkin_guide_images: Schema.Array(CheckInGuideImage).annotateKey({
    documentation: "All identity images of the reservation, those of unlisted guests too."
  }),
  channel_details: Schema.NullOr(
    Schema.Struct({
      airbnb: Schema.Struct({
        cancellation_policy_category: NullableText.annotateKey({
          documentation:
            "The channel's own value. Null until the channel reports it, and for reservations that ended before 2026-09-11."
        })
      }).annotateKey({ documentation: "Fields of airbnb." })
    })
  ).annotateKey({ documentation: "Fields that only one channel has. Null for every channel except airbnb." })
})
export type Reservation = typeof Reservation.Type
