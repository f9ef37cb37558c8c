import { Schema } from "effect"
import { Conflict, NotFound } from "../../../contract/errors.ts"
import { Id, textUpTo } from "../../../contract/fields.ts"
import { nameUpTo } from "../../../contract/names.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { PageTotal, pageFields } from "../../../contract/page.ts"
import { RESERVATION_TAG_LIMIT, TAG_KEYWORD_LENGTH, TAG_NAME_LENGTH } from "../../../platform/limits.ts"

// Specification, "Reservation tags"; contract facts 3.

export const ReservationTag = Schema.Struct({
  id: Id.annotateKey({
    documentation: "Id of the tag. Default tags have the ids 1 to 8, the operator's own tags ids from 1001."
  }),
  tag_name: Schema.String.annotateKey({ documentation: "Name of the tag." }),
  color: Schema.String.annotateKey({
    documentation: "Colour as `#RRGGBB`, chosen by the service. A restored tag keeps its former colour."
  }),
  is_default: Schema.Boolean.annotateKey({
    documentation: "True for the tags that all operators share. They cannot be deleted."
  })
})
export type ReservationTag = typeof ReservationTag.Type

const operation = defineFamily({ category: "reservation", since: "3.5.0", openWorld: true })

export const search_reservation_tags = operation("search_reservation_tags", {
  route: "GET /reservation_tags",
  summary: "List reservation tags",
  payload: {
    id: Schema.optionalKey(Id).annotateKey({
      documentation: "Only the tag with this id. The list is empty if there is none."
    }),
    keyword: Schema.optionalKey(textUpTo(TAG_KEYWORD_LENGTH)).annotateKey({
      documentation: "Only tags whose name contains this text. Case and Unicode form are ignored."
    }),
    ...pageFields
  },
  success: Schema.Struct({
    reservation_tags: Schema.Array(ReservationTag).annotateKey({ documentation: "Tags by id, default tags first." }),
    total: PageTotal
  }),
  exposure: toolMetadata(
    "Lists the tags a reservation can carry: first the service's default ones, then the account's own. keyword finds names that contain it. Tags of properties are in query_tags.",
    ["Which tags can I put on a booking?", "Is there a tag for late arrivals?"],
    false
  )
})

export const create_reservation_tag = operation("create_reservation_tag", {
  route: "POST /reservation_tags",
  summary: "Create a reservation tag",
  details: `A name that another tag has returns 409 with the id of that tag in \`data.id\`. An operator has at most ${RESERVATION_TAG_LIMIT} own tags; one more returns 422 with \`reservation_tag_limit\`.

The name of a deleted tag restores that tag with its id and colour, on no reservation. The tag gets the spelling of the call.`,
  payload: {
    tag_name: nameUpTo(TAG_NAME_LENGTH).annotateKey({
      documentation: "Name of the tag, one line. Spaces around it are removed. Names are compared without case."
    })
  },
  success: Schema.Struct({
    reservation_tag: ReservationTag.annotateKey({ documentation: "The new or restored tag." })
  }),
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
  details:
    "Deletion takes the tag off every stay. An unknown id and the id of a default tag return 404. Restoring the tag does not put it back on stays.",
  payload: {
    id: Id.annotateKey({
      description: "Id of one of the operator's own tags.",
      documentation: "Id of one of the operator's own tags, from search_reservation_tags."
    })
  },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    "Deletes a tag of the account and takes it off all reservations; find its id with search_reservation_tags. Default tags (is_default) cannot be deleted.",
    ["Delete the booking tag Allergies"],
    false
  )
})

export const ReservationTagOperations = { search_reservation_tags, create_reservation_tag, delete_reservation_tag }
