import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { createdOrDeletedRecordsSql, recordChange } from "../../../../changes/recorded-change.ts"
import { makeOptionalRowReader } from "../../../../platform/database/rows.ts"
import { GRANT_RENEWALS_MAX, GRANT_TOKENS_MAX } from "../../../../platform/limits.ts"
import { accountEnabledCondition } from "../../operators/account-sql.ts"
import { insertGrantTokenSql, type NewGrantToken, revokeOlderTokensSql } from "../../operators/grant-tokens.ts"
import { type NewRefreshToken, refreshTokenSql } from "../refresh-token.ts"
import { StoredRefreshToken } from "./token-renewal-rules.ts"

const HOUR_MS = 60 * 60 * 1000

const readToken = makeOptionalRowReader(StoredRefreshToken)
const readRenewedGrant = makeOptionalRowReader(Schema.Struct({ id: Schema.Int }))

interface RefreshTokenLookup {
  readonly digest: Uint8Array
  readonly deployment: string
  readonly now: Date
}

const makeFindToken = (sql: SqlClient.SqlClient) => (lookup: RefreshTokenLookup) =>
  readToken(sql`
      SELECT r.operator_id AS "operatorId", r.grant_id AS "grantId", g.account_id AS "accountId", g.name,
        g.client_id AS "clientId", k.disabled_at IS NOT NULL AS "clientDisabled", g.scope,
        g.ended_at IS NOT NULL AS "grantEnded", r.expires_at AS "expiresAt", r.used_at AS "usedAt", r.answer,
        made.renewals, made.first AS "firstRenewal"
      FROM oauth_refresh_tokens r
      JOIN oauth_grants g ON g.operator_id = r.operator_id AND g.id = r.grant_id
      JOIN oauth_clients k ON k.id = g.client_id
      JOIN operators o ON o.id = r.operator_id
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS renewals, min(created_at) AS first FROM (
          SELECT created_at FROM oauth_refresh_tokens
          WHERE operator_id = g.operator_id AND grant_id = g.id AND created_at > g.created_at
            AND created_at > ${new Date(lookup.now.getTime() - HOUR_MS)}
          ORDER BY created_at DESC LIMIT ${sql.literal(String(GRANT_RENEWALS_MAX))}
        ) latest
      ) made
      WHERE r.digest = ${lookup.digest} AND g.deployment = ${lookup.deployment} AND o.status <> 'closed' AND ${accountEnabledCondition(sql, "g")}`)

interface TokenRenewalInput extends NewGrantToken, NewRefreshToken {
  readonly operatorId: number
  readonly grantId: number
  readonly clientId: string
  readonly isPublic: boolean
  readonly digest: Uint8Array
  readonly answer: Uint8Array
  readonly now: Date
}

/**
 * Uses up the refresh token and creates the next two tokens in one statement. Returns false if the refresh token, its
 * grant, client or account is no longer valid.
 *
 * Deletes the stored responses to earlier renewals: the client has received them, because it has this refresh token.
 */
const makeRenewGrant =
  (sql: SqlClient.SqlClient) =>
  ({ operatorId, grantId, clientId, isPublic, digest, answer, now, ...tokens }: TokenRenewalInput) =>
    Effect.map(
      readRenewedGrant(
        recordChange(sql, {
          change: sql`
            client AS MATERIALIZED (
              SELECT id FROM oauth_clients WHERE id = ${clientId} AND disabled_at IS NULL FOR SHARE
            ), live AS MATERIALIZED (
              SELECT operator_id, id, account_id, name,
                CASE WHEN ${isPublic}::boolean THEN client_id || ':' || id ELSE client_id END AS application
              FROM oauth_grants g
              WHERE operator_id = ${operatorId} AND id = ${grantId} AND ended_at IS NULL
                AND client_id = (SELECT id FROM client) AND ${accountEnabledCondition(sql, "g")}
              FOR NO KEY UPDATE
            ), used AS (
              UPDATE oauth_refresh_tokens r SET used_at = ${now}, answer = ${answer}
              FROM live WHERE r.digest = ${digest} AND r.used_at IS NULL AND r.expires_at > ${now}
              RETURNING live.operator_id, live.id, live.account_id, live.name, live.application
            ), heard AS (
              UPDATE oauth_refresh_tokens r SET answer = NULL FROM used
              WHERE r.operator_id = used.operator_id AND r.grant_id = used.id AND r.answer IS NOT NULL AND r.digest <> ${digest}
            ),
            ${refreshTokenSql(sql, "used", tokens, now)},
            ${revokeOlderTokensSql(sql, "used", GRANT_TOKENS_MAX - 1, now)},
            ${insertGrantTokenSql(sql, "used", tokens, now)}`,
          events: [],
          changedRecords: sql`
            ${createdOrDeletedRecordsSql(sql, "token", "token")}
            UNION ALL SELECT operator_id, 'token:' || id AS record, '{revoked_at}'::text[] AS fields FROM older`,
          outcome: sql`SELECT id FROM used`
        })
      ),
      (row) => row !== undefined
    )

export const makeTokenRenewalStore = (sql: SqlClient.SqlClient) => ({
  findToken: makeFindToken(sql),
  renewGrant: makeRenewGrant(sql)
})
