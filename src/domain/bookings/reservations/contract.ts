import { Schema, Struct } from "effect"
import { Conflict, NotFound, NotImplemented, Upstream } from "../../../contract/errors.ts"
import { fieldsParameter } from "../../../contract/field-selection.ts"
import {
  CalendarDate,
  Currency,
  EmailOrNone,
  Id,
  NumberOfGuests,
  PropertyOrUnassigned,
  RecordCode,
  requiredUnless,
  textUpTo
} from "../../../contract/fields.ts"
import { editPayloadFields } from "../../../contract/immutable-fields.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { PageTotal, pageFields } from "../../../contract/page.ts"
import { CHANNEL_TEXT_LENGTH, GUEST_PHONE_LENGTH, SEARCH_DAYS, STAY_NIGHTS } from "../../../platform/limits.ts"
import { ChannelType } from "../../channels/port/channel-type.ts"
import { OrderStatus } from "../orders/order.ts"
import { StayCode } from "../stays/fields.ts"
import { ChannelId, Creator, GuestName, NonNegativeAmount, PhoneNumber, Remarks } from "./fields.ts"
import { CheckInDetails, Reservation, ReservationPayment } from "./reservation.ts"
import { SearchKeyword } from "./rules/keyword.ts"

// Specification, "Reservations"; contract facts 2.2 to 2.4, 2.7.

const operation = defineFamily({ category: "reservation", since: "3.4.0", openWorld: true })

const ReservationCode = RecordCode.annotateKey({
  documentation: "Code of the reservation, from search_reservations."
})

export const ReservationOrderBy = Schema.Literals([
  "booked_at",
  "check_in_date",
  "check_out_date",
  "cancelled_at",
  "created_at"
])
export type ReservationOrderBy = typeof ReservationOrderBy.Type

export const search_reservations = operation("search_reservations", {
  route: "GET /reservations",
  summary: "List reservations, one row per stay",
  details: `The stays of one reservation share \`reservation_code\` and \`payment\`. Any filter removes the default range of ${SEARCH_DAYS} days before and after today.

- One bound of a pair of dates is enough; the other side is then open.
- \`keyword\` works with and without other filters. It is compared as one text: \`Ada Lovelace\` does not find \`Lovelace, Ada\`.
- A stay of an erased guest matches no keyword. Find it with \`reservation_code\`.
- A night of a property has at most one accepted stay.`,
  payload: {
    reservation_code: Schema.optionalKey(RecordCode).annotateKey({
      documentation:
        "Only the stays of this reservation. Also accepts the code of one of its stays, and then returns all of them."
    }),
    id: Schema.optionalKey(Id).annotateKey({
      documentation: "Only the stay with this id. The list is empty if there is none."
    }),
    channel_id: Schema.optionalKey(RecordCode).annotateKey({
      documentation: "Only the reservation with this id of the channel, or of the caller who created it."
    }),
    property_id: Schema.optionalKey(PropertyOrUnassigned).annotateKey({
      documentation: "Only stays in this property. 0 finds unassigned stays. An unknown property returns 404."
    }),
    status: Schema.optionalKey(OrderStatus).annotateKey({ documentation: "Only reservations with this status." }),
    channel_type: Schema.optionalKey(ChannelType).annotateKey({
      documentation: "Only reservations of this channel. `direct` finds those made by hand."
    }),
    keyword: Schema.optionalKey(SearchKeyword).annotateKey({
      documentation:
        "Part of a guest's name, phone number or e-mail address, or of `stay_code`, `reservation_code` or `channel_id`. Case is ignored. Phone numbers are compared by their digits, without zeros at the start."
    }),
    start_check_in_date: Schema.optionalKey(CalendarDate).annotateKey({
      documentation: `First check-in date, included. The last one may lie at most ${SEARCH_DAYS} days after it.`
    }),
    end_check_in_date: Schema.optionalKey(CalendarDate).annotateKey({ documentation: "Last check-in date, included." }),
    start_check_out_date: Schema.optionalKey(CalendarDate).annotateKey({
      documentation: "First check-out date, included. Ranges of check-out have no maximum length."
    }),
    end_check_out_date: Schema.optionalKey(CalendarDate).annotateKey({
      documentation: "Last check-out date, included."
    }),
    order_by: Schema.optionalKey(ReservationOrderBy).annotateKey({
      documentation:
        "Sorts by this time or date, the latest first. Default: `booked_at`. With `cancelled_at`, reservations that are not cancelled come last."
    }),
    ...fieldsParameter("reservations", Reservation),
    ...pageFields
  },
  success: Schema.Struct({
    reservations: Schema.Array(Reservation).annotateKey({ documentation: "One row per stay." }),
    total: PageTotal
  }),
  errors: [NotFound],
  exposure: toolMetadata(
    `Lists reservations, one row per stay (one room); the stays of one order share its reservation_code. Latest first, by order_by. keyword: part of a guest's name, phone, e-mail, or of a code. Date bounds are inclusive; two check-in bounds lie at most ${SEARCH_DAYS} days apart. Without a filter: stays that check out within ${SEARCH_DAYS} days of today. Tools for one stay take its stay_code; cancel, approve and decline the reservation_code. property_id 0: unassigned stays. payment is of the whole order.`,
    [
      "Who arrives this weekend?",
      "When does Ada Lovelace come?",
      "Show order 5-QX7M2LD90",
      "Which booking requests are waiting for an answer?"
    ],
    false
  )
})

const codeAndStatusFields = {
  reservation_code: Schema.String.annotateKey({
    documentation: "Code of the reservation, which is also the code of its stay."
  }),
  status: OrderStatus.annotateKey({
    documentation: "`accepted` for a new reservation. One that existed already has its present status."
  })
}

const MANUAL_ONLY = "On a channel's reservation another value than the present one returns 422."

export const create_reservation = operation("create_reservation", {
  route: "POST /reservations",
  limits: { "1m": 60 },
  summary: "Create a reservation by hand",
  details: `The reservation has one stay. A night that an accepted reservation holds or an imported calendar blocks returns 409.

One \`channel_id\` makes at most one reservation of the operator, also for calls at the same time and after a cancellation. A used value returns the existing reservation and ignores the values of all other fields; required fields must still be there. The idempotency key of such a call is not stored.

With \`quote_id\`, the reservation has the total and the currency of the quote. Its commission is 0.

- A \`property_id\`, date, \`rate_amount\`, \`currency\` or \`commission_amount\` that differs from the quote returns 422.
- A quote that is expired, used or not bookable returns 409. An unknown quote returns 404.
- Nights that the host blocked after the quote are booked all the same.`,
  payload: {
    property_id: Id.annotateKey({
      documentation: "The property, from search_properties. An unknown property returns 404, an inactive one 422."
    }),
    custom_channel_id: Id.annotateKey({
      description: "From query_custom_channels.",
      documentation: "Source of the reservation, from query_custom_channels. Other ids return 422."
    }),
    check_in_date: CalendarDate.annotateKey({
      documentation: "Day of arrival, in the host's time zone. Past days are accepted."
    }),
    check_out_date: CalendarDate.annotateKey({
      documentation: `Day of departure, from 1 to ${STAY_NIGHTS} nights after check_in_date.`
    }),
    guest_name: GuestName.annotateKey({ documentation: "Name of the guest." }),
    currency: requiredUnless("quote_id", Currency).annotateKey({
      documentation: "ISO 4217 code of all amounts. Required without `quote_id`."
    }),
    rate_amount: requiredUnless("quote_id", NonNegativeAmount).annotateKey({
      documentation:
        "Price of the stay in major units of `currency`, with commission. Too many decimals for the currency return 422. Required without `quote_id`."
    }),
    commission_amount: requiredUnless("quote_id", NonNegativeAmount).annotateKey({
      description: "Commission in `rate_amount`, in major units, or 0.",
      documentation: "Commission in `rate_amount`, in major units, or 0. Required without `quote_id`."
    }),
    received_amount: NonNegativeAmount.annotateKey({
      documentation:
        "Amount already received, in major units; 0 if there is none. Above 0, a paid income entry of the category Room fee (`item_id` 11) is recorded."
    }),
    income_method_id: Id.annotateKey({
      documentation: "Payment method of the received amount, from query_income_methods. Other ids return 422."
    }),
    number_of_guests: Schema.optionalKey(NumberOfGuests).annotateKey({
      documentation:
        "Number of adults. Default: 1, or with `quote_id` the number of the quote. A higher number than that of the quote returns 422."
    }),
    email: Schema.optionalKey(EmailOrNone).annotateKey({
      documentation: "E-mail address of the guest. An empty text means none."
    }),
    mobile: Schema.optionalKey(PhoneNumber).annotateKey({
      documentation: "Phone number of the guest, such as +49 15112345678."
    }),
    guest_email: Schema.optionalKey(EmailOrNone).annotateKey({
      documentation: "Another name of `email`. Two different values return 400."
    }),
    guest_phone: Schema.optionalKey(textUpTo(GUEST_PHONE_LENGTH)).annotateKey({
      documentation: "Another name of `mobile`. Two different values return 400."
    }),
    remarks: Schema.optionalKey(Remarks).annotateKey({ documentation: "The host's own note." }),
    quote_id: Schema.optionalKey(RecordCode).annotateKey({
      description: "From POST /quotes.",
      documentation:
        "Quote from create_quote that sets the price. Property and dates must be those of the quote. A quote makes at most one reservation."
    }),
    channel_id: Schema.optionalKey(ChannelId).annotateKey({
      documentation:
        "The caller's own id of the reservation, of letters and digits only. It makes the call repeatable. The reservation code is `5-` and this id. Default: a generated id."
    })
  },
  success: Schema.Struct({
    ...codeAndStatusFields,
    reservation: Schema.Struct(codeAndStatusFields).annotateKey({ documentation: "The same two fields again." })
  }),
  errors: [NotFound, Conflict],
  exposure: toolMetadata(
    "Enters a reservation by hand, accepted at once and held on every channel. Ids: search_properties, query_custom_channels, query_income_methods. rate_amount includes commission_amount (0 if none); received_amount becomes an income. Booked nights get 409; nights the host blocked do not. With a channel_id a repeated call returns the same order. The guest is not notified.",
    [
      "Book Harbour 1 for Ada Lovelace from the 4th to the 7th, 420 euro, paid in cash",
      "Block next week for my brother, free of charge"
    ],
    true
  )
})

/**
 * Fields of nested objects that some clients send at the top level. A value other than the present one fails instead of
 * being ignored.
 */
const nestedFields = {
  ...Struct.omit(CheckInDetails.fields, ["check_in_guide_url"]),
  received_amount: ReservationPayment.fields.received_amount
}

const CHECK_IN_DETAILS_ROUTE = "PATCH /reservations/{stay_code}/check_in_details"

/** Maps each field that an edit of a stay cannot change to the field or route that can change it. */
export const OTHER_WAYS_TO_CHANGE = {
  status:
    "POST /reservations/{reservation_code}/approve or /decline for a request, or DELETE /reservations/{reservation_code}",
  cancelled_at: "DELETE /reservations/{reservation_code}",
  stay_status: "PUT /reservations/{stay_code}/stay_status",
  property_id: "POST /reservations/{stay_code}/allocate",
  in_reservation_box: "POST /reservations/{stay_code}/move_to_box or /allocate",
  tags: "POST or DELETE /reservations/{stay_code}/tags",
  custom_fields: "PATCH /reservations/{stay_code}/custom_fields",
  custom_channel: "custom_channel_id",
  number_of_adults: "number_of_guests",
  rates: "rate_amount or commission_amount",
  payment: "POST /transactions for money that came in, or rate_amount",
  received_amount: "POST /transactions",
  check_in_details: CHECK_IN_DETAILS_ROUTE,
  arrival_at: CHECK_IN_DETAILS_ROUTE,
  departure_at: CHECK_IN_DETAILS_ROUTE,
  lock_code: CHECK_IN_DETAILS_ROUTE,
  lock_code_visible_after: CHECK_IN_DETAILS_ROUTE,
  deposit: CHECK_IN_DETAILS_ROUTE,
  id_required: CHECK_IN_DETAILS_ROUTE
}

export const update_reservation_basic = operation("update_reservation_basic", {
  route: "PATCH /reservations/{stay_code}",
  summary: "Change the basic details of a stay",
  details: `A record of search_reservations can be sent back whole. A field that this operation cannot change must have its present value. The 422 for another value names the field or route that changes it, if there is one.

- On a channel's reservation, remarks, contact, number of guests, source and creator can change. The next update from the channel replaces the contact and the number of guests.
- New dates that are not free return 409. Other dates for a reservation that is \`cancelled\`, \`denied\` or \`timeout\` return 422.
- null in a field that can change returns 400, unless the meaning of the field mentions null.
- \`reservation_updated\` is sent once for each kind of change and stay. An edit without a change sends none.`,
  payload: editPayloadFields(Schema.Struct({ ...Reservation.fields, ...nestedFields }), {
    stay_code: StayCode,
    remarks: Schema.optionalKey(Schema.NullOr(Remarks)).annotateKey({
      documentation: "The host's own note. null removes it."
    }),
    creator: Schema.optionalKey(Creator).annotateKey({
      description: "Account that is shown as the creator of the whole reservation."
    }),
    custom_channel_id: Schema.optionalKey(Id).annotateKey({
      documentation: "Source of the whole reservation, from query_custom_channels. Other ids return 422."
    }),
    check_in_date: Schema.optionalKey(CalendarDate).annotateKey({ documentation: `Day of arrival. ${MANUAL_ONLY}` }),
    check_out_date: Schema.optionalKey(CalendarDate).annotateKey({
      documentation: `Day of departure, from 1 to ${STAY_NIGHTS} nights after check_in_date. ${MANUAL_ONLY}`
    }),
    number_of_guests: Schema.optionalKey(NumberOfGuests).annotateKey({
      documentation: "Adults and children: at least the children of the stay and one adult. The others count as adults."
    }),
    guest_name: Schema.optionalKey(GuestName).annotateKey({ documentation: "Name of the guest." }),
    mobile: Schema.optionalKey(Schema.NullOr(PhoneNumber)).annotateKey({
      documentation: "Phone number of the guest. null removes it."
    }),
    email: Schema.optionalKey(Schema.NullOr(EmailOrNone)).annotateKey({
      documentation: "E-mail address of the guest. null removes it."
    }),
    // A channel may have sent an invalid address. The caller may send it back unchanged.
    guest_email: Schema.optionalKey(Schema.NullOr(textUpTo(CHANNEL_TEXT_LENGTH))).annotateKey({
      documentation:
        "Another name of `email`: an e-mail address, or the present value. null removes it. Two different values return 400."
    }),
    guest_phone: Schema.optionalKey(Schema.NullOr(textUpTo(GUEST_PHONE_LENGTH))).annotateKey({
      documentation: "Another name of `mobile`. null removes it. Two different values return 400."
    }),
    currency: Schema.optionalKey(Currency).annotateKey({
      documentation: `ISO 4217 code of all amounts of the reservation. It can change only while the reservation has no income or expense entries (422). ${MANUAL_ONLY}`
    }),
    rate_amount: Schema.optionalKey(NonNegativeAmount).annotateKey({
      documentation: `Price of this stay in major units, with commission. ${MANUAL_ONLY}`
    }),
    commission_amount: Schema.optionalKey(NonNegativeAmount).annotateKey({
      documentation: `Commission for this stay, in major units. ${MANUAL_ONLY}`
    })
  }),
  success: Schema.Struct({}),
  errors: [NotFound, Conflict],
  exposure: toolMetadata(
    "Changes one stay (stay_code: search_reservations). What you do not send stays; null clears email, mobile, remarks. Dates, currency and amounts change only on reservations made by hand (code 5-…); new dates must be free (409). creator, custom_channel_id and currency belong to the whole order. No tool moves a stay to another property. The guest is not notified.",
    [
      "Move the Lovelace booking one night later",
      "Note on the booking that they bring a dog",
      "The agreed price is 400, not 420"
    ],
    true
  )
})

export const cancel_reservation = operation("cancel_reservation", {
  route: "DELETE /reservations/{reservation_code}",
  summary: "Cancel a reservation made by hand",
  details:
    "A reservation of a channel and an unknown code return 404. Cancelling a cancelled reservation again succeeds and sends no event. A denied or timed-out one returns 409.",
  payload: { reservation_code: ReservationCode },
  success: Schema.Struct({}),
  errors: [NotFound, Conflict],
  exposure: toolMetadata(
    "Cancels a whole order and frees its nights; it cannot be undone. Only orders made by hand (code 5-…): others are cancelled on their channel. Money recorded on it stays recorded. The guest is not notified.",
    ["Cancel order 5-QX7M2LD90"],
    true
  )
})

const ANSWER_DETAILS = `Only a request with the status \`wait_accept\` can be answered; any other status returns 400.

The channel has 30 seconds to agree. 502, 503 and 504 leave the outcome open: repeat the call with the same idempotency key. Under a key the channel receives the answer at most once, and the service goes on if the caller disconnects. A repeat whose outcome the channel does not know returns 409 without \`Retry-After\`.`

const defineAnswerOperation = <const Name extends string>(
  name: Name,
  act: "approve" | "decline",
  texts: { readonly effect: string; readonly details: string; readonly example: string }
) =>
  operation(name, {
    route: `POST /reservations/{reservation_code}/${act}`,
    summary: `${act === "approve" ? "Accept" : "Decline"} a booking request`,
    details: texts.details,
    payload: { reservation_code: ReservationCode },
    success: Schema.Struct({}),
    errors: [NotFound, Conflict, NotImplemented, Upstream],
    exposure: toolMetadata(
      `${texts.effect} Find requests with search_reservations, status wait_accept. Channel and guest are notified at once; it cannot be undone.`,
      [texts.example],
      true,
      { destructive: true }
    )
  })

export const approve_reservation = defineAnswerOperation("approve_reservation", "approve", {
  effect:
    "Accepts a pending booking request of a channel and holds its nights; it is refused while another reservation holds them (409).",
  details: `${ANSWER_DETAILS}

If the nights are sold while the channel agrees, the stay becomes unassigned.`,
  example: "Accept the request for next weekend"
})

export const decline_reservation = defineAnswerOperation("decline_reservation", "decline", {
  effect: "Declines a pending booking request of a channel.",
  details: ANSWER_DETAILS,
  example: "Decline the request of the party of twelve"
})

const restOnlyExposure = {
  notATool: "an extension for REST clients; the specification has no tool for it",
  extension: true
} as const

export const allocate_stay = operation("allocate_stay", {
  route: "POST /reservations/{stay_code}/allocate",
  summary: "Move a stay into a property",
  details:
    "Stays that hold these nights of the property become unassigned. A night that an imported calendar blocks returns 409. A reservation that is `cancelled`, `denied` or `timeout` returns 422, and so does an inactive property.",
  payload: {
    stay_code: StayCode,
    property_id: Id.annotateKey({
      documentation: "The new property, from search_properties. An unknown property returns 404."
    })
  },
  success: Schema.Struct({}),
  errors: [NotFound, Conflict],
  exposure: restOnlyExposure
})

export const move_stay_to_box = operation("move_stay_to_box", {
  route: "POST /reservations/{stay_code}/move_to_box",
  summary: "Make a stay unassigned",
  details:
    "The stay leaves its property and its nights are free again. It is not cancelled, and the guest is not notified. A reservation that is `cancelled`, `denied` or `timeout` returns 422.",
  payload: { stay_code: StayCode },
  success: Schema.Struct({}),
  errors: [NotFound, Conflict],
  exposure: restOnlyExposure
})

export const ReservationOperations = {
  search_reservations,
  create_reservation,
  update_reservation_basic,
  cancel_reservation,
  approve_reservation,
  decline_reservation,
  allocate_stay,
  move_stay_to_box
}
