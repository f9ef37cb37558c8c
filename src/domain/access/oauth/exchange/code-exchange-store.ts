import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { createdOrDeletedRecordsSql, recordChange } from "../../../../changes/recorded-change.ts"
import { BadRequest } from "../../../../contract/errors.ts"
import { makeOptionalRowReaderOrFail } from "../../../../platform/database/constraint-violations.ts"
import { makeOptionalRowReader } from "../../../../platform/database/rows.ts"
import { accountEnabledCondition } from "../../operators/account-sql.ts"
import { insertGrantTokenSql, type NewGrantToken } from "../../operators/grant-tokens.ts"
import { type NewRefreshToken, refreshTokenSql } from "../refresh-token.ts"
import { StoredCode } from "./code-exchange-rules.ts"

const readCode = makeOptionalRowReader(StoredCode)
const CreatedGrant = Schema.Struct({ id: Schema.Int })
const readCreatedGrant = makeOptionalRowReaderOrFail(CreatedGrant, ({ name, detail }) =>
  name === "oauth_connections"
    ? new BadRequest({
        message: `code: the account has ${detail} connected applications, the maximum; the host must disconnect one first.`,
        oauthErrorCode: "invalid_grant"
      })
    : undefined
)
const readInvalidatedRow = makeOptionalRowReader(Schema.Struct({ killed: Schema.Boolean }))

const makeFindCode = (sql: SqlClient.SqlClient) => (digest: Uint8Array, deployment: string) =>
  readCode(sql`
      SELECT c.operator_id AS "operatorId", c.account_id AS "accountId", c.client_id AS "clientId",
        k.disabled_at IS NOT NULL AS "clientDisabled", c.scope, c.redirect_uri AS "redirectUri",
        c.challenge, c.resource, c.expires_at AS "expiresAt", c.used_at AS "usedAt",
        c.dead_at AS "deadAt", c.grant_id AS "grantId"
      FROM oauth_codes c JOIN oauth_clients k ON k.id = c.client_id JOIN operators o ON o.id = c.operator_id
      WHERE c.digest = ${digest} AND c.deployment = ${deployment} AND o.status <> 'closed' AND ${accountEnabledCondition(sql, "c")}`)

interface NewGrant extends NewGrantToken, NewRefreshToken {
  readonly codeDigest: Uint8Array
  readonly clientId: string
  readonly isPublic: boolean
  readonly name: string
  readonly now: Date
}

/**
 * Uses up the code and creates the grant and its tokens in one statement. Returns undefined if the code, its client or
 * its account is no longer valid.
 *
 * All MCP users share the public client. So its `application` includes the id of the grant.
 */
const makeCreateGrant =
  (sql: SqlClient.SqlClient) =>
  ({ codeDigest, clientId, isPublic, name, now, ...tokens }: NewGrant) =>
    Effect.map(
      readCreatedGrant(
        recordChange(sql, {
          change: sql`
            client AS MATERIALIZED (
              SELECT id FROM oauth_clients WHERE id = ${clientId} AND disabled_at IS NULL FOR SHARE
            ), code AS (
              UPDATE oauth_codes c SET used_at = ${now}, grant_id = nextval('oauth_grants_id_seq')
              FROM client
              WHERE c.digest = ${codeDigest} AND c.client_id = client.id AND c.used_at IS NULL AND c.dead_at IS NULL
                AND c.expires_at > ${now} AND ${accountEnabledCondition(sql, "c")}
              RETURNING c.operator_id, c.grant_id, c.account_id, c.client_id, c.scope, c.deployment
            ), made AS (
              INSERT INTO oauth_grants (operator_id, id, account_id, client_id, name, scope, deployment, created_at)
              OVERRIDING SYSTEM VALUE
              SELECT operator_id, grant_id, account_id, client_id, ${name}::text, scope, deployment, ${now}::timestamptz
              FROM code
              RETURNING operator_id, id, account_id, name,
                CASE WHEN ${isPublic}::boolean THEN client_id || ':' || id ELSE client_id END AS application
            ),
            ${refreshTokenSql(sql, "made", tokens, now)},
            ${insertGrantTokenSql(sql, "made", tokens, now)}`,
          events: [],
          changedRecords: sql`${createdOrDeletedRecordsSql(sql, "connection", "made")} UNION ALL ${createdOrDeletedRecordsSql(sql, "token", "token")}`,
          outcome: sql`SELECT id FROM made`
        })
      ),
      (row) => row?.id
    )

const makeInvalidateCode = (sql: SqlClient.SqlClient) => (digest: Uint8Array, now: Date) =>
  Effect.map(
    readInvalidatedRow(sql`
      UPDATE oauth_codes SET dead_at = ${now}
      WHERE digest = ${digest} AND used_at IS NULL AND dead_at IS NULL RETURNING true AS killed`),
    (row) => row !== undefined
  )

export const makeCodeExchangeStore = (sql: SqlClient.SqlClient) => ({
  findCode: makeFindCode(sql),
  createGrant: makeCreateGrant(sql),
  invalidateCode: makeInvalidateCode(sql)
})
