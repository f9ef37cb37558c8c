import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { nameKeyOf } from "../contract/names.ts"

// Rows with a name that is compared by a key (migration 0069). A row without a key is compared by its exact name. So every
// look-up compares both and prefers the exact name.

/** Returns the comparison key of a name as a statement parameter. */
export const nameKeyParameter = (sql: SqlClient, name: string): Fragment => sql`${nameKeyOf(name)}::text`

/** Returns the condition that a row has this name. `row` is an alias that has `name_key` and the `column` of the name. */
export const hasNameCondition = (sql: SqlClient, row: string, column: string, name: string): Fragment =>
  sql`(${sql(row)}.${sql(column)} = ${name} OR ${sql(row)}.name_key = ${nameKeyParameter(sql, name)})`

/** Returns the terms of an ORDER BY: the row with exactly this name first, then the oldest. */
export const exactNameFirstOrder = (sql: SqlClient, row: string, column: string, name: string): Fragment =>
  sql`${sql(row)}.${sql(column)} = ${name} DESC, ${sql(row)}.id`

/** Returns the assignments of an UPDATE that renames the row. A name that is missing or unchanged keeps the key. */
export const renameAssignments = (sql: SqlClient, row: string, name: string | undefined): Fragment =>
  name === undefined
    ? sql`name = ${sql(row)}.name`
    : sql`name = ${name}::text,
        name_key = CASE WHEN ${sql(row)}.name = ${name} THEN ${sql(row)}.name_key ELSE ${nameKeyParameter(sql, name)} END`
