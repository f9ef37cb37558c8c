import { Schema } from "effect"
import { Conflict, NotFound } from "../../../contract/errors.ts"
import { hourAndMinute, Id, textUpTo } from "../../../contract/fields.ts"
import { editPayloadFields } from "../../../contract/immutable-fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { COORDINATE_LENGTH, PROPERTY_ADDRESS_LENGTH } from "../../../platform/limits.ts"
import { Property, Title } from "../properties/contract.ts"

// Edits of a property (an extension).

const DefaultTime = hourAndMinute("15:00").annotate({ description: "HH:mm" })

const DECIMAL_NUMBER = /^-?\d{1,3}(\.\d+)?$/

/** Degrees as text, from `-most` to `most`. */
const degreesUpTo = (most: number, example: string) =>
  textUpTo(COORDINATE_LENGTH).check(
    Schema.makeFilter((text) => DECIMAL_NUMBER.test(text) && Math.abs(Number(text)) <= most, {
      expected: `degrees from -${most} to ${most}, such as ${example}`,
      toJsonSchema: () => [{}, true]
    })
  )

const operation = defineFamily({ category: "property", since: "3.13.0", openWorld: false })

export const update_property = operation("update_property", {
  route: "PATCH /properties/{id}",
  rejectsUnknownFields: true,
  summary: "Change a property, deactivate it or activate it",
  payload: editPayloadFields(Property, {
    id: Id,
    title: Schema.optionalKey(Title),
    address: Schema.optionalKey(Schema.NullOr(textUpTo(PROPERTY_ADDRESS_LENGTH))).annotateKey({
      description: "Stored without white space around it. null or a blank text: no address."
    }),
    longitude: Schema.optionalKey(Schema.NullOr(degreesUpTo(180, "-9.1302"))),
    latitude: Schema.optionalKey(Schema.NullOr(degreesUpTo(90, "38.7118"))),
    default_checkin_time: Schema.optionalKey(Schema.NullOr(DefaultTime)).annotateKey({
      description: "null: the merchant's default."
    }),
    default_checkout_time: Schema.optionalKey(Schema.NullOr(DefaultTime)),
    is_active: Schema.optionalKey(Schema.Boolean).annotateKey({
      description: "false keeps the stays of the property and blocks every other night."
    })
  }),
  success: Schema.Struct({
    changed_days: Schema.Int.annotateKey({
      description: "Days that `is_active` blocked or unblocked; 0 without `is_active`."
    })
  }),
  errors: [NotFound, Conflict],
  exposure: { notATool: "a host sets up its properties once, without an agent", extension: true }
})

export const PropertyEditOperations = { update_property }
