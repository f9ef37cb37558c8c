import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { CurrentActor } from "../../contract/actor.ts"
import { DictionaryName } from "../../domain/money/dictionaries.ts"
import { OperatorDictionaries } from "../../domain/money/OperatorDictionaries.ts"
import type { OperatorDictionaryEntry } from "../../domain/money/operator-dictionary.ts"
import { runCommand } from "./command-runner.ts"
import { withFieldFlags } from "./field-flags.ts"

const operatorFlag = Flag.Int("operator").pipe(Flag.withDescription("operator_id"))
const dictionaryFlag = Flag.Literals("dictionary", DictionaryName.literals).pipe(Flag.withDescription("Dictionary"))
const entryIdFlag = Flag.Int("id").pipe(Flag.withDescription("item_id or payment_method_id of the entry"))
const nameFlag = Flag.String("name").pipe(Flag.withDescription("Name of the entry"))

/** With the dictionaries of operators. */
const withDictionaries = <A, E, R>(use: (dictionaries: OperatorDictionaries["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.provide(OperatorDictionaries.use(use), OperatorDictionaries.layer)

/** What a host wrote is quoted, so that nothing in it moves the cursor. */
const formatEntry = (entry: OperatorDictionaryEntry): string =>
  [
    entry.id,
    JSON.stringify(entry.name),
    ...(entry.built_in ? [] : ["own"]),
    ...(entry.renamed_from === null ? [] : [`renamed from ${JSON.stringify(entry.renamed_from)}`]),
    ...(entry.retired ? ["retired"] : [])
  ].join("  ")

const listCommand = Command.make(
  "list",
  {
    operator: operatorFlag,
    dictionary: dictionaryFlag.pipe(Flag.withDescription("Dictionary to list (default: all four)"), Flag.optional)
  },
  ({ operator, dictionary: onlyDictionary }) =>
    runCommand(
      "dictionary list",
      Effect.map(
        withDictionaries((dictionaries) => dictionaries.list(operator)),
        (entriesByDictionary) =>
          Object.fromEntries(
            DictionaryName.literals
              .filter((dictionary) => Option.getOrElse(onlyDictionary, () => dictionary) === dictionary)
              .map((dictionary) => [dictionary, entriesByDictionary[dictionary]])
          )
      ),
      (entriesByDictionary) =>
        Object.entries(entriesByDictionary)
          .map(([dictionary, entries]) =>
            [`${dictionary}:`, ...entries.map((entry) => `  ${formatEntry(entry)}`)].join("\n")
          )
          .join("\n")
    )
).pipe(Command.withDescription("List the categories and payment methods of an operator, including retired ones"))

/** A change of one entry, which answers how it is then. */
const runEntryChange = <E>(
  command: string,
  dictionaryName: DictionaryName,
  change: (dictionaries: OperatorDictionaries["Service"]) => Effect.Effect<OperatorDictionaryEntry, E, CurrentActor>
) =>
  runCommand(
    `dictionary ${command}`,
    Effect.map(withDictionaries(change), (entry) => ({ dictionary: dictionaryName, ...entry })).pipe(
      withFieldFlags({ name: "--name" })
    ),
    (entry) => `${dictionaryName}: ${formatEntry(entry)}`
  )

const addCommand = Command.make(
  "add",
  { operator: operatorFlag, dictionary: dictionaryFlag, name: nameFlag },
  ({ operator, dictionary, name }) =>
    runEntryChange("add", dictionary, (dictionaries) => dictionaries.addEntry(operator, dictionary, name))
).pipe(
  Command.withDescription("Add an entry; prints its id"),
  Command.withExamples([
    {
      command: 'latchkey dictionary add --operator 1 --dictionary income_items --name "Airport transfer"',
      description: "Add a category of income"
    }
  ])
)

const renameCommand = Command.make(
  "rename",
  { operator: operatorFlag, dictionary: dictionaryFlag, id: entryIdFlag, name: nameFlag },
  ({ operator, dictionary, id, name }) =>
    runEntryChange("rename", dictionary, (dictionaries) => dictionaries.updateEntry(operator, dictionary, { id, name }))
).pipe(Command.withDescription("Rename an entry, built-in entries included"))

const retireCommand = Command.make(
  "retire",
  { operator: operatorFlag, dictionary: dictionaryFlag, id: entryIdFlag },
  ({ operator, dictionary, id }) =>
    runEntryChange("retire", dictionary, (dictionaries) =>
      dictionaries.updateEntry(operator, dictionary, { id, retired: true })
    )
).pipe(Command.withDescription("Retire an entry; existing transactions keep it"))

const restoreCommand = Command.make(
  "restore",
  { operator: operatorFlag, dictionary: dictionaryFlag, id: entryIdFlag },
  ({ operator, dictionary, id }) =>
    runEntryChange("restore", dictionary, (dictionaries) =>
      dictionaries.updateEntry(operator, dictionary, { id, retired: false })
    )
).pipe(Command.withDescription("Restore a retired entry"))

export const dictionaryCommand = Command.make("dictionary").pipe(
  Command.withDescription("Manage the categories and payment methods of an operator"),
  Command.withSubcommands([listCommand, addCommand, renameCommand, retireCommand, restoreCommand])
)
