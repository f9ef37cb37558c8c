import { Schema } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import { EmailOrNone, Id, Integer, narrowingField, textUpTo } from "../../../contract/fields.ts"
import { idsUpTo } from "../../../contract/id-list.ts"
import { nameUpTo } from "../../../contract/names.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { pageFields } from "../../../contract/page.ts"
import {
  MOBILE_TEXT_LENGTH,
  NAMED_PROPERTIES_MAX,
  STAFF_NAME_LENGTH,
  STAFF_NOTE_LENGTH
} from "../../../platform/limits.ts"

// Who works in the properties (specification, "Tasks and staff"; contract facts 9.3).

const Name = nameUpTo(STAFF_NAME_LENGTH)
const Mobile = textUpTo(MOBILE_TEXT_LENGTH).annotate({
  description: "+<country code> <number>, as +49 15112345678",
  regionally: "a telephone number, as 13800138000"
})
const Note = textUpTo(STAFF_NOTE_LENGTH)
const PropertyIds = idsUpTo(NAMED_PROPERTIES_MAX)

export const Staff = Schema.Struct({
  id: Id,
  name: Schema.String,
  mobile: Schema.String,
  email: Schema.String.annotateKey({ description: "Empty when none was given." }),
  note: Schema.String,
  is_active: Schema.Boolean,
  property_ids: Schema.Array(Id).annotateKey({
    description: "The properties this person is limited to, ascending; empty: every property, later ones too."
  })
})
export type Staff = typeof Staff.Type

const operation = defineFamily({ category: "task", since: "3.4.0", openWorld: false })

export const query_staffs = operation("query_staffs", {
  route: "GET /staffs",
  summary: "List staff",
  payload: {
    id: Schema.optionalKey(Id),
    /** 1: only active staff; 0: only those switched off. */
    is_active: Schema.optionalKey(Integer.check(Schema.isBetween({ minimum: 0, maximum: 1 }, { expected: "0 or 1" }))),
    ...pageFields
  },
  success: Schema.Struct({ staffs: Schema.Array(Staff), total: Schema.Int }),
  exposure: toolMetadata(
    "Lists the people who can be given tasks; is_active 1 or 0 narrows the list. property_ids names the properties a person is limited to; an empty list means all properties.",
    ["Who cleans for me?", "What is Marta's number?", "Which staff are switched off?"],
    false
  )
})

export const create_staff = operation("create_staff", {
  route: "POST /staffs",
  summary: "Add a staff member",
  payload: {
    name: Name,
    mobile: Mobile,
    email: Schema.optionalKey(EmailOrNone),
    note: Schema.optionalKey(Note),
    property_ids: narrowingField(PropertyIds)
  },
  success: Schema.Struct({ staff_id: Id }),
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
  payload: {
    id: Id,
    name: Schema.optionalKey(Name),
    mobile: Schema.optionalKey(Mobile),
    email: Schema.optionalKey(EmailOrNone),
    note: Schema.optionalKey(Note),
    is_active: Schema.optionalKey(Schema.Boolean),
    property_ids: Schema.optionalKey(PropertyIds)
  },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: {
    ...toolMetadata(
      "Changes a staff member; find the id with query_staffs. What you do not send stays. property_ids replaces the whole list: send every property the person should keep; an empty list means all. is_active false switches the person off and keeps their tasks.",
      ["Marta has a new number", "Li no longer works for us but may come back", "Let Marta do all properties"],
      true
    ),
    destructive: true
  }
})

export const delete_staff = operation("delete_staff", {
  route: "DELETE /staffs/{id}",
  summary: "Delete a staff member",
  payload: { id: Id },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    "Deletes a staff member for good; find the id with query_staffs. Their tasks stay and have nobody assigned. To keep the person, set is_active to false with update_staff instead.",
    ["Remove Li from the staff"],
    true
  )
})

export const StaffOperations = { query_staffs, create_staff, update_staff, delete_staff }
