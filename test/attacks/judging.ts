import { Schema, SchemaAST } from "effect"
import { ERROR_CODES } from "../../src/contract/errors.ts"
import { type AnyOperation, needsToken, routeOf, usesHttpStatus } from "../../src/contract/operation.ts"
import { toPrintableName } from "../../src/contract/printable-name.ts"
import { operations } from "../../src/service/Api.ts"
import { findSchemaViolation } from "../support/transports/docs/openapi/response-validation.ts"
import type { Fields, Heard } from "./doors.ts"

// What must hold of every answer, whatever was asked.

/** Longest an answer may take, in milliseconds. */
export const LONGEST_ANSWER_MS = 5_000

const CODES: ReadonlySet<number> = new Set([0, ...Object.values(ERROR_CODES), 502, 503, 504])

/** The HTTP statuses of a refused call whose operation declares to have one. */
const REFUSED_STATUSES: ReadonlyArray<number> = [400, 429, 501]

/** What only the inside of the service would say: places in code, modules, statements. A time of day is no place. */
export const INSIDES =
  /\bat .{1,200}[^\d\s]:\d+:\d+|node_modules|\.ts:\d|\b(?:Sql|Pg|Postgres)\w*Error|\bSELECT .* FROM\b|\brelation "|SQLSTATE/

/** Test events have a limit of their own, which no test makes wide. */
const TOO_MANY_TEST_EVENTS = /^Too many test events; the next may be sent in \d+ seconds\.$/

/** What is wrong with an answer to a call with these credentials; nothing, as a rule. */
export const faultsOf = (operation: AnyOperation, heard: Heard, fields: Fields): ReadonlyArray<string> => {
  const { door, reply, envelope } = heard
  const faults: Array<string> = []
  if (reply.status === 0) return [`${door} gives no answer`]
  const isRefused = envelope !== undefined && envelope.error_code !== 0
  const statuses = door === "REST" && usesHttpStatus(operation) && isRefused ? REFUSED_STATUSES : [200]
  if (!statuses.includes(reply.status)) faults.push(`${door} answers HTTP ${reply.status}`)
  if (reply.ms > LONGEST_ANSWER_MS) faults.push(`${door} takes longer than ${LONGEST_ANSWER_MS} ms`)
  if (INSIDES.test(reply.text)) faults.push(`${door} shows its inside`)
  if (envelope === undefined) return [...faults, `${door} answers without an envelope`]
  const { error_code: code, error_msg: message } = envelope
  const isItsOwn = isNamed(operation, fields) && !message.startsWith("No such route")
  const misfit = isItsOwn ? findSchemaViolation(operation._tag, envelope, fields["fields"] !== undefined) : undefined
  if (misfit !== undefined) faults.push(`${door} answers what OpenAPI does not say: ${code} ${misfit}`)
  if (!CODES.has(code)) faults.push(`${door} answers a code that is not in the table, ${code}`)
  if (code === ERROR_CODES.ServerError) faults.push(`${door} answers 500`)
  // Who calls without a token is counted by his address, which no operator's limits make wide.
  const isOwnLimit = operation._tag === "test_webhook" && TOO_MANY_TEST_EVENTS.test(message)
  if (code === ERROR_CODES.RateLimited && needsToken(operation) && !isOwnLimit)
    faults.push(`${door} answers 429 in spite of wide limits`)
  if ((code === 0) !== (message === "")) faults.push(`${door} answers ${code} with the message ${message}`)
  if (isAboutInput(code) && !namesField(operation, fields, message))
    faults.push(`${door} names no field of the operation`)
  return faults
}

const isAboutInput = (code: number): boolean => code === ERROR_CODES.BadRequest || code === ERROR_CODES.ValidationFailed

/** Whether whatever the path names is there to be named; else REST may be led to another operation. */
const isNamed = (operation: AnyOperation, fields: Fields): boolean =>
  routeOf(operation).params.every((name) => fields[name] !== undefined && fields[name] !== "")

/** An operation, and those that a path without its id may lead to instead: `/conversations//preapprovals` is one of a conversation. */
const reachedBy = (operation: AnyOperation): ReadonlyArray<AnyOperation> => {
  const kind = routeOf(operation).path.split("/")[1]
  return operations.filter((each) => routeOf(each).path.split("/")[1] === kind)
}

/** Whether a message mentions a field of the operation, an unknown field that was sent, or a field given twice. */
const namesField = (operation: AnyOperation, sent: Fields, message: string): boolean =>
  reachedBy(operation)
    .flatMap(fieldsOf)
    .some((field) => new RegExp(`\\b${field}\\b`).test(message)) ||
  Object.keys(sent).some((field) => message.includes(`${toPrintableName(field)}: is an unknown field.`)) ||
  / is given twice\.$/.test(message)

export const fieldsOf = (operation: AnyOperation): ReadonlyArray<string> => {
  const { ast } = operation.payloadSchema
  return SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []
}

/** Whether a text means the same in a path or a query as in JSON: a text for a text, a number for a number. */
export const readsAlike = (operation: AnyOperation, field: string, value: unknown): boolean => {
  const { schema } = Schema.toJsonSchemaDocument(operation.payloadSchema)
  const properties = schema.properties
  if (typeof properties !== "object" || properties === null) return false
  const asked: unknown = Reflect.get(properties, field)
  if (asked === undefined) return true
  const type = typeof asked === "object" && asked !== null ? Reflect.get(asked, "type") : undefined
  if (type === "string") return typeof value === "string" && value.isWellFormed()
  return (type === "integer" || type === "number") && typeof value === "number" && Number.isFinite(value)
}
