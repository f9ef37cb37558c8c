import { Predicate, type SchemaAST } from "effect"
import { REPORTED_FIELDS_MAX } from "../platform/limits.ts"
import { BadRequest } from "./errors.ts"
import { toPrintableName } from "./printable-name.ts"

export const explainUnknownField = (_field: string): string => "is an unknown field."

/** The check descends into objects, but not into lists and unions. */
export const makeUnknownFieldCheck = (
  ast: SchemaAST.AST,
  explain: (field: string) => string = explainUnknownField
): ((input: unknown) => BadRequest | undefined) => {
  const listUnknownFields = makeUnknownFieldList(ast, "")
  return (input) => {
    const messages = listUnknownFields(input)
      .slice(0, REPORTED_FIELDS_MAX)
      .map((field) => `${field}: ${explain(field)}`)
    return messages.length === 0 ? undefined : new BadRequest({ message: messages.join(" ") })
  }
}

const makeUnknownFieldList = (ast: SchemaAST.AST, prefix: string): ((value: unknown) => ReadonlyArray<string>) => {
  if (ast._tag !== "Objects" || ast.indexSignatures.length > 0) return () => []
  const fields = new Map(
    ast.propertySignatures.map(({ name, type }) => [
      String(name),
      makeUnknownFieldList(type, `${prefix}${String(name)}.`)
    ])
  )
  return (value) => {
    if (!Predicate.isObject(value)) return []
    const unknownNames = Object.keys(value).filter((name) => !fields.has(name))
    return [
      ...unknownNames.slice(0, REPORTED_FIELDS_MAX).map((name) => `${prefix}${toPrintableName(name)}`),
      ...Array.from(fields).flatMap(([name, listUnknown]) =>
        listUnknown(Object.hasOwn(value, name) ? value[name] : undefined)
      )
    ]
  }
}
