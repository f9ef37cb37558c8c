import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** Responses of receivers may repeat guest data. */
export const eraseReceiverResponsesSql = (sql: SqlClient, operatorId: number, records: Fragment): Fragment => sql`
  UPDATE webhook_attempts a SET first_bytes = NULL, detail = NULL
  FROM webhook_deliveries d
  WHERE d.operator_id = ${operatorId} AND d.record = ANY (ARRAY(${records}))
    AND a.operator_id = ${operatorId} AND a.event_id = d.event_id AND a.subscription_id = d.subscription_id
    AND (a.first_bytes IS NOT NULL OR a.detail IS NOT NULL)`
