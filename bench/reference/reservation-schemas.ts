// What Fastify validates and serializes reservations by.

const integer = { type: "integer" }
const number = { type: "number" }
const text = { type: "string" }
const nullableText = { type: ["string", "null"] }
const listOf = (items: object) => ({ type: "array", items })
const shape = (properties: object) => ({ type: "object", properties })
const nullable = (properties: object) => ({ type: "object", nullable: true, properties })

const money = { currency: text, amount: number }
const clock = { hour: integer, minute: integer }

export const reservation = shape({
  id: integer,
  reservation_code: text,
  stay_code: text,
  channel_id: text,
  property_id: integer,
  channel_type: text,
  listing_id: text,
  check_in_date: text,
  check_out_date: text,
  number_of_guests: integer,
  number_of_adults: integer,
  number_of_children: integer,
  number_of_infants: integer,
  number_of_pets: integer,
  status: text,
  stay_status: text,
  guest_name: nullableText,
  guest_phone: nullableText,
  guest_email: nullableText,
  cancelled_at: nullableText,
  booked_at: text,
  created_at: text,
  creator: text,
  rates: shape({
    total_rate: shape(money),
    total_commission: nullable(money),
    rate: shape(money),
    commission: nullable(money),
    tax: nullable(money),
    details: listOf(shape({ type: text, description: text, amount: number, currency: text }))
  }),
  payment: shape({
    currency: text,
    total_amount: number,
    received_amount: number,
    balance_amount: number,
    status: text
  }),
  check_in_details: shape({
    arrival_at: nullable(clock),
    departure_at: nullable(clock),
    lock_code: nullableText,
    lock_code_visible_after: nullableText,
    deposit: { type: ["number", "null"] },
    id_required: text,
    check_in_guide_url: text
  }),
  remarks: text,
  channel_remarks: text,
  conversation_id: nullableText,
  tags: listOf(text),
  custom_channel: nullable({ id: integer, name: text }),
  guests: listOf(
    shape({
      id: integer,
      name: text,
      phone: nullableText,
      email: nullableText,
      id_type: nullableText,
      id_number: nullableText,
      gender: nullableText,
      country: nullableText,
      is_booker: { type: "boolean" },
      id_images: listOf(shape({ id: integer, url: text }))
    })
  ),
  custom_fields: { type: "object", nullable: true, additionalProperties: text },
  in_reservation_box: { type: "boolean" },
  additional_fees: listOf(shape({ name: text, currency: text, amount: number })),
  checkin_guide_images: listOf(shape({ id: integer, client_id: { type: ["integer", "null"] }, url: text })),
  channel_details: nullable({ airbnb: shape({ cancellation_policy_category: nullableText }) })
})

const outcome = { reservation_code: text, status: text }
export const booked = { ...outcome, reservation: shape(outcome) }

const date = { type: "string", format: "date" }

export const searched = {
  type: "object",
  properties: {
    channel_id: { type: "string", minLength: 1 },
    start_check_in_date: date,
    end_check_in_date: date,
    order_by: { type: "string", enum: ["check_in_date"] },
    limit: { type: "integer", minimum: 1, maximum: 100, default: 20 }
  }
}

const id = { type: "integer", minimum: 1 }
const amount = { type: "number", minimum: 0, maximum: 999_999_999 }

export const booking = {
  type: "object",
  required: [
    "property_id",
    "custom_channel_id",
    "check_in_date",
    "check_out_date",
    "guest_name",
    "currency",
    "rate_amount",
    "commission_amount",
    "received_amount",
    "income_method_id"
  ],
  properties: {
    property_id: id,
    custom_channel_id: id,
    check_in_date: date,
    check_out_date: date,
    guest_name: { type: "string", minLength: 1, maxLength: 100 },
    currency: { type: "string", pattern: "^[A-Z]{3}$" },
    rate_amount: amount,
    commission_amount: amount,
    received_amount: amount,
    income_method_id: id
  }
}
