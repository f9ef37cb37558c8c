import { Predicate } from "effect"
import { type Described, operationsOf } from "../described.ts"

// What a client must know of each operation to call it: a line, its words apart by blanks.

const isList = (schema: unknown): boolean => Predicate.hasProperty(schema, "type") && schema.type === "array"

/** The list that an operation pages through by offset and limit. */
export const pagedListOf = ({ fields, answer }: Described): string | undefined => {
  if (!fields.some(({ name }) => name === "offset")) return undefined
  const { properties } = answer
  return Predicate.isObject(properties) ? Object.entries(properties).find(([, each]) => isList(each))?.[0] : undefined
}

const kindOf = ({ needsToken, changes }: Described): string => (needsToken ? (changes ? "k" : "r") : "o")

const lineOf = (operation: Described): string => {
  const { name, method, path } = operation
  const list = pagedListOf(operation)
  return [name, method, path, kindOf(operation), ...(list === undefined ? [] : [list])].join(" ")
}

export const routesText = (): string => operationsOf().map(lineOf).join("\n")
