import { Effect, Schema, SchemaAST } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { jsonParameter } from "./parameters.ts"

// Derives SQL texts from a struct whose fields are the columns of a table.

declare module "effect/Schema" {
  namespace Annotations {
    interface Augment {
      readonly sqlType?: SqlType | undefined
    }
  }
}

type SqlType = "bigint" | "boolean" | "date" | "integer" | "jsonb" | "numeric" | "text" | "time" | "timestamptz"

/** Marks a field as a column. A `numeric` column is decimal text, in rows and in JSON. */
export const column = <Field extends Schema.Top>(type: SqlType, field: Field) => field.annotate({ sqlType: type })

export const columnWithDefault = <Field extends Schema.Constraint & Schema.WithoutConstructorDefault>(
  type: SqlType,
  field: Field,
  defaultValue: Field["~type.make.in"]
) => Schema.withConstructorDefault<Field>(Effect.succeed(defaultValue))(field).annotate({ sqlType: type })

interface TableColumns {
  readonly fields: Schema.Struct.Fields
}

const joinColumns = (
  columns: TableColumns,
  separator: string,
  format: (name: string, type: SqlType) => string
): string =>
  Object.entries(columns.fields)
    .map(([name, field]) => format(name, sqlTypeOf(name, field)))
    .join(separator)

const sqlTypeOf = (name: string, field: Schema.Constraint): SqlType => {
  const type = SchemaAST.resolveAt<SqlType>("sqlType")(field.ast)
  if (type === undefined) throw new Error(`${name} says no type of the database`)
  return type
}

const memoizeText = (
  toText: (columns: TableColumns, table: string) => string
): ((columns: TableColumns, table: string) => string) => {
  const textsByColumns = new WeakMap<TableColumns, Map<string, string>>()
  return (columns, table) => {
    const texts = textsByColumns.get(columns) ?? new Map<string, string>()
    const known = texts.get(table)
    if (known !== undefined) return known
    const text = toText(columns, table)
    textsByColumns.set(columns, texts.set(table, text))
    return text
  }
}

const namesText = memoizeText((columns, table) =>
  joinColumns(columns, ", ", (name) => (table === "" ? name : `${table}.${name}`))
)

/** Returns `a, b`, or with a table `t.a, t.b`. */
export const columnNames = (columns: TableColumns, table = ""): string => namesText(columns, table)

const definitionsText = memoizeText((columns) => joinColumns(columns, ", ", (name, type) => `${name} ${type}`))

/** Returns `a bigint, b text`, as `jsonb_to_recordset` needs it. */
export const columnDefinitions = (columns: TableColumns): string => definitionsText(columns, "")

/**
 * Returns a FROM item `given` with one row as one parameter. Properties without a column are ignored; missing columns
 * are null.
 */
export const rowParameterSql = (sql: SqlClient, columns: TableColumns, row: object): Fragment =>
  sql`jsonb_to_record(${jsonParameter(row)}::jsonb) AS given (${sql.literal(columnDefinitions(columns))})`

/** Returns `a = given.a, b = given.b`. */
export const columnAssignments = memoizeText((columns, source) =>
  joinColumns(columns, ", ", (name) => `${name} = ${source}.${name}`)
)

/** Returns `'a', t.a, 'b', t.b::text`, as `jsonb_build_object` needs it. */
export const jsonObjectPairs = memoizeText((columns, table) =>
  joinColumns(columns, ", ", (name, type) => `'${name}', ${table}.${name}${type === "numeric" ? "::text" : ""}`)
)

/**
 * Returns expressions for columns that are read in another form than stored: a time as hour and minute, an amount as
 * text.
 */
export const columnReadExpressions = (
  sql: SqlClient,
  columns: TableColumns,
  table: string
): { readonly [name: string]: Fragment } =>
  Object.fromEntries(
    Object.entries(columns.fields).flatMap(([name, field]) => {
      const toExpression = toReadExpression[sqlTypeOf(name, field)]
      return toExpression === undefined ? [] : [[name, sql.literal(toExpression(`${table}.${name}`))]]
    })
  )

const toReadExpression: { readonly [Type in SqlType]?: (column: string) => string } = {
  numeric: (amount) => `${amount}::text`,
  time: (time) => hourAndMinuteSql(time)
}

const hourAndMinuteSql = (time: string): string =>
  `CASE WHEN ${time} IS NOT NULL THEN jsonb_build_object(
    'hour', extract(hour FROM ${time})::int, 'minute', extract(minute FROM ${time})::int) END`

/** Returns `a = $1::type` for each value and `a = t.a` for each undefined one. Values without a column are ignored. */
export const updateAssignments = (
  sql: SqlClient,
  columns: TableColumns,
  table: string,
  values: { readonly [name: string]: unknown }
): Fragment =>
  sql.csv(
    Object.entries(columns.fields).map(([name, field]) => {
      const value = values[name]
      return value === undefined
        ? sql`${sql.literal(`${name} = ${table}.${name}`)}`
        : sql`${sql.literal(name)} = ${value}::${sql.literal(sqlTypeOf(name, field))}`
    })
  )
