import { Predicate, Result, SchemaAST } from "effect"
import { isWhole } from "./fields.ts"
import { parseJson } from "./json-text.ts"

// What clients send is not always what they mean: generated ones write `null` for a field they leave out, and language
// models write a whole number or a list as text. All are set right before the payload's schema looks, by what the schema says. What the
// schema does not know is dropped.

/** The value as it was meant. */
type Reading = (value: unknown) => unknown

interface Manner {
  /** Whether `null` means "not given" for an optional field that says nothing else about it. */
  readonly nullIsAbsent: boolean
  /** Whether the JSON text of an array is the array, for a field that takes one. */
  readonly textIsList: boolean
}

/** Returns the reading that sets right what is sent for a schema. */
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

/** The array that a JSON text stands for. Any other value, also a text that is no array, stays as it is. */
const listOf: Reading = (value) => {
  if (typeof value !== "string" || !value.trimStart().startsWith("[")) return value
  const list = parseJson(value)
  return Result.isSuccess(list) && Array.isArray(list.success) ? list.success : value
}

/**
 * Each member knows its own kind of value. Where text is a choice of its own, digits and `[]`, which lists
 * nothing, are text. Of several kinds of objects none is read, as each would drop the fields of the others.
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

/**
 * Reads the fields that the schema knows and drops all others: nobody would look at them, and twenty thousand of them would cost
 * every further step more than what they came with.
 */
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

/** Whether `null` leaves the field out of a value: always, or only beside another field that narrows the call. */
const isOmittedBy = (type: SchemaAST.AST): ((value: object) => boolean) => {
  const others = type.context?.annotations?.absenceWidens
  if (others === undefined) return () => true
  return (value) => others.some((name) => Predicate.hasProperty(value, name) && (value[name] ?? null) !== null)
}

const takesNull = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Null" || (ast._tag === "Union" && ast.types.some(takesNull))
