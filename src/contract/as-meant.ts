import { Predicate, SchemaAST } from "effect"
import { isWhole } from "./fields.ts"

// What clients send is not always what they mean: generated ones write `null` for a field they leave out, and language
// models write a whole number as text. Both are set right before the payload's schema looks, by what the schema says.

/** The value as it was meant; the very same one when nothing is to be set right. */
type Reading = (value: unknown) => unknown

/** `nullIsAbsent`: whether `null` means "not given" for an optional field that says nothing else about it. */
export const asMeant = (ast: SchemaAST.AST, nullIsAbsent: boolean): Reading => readingOf(ast, nullIsAbsent) ?? asSent

const asSent: Reading = (value) => value

const readingOf = (ast: SchemaAST.AST, nullIsAbsent: boolean): Reading | undefined => {
  // Behind a transformation stands what is sent.
  const [link] = ast.encoding ?? []
  if (link !== undefined) return readingOf(link.to, nullIsAbsent)
  switch (ast._tag) {
    case "Number":
      return ast.checks?.some((check) => check === isWhole) === true ? wholeOf : undefined
    case "Arrays":
      return readingOfList(ast, nullIsAbsent)
    case "Objects":
      return readingOfFields(ast, nullIsAbsent)
    case "Union":
      return readingOfChoice(ast, nullIsAbsent)
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

const readingOfList = ({ rest }: SchemaAST.Arrays, nullIsAbsent: boolean): Reading | undefined => {
  const [item] = rest
  const read = item === undefined ? undefined : readingOf(item, nullIsAbsent)
  if (read === undefined) return undefined
  return (value) => {
    if (!Array.isArray(value)) return value
    const meant = value.map(read)
    return meant.some((each, index) => each !== value[index]) ? meant : value
  }
}

/** Each member knows its own kind of value. Where text is a choice of its own, digits are text. */
const readingOfChoice = ({ types }: SchemaAST.Union, nullIsAbsent: boolean): Reading | undefined => {
  const isText = types.some((type) => SchemaAST.toEncoded(type)._tag === "String")
  const reads = types
    .map((type) => readingOf(type, nullIsAbsent))
    .filter((read) => read !== undefined)
    .filter((read) => !(isText && read === wholeOf))
  return reads.length === 0 ? undefined : (value) => reads.reduce((meant, read) => read(meant), value)
}

const readingOfFields = (ast: SchemaAST.Objects, nullIsAbsent: boolean): Reading | undefined => {
  const reads = new Map<string, Reading>()
  const omitted = new Set<string>()
  for (const { name, type } of ast.propertySignatures) {
    const read = readingOf(type, nullIsAbsent)
    if (read !== undefined) reads.set(String(name), read)
    if (nullIsAbsent && isOmittedByNull(type)) omitted.add(String(name))
  }
  if (reads.size === 0 && omitted.size === 0) return undefined
  return (value) => {
    if (!Predicate.isObject(value)) return value
    let meant: Record<PropertyKey, unknown> | undefined
    for (const name of Object.keys(value)) {
      const given = value[name]
      if (given === null && omitted.has(name)) {
        meant ??= { ...value }
        delete meant[name]
        continue
      }
      const each = reads.get(name)?.(given) ?? given
      if (each === given) continue
      meant ??= { ...value }
      meant[name] = each
    }
    return meant ?? value
  }
}

const isOmittedByNull = (type: SchemaAST.AST): boolean =>
  SchemaAST.isOptional(type) && type.context?.annotations?.absenceWidens !== true && !takesNull(type)

const takesNull = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Null" || (ast._tag === "Union" && ast.types.some(takesNull))
