import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { makeSingleRowReader } from "../../platform/database/rows.ts"

/** Fixes the text form of values for one transaction. */
const TEXT_SETTINGS = {
  TimeZone: "UTC",
  DateStyle: "ISO, YMD",
  IntervalStyle: "postgres",
  extra_float_digits: "1",
  bytea_output: "hex"
}

export const pinTextFormats = Effect.fnUntraced(function* (sql: SqlClient) {
  for (const [name, value] of Object.entries(TEXT_SETTINGS)) yield* sql`SELECT set_config(${name}, ${value}, true)`
})

const TableDigest = Schema.Struct({
  rows: Schema.Int,
  digest: Schema.String,
  /** Bytes of the longest row. */
  widest: Schema.Int
})
export type TableDigest = typeof TableDigest.Type

const readDigest = makeSingleRowReader(TableDigest)

/**
 * Sums 64-bit hashes of the rows' texts, which PostgreSQL computes alike in all versions from 11 on. Requires {@link
 * pinTextFormats}.
 */
export const loadTableDigest = (sql: SqlClient, table: string): Effect.Effect<TableDigest> =>
  readDigest(sql`
    SELECT count(*) AS rows, coalesce(sum(hashtextextended(text, 0)), 0)::text AS digest,
      coalesce(max(octet_length(text)), 0) AS widest
    FROM (SELECT whole::text AS text FROM ${sql(table)} AS whole OFFSET 0) each`)

export const hasSameRows = (left: Omit<TableDigest, "widest">, right: Omit<TableDigest, "widest">): boolean =>
  left.rows === right.rows && left.digest === right.digest
