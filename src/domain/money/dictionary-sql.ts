import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * Whether the account's own dictionary lists an entry: true or, where it is retired, false; null where it says nothing of it, and
 * the built-in ones decide (dictionaries.ts).
 */
export const isListedByOperatorSql = (
  sql: SqlClient,
  operatorId: number,
  dictionary: Fragment,
  id: number
): Fragment => sql`(
  SELECT retired_at IS NULL FROM dictionary_entries
  WHERE operator_id = ${operatorId} AND dictionary = ${dictionary} AND id = ${id})`
