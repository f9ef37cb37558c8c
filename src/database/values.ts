import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** Values by the column they go into: parameters, or SQL. What is undefined is left out. */
export type ColumnValues = Readonly<Record<string, unknown>>

const given = (columns: ColumnValues): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(columns).filter(([, value]) => value !== undefined)

/** Of the values those that are in the row: an object may have more than its type says, and none of that is a column. */
export const inRow = (row: { readonly fields: object }, values: ColumnValues): ColumnValues =>
  Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(row.fields, name)))

/** What stands behind SET. */
export const assigning = (sql: SqlClient, columns: ColumnValues): Fragment =>
  sql.csv(given(columns).map(([name, value]) => sql`${sql(name)} = ${value}`))

/** Their columns, between the brackets of an INSERT. */
export const columnsOf = (sql: SqlClient, columns: ColumnValues): Fragment =>
  sql.csv(given(columns).map(([name]) => sql`${sql(name)}`))

/** Their values in the same order, behind its SELECT. */
export const valuesOf = (sql: SqlClient, columns: ColumnValues): Fragment =>
  sql.csv(given(columns).map(([, value]) => sql`${value}`))
