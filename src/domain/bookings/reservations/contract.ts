import { Schema, Struct } from "effect"
import { Conflict, NotFound, NotImplemented, Upstream } from "../../../contract/errors.ts"
import { fieldsParameter } from "../../../contract/field-selection.ts"
import {
  CalendarDate,
  Currency,
  EmailOrNone,
  Id,
  PropertyOrUnassigned,
  RecordCode,
  textUpTo
} from "../../../contract/fields.ts"
import { editPayloadFields } from "../../../contract/immutable-fields.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { pageFields } from "../../../contract/page.ts"
import { CHANNEL_TEXT_LENGTH, GUEST_PHONE_LENGTH, SEARCH_DAYS } from "../../../platform/limits.ts"
import { ChannelType } from "../../channels/port/channel-type.ts"
import { OrderStatus } from "../orders/order.ts"
import { ChannelId, Creator, GuestName, NonNegativeAmount, NumberOfGuests, PhoneNumber, Remarks } from "./fields.ts"
import { CheckInDetails, Reservation, ReservationPayment } from "./reservation.ts"
import { SearchKeyword } from "./rules/keyword.ts"

// Orders: finding, making, changing and ending them (specification, "Reservations"; contract facts 2.2 to 2.4, 2.7).

const operation = defineFamily({ category: "reservation", since: "3.4.0", openWorld: true })

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
  summary: "List reservations, one row a stay",
  payload: {
    reservation_code: Schema.optionalKey(RecordCode),
    id: Schema.optionalKey(Id),
    channel_id: Schema.optionalKey(RecordCode),
    property_id: Schema.optionalKey(PropertyOrUnassigned),
    status: Schema.optionalKey(OrderStatus),
    channel_type: Schema.optionalKey(ChannelType),
    keyword: Schema.optionalKey(SearchKeyword),
    start_check_in_date: Schema.optionalKey(CalendarDate),
    end_check_in_date: Schema.optionalKey(CalendarDate),
    start_check_out_date: Schema.optionalKey(CalendarDate),
    end_check_out_date: Schema.optionalKey(CalendarDate),
    order_by: Schema.optionalKey(ReservationOrderBy),
    ...fieldsParameter("reservations", Reservation),
    ...pageFields
  },
  success: Schema.Struct({ reservations: Schema.Array(Reservation), total: Schema.Int }),
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

const codeAndStatusFields = { reservation_code: Schema.String, status: OrderStatus }

export const create_reservation = operation("create_reservation", {
  route: "POST /reservations",
  limits: { "1m": 60 },
  summary: "Enter a reservation by hand",
  payload: {
    property_id: Id,
    custom_channel_id: Id,
    check_in_date: CalendarDate,
    check_out_date: CalendarDate,
    guest_name: GuestName,
    currency: Currency,
    rate_amount: NonNegativeAmount,
    commission_amount: NonNegativeAmount,
    received_amount: NonNegativeAmount,
    income_method_id: Id,
    number_of_guests: Schema.optionalKey(NumberOfGuests),
    email: Schema.optionalKey(EmailOrNone),
    mobile: Schema.optionalKey(PhoneNumber),
    // The names that the record has for them (rules/guest-contact.ts).
    guest_email: Schema.optionalKey(EmailOrNone),
    guest_phone: Schema.optionalKey(textUpTo(GUEST_PHONE_LENGTH)),
    remarks: Schema.optionalKey(Remarks),
    channel_id: Schema.optionalKey(ChannelId)
  },
  success: Schema.Struct({ ...codeAndStatusFields, reservation: Schema.Struct(codeAndStatusFields) }),
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
 * Fields that the record shows inside others, and clients send beside them. An edit refuses another value of them, rather
 * than passing over it as over an unknown field.
 */
const nestedFields = {
  ...Struct.omit(CheckInDetails.fields, ["check_in_guide_url"]),
  received_amount: ReservationPayment.fields.received_amount
}

const CHECK_IN_DETAILS_ROUTE = "PATCH /reservations/{stay_code}/check_in_details"

/** The field or the route that changes what an edit of a stay cannot. */
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
  summary: "Change the basic details of one stay",
  payload: editPayloadFields(Schema.Struct({ ...Reservation.fields, ...nestedFields }), {
    stay_code: RecordCode,
    remarks: Schema.optionalKey(Schema.NullOr(Remarks)),
    creator: Schema.optionalKey(Creator),
    custom_channel_id: Schema.optionalKey(Id),
    check_in_date: Schema.optionalKey(CalendarDate),
    check_out_date: Schema.optionalKey(CalendarDate),
    number_of_guests: Schema.optionalKey(NumberOfGuests),
    guest_name: Schema.optionalKey(GuestName),
    mobile: Schema.optionalKey(Schema.NullOr(PhoneNumber)),
    email: Schema.optionalKey(Schema.NullOr(EmailOrNone)),
    // The same under the names of the record. What a channel gave may be no address, and can be sent back as it is.
    guest_email: Schema.optionalKey(Schema.NullOr(textUpTo(CHANNEL_TEXT_LENGTH))),
    guest_phone: Schema.optionalKey(Schema.NullOr(textUpTo(GUEST_PHONE_LENGTH))),
    currency: Schema.optionalKey(Currency),
    rate_amount: Schema.optionalKey(NonNegativeAmount),
    commission_amount: Schema.optionalKey(NonNegativeAmount)
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
  payload: { reservation_code: RecordCode },
  success: Schema.Struct({}),
  errors: [NotFound, Conflict],
  exposure: toolMetadata(
    "Cancels a whole order and frees its nights; it cannot be undone. Only orders made by hand (code 5-…): others are cancelled on their channel. Money recorded on it stays recorded. The guest is not notified.",
    ["Cancel order 5-QX7M2LD90"],
    true
  )
})

const defineAnswerOperation = <const Name extends string>(
  name: Name,
  act: "approve" | "decline",
  effect: string,
  example: string
) =>
  operation(name, {
    route: `POST /reservations/{reservation_code}/${act}`,
    summary: `${act === "approve" ? "Accept" : "Turn down"} a booking request`,
    payload: { reservation_code: RecordCode },
    success: Schema.Struct({}),
    errors: [NotFound, Conflict, NotImplemented, Upstream],
    exposure: toolMetadata(
      `${effect} Find requests with search_reservations, status wait_accept. The channel and the guest are told at once; it cannot be undone.`,
      [example],
      true,
      { destructive: true }
    )
  })

export const approve_reservation = defineAnswerOperation(
  "approve_reservation",
  "approve",
  "Accepts a pending booking request of a channel and holds its nights; it is refused while another reservation holds them (409).",
  "Accept the request for next weekend"
)

export const decline_reservation = defineAnswerOperation(
  "decline_reservation",
  "decline",
  "Turns a pending booking request of a channel down.",
  "Decline the request of the party of twelve"
)

const restOnlyExposure = {
  notATool: "an extension for REST clients; the specification has no tool for it",
  extension: true
} as const

export const allocate_stay = operation("allocate_stay", {
  route: "POST /reservations/{stay_code}/allocate",
  summary: "Put a stay into a property",
  payload: { stay_code: RecordCode, property_id: Id },
  success: Schema.Struct({}),
  errors: [NotFound, Conflict],
  exposure: restOnlyExposure
})

export const move_stay_to_box = operation("move_stay_to_box", {
  route: "POST /reservations/{stay_code}/move_to_box",
  summary: "Take a stay out of its property",
  payload: { stay_code: RecordCode },
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
