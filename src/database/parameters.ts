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
 * The form in which a search compares a text: lower case, NFC. Text of ASCII alone is in NFC already, and is not normalized: that
 * would cost three times what the lower case does.
 */
export const searched = (sql: SqlClient, text: Fragment): Fragment => sql`
  lower(CASE WHEN octet_length(${text}) = length(${text}) THEN ${text} ELSE normalize(${text}, NFC) END)`

/**
 * A keyword in the same form, computed once per statement. A bare `lower($1)` would be computed for every row: from its sixth
 * run on a connection the server plans a statement for any value, and then no parameter is a constant to it.
 */
export const searchedOnce = (sql: SqlClient, keyword: Value<string>): Fragment =>
  sql`(SELECT lower(normalize(${keyword}, NFC)))`
