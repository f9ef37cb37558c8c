import { Effect, Schema, SchemaAST } from "effect"
import { SqlClient } from "effect/sql"
import { isImmutableField } from "../../src/contract/immutable-fields.ts"
import { isChange, isConsoleOnly, needsToken } from "../../src/contract/operation.ts"
import { type ApiOperation, consoleOperations, operations } from "../../src/service/Api.ts"
import { callAsPerson } from "./console-caller.ts"
import { call } from "./harness.ts"
import {
  EXCLUSIVE_FIELDS,
  findSampleValue,
  NON_REFERENCE_FIELDS,
  PAIRED_FIELDS,
  REFERENCE_FIELDS,
  requireSampleValue,
  type SampleWorld
} from "./sample-world.ts"

// Every contract test starts from these: a valid call of each operation, and the records of an operator.

/**
 * What a caller does for an operator, by a token, and what is called without one. Of the latter only that holds which needs no
 * operator: how its input is read, what it says of itself, and that no token makes a difference. No key belongs to it and no trail.
 */
export const tokenOperations = operations.filter(needsToken)
export const anonymousOperations = operations.filter((operation) => !needsToken(operation))

/** Those of programs, and those of people at the console. */
export const everyOperation: ReadonlyArray<ApiOperation> = [...operations, ...consoleOperations]

/** The answer to a call of the operator's own: by its token, or at the console what only people can call. */
export const callAsOwner = (
  owner: Pick<SampleWorld, "operatorId" | "accountId" | "token">,
  operation: ApiOperation,
  fields: Record<string, unknown>
) =>
  isConsoleOnly(operation)
    ? callAsPerson({ operatorId: owner.operatorId, accountId: owner.accountId }, operation._tag, fields)
    : call(owner.token, operation._tag, fields)

/** Operations that decide in a transaction which begins by locking their operator or record; all others change by one statement. */
export const OPERATIONS_UNDER_LOCK: ReadonlySet<string> = new Set([
  ...["create_category", "update_category", "set_listing_mapping", "set_base_prices", "update_property"],
  ...["create_imported_calendar", "delete_imported_calendar", "accept_imported_calendar", "create_property_feed"]
])

/** What changes something of an operator's. */
export const changeOperations = tokenOperations.filter(isChange)

export const payloadFieldsOf = (operation: ApiOperation) => Object.entries<Schema.Top>(operation.payloadSchema.fields)

/** Also of a field that only another one makes optional. */
export const isRequired = (field: Schema.Top): boolean =>
  !SchemaAST.isOptional(field.ast) || Schema.resolveAnnotationsKey(field)?.requiredUnless !== undefined

/** The required fields of an operation, plus those in `also`, valid in the world. */
export const makeSampleFields = (
  operation: ApiOperation,
  world: SampleWorld,
  extraFields: ReadonlyArray<string> = []
): Record<string, unknown> => {
  const exclusiveFields = EXCLUSIVE_FIELDS[operation._tag] ?? []
  const chosenField = exclusiveFields.find((name) => extraFields.includes(name)) ?? exclusiveFields[0]
  const chosenFields = [chosenField, PAIRED_FIELDS[chosenField ?? ""]]
  return Object.fromEntries(
    payloadFieldsOf(operation).flatMap(([name, field]) => {
      if (isRequired(field) || chosenFields.includes(name)) return [[name, requireSampleValue(world, operation, name)]]
      return extraFields.includes(name) ? [[name, findSampleValue(world, operation, name)]] : []
    })
  )
}

/** Fields that are optional by themselves and needed beside others: both ends of a range, the currency of an amount, what a part is of, who calls. */
export const COMPANION_FIELDS = ["start_date", "end_date", "currency", "property_ids", "client_id", "client_secret"]

/** In the place of every text that says nothing of a record. */
const SAMPLE_TEXT = "Told in confidence"

const isMutableText = (field: Schema.Top): boolean => Schema.is(field)(SAMPLE_TEXT) && !isImmutableField(field)

/** A good call that changes something, with a text wherever it takes one. */
export const makeSampleChange = (operation: ApiOperation, world: SampleWorld): Record<string, unknown> => {
  const optional = payloadFieldsOf(operation).filter(
    ([name, field]) => !REFERENCE_FIELDS.has(name) && !NON_REFERENCE_FIELDS.has(name) && isMutableText(field)
  )
  const texts = optional.map(([name]) => [name, findSampleValue(world, operation, name) ?? SAMPLE_TEXT])
  const edit = world.edits[operation._tag] ?? {}
  return { ...Object.fromEntries(texts), ...makeSampleFields(operation, world, COMPANION_FIELDS), ...edit }
}

/** What is answered, but for what is shown once and the word about it in its place. */
export const formatWithoutOneTimeValues = (data: unknown): string =>
  JSON.stringify(data, (name, value: unknown) => (ONE_TIME_FIELDS.has(name) ? undefined : value))

const ONE_TIME_FIELDS: ReadonlySet<string> = new Set(["secret", "secret_note", "token", "code"])

/** The rows of an operator in a table, as text. */
export interface TableContents {
  readonly table: string
  readonly rows: ReadonlyArray<string>
}

/** Every row of an operator in every table that has one: to see that nothing changed. */
export const loadTableContents = Effect.fnUntraced(function* (world: SampleWorld) {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'operator_id' ORDER BY table_name`
  return yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(
      sql<{
        row: string
      }>`SELECT t::text AS row FROM ${sql(name)} t WHERE operator_id = ${world.operatorId} ORDER BY 1`,
      (rows): TableContents => ({ table: name, rows: rows.map(({ row }) => row) })
    )
  )
})
