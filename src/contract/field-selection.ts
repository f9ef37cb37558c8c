import { Predicate, Schema, type SchemaAST } from "effect"
import { SELECTED_FIELD_NAME_LENGTH, SELECTED_FIELDS_MAX, SELECTED_FIELDS_TEXT_LENGTH } from "../platform/limits.ts"
import { textUpTo } from "./fields.ts"
import { toPrintableName } from "./printable-name.ts"

// `fields` of a list: which top-level fields of its rows a caller wants. What is not wanted is left out of the answer once it
// is written as JSON, so a family knows nothing of it.

declare module "effect/Schema" {
  namespace Annotations {
    interface Key<T> {
      /** Names the list of the answer whose rows have only the fields that this one names. */
      readonly selectsFieldsOf?: string | undefined
    }
  }
}

type FieldSelection = string | ReadonlyArray<string>

/** The names that are meant; blanks may stand around one. */
const parseFieldNames = (selection: FieldSelection): ReadonlyArray<string> =>
  typeof selection === "string" ? selection.split(",").map((name) => name.trim()) : selection

const findSelectionProblem = (selection: FieldSelection, rowFieldNames: ReadonlyArray<string>): string | undefined => {
  if (selection.length === 0) return "must name a field"
  const unknownName = parseFieldNames(selection).find((name) => !rowFieldNames.includes(name))
  if (unknownName === undefined) return undefined
  const problem =
    unknownName === "" ? "must not contain an empty name" : `there is no field ${toPrintableName(unknownName)}`
  return `${problem}; the fields are ${rowFieldNames.join(", ")}`
}

/** A comma-separated text, as a query has it, or a list of names; at least one name, each of a field that rows have. */
const fieldSelectionSchema = (rowFieldNames: ReadonlyArray<string>) =>
  Schema.Union([
    Schema.Array(textUpTo(SELECTED_FIELD_NAME_LENGTH)).check(
      Schema.isMaxLength(SELECTED_FIELDS_MAX, { expected: `at most ${SELECTED_FIELDS_MAX} names` })
    ),
    textUpTo(SELECTED_FIELDS_TEXT_LENGTH)
  ]).check(
    Schema.makeFilter((selection: FieldSelection) => findSelectionProblem(selection, rowFieldNames), {
      expected: "names of fields",
      toJsonSchema: () => [{}, true]
    })
  )

/** The payload field of a search whose answer has rows of that kind under the name `list`. */
export const fieldsParameter = (list: string, row: { readonly fields: Schema.Struct.Fields }) => ({
  fields: Schema.optionalKey(
    fieldSelectionSchema(Object.keys(row.fields)).annotate({ description: "only these fields, comma-separated" })
  ).annotateKey({
    selectsFieldsOf: list,
    documentation: `Names of the fields that each row of \`${list}\` has: a comma-separated text, or a list. Without it rows have all fields.`
  })
})

/** The list of an operation's answer that a caller may narrow. */
export const selectableListOf = (payload: SchemaAST.AST): string | undefined =>
  payload._tag === "Objects"
    ? payload.propertySignatures.find(({ name }) => name === "fields")?.type.context?.annotations?.selectsFieldsOf
    : undefined

/** Whether a payload asks for some fields alone. */
const selectedFieldsOf = (payload: unknown): ReadonlyArray<string> | undefined => {
  if (!Predicate.hasProperty(payload, "fields")) return undefined
  const { fields } = payload
  return Predicate.isString(fields)
    ? parseFieldNames(fields)
    : Array.isArray(fields)
      ? fields.filter(Predicate.isString)
      : undefined
}

/** The answer with the fields that were asked for, in the order rows have them; as it is where all were. */
export const selectResponseFields =
  (list: string) =>
  (payload: unknown, response: Schema.Json): Schema.Json => {
    const selectedNames = selectedFieldsOf(payload)
    if (selectedNames === undefined || !isJsonObject(response)) return response
    const rows = response[list]
    const selectedNameSet = new Set(selectedNames)
    return Array.isArray(rows) ? { ...response, [list]: rows.map((row) => pickFields(row, selectedNameSet)) } : response
  }

const isJsonObject = (value: Schema.Json): value is { readonly [name: string]: Schema.Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const pickFields = (row: Schema.Json, selectedNameSet: ReadonlySet<string>): Schema.Json =>
  isJsonObject(row) ? Object.fromEntries(Object.entries(row).filter(([name]) => selectedNameSet.has(name))) : row
