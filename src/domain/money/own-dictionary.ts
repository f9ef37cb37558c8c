import { Result } from "effect"
import { Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { nameKeyOf, nameTaken } from "../../contract/names.ts"
import { DICTIONARY_ENTRIES } from "../../platform/limits.ts"
import { builtIn, type Dictionary, isBookedWith, isBuiltIn, merged, type OwnEntry } from "./dictionaries.ts"

// What an operator may do to its dictionaries. An id never changes its meaning: entries are retired and not deleted, and no id is
// given twice.

/** An entry as its operator sees it. */
export interface Entry extends OwnEntry {
  readonly built_in: boolean
  /** The built-in name in whose place the operator has put its own; null: there is none, or it stands. */
  readonly renamed_from: string | null
}

/** All that an operator says of its dictionaries. */
export type OwnDictionary = Readonly<Record<Dictionary, ReadonlyArray<OwnEntry>>>

/** An entry as it becomes, and which of its fields changes: none where it is so already. */
export interface Said {
  readonly entry: Entry
  readonly changes: "all" | "name" | "retired_at" | "nothing"
}

/** The first id of one's own: below it there is room for what the service has itself. */
const FIRST_OWN_ID = 10_001

const shown = (dictionary: Dictionary, { id, name, retired }: OwnEntry): Entry => {
  const own = builtIn(dictionary).get(id)
  return {
    id,
    name,
    built_in: own !== undefined,
    renamed_from: own === undefined || own === name ? null : own,
    retired
  }
}

/** Every entry of a dictionary, retired ones too, by id. */
export const entriesOf = (own: OwnDictionary, dictionary: Dictionary): ReadonlyArray<Entry> =>
  merged(dictionary, own[dictionary]).map((entry) => shown(dictionary, entry))

const taken: Result.Result<never, Conflict> = Result.fail(nameTaken("name", "entry"))

/** Returns whether another active entry has the name, ignoring case. Changes of one operator run one after another. */
const isTaken = (own: OwnDictionary, dictionary: Dictionary, { id, name }: Pick<OwnEntry, "id" | "name">): boolean =>
  entriesOf(own, dictionary).some((each) => nameKeyOf(each.name) === nameKeyOf(name) && each.id !== id && !each.retired)

/** An entry of one's own. Its id is above all that the operator ever had, in whichever dictionary. */
export const added = (
  own: OwnDictionary,
  dictionary: Dictionary,
  name: string
): Result.Result<Said, Conflict | ValidationFailed> => {
  const ids = Object.values(own).flatMap((each) => each.map(({ id }) => id))
  const id = Math.max(FIRST_OWN_ID, ...ids.map((each) => each + 1))
  if (isTaken(own, dictionary, { id, name })) return taken
  const count = own[dictionary].filter((each) => !isBuiltIn(dictionary, each.id)).length
  return count < DICTIONARY_ENTRIES
    ? Result.succeed({ entry: shown(dictionary, { id, name, retired: false }), changes: "all" })
    : Result.fail(noRoom)
}

const noRoom = new ValidationFailed({
  message: `dictionary_entries: a dictionary has at most ${DICTIONARY_ENTRIES} entries of your own, retired ones included; rename or restore one.`
})

/** The entry under another name. A retired one may have any: it is looked at when it comes back. */
export const renamed = (
  own: OwnDictionary,
  dictionary: Dictionary,
  { id, name }: Pick<OwnEntry, "id" | "name">
): Result.Result<Said, Conflict | NotFound> =>
  Result.flatMap(known(own, dictionary, id), (entry) => {
    if (entry.name !== name && !entry.retired && isTaken(own, dictionary, { id, name })) return taken
    const changes = entry.name === name ? "nothing" : "name"
    return Result.succeed({ entry: shown(dictionary, { ...entry, name }), changes })
  })

/** The entry, from which nobody chooses any more. */
export const retired = (
  own: OwnDictionary,
  dictionary: Dictionary,
  id: number
): Result.Result<Said, Conflict | NotFound> =>
  Result.flatMap(known(own, dictionary, id), (entry) =>
    isBookedWith(dictionary, id)
      ? Result.fail(needed)
      : Result.succeed({ entry: { ...entry, retired: true }, changes: entry.retired ? "nothing" : "retired_at" })
  )

const needed = new Conflict({ message: "id: the service itself uses this entry, so it cannot be retired." })

/** The entry, as one of those to choose from. */
export const restored = (
  own: OwnDictionary,
  dictionary: Dictionary,
  id: number
): Result.Result<Said, Conflict | NotFound> =>
  Result.flatMap(known(own, dictionary, id), (entry) => {
    if (entry.retired && isTaken(own, dictionary, entry)) return taken
    return Result.succeed({ entry: { ...entry, retired: false }, changes: entry.retired ? "retired_at" : "nothing" })
  })

const known = (own: OwnDictionary, dictionary: Dictionary, id: number): Result.Result<Entry, NotFound> => {
  const entry = entriesOf(own, dictionary).find((each) => each.id === id)
  return entry === undefined
    ? Result.fail(new NotFound({ message: `id: there is no such entry in ${dictionary}.` }))
    : Result.succeed(entry)
}

/** Whether it is a built-in entry of which the operator has nothing to say. */
export const goesWithoutSaying = ({ built_in, renamed_from, retired: isRetired }: Entry): boolean =>
  built_in && renamed_from === null && !isRetired
