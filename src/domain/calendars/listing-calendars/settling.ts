import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { recordEventSql } from "../../../jobs/events/event-statements.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import { traceCteSql } from "../../../platform/database/traceparent-sql.ts"
import { cooldownSql, daySetSql } from "./due-days.ts"
import type { DayRange } from "./rules.ts"

// The statements that write down how telling a channel ended. Each asks first whether the lane is still the worker's, and
// locks it: so the lane counts what waits, whoever puts more there meanwhile. Done twice each is done once.

interface PushClaim {
  readonly operator_id: number
  readonly listing_row: number
  readonly attempts: number
  readonly push_id: number
  readonly now: Date
}

export type PartitionClaim = Omit<PushClaim, "push_id">

/** Whether a lane is still the worker's: nobody has taken it since. */
const isClaimedCondition = (
  sql: SqlClient,
  { operator_id, listing_row, attempts }: Givens<PartitionClaim>
): Fragment => sql`
  operator_id = ${operator_id} AND listing_row = ${listing_row} AND attempts = ${attempts}`

/** For a CTE `lane`: columns of the lane, if it is still the worker's. */
export const claimedPartitionSql = (sql: SqlClient, claim: Givens<PartitionClaim>, columns: Fragment): Fragment => sql`
  SELECT ${columns} FROM listing_lanes WHERE ${isClaimedCondition(sql, claim)} FOR NO KEY UPDATE`

const claimedPartitionKeySql = (sql: SqlClient, claim: Givens<PartitionClaim>) =>
  claimedPartitionSql(sql, claim, sql`operator_id, listing_row`)

/** For a CTE: the lane goes on with what else waits, once `settled` has its row; where nothing does, it rests first. */
const advancePartitionSql = (
  sql: SqlClient,
  { now }: Pick<Givens<PushClaim>, "now">,
  withdrawnDays: Fragment
): Fragment => sql`
  UPDATE listing_lanes l
  SET waiting = l.waiting - 1, failures = 0, calendar_last = settled.kind = 'availability',
    calendar_waits = l.calendar_waits AND settled.kind <> 'availability', said_days = l.said_days - ${withdrawnDays},
    traceparent = CASE WHEN NOT isempty(l.due_days) THEN l.traceparent END,
    due_at = ${now}::timestamptz + CASE
      WHEN settled.kind = 'availability' AND l.waiting - 1 = (NOT isempty(l.due_days))::integer
      THEN ${cooldownSql(sql)} ELSE interval '0' END
  FROM settled WHERE l.operator_id = settled.operator_id AND l.listing_row = settled.listing_row`

/**
 * The days of which the host's word comes to nothing, of the rows `over` (`id, kind, ranges`): what its channel did not take
 * is not its last word. Days that he said something of since are; of those it is asked only where there is such a row.
 */
const withdrawnHostDaysSql = (sql: SqlClient, over: Fragment): Fragment => sql`
  CASE WHEN EXISTS (SELECT FROM ${over} over WHERE kind = 'inventories') THEN
    (SELECT range_agg(${daySetSql(sql, sql`ranges`)}) FROM ${over} over WHERE kind = 'inventories')
    - coalesce((
      SELECT range_agg(${daySetSql(sql, sql`p.ranges`)}) FROM lane
      JOIN listing_pushes p ON p.operator_id = lane.operator_id AND p.listing_row = lane.listing_row
      WHERE p.settled_at IS NULL AND p.kind = 'inventories' AND p.id NOT IN (SELECT id FROM ${over} over)), '{}')
  ELSE '{}' END`

const NO_WITHDRAWN_DAYS = "'{}'::datemultirange"

export interface CompletePushParameters extends PushClaim {
  readonly reason: string | undefined
  /** What it was told, where that was not known before. */
  readonly ranges: ReadonlyArray<DayRange> | undefined
  readonly start_date: string | undefined
  readonly end_date: string | undefined
  readonly traceparent: string | undefined
}

/** The channel took it: subscribers are told of the days it was told of, if it was told of any. */
export const settlingPushed = (sql: SqlClient, parameters: Givens<CompletePushParameters>): Fragment => {
  const { push_id, now, reason, ranges, start_date, end_date } = parameters
  const pushedListing = sql`
    SELECT settled.operator_id, settled.listing_row, listing.channel_type, listing.listing_id
    FROM settled
    JOIN listings listing ON listing.operator_id = settled.operator_id AND listing.id = settled.listing_row`
  const event = recordEventSql(sql, "listing_calendar_updated", {
    from: sql`told`,
    record: sql`'listing:' || listing_row`,
    fields: {
      channel_type: sql`channel_type`,
      listing_id: sql`listing_id`,
      start_date: sql`${start_date ?? null}::text`,
      end_date: sql`${end_date ?? null}::text`
    },
    at: now
  })
  return sql`
    WITH ${traceCteSql(sql, parameters.traceparent)}, lane AS (${claimedPartitionKeySql(sql, parameters)}), settled AS (
      UPDATE listing_pushes p
      SET state = 'pushed', reason = ${reason ?? null}::text, attempts = p.attempts + 1, settled_at = ${now},
        ranges = ${sentRangesSql(sql, ranges)}
      FROM lane
      WHERE p.operator_id = lane.operator_id AND p.listing_row = lane.listing_row AND p.id = ${push_id}
        AND p.settled_at IS NULL
      RETURNING p.operator_id, p.listing_row, p.kind
    ), going_on AS (${advancePartitionSql(sql, parameters, sql.literal(NO_WITHDRAWN_DAYS))})
    ${start_date === undefined ? sql`` : sql`, told AS (${pushedListing}), event AS (${event})`}
    SELECT 1 AS pushes FROM settled`
}

/** What a push says: what it was told last, where that was not known before. */
const sentRangesSql = (sql: SqlClient, ranges: Givens<CompletePushParameters>["ranges"]): Fragment =>
  ranges === undefined ? sql`p.ranges` : sql`${jsonParameter(ranges)}::jsonb`

export interface RefusePushParameters extends PushClaim {
  readonly reason: string
  readonly ranges: ReadonlyArray<DayRange> | undefined
}

/** The channel said no: it would again, so the lane goes on. */
export const settlingRefused = (sql: SqlClient, parameters: Givens<RefusePushParameters>): Fragment => sql`
  WITH lane AS (${claimedPartitionKeySql(sql, parameters)}), settled AS (
    UPDATE listing_pushes p
    SET state = 'refused', reason = ${parameters.reason}, attempts = p.attempts + 1, settled_at = ${parameters.now},
      ranges = ${sentRangesSql(sql, parameters.ranges)}
    FROM lane
    WHERE p.operator_id = lane.operator_id AND p.listing_row = lane.listing_row AND p.id = ${parameters.push_id}
      AND p.settled_at IS NULL
    RETURNING p.operator_id, p.listing_row, p.id, p.kind, p.ranges
  ), going_on AS (${advancePartitionSql(sql, parameters, withdrawnHostDaysSql(sql, sql`settled`))})
  SELECT 1 AS pushes FROM settled`

export interface FailPushParameters extends RefusePushParameters {
  readonly failures: number
  readonly nextTry: Date
  /** What was asked for by then has been tried for long enough. */
  readonly tooOld: Date
}

/**
 * The channel could not be told: all of the lane waits, so that nothing overtakes. What waits for too long is given up, each
 * of it, so that a channel that is away for days is not asked for each. Where the calendar's own is, the next turn is what the
 * host asked for: a channel may take the one and not the other. Answers how many were given up.
 */
export const settlingFailed = (sql: SqlClient, parameters: Givens<FailPushParameters>): Fragment => sql`
  WITH lane AS (
    SELECT operator_id, listing_row FROM listing_lanes
    WHERE ${isClaimedCondition(sql, parameters)} AND failures = ${parameters.failures} FOR NO KEY UPDATE
  ), tried AS (
    UPDATE listing_pushes p
    SET reason = ${parameters.reason}, attempts = p.attempts + (p.id = ${parameters.push_id})::integer,
      state = CASE WHEN p.created_at <= ${parameters.tooOld} THEN 'dead' ELSE 'waiting' END,
      settled_at = CASE WHEN p.created_at <= ${parameters.tooOld} THEN ${parameters.now}::timestamptz END,
      ranges = CASE WHEN p.id = ${parameters.push_id} THEN ${sentRangesSql(sql, parameters.ranges)} ELSE p.ranges END
    FROM lane
    WHERE p.operator_id = lane.operator_id AND p.listing_row = lane.listing_row AND p.settled_at IS NULL
      AND (p.id = ${parameters.push_id} OR p.created_at <= ${parameters.tooOld})
    RETURNING p.id, p.kind, p.ranges, p.settled_at
  ), dead AS (SELECT * FROM tried WHERE settled_at IS NOT NULL), gone AS (
    SELECT count(*) AS pushes, coalesce(bool_or(kind = 'availability'), false) AS of_calendar FROM dead
  ), waits AS (
    UPDATE listing_lanes l
    SET waiting = l.waiting - gone.pushes, failures = l.failures + 1, due_at = ${parameters.nextTry},
      calendar_waits = l.calendar_waits AND NOT gone.of_calendar, calendar_last = l.calendar_last OR gone.of_calendar,
      said_days = l.said_days - ${withdrawnHostDaysSql(sql, sql`dead`)}
    FROM lane, gone WHERE l.operator_id = lane.operator_id AND l.listing_row = lane.listing_row
  )
  SELECT pushes, of_calendar FROM gone`

/** Gives a lane back untried. */
export const releasePartitionSql = (sql: SqlClient, claim: Givens<PartitionClaim>): Fragment => sql`
  UPDATE listing_lanes SET due_at = ${claim.now} WHERE ${isClaimedCondition(sql, claim)}`
