import { Predicate, Schema, type SchemaAST } from "effect"
import { FIELD_NAME, FIELDS_CHOSEN, FIELDS_TEXT } from "../platform/limits.ts"
import { textUpTo } from "./fields.ts"
import { toldName } from "./told-name.ts"

// `fields` of a list: which top-level fields of its rows a caller wants. What is not wanted is left out of the answer once it
// is written as JSON, so a family knows nothing of it.

declare module "effect/Schema" {
  namespace Annotations {
    interface Key<T> {
      /** Names the list of the answer whose rows have only the fields that this one names. */
      readonly choosesFieldsOf?: string | undefined
    }
  }
}

type Chosen = string | ReadonlyArray<string>

/** The names that are meant; blanks may stand around one. */
const namesIn = (chosen: Chosen): ReadonlyArray<string> =>
  typeof chosen === "string" ? chosen.split(",").map((name) => name.trim()) : chosen

const refusalOf = (chosen: Chosen, known: ReadonlyArray<string>): string | undefined => {
  if (chosen.length === 0) return "must name a field"
  const unknown = namesIn(chosen).find((name) => !known.includes(name))
  if (unknown === undefined) return undefined
  const wrong = unknown === "" ? "must not contain an empty name" : `there is no field ${toldName(unknown)}`
  return `${wrong}; the fields are ${known.join(", ")}`
}

/** A comma-separated text, as a query has it, or a list of names; at least one name, each of a field that rows have. */
const FieldNames = (known: ReadonlyArray<string>) =>
  Schema.Union([
    Schema.Array(textUpTo(FIELD_NAME)).check(
      Schema.isMaxLength(FIELDS_CHOSEN, { expected: `at most ${FIELDS_CHOSEN} names` })
    ),
    textUpTo(FIELDS_TEXT)
  ]).check(
    Schema.makeFilter((chosen: Chosen) => refusalOf(chosen, known), {
      expected: "names of fields",
      toJsonSchema: () => [{}, true]
    })
  )

/** The payload field of a search whose answer has rows of that kind under the name `list`. */
export const chosenFields = (list: string, row: { readonly fields: Schema.Struct.Fields }) => ({
  fields: Schema.optionalKey(
    FieldNames(Object.keys(row.fields)).annotate({ description: "only these fields, comma-separated" })
  ).annotateKey({ choosesFieldsOf: list })
})

/** The list of an operation's answer that a caller may narrow. */
export const chosenListOf = (payload: SchemaAST.AST): string | undefined =>
  payload._tag === "Objects"
    ? payload.propertySignatures.find(({ name }) => name === "fields")?.type.context?.annotations?.choosesFieldsOf
    : undefined

/** Whether a payload asks for some fields alone. */
const chosenIn = (payload: unknown): ReadonlyArray<string> | undefined => {
  if (!Predicate.hasProperty(payload, "fields")) return undefined
  const { fields } = payload
  return Predicate.isString(fields)
    ? namesIn(fields)
    : Array.isArray(fields)
      ? fields.filter(Predicate.isString)
      : undefined
}

/** The answer with the fields that were asked for, in the order rows have them; as it is where all were. */
export const narrowed =
  (list: string) =>
  (payload: unknown, answer: Schema.Json): Schema.Json => {
    const names = chosenIn(payload)
    if (names === undefined || !isRecord(answer)) return answer
    const rows = answer[list]
    const wanted = new Set(names)
    return Array.isArray(rows) ? { ...answer, [list]: rows.map((row) => only(row, wanted)) } : answer
  }

const isRecord = (value: Schema.Json): value is { readonly [name: string]: Schema.Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const only = (row: Schema.Json, wanted: ReadonlySet<string>): Schema.Json =>
  isRecord(row) ? Object.fromEntries(Object.entries(row).filter(([name]) => wanted.has(name))) : row
