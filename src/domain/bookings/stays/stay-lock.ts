import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { StayKey } from "./stay-tags.ts"

export const selectStayForUpdate = (sql: SqlClient.SqlClient, { operatorId, stayCode }: StayKey): Fragment => sql`
  SELECT s.*, o.reservation_code, o.status
  FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
  WHERE s.operator_id = ${operatorId} AND s.stay_code = ${stayCode} FOR NO KEY UPDATE OF s`
