import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { rowsOf } from "../database/rows.ts"
import type { SecretKeys } from "./keys.ts"
import { nameOf, SEALED_COLUMNS, type SealedColumn } from "./places.ts"
import { SEALED } from "./sealed-text.ts"

// Under which keys the database's secrets are sealed, told by how their texts begin: nothing is opened for it.

/** Rows at each end of a table that a start looks at. */
const EDGE_ROWS = 100

const Standing = Schema.Struct({
  place: Schema.String,
  /** The key they are sealed with; empty: they are in the clear. */
  key_id: Schema.String,
  texts: Schema.Int
})
export type Standing = typeof Standing.Type

const read = rowsOf(Standing)

/** The condition of the rows whose text, an expression, is a secret. */
export const isSecret = ({ begins }: SealedColumn, text: string): string =>
  begins === undefined
    ? `${text} IS NOT NULL`
    : `(starts_with(${text}, '${begins}') OR starts_with(${text}, '${SEALED}'))`

const countedIn = (column: SealedColumn, rows: string): string => `
  SELECT '${nameOf(column).replaceAll("'", "''")}' AS place, key_id, count(*)::integer AS texts FROM (
    SELECT CASE WHEN starts_with(text, '${SEALED}') THEN split_part(text, ':', 3) ELSE '' END AS key_id
    FROM (${rows}) looked_at WHERE ${isSecret(column, "text")}
  ) secrets GROUP BY key_id`

const everyRow = ({ table, text }: SealedColumn): string => `SELECT ${text} AS text FROM ${table}`

const atTheEdges = (column: SealedColumn): string => {
  const end = (order: "ASC" | "DESC") =>
    `(${everyRow(column)} ORDER BY ${column.key.map(([name]) => `${name} ${order}`).join(", ")} LIMIT ${EDGE_ROWS})`
  return `${end("ASC")} UNION ALL ${end("DESC")}`
}

const counted = (rows: (column: SealedColumn) => string) => {
  const text = SEALED_COLUMNS.map((column) => countedIn(column, rows(column))).join(" UNION ALL ")
  return Effect.flatMap(SqlClient.SqlClient, (sql) => read(sql.unsafe<object>(text)))
}

/** How many texts of each column are sealed with which key: reads all of them. */
export const standing = counted(everyRow)

/**
 * The same of the first and the last rows of each table, which are found by its primary key however large it is. A database of
 * another installation shows in any row; a key that was dropped too early in the last ones, as rows are sealed anew from the
 * first on.
 */
export const standingAtTheEdges = counted(atTheEdges)

/** The ids of keys that something is sealed with and nobody has. */
export const missingIn = (found: ReadonlyArray<Standing>, { all }: SecretKeys): ReadonlyArray<string> =>
  Array.from(new Set(found.map(({ key_id }) => key_id)))
    .filter((id) => id !== "" && !all.has(id))
    .toSorted()

/** How many texts are kept otherwise than they would be written now. */
export const keptOtherwise = (found: ReadonlyArray<Standing>, { first }: SecretKeys): number =>
  found.reduce((sum, { key_id, texts }) => (key_id === (first?.id ?? "") ? sum : sum + texts), 0)
