import { Schema } from "effect"
import { Id } from "../../../contract/fields.ts"
import { column, columnWithDefault } from "../../../platform/database/columns.ts"

// One stay: a room of an order, from arriving to leaving. Every column of it stands here once; what a new stay says, what
// changes of its order are worked out from, rows, and the statements follow from it.

export const StayStatus = Schema.Literals(["checkin_pending", "in_house", "stay_completed"])

export const IdRequired = Schema.Literals(["not_required", "required", "required_with_review"])

export const CustomFields = Schema.Record(Schema.String, Schema.String)

/** Wall clock of the property. */
export const ClockTime = Schema.Struct({ hour: Schema.Int, minute: Schema.Int })

export const RateDetail = Schema.Struct({
  /** Such as ACCOMMODATION, CLEANING_FEE, TAXES; HOST_SERVICE_FEE is the commission, as a positive number. */
  type: Schema.String,
  description: Schema.String,
  amount: Schema.Finite
})

export const AdditionalFee = Schema.Struct({ name: Schema.String, currency: Schema.String, amount: Schema.Finite })

const NullableText = Schema.NullOr(Schema.String)

/** Decimal text as `numeric` takes and gives it, major units. */
const DecimalText = Schema.String
export type DecimalText = typeof DecimalText.Type

/** How a stay is called. */
export const StayIdentity = Schema.Struct({
  id: column("bigint", Id),
  stay_code: column("text", Schema.String)
})

/** What changes of the order are worked out from, and may change (reservations/rules). */
export const OrderStayFields = Schema.Struct({
  /** Null in the reservation box. */
  property_id: column("bigint", Schema.NullOr(Schema.Int)),
  check_in_date: column("date", Schema.String),
  check_out_date: column("date", Schema.String),
  number_of_guests: column("integer", Schema.Int),
  number_of_adults: column("integer", Schema.Int),
  number_of_children: columnWithDefault("integer", Schema.Int, 0),
  number_of_infants: columnWithDefault("integer", Schema.Int, 0),
  guest_name: column("text", NullableText),
  guest_phone: column("text", NullableText),
  guest_email: column("text", NullableText),
  /** Including the commission. */
  rate: column("numeric", DecimalText),
  commission: column("numeric", Schema.NullOr(DecimalText)),
  /** The part of the rate that is for the nights: the weight of this stay in the split of the order's entries. */
  accommodation_revenue: column("numeric", DecimalText),
  remarks: columnWithDefault("text", Schema.String, ""),
  /** The channel's listing; null for orders made by hand, whose listing is the property. */
  listing_id: columnWithDefault("text", NullableText, null),
  /** The channel's own id of the room within its order. */
  channel_room_id: columnWithDefault("text", NullableText, null),
  number_of_pets: columnWithDefault("integer", Schema.Int, 0),
  /** What the channel itemized, major units; null for the plain case of nights and commission. */
  rate_details: columnWithDefault("jsonb", Schema.NullOr(Schema.Array(RateDetail)), null),
  channel_remarks: columnWithDefault("text", Schema.String, "")
})

/** What whoever sold it says once and for all. */
const ImmutableStayColumns = Schema.Struct({
  additional_fees: columnWithDefault("jsonb", Schema.Array(AdditionalFee), [])
})

/** What the host keeps beside it, and changes of the order never touch (store.ts). */
export const HostStayFields = Schema.Struct({
  stay_status: column("text", StayStatus),
  arrival_at: column("time", Schema.NullOr(ClockTime)),
  departure_at: column("time", Schema.NullOr(ClockTime)),
  lock_code: column("text", NullableText),
  lock_code_visible_after: column("text", NullableText),
  deposit: column("numeric", Schema.NullOr(DecimalText)),
  id_required: column("text", IdRequired),
  /** The last part of the address of its page for guests (check-in/guest-portal-url.ts); null: it has none yet. */
  guide_token: column("text", NullableText),
  custom_fields: column("jsonb", Schema.NullOr(CustomFields))
})

/** A person of a stay. */
export const GuestDetails = Schema.Struct({
  name: column("text", Schema.String),
  phone: columnWithDefault("text", NullableText, null),
  email: columnWithDefault("text", NullableText, null),
  id_type: columnWithDefault("text", Schema.NullOr(Schema.Literals(["passport", "id_card", "others"])), null),
  id_number: columnWithDefault("text", NullableText, null),
  gender: columnWithDefault("text", Schema.NullOr(Schema.Literals(["male", "female"])), null),
  /** ISO 3166-1 alpha-2. */
  country: columnWithDefault("text", NullableText, null),
  is_booker: column("boolean", Schema.Boolean)
})
export type GuestDetails = typeof GuestDetails.Type

/** The columns a new stay fills. */
export const NewStayColumns = Schema.Struct({ ...OrderStayFields.fields, ...ImmutableStayColumns.fields })

export const NewStay = Schema.Struct({ ...NewStayColumns.fields, guests: Schema.Array(GuestDetails) })
export type NewStay = typeof NewStay.Type

export const ExistingStay = Schema.Struct({ ...StayIdentity.fields, ...OrderStayFields.fields })
export type ExistingStay = typeof ExistingStay.Type

/** The whole row. */
export const StayRow = Schema.Struct({
  ...StayIdentity.fields,
  ...OrderStayFields.fields,
  ...ImmutableStayColumns.fields,
  ...HostStayFields.fields
})
