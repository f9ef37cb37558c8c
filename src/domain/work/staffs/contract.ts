import { Schema } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import { EmailOrNone, Id, Integer, narrowingField, textUpTo } from "../../../contract/fields.ts"
import { idsUpTo } from "../../../contract/id-list.ts"
import { nameUpTo } from "../../../contract/names.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { PageTotal, pageFields } from "../../../contract/page.ts"
import {
  MOBILE_DIGITS_MAX,
  MOBILE_DIGITS_MIN,
  MOBILE_TEXT_LENGTH,
  NAMED_PROPERTIES_MAX,
  STAFF_NAME_LENGTH,
  STAFF_NOTE_LENGTH
} from "../../../platform/limits.ts"

// Specification, "Tasks and staff"; contract facts 9.3.

const Name = nameUpTo(STAFF_NAME_LENGTH)
const REGIONAL_MOBILE = "a telephone number, as 13800138000"
const Mobile = textUpTo(MOBILE_TEXT_LENGTH).annotate({
  description: "+<country code> <number>, as +49 15112345678",
  regionally: REGIONAL_MOBILE
})
const Note = textUpTo(STAFF_NOTE_LENGTH)
const PropertyIds = idsUpTo(NAMED_PROPERTIES_MAX)

export const Staff = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the staff member." }),
  name: Schema.String.annotateKey({ documentation: "Name of the staff member. Several can have the same name." }),
  mobile: Schema.String.annotateKey({
    documentation:
      "Mobile number, `+<country code> <number>`. On the regional deployment also digits without a country code."
  }),
  email: Schema.String.annotateKey({ documentation: "E-mail address, or an empty text." }),
  note: Schema.String.annotateKey({ documentation: "The host's note on the staff member, or an empty text." }),
  is_active: Schema.Boolean.annotateKey({
    documentation: "False if the staff member is inactive and gets no new tasks."
  }),
  property_ids: Schema.Array(Id).annotateKey({
    documentation:
      "Properties in which the staff member works, ascending. Empty: all properties, including those added later."
  })
})
export type Staff = typeof Staff.Type

const STAFF_ID_MEANING = "Id of the staff member, from query_staffs."
// The regional deployment shows `regionally` instead of `documentation`.
const mobileMeanings = {
  documentation: `In the form +<country code> <number>, as +49 15112345678, with at least ${MOBILE_DIGITS_MIN} digits after the country code and at most ${MOBILE_DIGITS_MAX} in all. Spaces, brackets, dots, slashes and dashes are ignored.`,
  regionally: REGIONAL_MOBILE
}

const operation = defineFamily({ category: "task", since: "3.4.0", openWorld: false })

export const query_staffs = operation("query_staffs", {
  route: "GET /staffs",
  summary: "List staff",
  details: "Staff members are sorted by id.",
  payload: {
    id: Schema.optionalKey(Id).annotateKey({ documentation: "Only the staff member with this id." }),
    is_active: Schema.optionalKey(
      Integer.check(Schema.isBetween({ minimum: 0, maximum: 1 }, { expected: "0 or 1" }))
    ).annotateKey({ documentation: "1: only active staff. 0: only inactive staff. Omitted: both." }),
    ...pageFields
  },
  success: Schema.Struct({
    staffs: Schema.Array(Staff).annotateKey({ documentation: "The staff members of this page." }),
    total: PageTotal
  }),
  exposure: toolMetadata(
    "Lists the people who can be given tasks; is_active 1 or 0 narrows the list. property_ids names the properties a person is limited to; an empty list means all properties.",
    ["Who cleans for me?", "What is Marta's number?", "Which staff are switched off?"],
    false
  )
})

export const create_staff = operation("create_staff", {
  route: "POST /staffs",
  summary: "Add a staff member",
  details: "An unknown property returns 404.",
  payload: {
    name: Name.annotateKey({ documentation: "Name of the staff member, one line. Surrounding spaces are removed." }),
    mobile: Mobile.annotateKey(mobileMeanings),
    email: Schema.optionalKey(EmailOrNone).annotateKey({ documentation: "E-mail address. Default: none." }),
    note: Schema.optionalKey(Note).annotateKey({ documentation: "The host's note on the staff member." }),
    property_ids: narrowingField(PropertyIds).annotateKey({
      documentation:
        "Properties in which the staff member works, from search_properties. Omitted or empty: all properties, including those added later. null returns 400."
    })
  },
  success: Schema.Struct({ staff_id: Id.annotateKey({ documentation: "Id of the new staff member." }) }),
  errors: [NotFound],
  exposure: toolMetadata(
    "Adds an active staff member. property_ids (from search_properties) limits the person to these properties; without it, or with an empty list, the person works in all of them. Nobody is notified.",
    ["Add Marta, +351 912345678, for the two harbour flats", "We have a new cleaner called Li"],
    true
  )
})

export const update_staff = operation("update_staff", {
  route: "PATCH /staffs/{id}",
  summary: "Change a staff member",
  details:
    "An unknown property returns 404. A changed staff member keeps the tasks that were assigned before, also in properties that are no longer in the list.",
  payload: {
    id: Id.annotateKey({ documentation: STAFF_ID_MEANING }),
    name: Schema.optionalKey(Name).annotateKey({
      documentation: "New name, one line. Surrounding spaces are removed."
    }),
    mobile: Schema.optionalKey(Mobile).annotateKey(mobileMeanings),
    email: Schema.optionalKey(EmailOrNone).annotateKey({
      documentation: "New e-mail address. An empty text removes it."
    }),
    note: Schema.optionalKey(Note).annotateKey({ documentation: "New note of the host. An empty text removes it." }),
    is_active: Schema.optionalKey(Schema.Boolean).annotateKey({
      documentation: "false deactivates the staff member, who then gets no new tasks. true activates them again."
    }),
    property_ids: Schema.optionalKey(PropertyIds).annotateKey({
      documentation:
        "Replaces the whole list, with ids from search_properties. An empty list means all properties, including those added later."
    })
  },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: {
    ...toolMetadata(
      "Changes a staff member; find the id with query_staffs. Omitted fields stay. property_ids replaces the whole list: send every property the person should keep; an empty list means all. is_active false deactivates the person, who keeps their tasks.",
      ["Marta has a new number", "Li no longer works for us but may come back", "Let Marta do all properties"],
      true
    ),
    destructive: true
  }
})

export const delete_staff = operation("delete_staff", {
  route: "DELETE /staffs/{id}",
  summary: "Delete a staff member",
  payload: { id: Id.annotateKey({ documentation: STAFF_ID_MEANING }) },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    "Deletes a staff member for good; find the id with query_staffs. Their tasks stay and have nobody assigned. To keep the person, set is_active to false with update_staff instead.",
    ["Remove Li from the staff"],
    true
  )
})

export const StaffOperations = { query_staffs, create_staff, update_staff, delete_staff }
