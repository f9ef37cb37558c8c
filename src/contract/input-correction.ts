import { Predicate, Result, SchemaAST } from "effect"
import { isWholeNumber } from "./fields.ts"
import { parseJson } from "./json-text.ts"

// Corrects common mistakes of clients before decoding: `null` for absent fields, and whole numbers and lists as text.

type Corrector = (value: unknown) => unknown

interface CorrectionOptions {
  /** Applies to optional fields whose schema rejects null. */
  readonly nullIsAbsent: boolean
  readonly textIsList: boolean
}

export const makeInputCorrector = (ast: SchemaAST.AST, nullIsAbsent: boolean, textIsList = false): Corrector =>
  correctorFor(ast, { nullIsAbsent, textIsList }) ?? keepUnchanged

const keepUnchanged: Corrector = (value) => value

const correctorFor = (ast: SchemaAST.AST, options: CorrectionOptions): Corrector | undefined => {
  // The encoded side of a transformation describes the received value.
  const [link] = ast.encoding ?? []
  if (link !== undefined) return correctorFor(link.to, options)
  switch (ast._tag) {
    case "Number":
      return ast.checks?.some((check) => check === isWholeNumber) === true ? correctWholeNumber : undefined
    case "Arrays":
      return arrayCorrector(ast, options)
    case "Objects":
      return structCorrector(ast, options)
    case "Union":
      return unionCorrector(ast, options)
    default:
      return undefined
  }
}

const DECIMAL = /^-?\d+$/

const correctWholeNumber: Corrector = (value) => {
  if (typeof value !== "string" || !DECIMAL.test(value)) return value
  const wholeNumber = Number(value)
  return Number.isSafeInteger(wholeNumber) ? wholeNumber : value
}

const arrayCorrector = ({ rest }: SchemaAST.Arrays, options: CorrectionOptions): Corrector | undefined => {
  const [item] = rest
  const correctItem = item === undefined ? undefined : correctorFor(item, options)
  const correctItems: Corrector | undefined =
    correctItem &&
    ((value) => {
      if (!Array.isArray(value)) return value
      const correctedItems = value.map(correctItem)
      return correctedItems.some((each, index) => each !== value[index]) ? correctedItems : value
    })
  return options.textIsList ? (value) => (correctItems ?? keepUnchanged)(parseJsonArray(value)) : correctItems
}

const parseJsonArray: Corrector = (value) => {
  if (typeof value !== "string" || !value.trimStart().startsWith("[")) return value
  const list = parseJson(value)
  return Result.isSuccess(list) && Array.isArray(list.success) ? list.success : value
}

/**
 * If a union has a text member, digits and `[]` stay as text. If it has several object members, the corrector of each
 * would drop the fields of the others, so objects are not corrected.
 */
const unionCorrector = ({ types }: SchemaAST.Union, options: CorrectionOptions): Corrector | undefined => {
  const isText = types.some((type) => SchemaAST.toEncoded(type)._tag === "String")
  const isObject = (type: SchemaAST.AST): boolean => SchemaAST.toEncoded(type)._tag === "Objects"
  const correctable = types.filter(isObject).length > 1 ? types.filter((type) => !isObject(type)) : types
  const correctors = correctable
    .map((type) => correctorFor(type, options))
    .filter((corrector) => corrector !== undefined)
    .filter((corrector) => !(isText && corrector === correctWholeNumber))
  if (correctors.length === 0) return undefined
  return (value) => {
    const corrected = correctors.reduce((partlyCorrected, correct) => correct(partlyCorrected), value)
    return isText && Array.isArray(corrected) && corrected.length === 0 ? value : corrected
  }
}

/** Drops unknown fields, so that thousands of them do not slow down the next steps. */
const structCorrector = (ast: SchemaAST.Objects, options: CorrectionOptions): Corrector | undefined => {
  if (ast.indexSignatures.length > 0) return undefined
  const fields = ast.propertySignatures.map(({ name, type }) => ({
    name: String(name),
    correct: correctorFor(type, options) ?? keepUnchanged,
    isOmitted:
      options.nullIsAbsent && SchemaAST.isOptional(type) && !acceptsNull(type) ? omissionTestFor(type) : () => false
  }))
  return (value) => {
    if (!Predicate.isObject(value)) return value
    const knownFields: Record<string, unknown> = {}
    for (const { name, correct, isOmitted } of fields) {
      if (!Object.hasOwn(value, name)) continue
      const fieldValue = value[name]
      if (!(fieldValue === null && isOmitted(value))) knownFields[name] = correct(fieldValue)
    }
    return knownFields
  }
}

const omissionTestFor = (type: SchemaAST.AST): ((value: object) => boolean) => {
  const narrowingFields = type.context?.annotations?.absenceWidens
  if (narrowingFields === undefined) return () => true
  return (value) => narrowingFields.some((name) => Predicate.hasProperty(value, name) && (value[name] ?? null) !== null)
}

const acceptsNull = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Null" || (ast._tag === "Union" && ast.types.some(acceptsNull))
