import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * True for an active entry of the operator, false for a retired one. Null if the operator has no such entry, so that
 * the built-in list decides.
 */
export const isListedByOperatorSql = (
  sql: SqlClient,
  operatorId: number,
  dictionary: Fragment,
  id: number
): Fragment => sql`(
  SELECT retired_at IS NULL FROM dictionary_entries
  WHERE operator_id = ${operatorId} AND dictionary = ${dictionary} AND id = ${id})`
