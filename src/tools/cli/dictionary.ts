import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import {
  type Category,
  create_category,
  list_categories,
  update_category
} from "../../domain/money/category-contract.ts"
import { DictionaryName } from "../../domain/money/dictionaries.ts"
import { callOperation, runOperationCommand } from "./operation-call.ts"

const operatorFlag = Flag.Int("operator").pipe(Flag.withDescription("operator_id"))
const dictionaryFlag = Flag.Literals("dictionary", DictionaryName.literals).pipe(Flag.withDescription("Dictionary"))
const entryIdFlag = Flag.Int("id").pipe(Flag.withDescription("item_id or payment_method_id of the entry"))
const nameFlag = Flag.String("name").pipe(Flag.withDescription("Name of the entry"))

const FLAGS = { dictionary: "--dictionary", id: "--id", name: "--name" } as const

const toEntry = ({ id, name, is_built_in, renamed_from, is_retired }: Category) => ({
  id,
  name,
  built_in: is_built_in,
  renamed_from,
  retired: is_retired
})
type DictionaryEntry = ReturnType<typeof toEntry>

/** `JSON.stringify` keeps control characters away from the terminal. */
const formatEntry = (entry: DictionaryEntry): string =>
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
    runOperationCommand(
      "dictionary list",
      Effect.map(
        callOperation(list_categories, operator, { dictionary: Option.getOrUndefined(onlyDictionary) }, FLAGS),
        ({ categories }) =>
          Object.fromEntries(
            DictionaryName.literals
              .filter((dictionary) => Option.getOrElse(onlyDictionary, () => dictionary) === dictionary)
              .map((dictionary) => [
                dictionary,
                categories.filter((category) => category.dictionary === dictionary).map(toEntry)
              ])
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

const runEntryChange = (
  command: string,
  operatorId: number,
  operation: typeof create_category | typeof update_category,
  fields: {
    readonly dictionary: DictionaryName
    readonly id?: number
    readonly name?: string
    readonly is_retired?: boolean
  }
) =>
  runOperationCommand(
    `dictionary ${command}`,
    Effect.map(callOperation(operation, operatorId, fields, FLAGS), ({ category }) => ({
      dictionary: category.dictionary,
      ...toEntry(category)
    })),
    (entry) => `${entry.dictionary}: ${formatEntry(entry)}`
  )

const addCommand = Command.make(
  "add",
  { operator: operatorFlag, dictionary: dictionaryFlag, name: nameFlag },
  ({ operator, dictionary, name }) => runEntryChange("add", operator, create_category, { dictionary, name })
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
  ({ operator, dictionary, id, name }) => runEntryChange("rename", operator, update_category, { dictionary, id, name })
).pipe(Command.withDescription("Rename an entry, built-in entries included"))

const retireCommand = Command.make(
  "retire",
  { operator: operatorFlag, dictionary: dictionaryFlag, id: entryIdFlag },
  ({ operator, dictionary, id }) =>
    runEntryChange("retire", operator, update_category, { dictionary, id, is_retired: true })
).pipe(Command.withDescription("Retire an entry; existing transactions keep it"))

const restoreCommand = Command.make(
  "restore",
  { operator: operatorFlag, dictionary: dictionaryFlag, id: entryIdFlag },
  ({ operator, dictionary, id }) =>
    runEntryChange("restore", operator, update_category, { dictionary, id, is_retired: false })
).pipe(Command.withDescription("Restore a retired entry"))

export const dictionaryCommand = Command.make("dictionary").pipe(
  Command.withDescription("Manage the categories and payment methods of an operator"),
  Command.withSubcommands([listCommand, addCommand, renameCommand, retireCommand, restoreCommand])
)
