import { Schema } from "effect"
import { Conflict, NotFound } from "../../contract/errors.ts"
import { Id } from "../../contract/fields.ts"
import { editPayloadFields } from "../../contract/immutable-fields.ts"
import { nameUpTo } from "../../contract/names.ts"
import { defineFamily } from "../../contract/operation.ts"
import { DICTIONARY_ENTRIES_MAX, DICTIONARY_NAME_LENGTH } from "../../platform/limits.ts"
import { DictionaryName } from "./dictionaries.ts"

// These operations are not in the specification, whose four lists (GET /income_items and others) have only active
// entries.

const Dictionary = DictionaryName.annotateKey({
  documentation: "List of the entry: categories (`…_items`) or payment methods (`…_methods`) of incomes or expenses."
})

export const Category = Schema.Struct({
  dictionary: Dictionary,
  id: Id.annotateKey({
    documentation: "Value of `item_id` or `payment_method_id`. No id is ever used again."
  }),
  name: Schema.String.annotateKey({ documentation: "The present name." }),
  is_built_in: Schema.Boolean.annotateKey({ documentation: "True if every operator has the entry." }),
  renamed_from: Schema.NullOr(Schema.String).annotateKey({
    documentation: "The original name of a renamed built-in entry; null for every other entry."
  }),
  is_retired: Schema.Boolean.annotateKey({
    documentation: "True if new transactions cannot use the entry. Transactions that have it keep it."
  })
})
export type Category = typeof Category.Type

const CategoryResult = Schema.Struct({
  category: Category.annotateKey({ documentation: "The entry after the change." })
})

const Name = nameUpTo(DICTIONARY_NAME_LENGTH)

const operation = defineFamily({ category: "finance", since: "3.13.0", openWorld: false })

const exposure = {
  notATool: "a host sets up its categories once, without an agent",
  extension: true
} as const

export const list_categories = operation("list_categories", {
  route: "GET /categories",
  summary: "List categories and payment methods, retired ones included",
  details: "GET /income_items and the three other lists return only entries that are not retired.",
  payload: {
    dictionary: Schema.optionalKey(DictionaryName).annotateKey({ documentation: "Only the entries of this list." })
  },
  success: Schema.Struct({
    categories: Schema.Array(Category).annotateKey({ documentation: "Entries by list, then by id." })
  }),
  exposure
})

export const create_category = operation("create_category", {
  route: "POST /categories",
  summary: "Create a category or payment method",
  details: `The name of another entry of the list returns 409, unless that entry is retired. A list has at most ${DICTIONARY_ENTRIES_MAX} own entries, retired ones included; one more returns 422 with \`dictionary_entries\`.`,
  payload: {
    dictionary: Dictionary,
    name: Name.annotateKey({
      documentation: "Name, one line. Spaces around it are removed. Names are compared without case."
    })
  },
  success: CategoryResult,
  errors: [Conflict],
  exposure
})

export const update_category = operation("update_category", {
  route: "PATCH /categories/{dictionary}/{id}",
  summary: "Rename, retire or restore a category or payment method",
  details: `Built-in entries can be changed too. Transactions show the new name, also older ones.

- Two entries of a list can have the same name only while one of them is retired. A rename or restore that breaks this returns 409.
- An entry that the service itself uses cannot be retired (409).`,
  payload: editPayloadFields(Category, {
    dictionary: Dictionary,
    id: Id.annotateKey({ documentation: "Id of the entry, from list_categories." }),
    name: Schema.optionalKey(Name).annotateKey({
      documentation: "New name, one line. Names are compared without case."
    }),
    is_retired: Schema.optionalKey(Schema.Boolean).annotateKey({
      documentation: "true retires the entry, false restores it."
    })
  }),
  success: CategoryResult,
  errors: [NotFound, Conflict],
  exposure
})

export const CategoryOperations = { list_categories, create_category, update_category }
