import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import { CurrentActor, systemActor } from "../../../contract/actor.ts"
import {
  applyRetention,
  nextRowsCondition,
  RETENTION_INTERVAL_MS,
  type RetentionChange
} from "../../../jobs/retention.ts"
import { repeatPeriodically } from "../../../jobs/WorkSchedule.ts"
import {
  GRANT_RETENTION_MS,
  GRANTS_REVOKED_AT_ONCE,
  OAUTH_CODE_RETENTION_MS,
  REFRESH_GRACE_MS,
  REFRESH_TOKEN_RETENTION_MS,
  TOKEN_RETENTION_MS
} from "../../../platform/limits.ts"
import {
  DELETED_TOKEN_COLUMNS,
  deleteExpiredTokensSql,
  deleteRevokedConsoleTokensSql,
  deleteTokensOfGrantsSql
} from "../operators/grant-tokens.ts"
import { countEndedGrants, endGrantsChange } from "./grant-ending.ts"

type Sql = SqlClient.SqlClient

const deleteExpiredCodesSql = (sql: Sql, cutoff: Date): Fragment => sql`
  DELETE FROM oauth_codes WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM oauth_codes WHERE expires_at <= ${cutoff}`)}`

const eraseRefreshResponsesSql = (sql: Sql, cutoff: Date): Fragment => sql`
  UPDATE oauth_refresh_tokens SET answer = NULL
  WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM oauth_refresh_tokens WHERE answer IS NOT NULL AND used_at < ${cutoff}`)}`

const deleteUsedRefreshTokensSql = (sql: Sql, cutoff: Date): Fragment => sql`
  DELETE FROM oauth_refresh_tokens
  WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM oauth_refresh_tokens WHERE used_at <= ${cutoff}`)}`

const grantsEndedBeforeSql = (sql: Sql, cutoff: Date): Fragment => sql`
  SELECT operator_id, id FROM oauth_grants WHERE ended_at <= ${cutoff}`

const deleteRefreshTokensOfGrantsSql = (sql: Sql, grants: Fragment): Fragment => sql`
  DELETE FROM oauth_refresh_tokens
  WHERE ${nextRowsCondition(
    sql,
    sql`SELECT r.ctid FROM (${grants}) g
      JOIN oauth_refresh_tokens r ON r.operator_id = g.operator_id AND r.grant_id = g.id`,
    "r"
  )}`

/**
 * Deletes expired access tokens and copies their last use to their grant. SKIP LOCKED avoids deadlocks with statements
 * that end grants. The last use is lost if its grant is locked.
 */
const expiredTokenRetention = (sql: Sql, cutoff: Date): RetentionChange => ({
  change: deleteExpiredTokensSql(sql, cutoff),
  returning: sql.literal(DELETED_TOKEN_COLUMNS),
  sideStatement: sql`
    UPDATE oauth_grants g SET last_used_at = greatest(g.last_used_at, used.at)
    FROM (
      SELECT free.operator_id, free.id, used.at
      FROM (SELECT operator_id, grant_id, max(last_used_at) AS at FROM changed GROUP BY operator_id, grant_id) used
      JOIN oauth_grants free ON free.operator_id = used.operator_id AND free.id = used.grant_id
      WHERE used.at IS NOT NULL
      FOR NO KEY UPDATE OF free SKIP LOCKED
    ) used
    WHERE g.operator_id = used.operator_id AND g.id = used.id`
})

const deleteEndedGrantsSql = (sql: Sql, cutoff: Date): Fragment => sql`
  DELETE FROM oauth_grants
  WHERE ${nextRowsCondition(
    sql,
    sql`SELECT ctid FROM oauth_grants g
      WHERE ended_at <= ${cutoff}
        AND NOT EXISTS (SELECT FROM access_tokens x WHERE x.operator_id = g.operator_id AND x.grant_id = g.id)
        AND NOT EXISTS (SELECT FROM oauth_refresh_tokens x WHERE x.operator_id = g.operator_id AND x.grant_id = g.id)
        AND NOT EXISTS (SELECT FROM oauth_codes x WHERE x.operator_id = g.operator_id AND x.grant_id = g.id)
        AND NOT EXISTS (SELECT FROM webhook_subscriptions x WHERE x.operator_id = g.operator_id AND x.grant_id = g.id)`
  )}`

/** A grant has only one unused refresh token. After it has expired, no client can renew the grant. */
const makeEndUnusedGrants = (sql: Sql) => (now: Date) =>
  countEndedGrants(
    recordChange(
      sql,
      endGrantsChange(
        sql,
        sql`(g.operator_id, g.id) IN (
        SELECT operator_id, grant_id FROM oauth_refresh_tokens WHERE used_at IS NULL AND expires_at <= ${now})`,
        "time",
        now
      )
    )
  )

const endUnusedGrants = Effect.fnUntraced(
  function* (now: Date) {
    const endBatch = makeEndUnusedGrants(yield* SqlClient.SqlClient)
    while ((yield* endBatch(now)) >= GRANTS_REVOKED_AT_ONCE) yield* Effect.yieldNow
  },
  Effect.provideService(CurrentActor, systemActor("service", "end unused connections"))
)

/** Keeps a used refresh token at least until it would have expired, because its reuse reveals that it was stolen. */
export const applyOAuthRetention = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const before = (age: number) => new Date(now.getTime() - age)
  const endedGrants = grantsEndedBeforeSql(sql, before(GRANT_RETENTION_MS))
  yield* applyRetention(sql, [
    eraseRefreshResponsesSql(sql, before(REFRESH_GRACE_MS)),
    deleteExpiredCodesSql(sql, before(OAUTH_CODE_RETENTION_MS)),
    deleteUsedRefreshTokensSql(sql, before(REFRESH_TOKEN_RETENTION_MS)),
    deleteRefreshTokensOfGrantsSql(sql, endedGrants),
    deleteTokensOfGrantsSql(sql, endedGrants),
    expiredTokenRetention(sql, before(TOKEN_RETENTION_MS)),
    deleteRevokedConsoleTokensSql(sql, before(TOKEN_RETENTION_MS)),
    deleteEndedGrantsSql(sql, before(GRANT_RETENTION_MS))
  ])
})

export const runOAuthRetention = Effect.flatMap(DateTime.nowAsDate, (now) =>
  Effect.andThen(endUnusedGrants(now), applyOAuthRetention(now))
)

export const layerOAuthRetention = Layer.effectDiscard(
  repeatPeriodically("retention of OAuth", RETENTION_INTERVAL_MS, () => runOAuthRetention)
)
