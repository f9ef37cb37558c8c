import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { computeDigest } from "../../../admission/gate/credentials.ts"
import { createdOrDeletedRecordsSql, recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { ValidationFailed } from "../../../contract/errors.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { Deployment } from "../../../platform/installation.ts"
import { ACCESS_TOKENS_MAX } from "../../../platform/limits.ts"
import { RowId } from "../../column-schemas.ts"
import { withOperatorLock } from "../../operator-rows.ts"
import { newAccessToken } from "./access-token.ts"
import type { OperatorAccountKey } from "./account-sql.ts"
import { type AccountViewer, visibleAccountOf } from "./account-viewer.ts"
import type { NewToken } from "./operator-schemas.ts"

export interface CreatedToken {
  readonly token_id: number
  readonly token: string
}

/** The condition refers to `access_tokens t`. It excludes tokens of OAuth grants. */
export const activeTokenCondition = (sql: SqlClient.SqlClient): Fragment =>
  sql`t.revoked_at IS NULL AND t.grant_id IS NULL`

export const TokenIdRow = Schema.Struct({ token_id: Schema.NullOr(Schema.Int) })
const readTokenId = makeOptionalRowReader(TokenIdRow)
const readRevokedToken = makeOptionalRowReader(RowId)

interface NewTokenRow extends OperatorAccountKey, Pick<NewToken, "name" | "scope"> {
  readonly digest: Uint8Array
  readonly deployment: string
  readonly now: Date
}

const insertToken = (sql: SqlClient.SqlClient) => {
  const lockFirst = withOperatorLock(sql)
  return (token: NewTokenRow) =>
    lockFirst(
      token.operatorId,
      readTokenId(
        recordChange(sql, {
          change: sql`
            account AS (
              SELECT operator_id, id FROM accounts WHERE operator_id = ${token.operatorId} AND id = ${token.accountId}
            ), token AS (
              INSERT INTO access_tokens (operator_id, account_id, name, scope, digest, created_at, deployment)
              SELECT operator_id, id, ${token.name}::text, ${token.scope}::text, ${token.digest}::bytea,
                ${token.now}::timestamptz, ${token.deployment}::text
              FROM account WHERE (
                SELECT count(*) FROM access_tokens t
                WHERE t.operator_id = account.operator_id AND ${activeTokenCondition(sql)}
              ) < ${sql.literal(String(ACCESS_TOKENS_MAX))}
              RETURNING operator_id, id
            )`,
          events: [],
          changedRecords: createdOrDeletedRecordsSql(sql, "token", "token"),
          outcome: sql`SELECT (SELECT id FROM token) AS token_id FROM account`
        })
      )
    )
}

interface RevokedTokenKey {
  readonly operatorId: number
  /** Undefined means any account. */
  readonly accountId: number | undefined
  readonly id: number
  readonly now: Date
}

const revokeToken = (sql: SqlClient.SqlClient) => (key: RevokedTokenKey) =>
  readRevokedToken(
    recordChange(sql, {
      change: sql`
        revoked AS (
          UPDATE access_tokens t SET revoked_at = ${key.now}::timestamptz
          WHERE t.operator_id = ${key.operatorId} AND t.id = ${key.id} AND ${activeTokenCondition(sql)}
            AND ${key.accountId === undefined ? sql`true` : sql`t.account_id = ${key.accountId}`}
          RETURNING t.operator_id, t.id
        )`,
      events: [],
      changedRecords: sql`SELECT operator_id, 'token:' || id AS record, '{revoked_at}'::text[] AS fields FROM revoked`,
      outcome: sql`SELECT id FROM revoked`
    })
  )

export const tokenLimitError = new ValidationFailed({
  message: `access_tokens: an operator has at most ${ACCESS_TOKENS_MAX} access tokens, and all are in use; delete one first.`
})

export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    /** Returns undefined if there is no such account. */
    readonly create: (
      account: OperatorAccountKey,
      token: Pick<NewToken, "name" | "scope">
    ) => Effect.Effect<CreatedToken | undefined, ValidationFailed, CurrentActor>
    /** Returns false if the viewer sees no such active token. */
    readonly revoke: (viewer: AccountViewer, id: number) => Effect.Effect<boolean, never, CurrentActor>
  }
>()("latchkey/domain/access/operators/AccessTokens") {
  static readonly layer = Layer.effect(
    AccessTokens,
    Effect.gen(function* () {
      const [sql, deployment] = [yield* SqlClient.SqlClient, yield* Deployment]
      const [insert, revoke] = [insertToken(sql), revokeToken(sql)]
      return AccessTokens.of({
        create: Effect.fnUntraced(function* ({ operatorId, accountId }, { name, scope }) {
          const [token, now] = [newAccessToken(), yield* DateTime.nowAsDate]
          const digest = computeDigest(token)
          const row = yield* insert({ operatorId, accountId, name, scope, digest, deployment, now })
          if (row === undefined) return undefined
          return row.token_id === null ? yield* tokenLimitError : { token_id: row.token_id, token }
        }),
        revoke: Effect.fnUntraced(function* (viewer, id) {
          const now = yield* DateTime.nowAsDate
          const { operatorId } = viewer
          return (yield* revoke({ operatorId, accountId: visibleAccountOf(viewer), id, now })) !== undefined
        })
      })
    })
  )
}
