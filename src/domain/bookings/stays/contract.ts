import { Schema } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import { MUST_NOT_BE_EMPTY, RecordCode, textUpTo } from "../../../contract/fields.ts"
import { nameUpTo } from "../../../contract/names.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { CUSTOM_FIELDS_MAX, CUSTOM_FIELDS_TEXT_LENGTH, TAG_NAME_LENGTH } from "../../../platform/limits.ts"
import { ClockText, ClockTimeInput, CustomFieldChanges, Deposit, LockCode } from "./fields.ts"
import { CustomFields, IdRequired, StayStatus } from "./stay.ts"

// What hosts keep about one stay: tags, check-in, custom fields, whether the guest is in (contract facts 2.5 to 2.7).

const operation = defineFamily({ category: "reservation", since: "3.4.0", openWorld: true })

export const add_reservation_tag = operation("add_reservation_tag", {
  route: "POST /reservations/{stay_code}/tags",
  summary: "Put a tag on a stay",
  payload: { stay_code: RecordCode, tag_name: nameUpTo(TAG_NAME_LENGTH) },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    "Puts one tag on a stay (stay_code: search_reservations; tags: search_reservation_tags). A name that no tag has yet becomes a new tag of the account. Guests and channels never see tags.",
    ["Tag the Lovelace booking as VIP"],
    false,
    { idempotent: true }
  )
})

export const remove_reservation_tag = operation("remove_reservation_tag", {
  route: "DELETE /reservations/{stay_code}/tags",
  summary: "Take a tag off a stay",
  payload: {
    stay_code: RecordCode,
    tag_name: textUpTo(TAG_NAME_LENGTH).check(Schema.isNonEmpty({ message: MUST_NOT_BE_EMPTY }))
  },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: {
    notATool: "an extension for REST clients; the specification has no tool for it",
    extension: true
  }
})

export const update_check_in_details = operation("update_check_in_details", {
  route: "PATCH /reservations/{stay_code}/check_in_details",
  summary: "Change how the guest of a stay checks in",
  payload: {
    stay_code: RecordCode,
    lock_code: Schema.optionalKey(Schema.NullOr(LockCode)),
    lock_code_visible_after: Schema.optionalKey(Schema.NullOr(ClockText)),
    arrival_at: Schema.optionalKey(Schema.NullOr(ClockTimeInput)),
    departure_at: Schema.optionalKey(Schema.NullOr(ClockTimeInput)),
    deposit: Schema.optionalKey(Schema.NullOr(Deposit)),
    id_required: Schema.optionalKey(IdRequired)
  },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    "Changes the check-in of one stay (stay_code: search_reservations). What you do not send stays; null removes. The lock code is kept here and never sent to a lock. id_required: whether the guest must register identity documents before check-in. Times are on the property's clock. The guest is not notified.",
    ["The Lovelaces arrive at half past four", "Set the door code of tonight's booking to 4711"],
    true
  )
})

export const query_custom_fields = operation("query_custom_fields", {
  route: "GET /reservations/{stay_code}/custom_fields",
  summary: "Read the custom fields of a stay",
  payload: { stay_code: RecordCode },
  success: Schema.Struct({ custom_fields: Schema.NullOr(CustomFields) }),
  errors: [NotFound],
  exposure: toolMetadata(
    "Reads what the host noted about one stay under names of their own; null when nothing is. stay_code: search_reservations.",
    ["What is noted as the door of the Lovelace booking?"],
    false,
    { category: "meta", openWorld: false }
  )
})

export const update_reservation_custom_fields = operation("update_reservation_custom_fields", {
  route: "PATCH /reservations/{stay_code}/custom_fields",
  summary: "Save custom fields of a stay",
  payload: { stay_code: RecordCode, custom_fields: CustomFieldChanges },
  success: Schema.Struct({ custom_fields: Schema.NullOr(CustomFields) }),
  errors: [NotFound],
  exposure: toolMetadata(
    `Saves texts about one stay under names of your own (stay_code: search_reservations). Names you send are set or, with null, removed; all others stay. A stay has at most ${CUSTOM_FIELDS_MAX}, of ${CUSTOM_FIELDS_TEXT_LENGTH} characters in all. Automated messages may show them to a guest.`,
    ["Note door = blue gate on the Lovelace booking"],
    true
  )
})

export const update_stay_status = operation("update_stay_status", {
  route: "PUT /reservations/{stay_code}/stay_status",
  summary: "Mark a guest as arrived or left",
  payload: { stay_code: RecordCode, stay_status: StayStatus },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: {
    notATool: "an extension for REST clients; the specification has no tool for it",
    extension: true
  }
})

export const StayOperations = {
  add_reservation_tag,
  remove_reservation_tag,
  update_check_in_details,
  query_custom_fields,
  update_reservation_custom_fields,
  update_stay_status
}
