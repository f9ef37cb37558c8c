import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { type RecordedChange, recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { GRANTS_REVOKED_AT_ONCE } from "../../../platform/limits.ts"

// Ending a grant also ends its tokens, and the webhook subscriptions, automation rules and property feeds that they
// created. Imported calendars stay, because without them nights sold elsewhere would become available.
//
// A statement that creates records for a grant must lock the grant's row (at least FOR SHARE) and check that it is
// live. Otherwise a record could appear after the end.

/** `reuse`: a token or code was used twice. `client`: the client was disabled. `time`: the refresh token expired. */
type GrantEndReason = "host" | "application" | "reuse" | "client" | "time"

/** The condition refers to `oauth_grants g`. */
export const endGrantsChange = (
  sql: SqlClient.SqlClient,
  condition: Fragment,
  endedBy: GrantEndReason,
  now: Date,
  limit: number = GRANTS_REVOKED_AT_ONCE
): RecordedChange => ({
  // The fixed order prevents deadlocks.
  change: sql`
    going AS MATERIALIZED (
      SELECT operator_id, id FROM oauth_grants g WHERE ended_at IS NULL AND ${condition}
      ORDER BY operator_id, id LIMIT ${limit} FOR NO KEY UPDATE
    ), ended AS (
      UPDATE oauth_grants g SET ended_at = ${now}, ended_by = ${endedBy} FROM going
      WHERE g.operator_id = going.operator_id AND g.id = going.id
      RETURNING g.operator_id, g.id
    ), along AS MATERIALIZED (
      SELECT ended.operator_id, came.record, came.fields
      FROM ended CROSS JOIN LATERAL end_what_came_of(ended.operator_id, ended.id, ${now}::timestamptz) came
    )`,
  events: [],
  changedRecords: sql`
    SELECT operator_id, 'connection:' || id AS record, '{ended_at}'::text[] AS fields FROM ended
    UNION ALL SELECT operator_id, record, fields FROM along`,
  outcome: sql`SELECT count(*) AS ended FROM ended`
})

const readEndedCount = makeSingleRowReader(Schema.Struct({ ended: Schema.Int }))

export const countEndedGrants = <E, R>(
  statement: Effect.Effect<ReadonlyArray<object>, E, R>
): Effect.Effect<number, never, R> => Effect.map(readEndedCount(Effect.orDie(statement)), (row) => row.ended)

interface EndGrantInput {
  readonly operatorId: number
  readonly grantId: number
  readonly endedBy: GrantEndReason
  readonly now: Date
}

export const endGrants = (
  sql: SqlClient.SqlClient,
  condition: Fragment,
  endedBy: GrantEndReason,
  now: Date
): Effect.Effect<boolean, never, CurrentActor> =>
  Effect.map(countEndedGrants(recordChange(sql, endGrantsChange(sql, condition, endedBy, now))), (grants) => grants > 0)

export const makeEndGrant =
  (sql: SqlClient.SqlClient) =>
  ({ operatorId, grantId, endedBy, now }: EndGrantInput): Effect.Effect<boolean, never, CurrentActor> =>
    endGrants(sql, sql`g.operator_id = ${operatorId} AND g.id = ${grantId}`, endedBy, now)

/**
 * Ends at most `limit` grants and returns their number. The caller must disable the client first, and repeat the call
 * until it ends fewer than `limit`.
 */
export const endGrantsOfClient = (
  sql: SqlClient.SqlClient,
  clientId: string,
  limit: number
): Effect.Effect<number, never, CurrentActor> =>
  Effect.flatMap(DateTime.nowAsDate, (now) =>
    countEndedGrants(recordChange(sql, endGrantsChange(sql, sql`g.client_id = ${clientId}`, "client", now, limit)))
  )
