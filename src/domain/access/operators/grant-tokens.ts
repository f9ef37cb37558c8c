import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { nextRowsCondition } from "../../../jobs/retention.ts"
import type { TOKEN_SCOPES } from "./operator-schemas.ts"

// What OAuth writes of access tokens, in statements of its own.

/** An access token that comes of a grant. */
export interface NewGrantToken {
  readonly scope: (typeof TOKEN_SCOPES)[number]
  readonly tokenDigest: Uint8Array
  readonly deployment: string
  readonly tokenExpiresAt: Date
}

/** The CTE `token`: one of the grant that is the row of the CTE `of` (`operator_id`, `id`, `account_id`, `name`, `application`). */
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
 * The CTE `older`: ends all but the newest so many of the tokens that the grant of the CTE `of` had before the statement. They are
 * found first and locked then: a lock beside OFFSET would hold those that it passes over as well.
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

/** Forgets tokens that came of grants and were over by `cutoff`. Beside it something may be done with {@link DELETED_TOKEN_COLUMNS}. */
export const deleteExpiredTokensSql = (sql: SqlClient.SqlClient, cutoff: Date): Fragment => sql`
  DELETE FROM access_tokens WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM access_tokens WHERE expires_at <= ${cutoff}`)}`

export const DELETED_TOKEN_COLUMNS = "operator_id, grant_id, last_used_at"

/** Forgets tokens of the grants that `grants` finds: `operator_id`, `id`. */
export const deleteTokensOfGrantsSql = (sql: SqlClient.SqlClient, grants: Fragment): Fragment => sql`
  DELETE FROM access_tokens
  WHERE ${nextRowsCondition(
    sql,
    sql`SELECT t.ctid FROM (${grants}) g JOIN access_tokens t ON t.operator_id = g.operator_id AND t.grant_id = g.id`,
    "t"
  )}`

/** Forgets tokens of the console that were ended by `cutoff`. */
export const deleteRevokedConsoleTokensSql = (sql: SqlClient.SqlClient, cutoff: Date): Fragment => sql`
  DELETE FROM access_tokens
  WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM access_tokens WHERE revoked_at <= ${cutoff} AND grant_id IS NULL`)}`
