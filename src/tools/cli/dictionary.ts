import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { Acting } from "../../contract/acting.ts"
import { Dictionary } from "../../domain/money/dictionaries.ts"
import { OwnDictionaries } from "../../domain/money/OwnDictionaries.ts"
import type { Entry } from "../../domain/money/own-dictionary.ts"
import { answer } from "./answer.ts"

const operator = Flag.Int("operator").pipe(Flag.withDescription("operator_id"))
const dictionary = Flag.Literals("dictionary", Dictionary.literals).pipe(Flag.withDescription("Dictionary"))
const id = Flag.Int("id").pipe(Flag.withDescription("item_id or payment_method_id of the entry"))
const name = Flag.String("name").pipe(Flag.withDescription("Name of the entry"))

/** With the dictionaries of operators. */
const withDictionaries = <A, E, R>(work: (dictionaries: OwnDictionaries["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.provide(OwnDictionaries.use(work), OwnDictionaries.layer)

/** What a host wrote is quoted, so that nothing in it moves the cursor. */
const inWords = (entry: Entry): string =>
  [
    entry.id,
    JSON.stringify(entry.name),
    ...(entry.built_in ? [] : ["own"]),
    ...(entry.renamed_from === null ? [] : [`renamed from ${JSON.stringify(entry.renamed_from)}`]),
    ...(entry.retired ? ["retired"] : [])
  ].join("  ")

const list = Command.make(
  "list",
  {
    operator,
    dictionary: dictionary.pipe(Flag.withDescription("Dictionary to list (default: all four)"), Flag.optional)
  },
  ({ operator, dictionary: wanted }) =>
    answer(
      "dictionary list",
      Effect.map(
        withDictionaries((dictionaries) => dictionaries.list(operator)),
        (all) =>
          Object.fromEntries(
            Dictionary.literals
              .filter((each) => Option.getOrElse(wanted, () => each) === each)
              .map((each) => [each, all[each]])
          )
      ),
      (shown) =>
        Object.entries(shown)
          .map(([each, entries]) => [`${each}:`, ...entries.map((entry) => `  ${inWords(entry)}`)].join("\n"))
          .join("\n")
    )
).pipe(Command.withDescription("List the categories and payment methods of an operator, including retired ones"))

/** A change of one entry, which answers how it is then. */
const changed = <E>(
  command: string,
  of: Dictionary,
  change: (dictionaries: OwnDictionaries["Service"]) => Effect.Effect<Entry, E, Acting>
) =>
  answer(
    `dictionary ${command}`,
    Effect.map(withDictionaries(change), (entry) => ({ dictionary: of, ...entry })),
    (entry) => `${of}: ${inWords(entry)}`
  )

const add = Command.make("add", { operator, dictionary, name }, ({ operator, dictionary, name }) =>
  changed("add", dictionary, (dictionaries) => dictionaries.add(operator, dictionary, name))
).pipe(
  Command.withDescription("Add an entry; prints its id"),
  Command.withExamples([
    {
      command: 'latchkey dictionary add --operator 1 --dictionary income_items --name "Airport transfer"',
      description: "Add a category of income"
    }
  ])
)

const rename = Command.make("rename", { operator, dictionary, id, name }, ({ operator, dictionary, id, name }) =>
  changed("rename", dictionary, (dictionaries) => dictionaries.rename(operator, dictionary, id, name))
).pipe(Command.withDescription("Rename an entry, built-in entries included"))

const retire = Command.make("retire", { operator, dictionary, id }, ({ operator, dictionary, id }) =>
  changed("retire", dictionary, (dictionaries) => dictionaries.retire(operator, dictionary, id))
).pipe(Command.withDescription("Retire an entry; existing transactions keep it"))

const restore = Command.make("restore", { operator, dictionary, id }, ({ operator, dictionary, id }) =>
  changed("restore", dictionary, (dictionaries) => dictionaries.restore(operator, dictionary, id))
).pipe(Command.withDescription("Restore a retired entry"))

export const dictionaries = Command.make("dictionary").pipe(
  Command.withDescription("Manage the categories and payment methods of an operator"),
  Command.withSubcommands([list, add, rename, retire, restore])
)
