import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * Selects `operator_id`, `record` (the id) and `event_key` of imported calendars that cannot be fetched or read, of the
 * operators that `operators` selects. A success changes `fetched_at`, so each failing period has its own key.
 */
export const failingCalendarsSql = (sql: SqlClient, operators: Fragment): Fragment => sql`
  SELECT c.operator_id, c.id::text AS record,
    c.id || ':' || coalesce(floor(extract(epoch FROM c.fetched_at) * 1000)::text, 'never') AS event_key
  FROM imported_calendars c
  WHERE c.operator_id IN (${operators}) AND c.state = 'failing'`
