import { Result } from "effect"
import { Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { nameConflict, nameKeyOf } from "../../contract/names.ts"
import { DICTIONARY_ENTRIES_MAX } from "../../platform/limits.ts"
import {
  type DictionaryEntryState,
  type DictionaryName,
  getBuiltInEntries,
  isBuiltInEntry,
  isUsedByService,
  mergeEntries
} from "./dictionaries.ts"

// An id never changes its meaning: entries are retired, not deleted, and ids are not reused.

export interface OperatorDictionaryEntry extends DictionaryEntryState {
  readonly built_in: boolean
  readonly renamed_from: string | null
}

export type OperatorEntryStates = Readonly<Record<DictionaryName, ReadonlyArray<DictionaryEntryState>>>

type EntryColumn = "name" | "retired_at"

export interface EntryChange {
  readonly entry: OperatorDictionaryEntry
  readonly changes: "created" | ReadonlyArray<EntryColumn>
}

export interface EntryEdit {
  readonly id: number
  readonly name?: string | undefined
  readonly retired?: boolean | undefined
}

/** Lower ids are reserved for built-in entries. */
const FIRST_CUSTOM_ID = 10_001

export const toOperatorEntry = (
  dictionary: DictionaryName,
  { id, name, retired }: DictionaryEntryState
): OperatorDictionaryEntry => {
  const builtInName = getBuiltInEntries(dictionary).get(id)
  return {
    id,
    name,
    built_in: builtInName !== undefined,
    renamed_from: builtInName === undefined || builtInName === name ? null : builtInName,
    retired
  }
}

export const listEntries = (
  ownEntries: OperatorEntryStates,
  dictionary: DictionaryName
): ReadonlyArray<OperatorDictionaryEntry> =>
  mergeEntries(dictionary, ownEntries[dictionary]).map((entry) => toOperatorEntry(dictionary, entry))

const nameTakenFailure: Result.Result<never, Conflict> = Result.fail(nameConflict("name", "entry"))

const isNameTaken = (
  ownEntries: OperatorEntryStates,
  dictionary: DictionaryName,
  { id, name }: Pick<DictionaryEntryState, "id" | "name">
): boolean =>
  listEntries(ownEntries, dictionary).some(
    (each) => nameKeyOf(each.name) === nameKeyOf(name) && each.id !== id && !each.retired
  )

/** The new id is higher than any id the operator has in any dictionary. */
export const addEntry = (
  ownEntries: OperatorEntryStates,
  dictionary: DictionaryName,
  name: string
): Result.Result<EntryChange, Conflict | ValidationFailed> => {
  const ids = Object.values(ownEntries).flatMap((each) => each.map(({ id }) => id))
  const id = Math.max(FIRST_CUSTOM_ID, ...ids.map((each) => each + 1))
  if (isNameTaken(ownEntries, dictionary, { id, name })) return nameTakenFailure
  const count = ownEntries[dictionary].filter((each) => !isBuiltInEntry(dictionary, each.id)).length
  return count < DICTIONARY_ENTRIES_MAX
    ? Result.succeed({ entry: toOperatorEntry(dictionary, { id, name, retired: false }), changes: "created" })
    : Result.fail(dictionaryFullError)
}

const dictionaryFullError = new ValidationFailed({
  message: `dictionary_entries: a dictionary has at most ${DICTIONARY_ENTRIES_MAX} entries of your own, retired ones included; rename or restore one.`
})

/** A retired entry may have a name that is in use, but a restored one must not. */
export const updateEntry = (
  ownEntries: OperatorEntryStates,
  dictionary: DictionaryName,
  { id, name, retired }: EntryEdit
): Result.Result<EntryChange, Conflict | NotFound> =>
  Result.flatMap(requireEntry(ownEntries, dictionary, id), (before) => {
    const entry = toOperatorEntry(dictionary, { id, name: name ?? before.name, retired: retired ?? before.retired })
    const changes = listChangedColumns(before, entry)
    if (entry.retired) {
      const isRefused = changes.includes("retired_at") && isUsedByService(dictionary, id)
      return isRefused ? Result.fail(usedByServiceError) : Result.succeed({ entry, changes })
    }
    return changes.length > 0 && isNameTaken(ownEntries, dictionary, entry)
      ? nameTakenFailure
      : Result.succeed({ entry, changes })
  })

const listChangedColumns = (
  before: OperatorDictionaryEntry,
  after: OperatorDictionaryEntry
): ReadonlyArray<EntryColumn> => [
  ...(after.name === before.name ? [] : ["name" as const]),
  ...(after.retired === before.retired ? [] : ["retired_at" as const])
]

const usedByServiceError = new Conflict({ message: "id: the service itself uses this entry, so it cannot be retired." })

const requireEntry = (
  ownEntries: OperatorEntryStates,
  dictionary: DictionaryName,
  id: number
): Result.Result<OperatorDictionaryEntry, NotFound> => {
  const entry = listEntries(ownEntries, dictionary).find((each) => each.id === id)
  return entry === undefined
    ? Result.fail(new NotFound({ message: `id: there is no such entry in ${dictionary}.` }))
    : Result.succeed(entry)
}

export const isUnchangedBuiltIn = ({ built_in, renamed_from, retired: isRetired }: OperatorDictionaryEntry): boolean =>
  built_in && renamed_from === null && !isRetired
