import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Actor } from "../contract/actor.ts"
import type { Value, Valued } from "../platform/database/forms.ts"

/** Writes down who changed the records in the CTE `touched`, but for those that have no name there: they are kept out. */
export const insertAuditEntriesSql = (
  sql: SqlClient,
  { accountId, application, operation, requestId }: Valued<Omit<Actor, "idempotencyKey">>,
  now: Value<Date>
): Fragment => sql`
  INSERT INTO trail (operator_id, at, account_id, application, operation, request_id, record, fields)
  SELECT operator_id, ${now}::timestamptz, ${accountId}::bigint, ${application}::text, ${operation}::text,
    ${requestId}::text, record, fields
  FROM touched WHERE record IS NOT NULL ORDER BY record`
