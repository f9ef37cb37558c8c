import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { partOf, type Value } from "./forms.ts"

// Parameters the driver cannot type by itself, written as literals that the statement gives their type.

/**
 * Ids as one parameter, to be followed by `::bigint[]`. As an array of numbers the driver would type each by its size
 * and refuse a list that has ids of both sizes.
 */
export const idsParameter = (ids: Value<ReadonlyArray<number>>): Value<string> =>
  partOf(ids, (each) => `{${each.join(",")}}`)

/**
 * A value as one parameter, to be followed by `::jsonb`. A surrogate without its pair, which a JSON text may carry and
 * jsonb refuses, becomes the replacement character, as it does in a plain text parameter.
 */
export const jsonParameter = (value: Value<unknown>): Value<string> => partOf(value, jsonText)

const jsonText = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === "string" ? part.toWellFormed() : part))

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
export const normalizeSearchKeyword = (sql: SqlClient, keyword: Value<string>): Fragment =>
  sql`(SELECT lower(normalize(${keyword}, NFC)))`
