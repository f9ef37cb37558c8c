import { Predicate, Result, SchemaAST } from "effect"
import { isWhole } from "./fields.ts"
import { parseJson } from "./json-text.ts"

// What clients send is not always what they mean: generated ones write `null` for a field they leave out, and language
// models write a whole number or a list as text. The functions here correct both before the payload is decoded, guided by its schema,
// and drop the fields that the schema does not have.

/** Corrects a value that a client sent. Returns the corrected value. */
type Reading = (value: unknown) => unknown

interface Manner {
  /** Whether `null` counts as absent for an optional field whose schema does not take null. */
  readonly nullIsAbsent: boolean
  /** Whether a field that takes an array also takes the JSON text of one. */
  readonly textIsList: boolean
}

/** Returns the function that corrects a value which a client sent for a schema. */
export const asMeant = (ast: SchemaAST.AST, nullIsAbsent: boolean, textIsList = false): Reading =>
  readingOf(ast, { nullIsAbsent, textIsList }) ?? asSent

const asSent: Reading = (value) => value

const readingOf = (ast: SchemaAST.AST, manner: Manner): Reading | undefined => {
  // Behind a transformation stands what is sent.
  const [link] = ast.encoding ?? []
  if (link !== undefined) return readingOf(link.to, manner)
  switch (ast._tag) {
    case "Number":
      return ast.checks?.some((check) => check === isWhole) === true ? wholeOf : undefined
    case "Arrays":
      return readingOfList(ast, manner)
    case "Objects":
      return readingOfFields(ast, manner)
    case "Union":
      return readingOfChoice(ast, manner)
    default:
      return undefined
  }
}

const DECIMAL = /^-?\d+$/

const wholeOf: Reading = (value) => {
  if (typeof value !== "string" || !DECIMAL.test(value)) return value
  const whole = Number(value)
  return Number.isSafeInteger(whole) ? whole : value
}

const readingOfList = ({ rest }: SchemaAST.Arrays, manner: Manner): Reading | undefined => {
  const [item] = rest
  const read = item === undefined ? undefined : readingOf(item, manner)
  const readItems: Reading | undefined =
    read &&
    ((value) => {
      if (!Array.isArray(value)) return value
      const meant = value.map(read)
      return meant.some((each, index) => each !== value[index]) ? meant : value
    })
  return manner.textIsList ? (value) => (readItems ?? asSent)(listOf(value)) : readItems
}

/** Parses the JSON text of an array. Returns any other value unchanged. */
const listOf: Reading = (value) => {
  if (typeof value !== "string" || !value.trimStart().startsWith("[")) return value
  const list = parseJson(value)
  return Result.isSuccess(list) && Array.isArray(list.success) ? list.success : value
}

/**
 * Combines the readings of the members of a union. If text is a member, digits and `[]` stay text. If several members are objects,
 * none of them is read, because each would drop the fields of the others.
 */
const readingOfChoice = ({ types }: SchemaAST.Union, manner: Manner): Reading | undefined => {
  const isText = types.some((type) => SchemaAST.toEncoded(type)._tag === "String")
  const isObject = (type: SchemaAST.AST): boolean => SchemaAST.toEncoded(type)._tag === "Objects"
  const readable = types.filter(isObject).length > 1 ? types.filter((type) => !isObject(type)) : types
  const reads = readable
    .map((type) => readingOf(type, manner))
    .filter((read) => read !== undefined)
    .filter((read) => !(isText && read === wholeOf))
  if (reads.length === 0) return undefined
  return (value) => {
    const meant = reads.reduce((each, read) => read(each), value)
    return isText && Array.isArray(meant) && meant.length === 0 ? value : meant
  }
}

/** Reads the fields of the schema and drops all others, so that thousands of unknown fields do not slow down the next steps. */
const readingOfFields = (ast: SchemaAST.Objects, manner: Manner): Reading | undefined => {
  if (ast.indexSignatures.length > 0) return undefined
  const fields = ast.propertySignatures.map(({ name, type }) => ({
    name: String(name),
    read: readingOf(type, manner) ?? asSent,
    isOmitted: manner.nullIsAbsent && SchemaAST.isOptional(type) && !takesNull(type) ? isOmittedBy(type) : () => false
  }))
  return (value) => {
    if (!Predicate.isObject(value)) return value
    const known: Record<string, unknown> = {}
    for (const { name, read, isOmitted } of fields) {
      if (!Object.hasOwn(value, name)) continue
      const given = value[name]
      if (!(given === null && isOmitted(value))) known[name] = read(given)
    }
    return known
  }
}

/** Returns whether `null` in the field counts as absent: always, or only if another field narrows the call (`absenceWidens`). */
const isOmittedBy = (type: SchemaAST.AST): ((value: object) => boolean) => {
  const others = type.context?.annotations?.absenceWidens
  if (others === undefined) return () => true
  return (value) => others.some((name) => Predicate.hasProperty(value, name) && (value[name] ?? null) !== null)
}

const takesNull = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Null" || (ast._tag === "Union" && ast.types.some(takesNull))
