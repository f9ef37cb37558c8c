import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { nameKeyOf } from "../contract/names.ts"
import { partOf, type Value } from "../database/forms.ts"

// Rows that are called by a name, which is compared by its key (migration 0069). A row without a key is compared by its exact
// name, so every look-up asks for both and prefers the exact one.

/** The key of a name as a parameter. */
export const keyOf = (sql: SqlClient, name: Value<string>): Fragment => sql`${partOf(name, nameKeyOf)}::text`

/** Whether a row has this name; `column` is its column for the name, and `row` has both that and `name_key`. */
export const isNamed = (sql: SqlClient, row: string, column: string, name: Value<string>): Fragment =>
  sql`(${sql(row)}.${sql(column)} = ${name} OR ${sql(row)}.name_key = ${keyOf(sql, name)})`

/** For ORDER BY: the row of exactly this name comes first, then the oldest. */
export const exactFirst = (sql: SqlClient, row: string, column: string, name: Value<string>): Fragment =>
  sql`${sql(row)}.${sql(column)} = ${name} DESC, ${sql(row)}.id`

/** For SET of an UPDATE of the row: a name that is not sent, or is the present one, leaves the key alone. */
export const renamedTo = (sql: SqlClient, row: string, name: Value<string> | undefined): Fragment =>
  name === undefined
    ? sql`name = ${sql(row)}.name`
    : sql`name = ${name}::text,
        name_key = CASE WHEN ${sql(row)}.name = ${name} THEN ${sql(row)}.name_key ELSE ${keyOf(sql, name)} END`
