import { Predicate } from "effect"
import { describeOperations, type OperationDescription } from "../src/transports/docs/operation-descriptions.ts"

const isArraySchema = (schema: unknown): boolean => Predicate.hasProperty(schema, "type") && schema.type === "array"

/** The list that an operation pages through by offset and limit. */
export const findPagedList = ({ fields, resultSchema }: OperationDescription): string | undefined => {
  if (!fields.some(({ name }) => name === "offset")) return undefined
  const { properties } = resultSchema
  return Predicate.isObject(properties)
    ? Object.entries(properties).find(([, each]) => isArraySchema(each))?.[0]
    : undefined
}

const accessCode = ({ needsToken, isChange }: OperationDescription): string =>
  needsToken ? (isChange ? "k" : "r") : "o"

const routeLine = (operation: OperationDescription): string => {
  const { name, method, path } = operation
  const list = findPagedList(operation)
  return [name, method, path, accessCode(operation), ...(list === undefined ? [] : [list])].join(" ")
}

/**
 * One line per operation: its name, method, path, access code and paged list, if any. Access codes: `o` needs no token, `r` reads, `k`
 * changes something and accepts an idempotency key.
 */
export const ROUTES: string = describeOperations().map(routeLine).join("\n")
