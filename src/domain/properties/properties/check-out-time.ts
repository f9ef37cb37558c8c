import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** Returns `HH:mm`: the property's time, or the operator's default. */
export const checkOutTimeSql = (sql: SqlClient, row: Fragment): Fragment => sql`(
  SELECT to_char(coalesce(p.checkout_time, host.default_checkout_time), 'HH24:MI')
  FROM operators host LEFT JOIN properties p ON p.operator_id = host.id AND p.id = ${row}.property_id
  WHERE host.id = ${row}.operator_id)`
