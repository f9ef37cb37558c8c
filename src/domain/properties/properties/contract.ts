import { Schema } from "effect"
import { Conflict, NotFound } from "../../../contract/errors.ts"
import { fieldsParameter } from "../../../contract/field-selection.ts"
import { Id } from "../../../contract/fields.ts"
import { idsUpTo } from "../../../contract/id-list.ts"
import { editPayloadFields } from "../../../contract/immutable-fields.ts"
import { nameUpTo } from "../../../contract/names.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { PageTotal, pageFields } from "../../../contract/page.ts"
import { NAMED_PROPERTIES_MAX, PROPERTY_TITLE_LENGTH } from "../../../platform/limits.ts"
import { PriceItem } from "./price-items.ts"
import { ChannelListing } from "./property-channels.ts"

// Specification, "Properties, room types, tags, groups"; contract facts 7.1 and 7.2.

export const GroupRef = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the group." }),
  name: Schema.String.annotateKey({
    documentation: "Name of the group, unique within the operator without regard to case."
  })
})
export const TagRef = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the tag." }),
  name: Schema.String.annotateKey({
    documentation: "Name of the tag, unique within the operator without regard to case."
  }),
  color: Schema.String.annotateKey({ documentation: "Color of the tag, such as `#FD587B`." })
})

export const Property = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the property." }),
  title: Schema.String.annotateKey({ documentation: "Title of the property, unique within the operator." }),
  channels: Schema.Array(ChannelListing).annotateKey({
    documentation: "Listings that are mapped to the property, without those that the channel deleted."
  }),
  groups: Schema.Array(GroupRef).annotateKey({ documentation: "Groups that contain the property." }),
  tags: Schema.Array(TagRef).annotateKey({ documentation: "Tags of the property." }),
  address: Schema.NullOr(Schema.String).annotateKey({ documentation: "Postal address as free text, or null." }),
  longitude: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Degrees as decimal text, such as `-9.1302`, or null."
  }),
  latitude: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Degrees as decimal text, such as `38.7118`, or null."
  }),
  default_checkin_time: Schema.String.annotateKey({
    documentation: "Usual check-in time, `HH:mm` in `timezone`. The host's default, unless the property has its own."
  }),
  default_checkout_time: Schema.String.annotateKey({
    documentation: "Usual check-out time, `HH:mm` in `timezone`. The host's default, unless the property has its own."
  }),
  timezone: Schema.String.annotateKey({
    documentation: "Time zone of the host, an IANA name. All properties have the same."
  }),
  cover: Schema.NullOr(
    Schema.Struct({ original_url: Schema.String.annotateKey({ documentation: "Address of the cover image." }) })
  ).annotateKey({ documentation: "Cover image of the property, or null." }),
  currency: Schema.String.annotateKey({
    documentation: "ISO 4217 code of the property's base prices, fees and taxes. Default: the operator's currency."
  }),
  capacity: Schema.NullOr(Schema.Int).annotateKey({
    documentation: "Most guests for whom a quote is bookable. Null if the number is not limited."
  }),
  fees: Schema.Array(PriceItem).annotateKey({ documentation: "Fees that a quote adds to the nights." }),
  taxes: Schema.Array(PriceItem).annotateKey({ documentation: "Taxes that a quote adds to the nights and fees." }),
  is_active: Schema.Boolean.annotateKey({
    documentation: "False if the property is deactivated. A deactivated property has no available day."
  })
})
export type Property = typeof Property.Type

export const RoomType = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the room type." }),
  title: Schema.String.annotateKey({ documentation: "Title of the room type, unique within the operator." }),
  properties: Schema.Array(
    Schema.Struct({
      id: Id.annotateKey({ documentation: "Id of the property." }),
      title: Schema.String.annotateKey({ documentation: "Title of the property." })
    })
  ).annotateKey({
    documentation: "Properties of the room type. Their number is how many rooms of it can be sold at once."
  }),
  channels: Schema.Array(ChannelListing).annotateKey({
    documentation: "Listings that are mapped to the room type, without those that the channel deleted."
  }),
  tags: Schema.Array(TagRef).annotateKey({ documentation: "Tags of the room type." })
})
export type RoomType = typeof RoomType.Type

export const Title = nameUpTo(PROPERTY_TITLE_LENGTH)

const operation = defineFamily({ category: "property", since: "3.4.0", openWorld: false })

export const search_properties = operation("search_properties", {
  route: "GET /properties",
  summary: "List properties",
  details:
    "Properties are sorted by id. Deactivated properties are listed too. An unknown `group_id` or `tag_id` returns 404.",
  payload: {
    id: Schema.optionalKey(Id).annotateKey({ documentation: "Only the property with this id." }),
    group_id: Schema.optionalKey(Id).annotateKey({
      documentation: "Only properties in this group, from search_property_groups."
    }),
    tag_id: Schema.optionalKey(Id).annotateKey({ documentation: "Only properties with this tag, from query_tags." }),
    ...fieldsParameter("properties", Property),
    ...pageFields
  },
  success: Schema.Struct({
    properties: Schema.Array(Property).annotateKey({ documentation: "The properties of this page." }),
    total: PageTotal
  }),
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
  details:
    "The property is active and has the host's default check-in and check-out times.\n\n- Another property with this title returns 409 with its id in `data.id`.\n- A reached room limit of the subscription returns 422 with `room_limit`.",
  payload: {
    title: Title.annotateKey({
      documentation: "Title of the new property, one line. Surrounding spaces are removed, and case counts."
    })
  },
  success: Schema.Struct({ property_id: Id.annotateKey({ documentation: "Id of the new property." }) }),
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
  details: "Room types are sorted by id. An unknown `tag_id` returns 404.",
  payload: {
    id: Schema.optionalKey(Id).annotateKey({ documentation: "Only the room type with this id." }),
    tag_id: Schema.optionalKey(Id).annotateKey({ documentation: "Only room types with this tag, from query_tags." }),
    ...pageFields
  },
  success: Schema.Struct({
    room_types: Schema.Array(RoomType).annotateKey({ documentation: "The room types of this page." }),
    total: PageTotal
  }),
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
  details:
    "Nothing is created in these cases:\n\n- Another room type with this title returns 409 with its id in `data.id`.\n- A property of another room type returns 409 naming its id.\n- An unknown property returns 404.\n- A reached room type limit of the subscription returns 422 with `room_type_limit`.",
  payload: {
    title: Title.annotateKey({
      documentation: "Title of the new room type, one line. Surrounding spaces are removed, and case counts."
    }),
    property_ids: Schema.optionalKey(idsUpTo(NAMED_PROPERTIES_MAX)).annotateKey({
      documentation: `Properties of the room type, from search_properties, at most ${NAMED_PROPERTIES_MAX}. Default: none.`
    })
  },
  success: Schema.Struct({ room_type_id: Id.annotateKey({ documentation: "Id of the new room type." }) }),
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
  details:
    "Only `title` can change. A record of search_room_types can be sent back whole. Its other fields accept only their present values, and other values return 422. An unknown field returns 400.\n\nUse update_property_tag to change the tags. Another room type with the same title returns 409 with its id in `data.id`.",
  payload: editPayloadFields(RoomType, {
    id: Id.annotateKey({ documentation: "Id of the room type, from search_room_types." }),
    title: Schema.optionalKey(Title).annotateKey({
      documentation: "New title, one line. Surrounding spaces are removed, and case counts."
    })
  }),
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
