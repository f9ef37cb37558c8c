import { Schema } from "effect"
import { Id } from "../../../contract/fields.ts"
import { column, columnWithDefault } from "../../../platform/database/columns.ts"

export const StayStatus = Schema.Literals(["checkin_pending", "in_house", "stay_completed"])

export const IdRequired = Schema.Literals(["not_required", "required", "required_with_review"])

export const CustomFields = Schema.Record(Schema.String, Schema.String)

/** Local time of the property. */
export const ClockTime = Schema.Struct({
  hour: Schema.Int.annotateKey({ documentation: "Hour, from 0 to 23." }),
  minute: Schema.Int.annotateKey({ documentation: "Minute, from 0 to 59." })
})

export const RateDetail = Schema.Struct({
  type: Schema.String.annotateKey({
    documentation:
      "Kind of the part, such as `ACCOMMODATION`, `CLEANING_FEE` or `TAXES`. `HOST_SERVICE_FEE` is the commission as a positive number. `rate` includes it already, so do not add it."
  }),
  description: Schema.String.annotateKey({ documentation: "Name of the part, for people." }),
  amount: Schema.Finite.annotateKey({ documentation: "Amount of the part, in major units." })
})

export const AdditionalFee = Schema.Struct({
  name: Schema.String.annotateKey({ documentation: "Name of the fee." }),
  currency: Schema.String.annotateKey({ documentation: "ISO 4217 code." }),
  amount: Schema.Finite.annotateKey({ documentation: "Amount of the fee, in major units." })
})

const NullableText = Schema.NullOr(Schema.String)

/** A PostgreSQL `numeric` as text, in major units. */
const DecimalText = Schema.String
export type DecimalText = typeof DecimalText.Type

export const StayIdentity = Schema.Struct({
  id: column("bigint", Id),
  stay_code: column("text", Schema.String)
})

/** The columns that an order change may write. */
export const OrderStayFields = Schema.Struct({
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
  /** Includes the commission. */
  rate: column("numeric", DecimalText),
  commission: column("numeric", Schema.NullOr(DecimalText)),
  /**
   * Part of the rate that is paid for the nights. Incomes and expenses of the order are split over its stays in
   * proportion to it.
   */
  accommodation_revenue: column("numeric", DecimalText),
  remarks: columnWithDefault("text", Schema.String, ""),
  /** Null for manual orders, whose listing is the property. */
  listing_id: columnWithDefault("text", NullableText, null),
  channel_room_id: columnWithDefault("text", NullableText, null),
  number_of_pets: columnWithDefault("integer", Schema.Int, 0),
  /** In major units. Null if the rate consists only of nights and commission. */
  rate_details: columnWithDefault("jsonb", Schema.NullOr(Schema.Array(RateDetail)), null),
  channel_remarks: columnWithDefault("text", Schema.String, "")
})

const ImmutableStayColumns = Schema.Struct({
  additional_fees: columnWithDefault("jsonb", Schema.Array(AdditionalFee), [])
})

/** Order changes never write these columns. */
export const HostStayFields = Schema.Struct({
  stay_status: column("text", StayStatus),
  arrival_at: column("time", Schema.NullOr(ClockTime)),
  departure_at: column("time", Schema.NullOr(ClockTime)),
  lock_code: column("text", NullableText),
  lock_code_visible_after: column("text", NullableText),
  deposit: column("numeric", Schema.NullOr(DecimalText)),
  id_required: column("text", IdRequired),
  /** Secret part of the guest portal's URL. */
  guide_token: column("text", NullableText),
  custom_fields: column("jsonb", Schema.NullOr(CustomFields))
})

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

export const NewStayColumns = Schema.Struct({ ...OrderStayFields.fields, ...ImmutableStayColumns.fields })

export const NewStay = Schema.Struct({ ...NewStayColumns.fields, guests: Schema.Array(GuestDetails) })
export type NewStay = typeof NewStay.Type

export const ExistingStay = Schema.Struct({ ...StayIdentity.fields, ...OrderStayFields.fields })
export type ExistingStay = typeof ExistingStay.Type

export const StayRow = Schema.Struct({
  ...StayIdentity.fields,
  ...OrderStayFields.fields,
  ...ImmutableStayColumns.fields,
  ...HostStayFields.fields
})
