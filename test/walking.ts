import { Effect, type Schema, SchemaAST } from "effect"
import { SqlClient } from "effect/sql"
import type { ApiOperation } from "../src/Api.ts"
import { sampleValue, type World } from "./world.ts"

// What every walk over the contract starts from: a valid call of each operation, and what an operator has.

export const fieldsOf = (operation: ApiOperation) => Object.entries<Schema.Top>(operation.payloadSchema.fields)

export const isRequired = (field: Schema.Top): boolean => !SchemaAST.isOptional(field.ast)

/** The required fields of an operation, plus those in `also`, valid in the world. */
export const sample = (
  operation: ApiOperation,
  world: World,
  also: ReadonlyArray<string> = []
): Record<string, unknown> =>
  Object.fromEntries(
    fieldsOf(operation).flatMap(([name, field]) =>
      isRequired(field) || also.includes(name) ? [[name, sampleValue(world, operation, name)]] : []
    )
  )

/** Fields that are optional by themselves and needed beside others: both ends of a range, the currency of an amount, what a part is of. */
export const COMPANIONS = ["start_date", "end_date", "currency", "property_ids"]

/** Every row of an operator in every table that has one, as text: to see that nothing changed. */
export const contents = Effect.fnUntraced(function* (world: World) {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'operator_id' ORDER BY table_name`
  return yield* Effect.forEach(
    tables,
    ({ name }) => sql<{ row: string }>`
      SELECT ${name} || ': ' || t::text AS row FROM ${sql(name)} t WHERE operator_id = ${world.operatorId} ORDER BY 1`
  )
})
