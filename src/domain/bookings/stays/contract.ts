import { Schema } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import { MUST_NOT_BE_EMPTY, textUpTo } from "../../../contract/fields.ts"
import { nameUpTo } from "../../../contract/names.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import {
  CUSTOM_FIELD_CHANGES_MAX,
  CUSTOM_FIELD_NAME_LENGTH,
  CUSTOM_FIELD_VALUE_LENGTH,
  CUSTOM_FIELDS_MAX,
  CUSTOM_FIELDS_TEXT_LENGTH,
  RESERVATION_TAG_LIMIT,
  TAG_NAME_LENGTH
} from "../../../platform/limits.ts"
import { ClockText, ClockTimeInput, CustomFieldChanges, Deposit, LockCode, StayCode } from "./fields.ts"
import { CustomFields, IdRequired, StayStatus } from "./stay.ts"

// Contract facts 2.5 to 2.7.

const operation = defineFamily({ category: "reservation", since: "3.4.0", openWorld: true })

export const add_reservation_tag = operation("add_reservation_tag", {
  route: "POST /reservations/{stay_code}/tags",
  summary: "Put a tag on a stay",
  details: `A tag that the stay already has changes nothing. Tags send no events. Creating a tag this way returns 422 once the operator has ${RESERVATION_TAG_LIMIT} own tags.`,
  payload: {
    stay_code: StayCode,
    tag_name: nameUpTo(TAG_NAME_LENGTH).annotateKey({
      documentation: "Name of the tag, compared without case. An unknown name creates a tag."
    })
  },
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
  details: "The tag itself stays. A stay without the tag returns 404.",
  payload: {
    stay_code: StayCode,
    tag_name: textUpTo(TAG_NAME_LENGTH)
      .check(Schema.isNonEmpty({ message: MUST_NOT_BE_EMPTY }))
      .annotateKey({ documentation: "Name of the tag, compared without case." })
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
  summary: "Change the check-in details of a stay",
  details: `The guest portal shows the door code from \`lock_code_visible_after\` of the check-in day to the end of the check-out day. It does so only for accepted reservations whose required identity documents are there.

A call that changes nothing sends no event.`,
  payload: {
    stay_code: StayCode,
    lock_code: Schema.optionalKey(Schema.NullOr(LockCode)).annotateKey({
      description: "Code of the door. null or an empty text removes it."
    }),
    lock_code_visible_after: Schema.optionalKey(Schema.NullOr(ClockText)).annotateKey({
      documentation:
        "Time of the check-in day, `HH:mm`, from which the guest portal shows the code. It is `12:00` until it is changed. null: from the start of the day."
    }),
    arrival_at: Schema.optionalKey(Schema.NullOr(ClockTimeInput)).annotateKey({
      documentation: "Expected time of arrival, local time of the property. null removes it."
    }),
    departure_at: Schema.optionalKey(Schema.NullOr(ClockTimeInput)).annotateKey({
      documentation: "Expected time of departure, local time of the property. null removes it."
    }),
    deposit: Schema.optionalKey(Schema.NullOr(Deposit)).annotateKey({
      documentation:
        "Deposit, a whole number in major units of the host's currency. A decimal returns 400. null removes it."
    }),
    id_required: Schema.optionalKey(IdRequired).annotateKey({
      documentation:
        "Whether guests must hand in identity documents before they see the door code. With `required_with_review` the host must approve them. It is `not_required` until it is changed; null returns 400."
    })
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
  payload: { stay_code: StayCode },
  success: Schema.Struct({
    custom_fields: Schema.NullOr(CustomFields).annotateKey({
      documentation: "Texts by name. null if the stay has none."
    })
  }),
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
  details: `A stay that would exceed a limit returns 422. Older values above a limit may stay or become shorter. Saving unchanged values still sends \`reservation_updated\`.

Message templates show a field as \`{{cf.NAME}}\`.`,
  payload: {
    stay_code: StayCode,
    custom_fields: CustomFieldChanges.annotateKey({
      documentation: `Texts by name; null removes a name. At most ${CUSTOM_FIELD_CHANGES_MAX} names at once. A name has at most ${CUSTOM_FIELD_NAME_LENGTH} characters, a value ${CUSTOM_FIELD_VALUE_LENGTH}.`
    })
  },
  success: Schema.Struct({
    custom_fields: Schema.NullOr(CustomFields).annotateKey({
      documentation: "All custom fields of the stay after the change. null if it has none."
    })
  }),
  errors: [NotFound],
  exposure: toolMetadata(
    `Saves texts about one stay under names of your own (stay_code: search_reservations). Names you send are set or, with null, removed; all others stay. A stay has at most ${CUSTOM_FIELDS_MAX}, of ${CUSTOM_FIELDS_TEXT_LENGTH} characters in all. Automated messages may show them to a guest.`,
    ["Note door = blue gate on the Lovelace booking"],
    true
  )
})

export const update_stay_status = operation("update_stay_status", {
  route: "PUT /reservations/{stay_code}/stay_status",
  summary: "Mark the guest of a stay as arrived or left",
  details: "Only stays of accepted reservations can be marked; others return 422. Any status can follow any other.",
  payload: {
    stay_code: StayCode,
    stay_status: StayStatus.annotateKey({
      documentation: "`checkin_pending`: not yet arrived. `in_house`: arrived. `stay_completed`: left."
    })
  },
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
