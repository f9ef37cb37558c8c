import { Schema } from "effect"
import { Conflict, NotFound } from "../../contract/errors.ts"
import { Id } from "../../contract/fields.ts"
import { editPayloadFields } from "../../contract/immutable-fields.ts"
import { nameUpTo } from "../../contract/names.ts"
import { defineFamily } from "../../contract/operation.ts"
import { DICTIONARY_NAME_LENGTH } from "../../platform/limits.ts"
import { DictionaryName } from "./dictionaries.ts"

// An extension of the specification. GET /income_items and the other three lists return only active entries.

export const Category = Schema.Struct({
  dictionary: DictionaryName.annotateKey({ description: "Which of the four lists it is in." }),
  id: Id.annotateKey({ description: "Its item_id or payment_method_id." }),
  name: Schema.String,
  is_built_in: Schema.Boolean,
  renamed_from: Schema.NullOr(Schema.String).annotateKey({
    description: "The name that a built-in entry had; null: it still has it, or it is not built in."
  }),
  is_retired: Schema.Boolean.annotateKey({
    description: "Nothing new is booked under it; what is booked under it keeps it."
  })
})
export type Category = typeof Category.Type

const CategoryResult = Schema.Struct({ category: Category })

const Name = nameUpTo(DICTIONARY_NAME_LENGTH)

const operation = defineFamily({ category: "finance", since: "3.13.0", openWorld: false })

const exposure = {
  notATool: "a host sets up its categories once, without an agent",
  extension: true
} as const

export const list_categories = operation("list_categories", {
  route: "GET /categories",
  summary: "List the categories and payment methods of the operator, retired ones too",
  payload: {
    dictionary: Schema.optionalKey(DictionaryName).annotateKey({ description: "Only those of one list." })
  },
  success: Schema.Struct({ categories: Schema.Array(Category) }),
  exposure
})

export const create_category = operation("create_category", {
  route: "POST /categories",
  summary: "Add a category or a payment method of the operator's own",
  payload: { dictionary: DictionaryName, name: Name },
  success: CategoryResult,
  errors: [Conflict],
  exposure
})

export const update_category = operation("update_category", {
  route: "PATCH /categories/{dictionary}/{id}",
  summary: "Rename, retire or restore a category or a payment method, built-in ones too",
  payload: editPayloadFields(Category, {
    dictionary: DictionaryName,
    id: Id,
    name: Schema.optionalKey(Name),
    is_retired: Schema.optionalKey(Schema.Boolean)
  }),
  success: CategoryResult,
  errors: [NotFound, Conflict],
  exposure
})

export const CategoryOperations = { list_categories, create_category, update_category }
