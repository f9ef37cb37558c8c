import { Effect, Schema, SchemaAST } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { jsonParameter } from "./parameters.ts"

// A table's columns are the fields of a Schema.Struct, each with the type the database has for it. What a statement says
// of them (names, the types of a JSON parameter, assignments, a JSON object) is derived, so that one more column is one
// more field. Names are the same in the database, in rows and in the contract.

declare module "effect/Schema" {
  namespace Annotations {
    interface Augment {
      readonly sqlType?: SqlType | undefined
    }
  }
}

type SqlType = "bigint" | "boolean" | "date" | "integer" | "jsonb" | "numeric" | "text" | "time" | "timestamptz"

/** A field that is a column of that type. Amounts (`numeric`) are decimal text, in rows and in JSON. */
export const column = <Field extends Schema.Top>(type: SqlType, field: Field) => field.annotate({ sqlType: type })

/** The same, with what a new row has in it of which nothing is said about this column. */
export const columnWithDefault = <Field extends Schema.Constraint & Schema.WithoutConstructorDefault>(
  type: SqlType,
  field: Field,
  defaultValue: Field["~type.make.in"]
) => Schema.withConstructorDefault<Field>(Effect.succeed(defaultValue))(field).annotate({ sqlType: type })

/** What stands for the columns of a table: a struct whose every field is a {@link column}. */
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

/** Throws for a field that is no column: a mistake in a declaration, which any test of its statements meets. */
const sqlTypeOf = (name: string, field: Schema.Constraint): SqlType => {
  const type = SchemaAST.resolveAt<SqlType>("sqlType")(field.ast)
  if (type === undefined) throw new Error(`${name} says no type of the database`)
  return type
}

/** Keeps each text that was made of columns and a table name, because statements use it at each call. The code has few of them. */
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

/** `a, b`, or of a table `t.a, t.b`. */
export const columnNames = (columns: TableColumns, table = ""): string => namesText(columns, table)

const definitionsText = memoizeText((columns) => joinColumns(columns, ", ", (name, type) => `${name} ${type}`))

/** `a bigint, b text`: what `jsonb_to_recordset` makes of a JSON parameter. */
export const columnDefinitions = (columns: TableColumns): string => definitionsText(columns, "")

/**
 * For a FROM: `given`, with the columns of one row as one parameter. What the row has beside them is left out, a column
 * it does not have is null.
 */
export const rowParameterSql = (sql: SqlClient, columns: TableColumns, row: object): Fragment =>
  sql`jsonb_to_record(${jsonParameter(row)}::jsonb) AS given (${sql.literal(columnDefinitions(columns))})`

/** `a = given.a, b = given.b`. */
export const columnAssignments = memoizeText((columns, source) =>
  joinColumns(columns, ", ", (name) => `${name} = ${source}.${name}`)
)

/** `'a', t.a, 'b', t.b::text`: what `jsonb_build_object` takes. */
export const jsonObjectPairs = memoizeText((columns, table) =>
  joinColumns(columns, ", ", (name, type) => `'${name}', ${table}.${name}${type === "numeric" ? "::text" : ""}`)
)

/**
 * What of the columns, by name, is read in another form than the table has: a time of day as an hour and a minute, an
 * amount as its text, which the client would else put together of its binary digits.
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

/**
 * `a = $1::type` for each value that is sent, `a = t.a` for each that is undefined: what is not sent stays. What is sent
 * beside the columns is left out.
 */
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
