import { Schema } from "effect"
import { Id } from "../../../contract/fields.ts"
import { OrderTerms } from "../orders/order.ts"
import { ClockTime, IdRequired } from "../stays/stay.ts"

const NullableText = Schema.NullOr(Schema.String)

/** A person of a stay, and how many images of identity documents there are of them. */
const GuestPortalGuest = Schema.Struct({ id: Id, name: Schema.String, images: Schema.Int })

/** A stay with all that its guests may come to see, as it is now. */
export const GuestPortalStay = Schema.Struct({
  operator_id: Id,
  id: Id,
  stay_code: Schema.String,
  status: OrderTerms.fields.status,
  expires_at: OrderTerms.fields.expires_at,
  host_name: Schema.String,
  host_email: NullableText,
  /** IANA name; the host's, which is that of all properties. */
  time_zone: Schema.String,
  /** Null in the reservation box. */
  title: NullableText,
  address: NullableText,
  /** Degrees as text. */
  latitude: NullableText,
  longitude: NullableText,
  check_in_date: Schema.String,
  check_out_date: Schema.String,
  /** `HH:mm`: the property's, else the host's. */
  check_in_time: Schema.String,
  check_out_time: Schema.String,
  guest_name: NullableText,
  number_of_guests: Schema.Int,
  number_of_infants: Schema.Int,
  number_of_pets: Schema.Int,
  guests: Schema.Array(GuestPortalGuest),
  /** Images of somebody who is no guest by name. */
  other_images: Schema.Int,
  /** Images that came by the page, also those that are gone. */
  identity_image_count: Schema.Int,
  arrival_at: Schema.NullOr(ClockTime),
  lock_code: NullableText,
  /** `HH:mm`; null: from the beginning of the day. */
  lock_code_visible_after: NullableText,
  id_required: IdRequired,
  check_in_approved_at: Schema.NullOr(Schema.Date)
})
export type GuestPortalStay = typeof GuestPortalStay.Type
