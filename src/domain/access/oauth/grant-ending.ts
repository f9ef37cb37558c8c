import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { type RecordedChange, recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { GRANTS_REVOKED_AT_ONCE } from "../../../platform/limits.ts"

// A grant ends with all that its tokens made: the tokens themselves, which the Gate then refuses, webhook subscriptions, automation
// rules and property feeds. Refresh tokens and codes of an ended grant are refused. Imported calendars stay: without them, nights
// that are sold elsewhere would be for sale here. A statement that makes something by a grant locks its row (FOR SHARE at least)
// and requires that it is live. So the statement that ends the grant sees all that was made, and nothing is made later.

/** Who ended it: the host, the application itself, a token or code given twice, who runs the service, or nobody for long. */
type GrantEndReason = "host" | "application" | "reuse" | "client" | "time"

/** Ends the live grants that `condition` names, of table oauth_grants as g; answers how many. */
export const endGrantsChange = (
  sql: SqlClient.SqlClient,
  condition: Fragment,
  endedBy: GrantEndReason,
  now: Date,
  limit: number = GRANTS_REVOKED_AT_ONCE
): RecordedChange => ({
  // In one order, so that two who end many never wait for each other in a circle.
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

/** How many grants a statement of {@link endGrantsChange} has ended. */
export const countEndedGrants = <E, R>(
  statement: Effect.Effect<ReadonlyArray<object>, E, R>
): Effect.Effect<number, never, R> => Effect.map(readEndedCount(Effect.orDie(statement)), (row) => row.ended)

interface EndGrantInput {
  readonly operatorId: number
  readonly grantId: number
  readonly endedBy: GrantEndReason
  readonly now: Date
}

/** Ends the grants that a condition on `g` selects. Returns whether one was live. */
export const endGrants = (
  sql: SqlClient.SqlClient,
  condition: Fragment,
  endedBy: GrantEndReason,
  now: Date
): Effect.Effect<boolean, never, CurrentActor> =>
  Effect.map(countEndedGrants(recordChange(sql, endGrantsChange(sql, condition, endedBy, now))), (grants) => grants > 0)

/** Ends one grant. Returns whether it was live. */
export const makeEndGrant =
  (sql: SqlClient.SqlClient) =>
  ({ operatorId, grantId, endedBy, now }: EndGrantInput): Effect.Effect<boolean, never, CurrentActor> =>
    endGrants(sql, sql`g.operator_id = ${operatorId} AND g.id = ${grantId}`, endedBy, now)

/**
 * Ends the next so many live grants of a client; answers how many. To be called again until it is less: a client that is disabled
 * by then gets no more of them, as a grant is made and renewed only by a statement that finds its client enabled.
 */
export const endGrantsOfClient = (
  sql: SqlClient.SqlClient,
  clientId: string,
  limit: number
): Effect.Effect<number, never, CurrentActor> =>
  Effect.flatMap(DateTime.nowAsDate, (now) =>
    countEndedGrants(recordChange(sql, endGrantsChange(sql, sql`g.client_id = ${clientId}`, "client", now, limit)))
  )
