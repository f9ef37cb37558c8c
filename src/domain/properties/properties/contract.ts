import { Schema } from "effect"
import { Conflict, NotFound } from "../../../contract/errors.ts"
import { fieldsParameter } from "../../../contract/field-selection.ts"
import { Id } from "../../../contract/fields.ts"
import { idsUpTo } from "../../../contract/id-list.ts"
import { editPayloadFields } from "../../../contract/immutable-fields.ts"
import { nameUpTo } from "../../../contract/names.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { pageFields } from "../../../contract/page.ts"
import { NAMED_PROPERTIES_MAX, PROPERTY_TITLE_LENGTH } from "../../../platform/limits.ts"
import { ChannelListing } from "./property-channels.ts"

// Properties (rooms) and room types (specification, "Properties, room types, tags, groups"; contract facts 7.1, 7.2).

/** A group and a tag, as what is in it or carries it shows them. */
export const GroupRef = Schema.Struct({ id: Id, name: Schema.String })
export const TagRef = Schema.Struct({ id: Id, name: Schema.String, color: Schema.String })

export const Property = Schema.Struct({
  id: Id,
  title: Schema.String,
  channels: Schema.Array(ChannelListing),
  groups: Schema.Array(GroupRef),
  tags: Schema.Array(TagRef),
  address: Schema.NullOr(Schema.String),
  longitude: Schema.NullOr(Schema.String).annotateKey({ description: "Degrees as text." }),
  latitude: Schema.NullOr(Schema.String),
  default_checkin_time: Schema.String.annotateKey({ description: "`HH:mm`." }),
  default_checkout_time: Schema.String,
  timezone: Schema.String.annotateKey({ description: "IANA name; the merchant's." }),
  cover: Schema.NullOr(Schema.Struct({ original_url: Schema.String })),
  is_active: Schema.Boolean.annotateKey({ description: "An inactive property has no day to sell." })
})
export type Property = typeof Property.Type

export const RoomType = Schema.Struct({
  id: Id,
  title: Schema.String,
  properties: Schema.Array(Schema.Struct({ id: Id, title: Schema.String })).annotateKey({
    description: "As many as there are, so many can be sold at once."
  }),
  channels: Schema.Array(ChannelListing),
  tags: Schema.Array(TagRef)
})
export type RoomType = typeof RoomType.Type

/** The title of a property or a room type. */
export const Title = nameUpTo(PROPERTY_TITLE_LENGTH)

const operation = defineFamily({ category: "property", since: "3.4.0", openWorld: false })

export const search_properties = operation("search_properties", {
  route: "GET /properties",
  summary: "List properties",
  payload: {
    id: Schema.optionalKey(Id),
    group_id: Schema.optionalKey(Id),
    tag_id: Schema.optionalKey(Id),
    ...fieldsParameter("properties", Property),
    ...pageFields
  },
  success: Schema.Struct({ properties: Schema.Array(Property), total: Schema.Int }),
  errors: [NotFound],
  exposure: toolMetadata(
    "Lists properties (rooms) with groups, tags, address and usual check-in and check-out times. This is where a property_id comes from. Narrow the list with group_id (from search_property_groups) or tag_id (from query_tags).",
    ["Which properties do I have?", "List the flats in the group Old Town", "What is the id of Harbour 1?"],
    false
  )
})

export const create_property = operation("create_property", {
  route: "POST /properties",
  summary: "Add a property",
  payload: { title: Title },
  success: Schema.Struct({ property_id: Id }),
  errors: [Conflict],
  exposure: toolMetadata(
    "Adds a property (room) under a title no other property has, without address, channels and pictures. No tool changes or deletes it: ask before creating.",
    ["Add a new flat called Harbour 3"],
    true
  )
})

export const search_room_types = operation("search_room_types", {
  route: "GET /room_types",
  summary: "List room types",
  payload: { id: Schema.optionalKey(Id), tag_id: Schema.optionalKey(Id), ...pageFields },
  success: Schema.Struct({ room_types: Schema.Array(RoomType), total: Schema.Int }),
  errors: [NotFound],
  exposure: toolMetadata(
    "Lists room types with their properties and tags; as many properties as there are, so many can be sold at once. Narrow the list with tag_id (from query_tags).",
    ["Which room types are there?", "How many double rooms do I have?"],
    false
  )
})

export const create_room_type = operation("create_room_type", {
  route: "POST /room_types",
  summary: "Add a room type",
  payload: { title: Title, property_ids: Schema.optionalKey(idsUpTo(NAMED_PROPERTIES_MAX)) },
  success: Schema.Struct({ room_type_id: Id }),
  errors: [NotFound, Conflict],
  exposure: toolMetadata(
    "Adds a room type under a title no other room type has. property_ids (from search_properties) become its rooms; one that is in another room type is refused. Needs the pro edition. No tool changes or deletes it: ask before creating.",
    ["Make a room type Double of rooms 101 to 104"],
    true
  )
})

export const update_room_type = operation("update_room_type", {
  route: "PATCH /room_types/{id}",
  rejectsUnknownFields: true,
  summary: "Rename a room type",
  payload: editPayloadFields(RoomType, { id: Id, title: Schema.optionalKey(Title) }),
  success: Schema.Struct({}),
  errors: [NotFound, Conflict],
  exposure: { notATool: "a host sets up its properties once, without an agent", extension: true }
})

export const PropertyOperations = {
  search_properties,
  create_property,
  search_room_types,
  create_room_type,
  update_room_type
}
