import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { nameKeyOf } from "../contract/names.ts"

// Names are compared by a key (`nameKeyOf`, stored since migration 0069), or exactly if the row has no key. Every
// look-up compares both and prefers the exact name.

export const nameKeyParameter = (sql: SqlClient, name: string): Fragment => sql`${nameKeyOf(name)}::text`

export const hasNameCondition = (sql: SqlClient, row: string, column: string, name: string): Fragment =>
  sql`(${sql(row)}.${sql(column)} = ${name} OR ${sql(row)}.name_key = ${nameKeyParameter(sql, name)})`

export const exactNameFirstOrder = (sql: SqlClient, row: string, column: string, name: string): Fragment =>
  sql`${sql(row)}.${sql(column)} = ${name} DESC, ${sql(row)}.id`

/** A missing or unchanged name keeps the key. */
export const renameAssignments = (sql: SqlClient, row: string, name: string | undefined): Fragment =>
  name === undefined
    ? sql`name = ${sql(row)}.name`
    : sql`name = ${name}::text,
        name_key = CASE WHEN ${sql(row)}.name = ${name} THEN ${sql(row)}.name_key ELSE ${nameKeyParameter(sql, name)} END`
