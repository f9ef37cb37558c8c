import { Schema } from "effect"
import { Conflict, NotFound } from "../../../contract/errors.ts"
import { Id } from "../../../contract/fields.ts"
import { idsUpTo } from "../../../contract/id-list.ts"
import { nameUpTo } from "../../../contract/names.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { PageTotal, pageFields } from "../../../contract/page.ts"
import { TagColor } from "../../../contract/tag-color.ts"
import { NAMED_PROPERTIES_MAX, PROPERTY_TAG_LIMIT, TAG_NAME_LENGTH } from "../../../platform/limits.ts"
import { TagRef } from "../properties/contract.ts"

// Specification, "Properties, room types, tags, groups"; contract facts 7.4.

export const Tag = Schema.Struct({
  ...TagRef.fields,
  property_ids: Schema.Array(Id).annotateKey({ documentation: "Ids of the properties with the tag, ascending." }),
  room_type_ids: Schema.Array(Id).annotateKey({ documentation: "Ids of the room types with the tag, ascending." })
})
export type Tag = typeof Tag.Type

const Name = nameUpTo(TAG_NAME_LENGTH)

const NAME_MEANING = "Name of the tag, one line. Surrounding spaces are removed, and names are compared without case."
const TAG_ID_MEANING = "Id of the tag, from query_tags."

const TaggedIds = Schema.optionalKey(idsUpTo(NAMED_PROPERTIES_MAX))

const operation = defineFamily({ category: "property", since: "3.5.0", openWorld: false })

export const query_tags = operation("query_tags", {
  route: "GET /tags",
  summary: "List property tags",
  details: "Tags are sorted by id. Deleted tags are not listed.",
  payload: {
    id: Schema.optionalKey(Id).annotateKey({ documentation: "Only the tag with this id." }),
    ...pageFields
  },
  success: Schema.Struct({
    tags: Schema.Array(Tag).annotateKey({ documentation: "The tags of this page." }),
    total: PageTotal
  }),
  exposure: toolMetadata(
    "Lists the tags of properties and room types with the ids of their carriers. Tags of reservations are in search_reservation_tags.",
    ["Which tags do my properties have?", "Which flats are tagged Sea view?"],
    false,
    { category: "meta", since: "3.4.0" }
  )
})

export const create_property_tag = operation("create_property_tag", {
  route: "POST /tags",
  summary: "Add a property tag",
  details:
    "A restored tag keeps its former color unless `color` is sent.\n\n- A name that another tag has returns 409 with its id in `data.id`.\n- An unknown property or room type returns 404.\n- A reached limit returns 422 with `property_tag_limit`.",
  payload: {
    name: Name.annotateKey({ documentation: NAME_MEANING }),
    color: Schema.optionalKey(TagColor).annotateKey({
      documentation:
        "Color of the tag, a value of the palette. Default: derived from the name, or that of the restored tag."
    }),
    property_ids: TaggedIds.annotateKey({
      description: "Properties that get the tag, from search_properties. Default: none."
    }),
    room_type_ids: TaggedIds.annotateKey({
      description: "Room types that get the tag, from search_room_types. Default: none."
    })
  },
  success: Schema.Struct({ tag: Tag.annotateKey({ documentation: "The new or restored tag." }) }),
  errors: [NotFound, Conflict],
  exposure: toolMetadata(
    `Adds a tag for properties and room types under a name no other tag has, and puts it on those in property_ids (from search_properties) and room_type_ids (from search_room_types). Without color one is chosen. A deleted tag of that name comes back, on what you name now. At most ${PROPERTY_TAG_LIMIT} tags.`,
    ["Tag the two harbour flats with Sea view", "Make a red tag Renovation"],
    false
  )
})

export const update_property_tag = operation("update_property_tag", {
  route: "PATCH /tags/{id}",
  summary: "Change a property tag or replace its lists",
  details:
    "A name that another tag has returns 409 with its id in `data.id`. The name of a deleted tag is free, and that tag can then no longer be restored. An unknown property or room type returns 404.",
  payload: {
    id: Id.annotateKey({ documentation: TAG_ID_MEANING }),
    name: Schema.optionalKey(Name).annotateKey({ documentation: NAME_MEANING }),
    color: Schema.optionalKey(TagColor).annotateKey({ description: "New color of the tag, a value of the palette." }),
    property_ids: TaggedIds.annotateKey({
      documentation: "Replaces the whole list of properties. An empty list removes the tag from all of them."
    }),
    room_type_ids: TaggedIds.annotateKey({
      documentation: "Replaces the whole list of room types. An empty list removes the tag from all of them."
    })
  },
  success: Schema.Struct({}),
  errors: [NotFound, Conflict],
  exposure: toolMetadata(
    "Changes name or colour of a property tag, or what it is on; find its id with query_tags. property_ids and room_type_ids each replace their whole list: to add one send the present ones too; an empty list takes the tag off all. Omitted fields stay.",
    ["Rename the tag Sea view to Ocean view", "Take the tag Renovation off all flats"],
    false,
    { destructive: true }
  )
})

export const delete_property_tag = operation("delete_property_tag", {
  route: "DELETE /tags/{id}",
  summary: "Delete a property tag",
  payload: { id: Id.annotateKey({ documentation: TAG_ID_MEANING }) },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    "Deletes a property tag and takes it off all properties and room types; find its id with query_tags. A tag created later under that name is the same tag again, but on nothing.",
    ["Delete the tag Renovation"],
    false
  )
})

export const TagOperations = { query_tags, create_property_tag, update_property_tag, delete_property_tag }
