import { Schema } from "effect"
import { Id } from "../../../contract/fields.ts"
import { OrderTerms } from "../orders/order.ts"
import { ClockTime, IdRequired } from "../stays/stay.ts"

const NullableText = Schema.NullOr(Schema.String)

const GuestPortalGuest = Schema.Struct({ id: Id, name: Schema.String, images: Schema.Int })

export const GuestPortalStay = Schema.Struct({
  operator_id: Id,
  id: Id,
  stay_code: Schema.String,
  status: OrderTerms.fields.status,
  expires_at: OrderTerms.fields.expires_at,
  host_name: Schema.String,
  host_email: NullableText,
  time_zone: Schema.String,
  title: NullableText,
  address: NullableText,
  /** Degrees as text. */
  latitude: NullableText,
  longitude: NullableText,
  check_in_date: Schema.String,
  check_out_date: Schema.String,
  /** `HH:mm`. */
  check_in_time: Schema.String,
  check_out_time: Schema.String,
  guest_name: NullableText,
  number_of_guests: Schema.Int,
  number_of_infants: Schema.Int,
  number_of_pets: Schema.Int,
  guests: Schema.Array(GuestPortalGuest),
  /** Images of guests who are not listed by name. */
  other_images: Schema.Int,
  /** Number of uploads, including deleted images. */
  identity_image_count: Schema.Int,
  arrival_at: Schema.NullOr(ClockTime),
  lock_code: NullableText,
  /** `HH:mm`. Null means from the beginning of the day. */
  lock_code_visible_after: NullableText,
  id_required: IdRequired,
  check_in_approved_at: Schema.NullOr(Schema.Date)
})
export type GuestPortalStay = typeof GuestPortalStay.Type
