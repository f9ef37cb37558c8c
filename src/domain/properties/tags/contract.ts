import { Schema } from "effect"
import { Conflict, NotFound } from "../../../contract/errors.ts"
import { Id } from "../../../contract/fields.ts"
import { idsUpTo } from "../../../contract/id-list.ts"
import { nameUpTo } from "../../../contract/names.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { pageFields } from "../../../contract/page.ts"
import { TagColor } from "../../../contract/tag-color.ts"
import { NAMED_PROPERTIES_MAX, PROPERTY_TAG_LIMIT, TAG_NAME_LENGTH } from "../../../platform/limits.ts"
import { TagRef } from "../properties/contract.ts"

// Property (room) tags, not the tags of reservations (specification, "Properties, room types, tags, groups"; contract
// facts 7.4).

export const Tag = Schema.Struct({
  ...TagRef.fields,
  property_ids: Schema.Array(Id).annotateKey({ description: "Ascending, as the other list." }),
  room_type_ids: Schema.Array(Id)
})
export type Tag = typeof Tag.Type

const Name = nameUpTo(TAG_NAME_LENGTH)

const assignmentFields = {
  property_ids: Schema.optionalKey(idsUpTo(NAMED_PROPERTIES_MAX)),
  room_type_ids: Schema.optionalKey(idsUpTo(NAMED_PROPERTIES_MAX))
}

const operation = defineFamily({ category: "property", since: "3.5.0", openWorld: false })

export const query_tags = operation("query_tags", {
  route: "GET /tags",
  summary: "List property tags",
  payload: { id: Schema.optionalKey(Id), ...pageFields },
  success: Schema.Struct({ tags: Schema.Array(Tag), total: Schema.Int }),
  exposure: toolMetadata(
    "Lists the tags of properties and room types with the ids of what carries them. Tags of reservations are in search_reservation_tags.",
    ["Which tags do my properties have?", "Which flats are tagged Sea view?"],
    false,
    { category: "meta", since: "3.4.0" }
  )
})

export const create_property_tag = operation("create_property_tag", {
  route: "POST /tags",
  summary: "Add a property tag",
  payload: { name: Name, color: Schema.optionalKey(TagColor), ...assignmentFields },
  success: Schema.Struct({ tag: Tag }),
  errors: [NotFound, Conflict],
  exposure: toolMetadata(
    `Adds a tag for properties and room types under a name no other tag has, and puts it on those in property_ids (from search_properties) and room_type_ids (from search_room_types). Without color one is chosen. A deleted tag of that name comes back, on what you name now. At most ${PROPERTY_TAG_LIMIT} tags.`,
    ["Tag the two harbour flats with Sea view", "Make a red tag Renovation"],
    false
  )
})

export const update_property_tag = operation("update_property_tag", {
  route: "PATCH /tags/{id}",
  summary: "Change a property tag or replace what it is on",
  payload: { id: Id, name: Schema.optionalKey(Name), color: Schema.optionalKey(TagColor), ...assignmentFields },
  success: Schema.Struct({}),
  errors: [NotFound, Conflict],
  exposure: toolMetadata(
    "Changes name or colour of a property tag, or what it is on; find its id with query_tags. property_ids and room_type_ids each replace their whole list: to add one send the present ones too; an empty list takes the tag off all. What you do not send stays.",
    ["Rename the tag Sea view to Ocean view", "Take the tag Renovation off all flats"],
    false,
    { destructive: true }
  )
})

export const delete_property_tag = operation("delete_property_tag", {
  route: "DELETE /tags/{id}",
  summary: "Delete a property tag",
  payload: { id: Id },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    "Deletes a property tag and takes it off all properties and room types; find its id with query_tags. A tag created later under that name is the same tag again, but on nothing.",
    ["Delete the tag Renovation"],
    false
  )
})

export const TagOperations = { query_tags, create_property_tag, update_property_tag, delete_property_tag }
