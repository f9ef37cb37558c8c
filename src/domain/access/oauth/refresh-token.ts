import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"

/** A refresh token on its way into the database. */
export interface NewRefreshToken {
  readonly refreshDigest: Uint8Array
  readonly refreshExpiresAt: Date
}

/** The CTE `refresh`: a refresh token of the grant that is the row of the CTE `of` (`operator_id`, `id`). */
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
