import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"

export interface NewRefreshToken {
  readonly refreshDigest: Uint8Array
  readonly refreshExpiresAt: Date
}

/** Returns the CTE `refresh`. `grantCte` must have the columns `operator_id` and `id`. */
export const refreshTokenSql = (
  sql: SqlClient.SqlClient,
  grantCte: string,
  { refreshDigest, refreshExpiresAt }: NewRefreshToken,
  now: Date
): Fragment => sql`
  refresh AS (
    INSERT INTO oauth_refresh_tokens (operator_id, digest, grant_id, created_at, expires_at)
    SELECT operator_id, ${refreshDigest}::bytea, id, ${now}::timestamptz, ${refreshExpiresAt}::timestamptz FROM ${sql(grantCte)}
  )`
