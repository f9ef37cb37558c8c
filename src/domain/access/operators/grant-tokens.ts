import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { nextRowsCondition } from "../../../jobs/retention.ts"
import type { TOKEN_SCOPES } from "./operator-schemas.ts"

export interface NewGrantToken {
  readonly scope: (typeof TOKEN_SCOPES)[number]
  readonly tokenDigest: Uint8Array
  readonly deployment: string
  readonly tokenExpiresAt: Date
}

/**
 * Returns the CTE `token`. `grantCte` must have the columns `operator_id`, `id`, `account_id`, `name` and
 * `application`.
 */
export const insertGrantTokenSql = (
  sql: SqlClient.SqlClient,
  grantCte: string,
  { scope, tokenDigest, deployment, tokenExpiresAt }: NewGrantToken,
  now: Date
): Fragment => sql`
  token AS (
    INSERT INTO access_tokens (operator_id, account_id, name, scope, digest, created_at, grant_id, application, deployment,
      expires_at)
    SELECT operator_id, account_id, name, ${scope}::text, ${tokenDigest}::bytea, ${now}::timestamptz, id, application,
      ${deployment}::text, ${tokenExpiresAt}::timestamptz
    FROM ${sql(grantCte)}
    RETURNING operator_id, id
  )`

/**
 * Returns the CTE `older`, which revokes all but the newest `keep` tokens of the grant. Only the outer query locks,
 * because a lock beside OFFSET would include the skipped rows.
 */
export const revokeOlderTokensSql = (
  sql: SqlClient.SqlClient,
  grantCte: string,
  keep: number,
  now: Date
): Fragment => sql`
  older AS (
    UPDATE access_tokens t SET revoked_at = ${now}
    FROM ${sql(grantCte)} whose
    WHERE t.operator_id = whose.operator_id AND t.id = ANY (ARRAY(
      SELECT id FROM access_tokens
      WHERE operator_id = whose.operator_id AND id = ANY (ARRAY(
        SELECT id FROM access_tokens
        WHERE operator_id = whose.operator_id AND grant_id = whose.id AND revoked_at IS NULL AND expires_at > ${now}
        ORDER BY id DESC OFFSET ${sql.literal(String(keep))}))
      ORDER BY id FOR NO KEY UPDATE))
    RETURNING t.operator_id, t.id
  )`

export const deleteExpiredTokensSql = (sql: SqlClient.SqlClient, cutoff: Date): Fragment => sql`
  DELETE FROM access_tokens WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM access_tokens WHERE expires_at <= ${cutoff}`)}`

export const DELETED_TOKEN_COLUMNS = "operator_id, grant_id, last_used_at"

/** `grants` selects `operator_id` and `id`. */
export const deleteTokensOfGrantsSql = (sql: SqlClient.SqlClient, grants: Fragment): Fragment => sql`
  DELETE FROM access_tokens
  WHERE ${nextRowsCondition(
    sql,
    sql`SELECT t.ctid FROM (${grants}) g JOIN access_tokens t ON t.operator_id = g.operator_id AND t.grant_id = g.id`,
    "t"
  )}`

export const deleteRevokedConsoleTokensSql = (sql: SqlClient.SqlClient, cutoff: Date): Fragment => sql`
  DELETE FROM access_tokens
  WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM access_tokens WHERE revoked_at <= ${cutoff} AND grant_id IS NULL`)}`
