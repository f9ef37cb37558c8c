import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { recordEventSql } from "../../../jobs/events/event-statements.ts"
import { isClaimedCondition, type JobClaim, type JobTable } from "../../../jobs/job-queue.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import { traceCteSql } from "../../../platform/database/traceparent-sql.ts"
import { cooldownSql, daySetSql, withoutPastDaysSql } from "./due-days.ts"
import type { DayRange } from "./rules.ts"

// Each listing is a partition: a row of `listing_lanes`, which a worker claims for one push at a time. Each statement
// locks this row, so that its number of pending pushes (`waiting`) stays right.

/** Limits of concurrent pushes: per process, operator and channel account. */
export const PUSHING_ROOM = 32
export const PUSHING_SHARE = 8
export const PUSHING_ACCOUNT_SHARE = 2

export const PUSH_LEASE_MS = 45_000

export const PUSH_TABLE: JobTable<"listing_row"> = {
  table: "listing_lanes",
  keyColumn: "listing_row",
  pendingCondition: "waiting > 0",
  operatorLimit: PUSHING_SHARE,
  accountLimit: PUSHING_ACCOUNT_SHARE,
  leaseMs: PUSH_LEASE_MS
}

export interface PartitionClaim extends JobClaim {
  readonly now: Date
}

interface PushClaim extends PartitionClaim {
  readonly push_id: number
}

/** Selects no row if the claim has ended. */
export const claimedPartitionSql = (sql: SqlClient, claim: PartitionClaim, columns: Fragment): Fragment => sql`
  SELECT ${columns} FROM listing_lanes WHERE ${isClaimedCondition(sql, PUSH_TABLE, claim)} FOR NO KEY UPDATE`

const claimedPartitionKeySql = (sql: SqlClient, claim: PartitionClaim) =>
  claimedPartitionSql(sql, claim, sql`operator_id, listing_row`)

/**
 * After a calendar push (changed availability), waits so that further changes are sent together. Does not wait if a
 * push of the host is pending.
 */
const advancePartitionSql = (sql: SqlClient, { now }: Pick<PushClaim, "now">, assignments?: Fragment): Fragment => sql`
  UPDATE listing_lanes l
  SET waiting = l.waiting - 1, failures = 0, calendar_last = settled.kind = 'availability',
    calendar_waits = l.calendar_waits AND settled.kind <> 'availability',
    ${assignments === undefined ? sql`` : sql`${assignments},`}
    traceparent = CASE WHEN NOT isempty(l.due_days) THEN l.traceparent END,
    due_at = ${now}::timestamptz + CASE
      WHEN settled.kind = 'availability' AND l.waiting - 1 = (NOT isempty(l.due_days))::integer
      THEN ${cooldownSql(sql)} ELSE interval '0' END
  FROM settled WHERE l.operator_id = settled.operator_id AND l.listing_row = settled.listing_row`

/**
 * Returns assignments for days of the pushes `endedPushes`, which the channel did not accept. Their inventory or direct
 * price ends, so the days follow the availability or the base price again. A day with an earlier direct price that the
 * channel accepted keeps that price. Days of a base price become missed days.
 */
const withdrawnDaysSql = (sql: SqlClient, endedPushes: Fragment, now: Date): Fragment => sql`
  said_days = l.said_days - ${daysOfKindSql(sql, endedPushes, "inventories")},
  direct_price_days = l.direct_price_days - (${daysOfKindSql(sql, endedPushes, "prices")} - l.accepted_price_days),
  missed_price_days = ${withoutPastDaysSql(sql, sql`l.missed_price_days`, now)} + coalesce((
    SELECT range_agg(${daySetSql(sql, sql`ranges`)}) FROM ${endedPushes} ended
    WHERE kind = 'prices' AND price_source IS NOT NULL), '{}')`

/**
 * Returns assignments for days of a price that the channel accepted. A direct price is not kept for a day with a pending
 * base price, which replaces it. After an accepted base price, a day with a direct price stays missed, because the
 * channel may still refuse the direct price.
 */
const acceptedDaysSql = (sql: SqlClient): Fragment => sql`
  missed_price_days = CASE WHEN settled.kind = 'prices' AND NOT isempty(l.missed_price_days) THEN
    l.missed_price_days - (${daySetSql(sql, sql`settled.ranges`)}
      - CASE WHEN settled.price_source IS NOT NULL THEN l.direct_price_days ELSE '{}' END)
    ELSE l.missed_price_days END,
  accepted_price_days = CASE WHEN settled.kind = 'prices' AND settled.price_source IS NULL THEN
    l.direct_price_days * (l.accepted_price_days + (${daySetSql(sql, sql`settled.ranges`)} - coalesce((
      SELECT range_agg(${daySetSql(sql, sql`p.ranges`)}) FROM listing_pushes p
      WHERE p.operator_id = l.operator_id AND p.listing_row = l.listing_row AND p.settled_at IS NULL AND p.kind = 'prices'
        AND p.price_source IS NOT NULL), '{}')))
    ELSE l.accepted_price_days END`

/** Reads only pushes of the host. Leaves out days for which another of these pushes is pending. */
const daysOfKindSql = (sql: SqlClient, endedPushes: Fragment, kind: "inventories" | "prices"): Fragment => sql`
  CASE WHEN EXISTS (SELECT FROM ${endedPushes} ended WHERE kind = ${sql.literal(`'${kind}'`)} AND price_source IS NULL) THEN
    (SELECT range_agg(${daySetSql(sql, sql`ranges`)}) FROM ${endedPushes} ended
      WHERE kind = ${sql.literal(`'${kind}'`)} AND price_source IS NULL)
    - coalesce((
      SELECT range_agg(${daySetSql(sql, sql`p.ranges`)}) FROM lane
      JOIN listing_pushes p ON p.operator_id = lane.operator_id AND p.listing_row = lane.listing_row
      WHERE p.settled_at IS NULL AND p.kind = ${sql.literal(`'${kind}'`)} AND p.price_source IS NULL
        AND p.id NOT IN (SELECT id FROM ${endedPushes} ended)), '{}')
  ELSE '{}' END`

/** True if base prices of days without a direct price have not reached the channel. */
const freedMissedDaysCondition = (sql: SqlClient): Fragment =>
  sql`NOT isempty(l.missed_price_days - l.direct_price_days)`

export interface CompletePushParameters extends PushClaim {
  readonly reason: string | undefined
  /** As in {@link PushInProgress}. */
  readonly ranges: ReadonlyArray<DayRange> | undefined
  readonly start_date: string | undefined
  readonly end_date: string | undefined
  readonly traceparent: string | undefined
}

export const recordPushedSql = (sql: SqlClient, parameters: CompletePushParameters): Fragment => {
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
      RETURNING p.operator_id, p.listing_row, p.kind, p.ranges, p.price_source
    ), going_on AS (${advancePartitionSql(sql, parameters, start_date === undefined ? undefined : acceptedDaysSql(sql))})
    ${start_date === undefined ? sql`` : sql`, told AS (${pushedListing}), event AS (${event})`}
    SELECT 1 AS pushes FROM settled`
}

const sentRangesSql = (sql: SqlClient, ranges: CompletePushParameters["ranges"]): Fragment =>
  ranges === undefined ? sql`p.ranges` : sql`${jsonParameter(ranges)}::jsonb`

interface RefusePushParameters extends PushClaim {
  readonly reason: string
  readonly ranges: ReadonlyArray<DayRange> | undefined
}

/** The channel would refuse the push again, so the next push becomes due. */
export const recordRefusedSql = (sql: SqlClient, parameters: RefusePushParameters): Fragment => sql`
  WITH lane AS (${claimedPartitionKeySql(sql, parameters)}), settled AS (
    UPDATE listing_pushes p
    SET state = 'refused', reason = ${parameters.reason}, attempts = p.attempts + 1, settled_at = ${parameters.now},
      ranges = ${sentRangesSql(sql, parameters.ranges)}
    FROM lane
    WHERE p.operator_id = lane.operator_id AND p.listing_row = lane.listing_row AND p.id = ${parameters.push_id}
      AND p.settled_at IS NULL
    RETURNING p.operator_id, p.listing_row, p.id, p.kind, p.ranges, p.price_source
  ), going_on AS (
    ${advancePartitionSql(sql, parameters, withdrawnDaysSql(sql, sql`settled`, parameters.now))}
    RETURNING ${freedMissedDaysCondition(sql)} AS has_missed_days
  )
  SELECT coalesce(bool_or(going_on.has_missed_days AND settled.kind = 'prices' AND settled.price_source IS NULL), false)
      AS misses_prices, false AS misses_stay_lengths
  FROM settled CROSS JOIN going_on HAVING count(*) > 0`

interface FailPushParameters extends RefusePushParameters {
  readonly failures: number
  readonly nextAttempt: Date
  /** Pushes created at this time or earlier become dead letters. */
  readonly tooOld: Date
}

/**
 * Postpones all pushes of the listing, so that none overtakes another. After a dead calendar push, a push of the host
 * is next, because the channel may accept that one.
 */
export const postponePushSql = (sql: SqlClient, parameters: FailPushParameters): Fragment => sql`
  WITH lane AS (
    SELECT operator_id, listing_row FROM listing_lanes
    WHERE ${isClaimedCondition(sql, PUSH_TABLE, parameters)} AND failures = ${parameters.failures} FOR NO KEY UPDATE
  ), tried AS (
    UPDATE listing_pushes p
    SET reason = ${parameters.reason}, attempts = p.attempts + (p.id = ${parameters.push_id})::integer,
      state = CASE WHEN p.created_at <= ${parameters.tooOld} THEN 'dead' ELSE 'waiting' END,
      settled_at = CASE WHEN p.created_at <= ${parameters.tooOld} THEN ${parameters.now}::timestamptz END,
      ranges = CASE WHEN p.id = ${parameters.push_id} THEN ${sentRangesSql(sql, parameters.ranges)} ELSE p.ranges END
    FROM lane
    WHERE p.operator_id = lane.operator_id AND p.listing_row = lane.listing_row AND p.settled_at IS NULL
      AND (p.id = ${parameters.push_id} OR p.created_at <= ${parameters.tooOld})
    RETURNING p.id, p.kind, p.ranges, p.price_source, p.settled_at
  ), dead AS (SELECT * FROM tried WHERE settled_at IS NOT NULL), gone AS (
    SELECT count(*) AS pushes, coalesce(bool_or(kind = 'availability'), false) AS of_calendar,
      coalesce(bool_or(kind = 'prices'), false) AS has_prices,
      coalesce(bool_or(kind = 'restrictions' AND price_source IS NOT NULL), false) AS misses_stay_lengths
    FROM dead
  ), waits AS (
    UPDATE listing_lanes l
    SET waiting = l.waiting - gone.pushes, failures = l.failures + 1, due_at = ${parameters.nextAttempt},
      calendar_waits = l.calendar_waits AND NOT gone.of_calendar, calendar_last = l.calendar_last OR gone.of_calendar,
      ${withdrawnDaysSql(sql, sql`dead`, parameters.now)}
    FROM lane, gone WHERE l.operator_id = lane.operator_id AND l.listing_row = lane.listing_row
    RETURNING ${freedMissedDaysCondition(sql)} AS has_missed_days
  )
  SELECT pushes, of_calendar, has_prices AND has_missed_days AS misses_prices, misses_stay_lengths FROM gone, waits`
