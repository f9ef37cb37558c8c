import { Predicate, Schema, type SchemaAST } from "effect"
import { SELECTED_FIELD_NAME_LENGTH, SELECTED_FIELDS_MAX, SELECTED_FIELDS_TEXT_LENGTH } from "../platform/limits.ts"
import { textUpTo } from "./fields.ts"
import { toPrintableName } from "./printable-name.ts"

// Fields are removed from the encoded response, so handlers ignore the `fields` parameter.

declare module "effect/Schema" {
  namespace Annotations {
    interface Key<T> {
      readonly selectsFieldsOf?: string | undefined
    }
  }
}

type FieldSelection = string | ReadonlyArray<string>

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

export const fieldsParameter = (list: string, row: { readonly fields: Schema.Struct.Fields }) => ({
  fields: Schema.optionalKey(
    fieldSelectionSchema(Object.keys(row.fields)).annotate({ description: "only these fields, comma-separated" })
  ).annotateKey({
    selectsFieldsOf: list,
    documentation: `Names of the fields that each row of \`${list}\` has: a comma-separated text, or a list. Without it rows have all fields.`
  })
})

export const selectableListOf = (payload: SchemaAST.AST): string | undefined =>
  payload._tag === "Objects"
    ? payload.propertySignatures.find(({ name }) => name === "fields")?.type.context?.annotations?.selectsFieldsOf
    : undefined

const selectedFieldsOf = (payload: unknown): ReadonlyArray<string> | undefined => {
  if (!Predicate.hasProperty(payload, "fields")) return undefined
  const { fields } = payload
  return Predicate.isString(fields)
    ? parseFieldNames(fields)
    : Array.isArray(fields)
      ? fields.filter(Predicate.isString)
      : undefined
}

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
