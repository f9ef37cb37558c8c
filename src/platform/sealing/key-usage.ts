import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeRowsReader } from "../database/rows.ts"
import { SEALED_COLUMNS, type SealedColumn, toColumnLabel } from "./sealed-columns.ts"
import { SEALED_PREFIX } from "./sealed-text.ts"
import type { SecretKeys } from "./secret-keys.ts"

// Finds the keys of the stored secrets from the prefix of their texts, without decrypting.

const EDGE_ROWS = 100

const SealingKeyUsage = Schema.Struct({
  place: Schema.String,
  /** Empty for unencrypted texts. */
  key_id: Schema.String,
  texts: Schema.Int
})
type SealingKeyUsage = typeof SealingKeyUsage.Type

const readKeyUsage = makeRowsReader(SealingKeyUsage)

/** `text` is an SQL expression. */
export const secretCondition = ({ clearTextPrefix }: SealedColumn, text: string): string =>
  clearTextPrefix === undefined
    ? `${text} IS NOT NULL`
    : `(starts_with(${text}, '${clearTextPrefix}') OR starts_with(${text}, '${SEALED_PREFIX}'))`

const columnUsageSql = (column: SealedColumn, rows: string): string => `
  SELECT '${toColumnLabel(column).replaceAll("'", "''")}' AS place, key_id, count(*)::integer AS texts FROM (
    SELECT CASE WHEN starts_with(text, '${SEALED_PREFIX}') THEN split_part(text, ':', 3) ELSE '' END AS key_id
    FROM (${rows}) looked_at WHERE ${secretCondition(column, "text")}
  ) secrets GROUP BY key_id`

const allRowsSql = ({ table, textExpression }: SealedColumn): string => `SELECT ${textExpression} AS text FROM ${table}`

const edgeRowsSql = (column: SealedColumn): string => {
  const edgeSql = (order: "ASC" | "DESC") =>
    `(${allRowsSql(column)} ORDER BY ${column.keyColumns.map(([name]) => `${name} ${order}`).join(", ")} LIMIT ${EDGE_ROWS})`
  return `${edgeSql("ASC")} UNION ALL ${edgeSql("DESC")}`
}

const countKeyUsage = (rows: (column: SealedColumn) => string) => {
  const text = SEALED_COLUMNS.map((column) => columnUsageSql(column, rows(column))).join(" UNION ALL ")
  return Effect.flatMap(SqlClient.SqlClient, (sql) => readKeyUsage(sql.unsafe<object>(text)))
}

/** Reads all rows. */
export const loadKeyUsage = countKeyUsage(allRowsSql)

/**
 * Counts only in the first and last rows of each table, which is fast. The last rows reveal a key that was removed
 * before rotation ended, because rotation starts with the first rows.
 */
export const loadKeyUsageAtEdges = countKeyUsage(edgeRowsSql)

export const findMissingKeyIds = (usage: ReadonlyArray<SealingKeyUsage>, { byId }: SecretKeys): ReadonlyArray<string> =>
  Array.from(new Set(usage.map(({ key_id }) => key_id)))
    .filter((id) => id !== "" && !byId.has(id))
    .toSorted()

export const countOutdatedTexts = (usage: ReadonlyArray<SealingKeyUsage>, { current }: SecretKeys): number =>
  usage.reduce((sum, { key_id, texts }) => (key_id === (current?.id ?? "") ? sum : sum + texts), 0)
