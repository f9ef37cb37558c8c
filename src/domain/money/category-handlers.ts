import { Effect, Schema } from "effect"
import { CurrentCaller } from "../../contract/caller.ts"
import { makeImmutableFieldCheck, makeImmutableFieldDetector } from "../../contract/immutable-fields.ts"
import { changeHandler, handleOperations, layerOperations } from "../operation-handlers.ts"
import {
  type Category,
  CategoryOperations,
  type create_category,
  type list_categories,
  update_category
} from "./category-contract.ts"
import { DictionaryName } from "./dictionaries.ts"
import { OperatorDictionaries } from "./OperatorDictionaries.ts"
import { type OperatorDictionaryEntry, toOperatorEntry } from "./operator-dictionary.ts"

export const layerCategories = layerOperations(
  Effect.map(OperatorDictionaries, (dictionaries) =>
    handleOperations(CategoryOperations, {
      list_categories: listCategories(dictionaries),
      create_category: changeHandler(createCategory(dictionaries), ChangedEntry, (entry, { dictionary }) => ({
        category: toCategory(dictionary, toOperatorEntry(dictionary, entry))
      })),
      update_category: changeHandler(updateCategory(dictionaries), ChangedEntry, (entry, { dictionary }) => ({
        category: toCategory(dictionary, toOperatorEntry(dictionary, entry))
      }))
    })
  )
)

const ChangedEntry = Schema.Struct({ id: Schema.Int, name: Schema.String, retired: Schema.Boolean })

const toCategory = (
  dictionary: DictionaryName,
  { id, name, built_in, renamed_from, retired }: OperatorDictionaryEntry
): Category => ({ dictionary, id, name, is_built_in: built_in, renamed_from, is_retired: retired })

const listCategories = (dictionaries: OperatorDictionaries["Service"]) =>
  Effect.fnUntraced(function* ({ dictionary }: typeof list_categories.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    // Every caller has an operator, so NotFound cannot occur.
    const entries = yield* Effect.orDie(dictionaries.list(operatorId))
    const listed = dictionary === undefined ? DictionaryName.literals : [dictionary]
    return { categories: listed.flatMap((each) => entries[each].map((entry) => toCategory(each, entry))) }
  })

const createCategory = (dictionaries: OperatorDictionaries["Service"]) =>
  Effect.fnUntraced(function* ({ dictionary, name }: typeof create_category.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    return yield* Effect.catchTag(dictionaries.addEntry(operatorId, dictionary, name), "NotFound", Effect.die)
  })

const sendsFixedFields = makeImmutableFieldDetector(update_category.payloadSchema)
const checkFixedFields = makeImmutableFieldCheck(update_category.payloadSchema)

const updateCategory = (dictionaries: OperatorDictionaries["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof update_category.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const { dictionary, id, name, is_retired } = payload
    if (sendsFixedFields(payload)) {
      const entries = yield* Effect.orDie(dictionaries.list(operatorId))
      const entry = entries[dictionary].find((each) => each.id === id)
      if (entry !== undefined) yield* Effect.fromResult(checkFixedFields(toCategory(dictionary, entry), payload))
    }
    return yield* dictionaries.updateEntry(operatorId, dictionary, { id, name, retired: is_retired })
  })
