import { Predicate, type Schema, type SchemaAST } from "effect"
import { toPrintableName } from "../../contract/printable-name.ts"
import { REPORTED_NAMES_MAX } from "../../platform/limits.ts"
import { findNearestName } from "./nearest-name.ts"

// Tools ignore unknown arguments (contract facts 0.1). The notice names them, because callers may expect an effect.

export const makeUnknownArgumentNotice = (payload: Schema.Constraint): ((fields: unknown) => string | undefined) => {
  const checkPayload = makeCheck(payload.ast)
  return (fields) => {
    const unknowns = new UnknownArguments()
    checkPayload(fields, "", unknowns)
    if (unknowns.count === 0) return undefined
    const reported = unknowns.first.map(({ path, name, unusedNames }) => {
      const suggestion = findNearestName(toPrintableName(name), unusedNames)
      return { name: `${path}${toPrintableName(name)}`, near: suggestion === undefined ? [] : [`${path}${suggestion}`] }
    })
    const moreText = unknowns.count > REPORTED_NAMES_MAX ? ` and ${unknowns.count - REPORTED_NAMES_MAX} more` : ""
    const allSuggestions = new Set(reported.flatMap(({ near }) => near))
    const suggestionText = allSuggestions.size === 0 ? "" : ` Did you mean ${Array.from(allSuggestions).join(", ")}?`
    return `Ignored: ${reported.map(({ name }) => name).join(", ")}${moreText}.${suggestionText}`
  }
}

interface UnknownArgument {
  /** Path of the containing object, with a dot at its end. */
  readonly path: string
  readonly name: string
  readonly unusedNames: ReadonlyArray<string>
}

class UnknownArguments {
  count = 0
  readonly first: Array<UnknownArgument> = []

  add(unknown: () => UnknownArgument): void {
    this.count++
    if (this.count <= REPORTED_NAMES_MAX) this.first.push(unknown())
  }
}

type ArgumentCheck = (value: unknown, path: string, unknowns: UnknownArguments) => void

const noCheck: ArgumentCheck = () => {}

const makeCheck = (ast: SchemaAST.AST): ArgumentCheck => {
  switch (ast._tag) {
    case "Union":
      return makeUnionCheck(ast.types.map(makeCheck))
    case "Arrays":
      return makeListCheck(ast.rest.map(makeCheck))
    case "Objects":
      return ast.indexSignatures.length > 0 ? noCheck : makeFieldsCheck(ast)
    default:
      return noCheck
  }
}

/** Checks only unions with one object member, such as "an object or null". */
const makeUnionCheck = (checks: ReadonlyArray<ArgumentCheck>): ArgumentCheck => {
  const [check = noCheck, ...others] = checks.filter((each) => each !== noCheck)
  return others.length === 0 ? check : noCheck
}

const makeListCheck = ([checkItem = noCheck]: ReadonlyArray<ArgumentCheck>): ArgumentCheck =>
  checkItem === noCheck
    ? noCheck
    : (value, path, unknowns) => {
        if (!Array.isArray(value)) return
        value.forEach((each, index) => {
          checkItem(each, `${path.slice(0, -1)}[${index}].`, unknowns)
        })
      }

/** Immutable fields count as known, but are never suggested. */
const makeFieldsCheck = ({ propertySignatures }: SchemaAST.Objects): ArgumentCheck => {
  const fieldChecks = new Map(propertySignatures.map(({ name, type }) => [String(name), makeCheck(type)]))
  const suggestableNames = propertySignatures
    .filter(({ type }) => type.context?.annotations?.isImmutable !== true)
    .map(({ name }) => String(name))
  return (value, path, unknowns) => {
    if (!Predicate.isObject(value)) return
    for (const name of Object.keys(value)) {
      const checkField = fieldChecks.get(name)
      if (checkField !== undefined) checkField(value[name], `${path}${name}.`, unknowns)
      else
        unknowns.add(() => ({
          path,
          name,
          unusedNames: suggestableNames.filter((candidate) => !Object.hasOwn(value, candidate))
        }))
    }
  }
}
