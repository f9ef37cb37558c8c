import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** Returns an expression for the check-out time, `HH:mm`, of the property of the row `of`, or else the operator's default. */
export const checkOutTimeSql = (sql: SqlClient, row: Fragment): Fragment => sql`(
  SELECT to_char(coalesce(p.checkout_time, host.default_checkout_time), 'HH24:MI')
  FROM operators host LEFT JOIN properties p ON p.operator_id = host.id AND p.id = ${row}.property_id
  WHERE host.id = ${row}.operator_id)`
