import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** SQL must append `::bigint[]`. The driver rejects arrays with numbers of different sizes. */
export const idsParameter = (ids: ReadonlyArray<number>): string => `{${ids.join(",")}}`

/** SQL must append `::jsonb`. Unpaired surrogates, which jsonb rejects, become the replacement character. */
export const jsonParameter = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.includes(SURROGATE_ESCAPE) ? JSON.stringify(value, replaceLoneSurrogates) : text
}

/** The start of a lone surrogate in JSON text. Searching for it is cheaper than visiting every value. */
const SURROGATE_ESCAPE = "\\ud"

const replaceLoneSurrogates = (_key: string, part: unknown): unknown =>
  typeof part === "string" ? part.toWellFormed() : part

type GenericPlanType = "bigint" | "bigint[]" | "date" | "numeric[]" | "text" | "text[]" | "timestamptz"

/**
 * Returns a value as a subquery, so that the planner does not see it. The server then uses one generic plan from the
 * sixth run on. For a bare parameter it may plan each call anew.
 */
export const genericPlanParameter = (sql: SqlClient, type: GenericPlanType, value: unknown): Fragment =>
  sql`(SELECT ${value}::${sql.literal(type)})`

/** Returns a text in lower case and NFC, as searches compare it. ASCII text skips the costly normalization. */
export const normalizeForSearch = (sql: SqlClient, text: Fragment): Fragment => sql`
  lower(CASE WHEN octet_length(${text}) = length(${text}) THEN ${text} ELSE normalize(${text}, NFC) END)`

/** Normalizes like {@link normalizeForSearch}. As a subquery it is computed once per statement, not for every row. */
export const normalizeSearchKeyword = (sql: SqlClient, keyword: string): Fragment =>
  sql`(SELECT lower(normalize(${keyword}, NFC)))`
