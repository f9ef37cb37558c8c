import { Schema } from "effect"
import { Conflict, NotFound } from "../../../contract/errors.ts"
import { Id } from "../../../contract/fields.ts"
import { idsUpTo } from "../../../contract/id-list.ts"
import { nameUpTo } from "../../../contract/names.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { PageTotal, pageFields } from "../../../contract/page.ts"
import { GROUP_NAME_LENGTH, NAMED_PROPERTIES_MAX } from "../../../platform/limits.ts"
import { GroupRef } from "../properties/contract.ts"

// Specification, "Properties, room types, tags, groups"; contract facts 7.3.

export const Group = Schema.Struct({
  ...GroupRef.fields,
  property_ids: Schema.Array(Id).annotateKey({ documentation: "Ids of the properties in the group, ascending." })
})
export type Group = typeof Group.Type

const Name = nameUpTo(GROUP_NAME_LENGTH)
const NAME_MEANING = "Name of the group, one line. Surrounding spaces are removed, and names are compared without case."

const PropertyIds = idsUpTo(NAMED_PROPERTIES_MAX)

const operation = defineFamily({ category: "property", since: "3.5.0", openWorld: false })

export const search_property_groups = operation("search_property_groups", {
  route: "GET /groups",
  summary: "List property groups",
  details: "Groups are sorted by id.",
  payload: {
    id: Schema.optionalKey(Id).annotateKey({ documentation: "Only the group with this id." }),
    ...pageFields
  },
  success: Schema.Struct({
    groups: Schema.Array(Group).annotateKey({ documentation: "The groups of this page." }),
    total: PageTotal
  }),
  exposure: toolMetadata(
    "Lists the groups properties are sorted into, with their property ids.",
    ["Which groups of properties are there?", "What is in the group Old Town?"],
    false,
    { since: "3.4.0" }
  )
})

export const create_property_group = operation("create_property_group", {
  route: "POST /groups",
  summary: "Add a property group",
  details: "A name that another group has returns 409 with its id in `data.id`. An unknown property returns 404.",
  payload: {
    name: Name.annotateKey({ documentation: NAME_MEANING }),
    property_ids: Schema.optionalKey(PropertyIds).annotateKey({
      documentation: `Properties of the group, from search_properties, at most ${NAMED_PROPERTIES_MAX}. Default: none.`
    })
  },
  success: Schema.Struct({ group: Group.annotateKey({ documentation: "The new group." }) }),
  errors: [NotFound, Conflict],
  exposure: toolMetadata(
    "Adds a group under a name no other group has, with the properties in property_ids (from search_properties). A property can be in several groups.",
    ["Group the three harbour flats as Harbour"],
    false
  )
})

export const update_property_group = operation("update_property_group", {
  route: "PATCH /groups/{id}",
  summary: "Rename a property group or replace its properties",
  details:
    "A name that another group has returns 409 with its id in `data.id`. An unknown property returns 404. If two calls replace the list at the same time, the later list wins as a whole.",
  payload: {
    id: Id.annotateKey({ description: "Id of the group, from search_property_groups." }),
    name: Schema.optionalKey(Name).annotateKey({ documentation: NAME_MEANING }),
    property_ids: Schema.optionalKey(PropertyIds).annotateKey({
      documentation: `Replaces the whole list, with at most ${NAMED_PROPERTIES_MAX} ids. An empty list removes all properties from the group.`
    })
  },
  success: Schema.Struct({}),
  errors: [NotFound, Conflict],
  exposure: toolMetadata(
    "Renames a group or replaces its properties; find its id with search_property_groups. property_ids replaces the whole list: to add one property send the present ones too; an empty list detaches all. Omitted fields stay.",
    ["Rename the group Harbour to Seaside", "Put the loft into the group Old Town too"],
    false,
    { destructive: true }
  )
})

export const delete_property_group = operation("delete_property_group", {
  route: "DELETE /groups/{id}",
  summary: "Delete a property group",
  payload: { id: Id.annotateKey({ description: "Id of the group, from search_property_groups." }) },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    "Deletes a group for good; its properties stay as they are. Find its id with search_property_groups.",
    ["Delete the group Seaside"],
    false
  )
})

export const GroupOperations = {
  search_property_groups,
  create_property_group,
  update_property_group,
  delete_property_group
}
