import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

// Parameters the driver cannot type by itself, written as literals that the statement gives their type.

/**
 * Ids as one parameter, to be followed by `::bigint[]`. As an array of numbers the driver would type each by its size
 * and refuse a list that has ids of both sizes.
 */
export const idsParameter = (ids: ReadonlyArray<number>): string => `{${ids.join(",")}}`

/**
 * A value as one parameter, to be followed by `::jsonb`. A surrogate without its pair, which a JSON text may carry and
 * jsonb refuses, becomes the replacement character, as it does in a plain text parameter.
 */
export const jsonParameter = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.includes(SURROGATE_ESCAPE) ? JSON.stringify(value, replaceLoneSurrogates) : text
}

/** How `JSON.stringify` begins a lone surrogate. Visiting every part of every value instead would cost as much as writing it. */
const SURROGATE_ESCAPE = "\\ud"

const replaceLoneSurrogates = (_key: string, part: unknown): unknown =>
  typeof part === "string" ? part.toWellFormed() : part

/** The type of a value that the planner does not see. */
type GenericPlanType = "bigint" | "bigint[]" | "date" | "numeric[]" | "text" | "text[]" | "timestamptz"

/**
 * Returns a value that the planner does not see: a subquery, which the server runs once per statement. The plan for any value then
 * costs as much as a plan for this value, so the server stops planning after the fifth run of a prepared statement. With the bare
 * parameter it plans each call anew where it expects fewer rows of this value than of others, as of a small operator.
 *
 * A subquery takes the server two microseconds. A look-up by id has one plan for all values and needs none.
 */
export const genericPlanParameter = (sql: SqlClient, type: GenericPlanType, value: unknown): Fragment =>
  sql`(SELECT ${value}::${sql.literal(type)})`

/**
 * Returns a text in the form that searches compare: lower case and NFC. ASCII text is in NFC already and is not normalized, because
 * normalizing costs three times as much as `lower`.
 */
export const normalizeForSearch = (sql: SqlClient, text: Fragment): Fragment => sql`
  lower(CASE WHEN octet_length(${text}) = length(${text}) THEN ${text} ELSE normalize(${text}, NFC) END)`

/**
 * Returns a keyword in the form of {@link normalizeForSearch}. The subquery makes the server compute it once per statement: a bare
 * `lower($1)` is computed for every row once the server uses a generic plan, which it does from the sixth run on a connection.
 */
export const normalizeSearchKeyword = (sql: SqlClient, keyword: string): Fragment =>
  sql`(SELECT lower(normalize(${keyword}, NFC)))`
