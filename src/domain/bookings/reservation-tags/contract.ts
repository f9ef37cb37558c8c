import { Schema } from "effect"
import { Conflict, NotFound } from "../../../contract/errors.ts"
import { Id, textUpTo } from "../../../contract/fields.ts"
import { nameUpTo } from "../../../contract/names.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { pageFields } from "../../../contract/page.ts"
import { RESERVATION_TAG_LIMIT, TAG_KEYWORD_LENGTH, TAG_NAME_LENGTH } from "../../../platform/limits.ts"

// The dictionary of tags for reservations (specification, "Reservation tags"; contract facts 3).

export const ReservationTag = Schema.Struct({
  id: Id,
  tag_name: Schema.String,
  color: Schema.String.annotateKey({ description: "Chosen by the service." }),
  is_default: Schema.Boolean.annotateKey({
    description: "The service's own, shared by all merchants: it cannot be deleted."
  })
})
export type ReservationTag = typeof ReservationTag.Type

const operation = defineFamily({ category: "reservation", since: "3.5.0", openWorld: true })

export const search_reservation_tags = operation("search_reservation_tags", {
  route: "GET /reservation_tags",
  summary: "List reservation tags",
  payload: {
    id: Schema.optionalKey(Id),
    /** In whatever case. */
    keyword: Schema.optionalKey(textUpTo(TAG_KEYWORD_LENGTH)),
    ...pageFields
  },
  success: Schema.Struct({ reservation_tags: Schema.Array(ReservationTag), total: Schema.Int }),
  exposure: toolMetadata(
    "Lists the tags a reservation can carry: first the service's default ones, then the account's own. keyword finds names that contain it. Tags of properties are in query_tags.",
    ["Which tags can I put on a booking?", "Is there a tag for late arrivals?"],
    false
  )
})

export const create_reservation_tag = operation("create_reservation_tag", {
  route: "POST /reservation_tags",
  summary: "Add a reservation tag",
  payload: { tag_name: nameUpTo(TAG_NAME_LENGTH) },
  success: Schema.Struct({ reservation_tag: ReservationTag }),
  errors: [Conflict],
  exposure: toolMetadata(
    `Adds a tag for reservations under a name no default tag and no other tag has. A deleted tag of that name comes back, on no reservation. At most ${RESERVATION_TAG_LIMIT} tags of one's own. To put it on a booking use add_reservation_tag.`,
    ["Make a booking tag Allergies"],
    false
  )
})

export const delete_reservation_tag = operation("delete_reservation_tag", {
  route: "DELETE /reservation_tags/{id}",
  summary: "Delete a reservation tag",
  payload: { id: Id },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    "Deletes a tag of the account and takes it off all reservations; find its id with search_reservation_tags. Default tags (is_default) cannot be deleted.",
    ["Delete the booking tag Allergies"],
    false
  )
})

export const ReservationTagOperations = { search_reservation_tags, create_reservation_tag, delete_reservation_tag }
