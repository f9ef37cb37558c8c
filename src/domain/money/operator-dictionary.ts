import { Result } from "effect"
import { Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { nameConflict, nameKeyOf } from "../../contract/names.ts"
import { DICTIONARY_ENTRIES } from "../../platform/limits.ts"
import {
  builtInEntries,
  type Dictionary,
  type DictionaryEntryState,
  isBuiltIn,
  isUsedByService,
  mergeEntries
} from "./dictionaries.ts"

// What an operator may do to its dictionaries. An id never changes its meaning: entries are retired and not deleted, and no id is
// given twice.

/** An entry as its operator sees it. */
export interface OperatorDictionaryEntry extends DictionaryEntryState {
  readonly built_in: boolean
  /** The built-in name in whose place the operator has put its own; null: there is none, or it stands. */
  readonly renamed_from: string | null
}

/** All that an operator says of its dictionaries. */
export type OperatorDictionary = Readonly<Record<Dictionary, ReadonlyArray<DictionaryEntryState>>>

/** An entry as it becomes, and which of its fields changes: none where it is so already. */
export interface EntryChange {
  readonly entry: OperatorDictionaryEntry
  readonly changes: "all" | "name" | "retired_at" | "nothing"
}

/** The first id of one's own: below it there is room for what the service has itself. */
const FIRST_CUSTOM_ID = 10_001

const toOperatorEntry = (
  dictionary: Dictionary,
  { id, name, retired }: DictionaryEntryState
): OperatorDictionaryEntry => {
  const builtInName = builtInEntries(dictionary).get(id)
  return {
    id,
    name,
    built_in: builtInName !== undefined,
    renamed_from: builtInName === undefined || builtInName === name ? null : builtInName,
    retired
  }
}

/** Every entry of a dictionary, retired ones too, by id. */
export const listEntries = (own: OperatorDictionary, dictionary: Dictionary): ReadonlyArray<OperatorDictionaryEntry> =>
  mergeEntries(dictionary, own[dictionary]).map((entry) => toOperatorEntry(dictionary, entry))

const nameTakenFailure: Result.Result<never, Conflict> = Result.fail(nameConflict("name", "entry"))

/** Returns whether another active entry has the name, ignoring case. Changes of one operator run one after another. */
const isNameTaken = (
  own: OperatorDictionary,
  dictionary: Dictionary,
  { id, name }: Pick<DictionaryEntryState, "id" | "name">
): boolean =>
  listEntries(own, dictionary).some(
    (each) => nameKeyOf(each.name) === nameKeyOf(name) && each.id !== id && !each.retired
  )

/** An entry of one's own. Its id is above all that the operator ever had, in whichever dictionary. */
export const addEntry = (
  own: OperatorDictionary,
  dictionary: Dictionary,
  name: string
): Result.Result<EntryChange, Conflict | ValidationFailed> => {
  const ids = Object.values(own).flatMap((each) => each.map(({ id }) => id))
  const id = Math.max(FIRST_CUSTOM_ID, ...ids.map((each) => each + 1))
  if (isNameTaken(own, dictionary, { id, name })) return nameTakenFailure
  const count = own[dictionary].filter((each) => !isBuiltIn(dictionary, each.id)).length
  return count < DICTIONARY_ENTRIES
    ? Result.succeed({ entry: toOperatorEntry(dictionary, { id, name, retired: false }), changes: "all" })
    : Result.fail(dictionaryFull)
}

const dictionaryFull = new ValidationFailed({
  message: `dictionary_entries: a dictionary has at most ${DICTIONARY_ENTRIES} entries of your own, retired ones included; rename or restore one.`
})

/** The entry under another name. A retired one may have any: it is looked at when it comes back. */
export const renameEntry = (
  own: OperatorDictionary,
  dictionary: Dictionary,
  { id, name }: Pick<DictionaryEntryState, "id" | "name">
): Result.Result<EntryChange, Conflict | NotFound> =>
  Result.flatMap(requireEntry(own, dictionary, id), (entry) => {
    if (entry.name !== name && !entry.retired && isNameTaken(own, dictionary, { id, name })) return nameTakenFailure
    const changes = entry.name === name ? "nothing" : "name"
    return Result.succeed({ entry: toOperatorEntry(dictionary, { ...entry, name }), changes })
  })

/** The entry, from which nobody chooses any more. */
export const retireEntry = (
  own: OperatorDictionary,
  dictionary: Dictionary,
  id: number
): Result.Result<EntryChange, Conflict | NotFound> =>
  Result.flatMap(requireEntry(own, dictionary, id), (entry) =>
    isUsedByService(dictionary, id)
      ? Result.fail(usedByService)
      : Result.succeed({ entry: { ...entry, retired: true }, changes: entry.retired ? "nothing" : "retired_at" })
  )

const usedByService = new Conflict({ message: "id: the service itself uses this entry, so it cannot be retired." })

/** The entry, as one of those to choose from. */
export const restoreEntry = (
  own: OperatorDictionary,
  dictionary: Dictionary,
  id: number
): Result.Result<EntryChange, Conflict | NotFound> =>
  Result.flatMap(requireEntry(own, dictionary, id), (entry) => {
    if (entry.retired && isNameTaken(own, dictionary, entry)) return nameTakenFailure
    return Result.succeed({ entry: { ...entry, retired: false }, changes: entry.retired ? "retired_at" : "nothing" })
  })

const requireEntry = (
  own: OperatorDictionary,
  dictionary: Dictionary,
  id: number
): Result.Result<OperatorDictionaryEntry, NotFound> => {
  const entry = listEntries(own, dictionary).find((each) => each.id === id)
  return entry === undefined
    ? Result.fail(new NotFound({ message: `id: there is no such entry in ${dictionary}.` }))
    : Result.succeed(entry)
}

/** Whether it is a built-in entry of which the operator has nothing to say. */
export const isUnchangedBuiltIn = ({ built_in, renamed_from, retired: isRetired }: OperatorDictionaryEntry): boolean =>
  built_in && renamed_from === null && !isRetired
