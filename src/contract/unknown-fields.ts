import { Predicate, type SchemaAST } from "effect"
import { REPORTED_FIELDS_MAX } from "../platform/limits.ts"
import { BadRequest } from "./errors.ts"
import { toPrintableName } from "./printable-name.ts"

export const explainUnknownField = (_field: string): string => "is an unknown field."

/** The check descends into objects and lists of objects, but not into unions. */
export const makeUnknownFieldCheck = (
  ast: SchemaAST.AST,
  explain: (field: string) => string = explainUnknownField
): ((input: unknown) => BadRequest | undefined) => {
  const listUnknownFields = makeUnknownFieldList(ast)
  return (input) => {
    const messages = listUnknownFields(input, "")
      .slice(0, REPORTED_FIELDS_MAX)
      .map((field) => `${field}: ${explain(field)}`)
    return messages.length === 0 ? undefined : new BadRequest({ message: messages.join(" ") })
  }
}

type UnknownFieldList = (value: unknown, path: string) => ReadonlyArray<string>

const makeUnknownFieldList = (ast: SchemaAST.AST): UnknownFieldList => {
  if (ast._tag === "Arrays") return makeItemFieldList(ast)
  if (ast._tag !== "Objects" || ast.indexSignatures.length > 0) return () => []
  const fields = new Map(ast.propertySignatures.map(({ name, type }) => [String(name), makeUnknownFieldList(type)]))
  return (value, path) => {
    if (!Predicate.isObject(value)) return []
    const prefix = path === "" ? "" : `${path}.`
    const unknownNames = Object.keys(value).filter((name) => !fields.has(name))
    return [
      ...unknownNames.slice(0, REPORTED_FIELDS_MAX).map((name) => `${prefix}${toPrintableName(name)}`),
      ...Array.from(fields).flatMap(([name, listUnknown]) =>
        listUnknown(Object.hasOwn(value, name) ? value[name] : undefined, `${prefix}${name}`)
      )
    ]
  }
}

const makeItemFieldList = ({ rest: [item] }: SchemaAST.Arrays): UnknownFieldList => {
  // Most lists have texts or ids, which need no visit.
  if (item?._tag !== "Objects") return () => []
  const listUnknown = makeUnknownFieldList(item)
  return (value, path) =>
    Array.isArray(value) ? value.flatMap((each, index) => listUnknown(each, `${path}[${index}]`)) : []
}
