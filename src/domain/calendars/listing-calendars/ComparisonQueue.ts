import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import {
  claimedJobFields,
  isClaimedCondition,
  type JobClaim,
  type JobTable,
  makeJobQueue
} from "../../../jobs/job-queue.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { CHANNEL_ACTION_TIMEOUT_MS } from "../../channels/port/channel-api-errors.ts"
import { dayRangesSql, formatDaySet, markDaysDueSql } from "./due-days.ts"

/** Limits of concurrent comparisons: per process, operator and channel account. */
export const CONCURRENT_COMPARISONS_MAX = 16
const OPERATOR_COMPARISONS_MAX = 4
export const ACCOUNT_COMPARISONS_MAX = 2

export const COMPARING_LEASE_MS = CHANNEL_ACTION_TIMEOUT_MS + 15_000

export const COMPARISON_SYNC_ROWS = 1_000

export const ClaimedComparison = Schema.Struct({
  ...claimedJobFields,
  listing_row: Schema.Int,
  account_id: Schema.Int,
  channel_type: Schema.String,
  listing_id: Schema.String,
  time_zone: Schema.String,
  suspected: Schema.Array(Schema.Struct({ start_date: Schema.String, end_date: Schema.String })),
  /** Null if the listing was never compared with its present mapping. */
  compared_at: Schema.NullOr(Schema.Date)
})
export type ClaimedComparison = typeof ClaimedComparison.Type

const readSyncedRows = makeOptionalRowReader(Schema.Struct({ rows: Schema.Int }))
const readMarkedListings = makeOptionalRowReader(Schema.Struct({ marked: Schema.Int }))

interface SyncComparisonsParameters {
  readonly now: Date
  readonly latestDueAt: Date
}

/** A comparison that is due later was scheduled before the clock was set back. */
const MAX_COMPARISON_AHEAD_MS = 2 * 24 * 60 * 60 * 1000

/**
 * Creates due comparisons for new or changed mappings, and deletes those of listings without a mapping. Selects the
 * number of created and deleted rows, each at most COMPARISON_SYNC_ROWS.
 */
const syncComparisonsSql = (sql: SqlClient.SqlClient, { now, latestDueAt }: SyncComparisonsParameters): Fragment => {
  const most = sql.literal(String(COMPARISON_SYNC_ROWS))
  const mappedCondition = sql`(l.property_id IS NOT NULL OR l.room_type_id IS NOT NULL) AND l.shelf_status <> 'deleted'`
  const sameMappingCondition = sql`
    c.account_id = l.account_id AND c.property_id IS NOT DISTINCT FROM l.property_id
    AND c.room_type_id IS NOT DISTINCT FROM l.room_type_id`
  return sql`
    WITH other AS (
      SELECT l.operator_id, l.id, l.account_id, l.property_id, l.room_type_id, c.listing_row IS NOT NULL AND NOT (${sameMappingCondition}) AS sold_other
      FROM listings l LEFT JOIN listing_comparisons c ON c.operator_id = l.operator_id AND c.listing_row = l.id
      WHERE ${mappedCondition} AND (c.listing_row IS NULL OR NOT (${sameMappingCondition}) OR c.due_at > ${latestDueAt}::timestamptz)
      ORDER BY l.operator_id, l.id LIMIT ${most}
    ), begun AS (
      INSERT INTO listing_comparisons AS c (operator_id, listing_row, account_id, property_id, room_type_id, due_at)
      SELECT operator_id, id, account_id, property_id, room_type_id, ${now}::timestamptz FROM other
      ORDER BY operator_id, id
      ON CONFLICT (operator_id, listing_row) DO UPDATE
        SET account_id = excluded.account_id, property_id = excluded.property_id, room_type_id = excluded.room_type_id,
          due_at = excluded.due_at, attempts = c.attempts + 1, failures = 0, suspected = '{}', compared_at = NULL
      RETURNING 1
    ), ended AS (
      DELETE FROM listing_comparisons c WHERE c.ctid = ANY (ARRAY(
        SELECT c.ctid FROM listing_comparisons c JOIN listings l ON l.operator_id = c.operator_id AND l.id = c.listing_row
        WHERE NOT (${mappedCondition}) LIMIT ${most} FOR UPDATE OF c SKIP LOCKED))
      RETURNING c.operator_id, c.listing_row
    ), outdated AS (
      -- The host's inventories belonged to the former mapping.
      SELECT ctid AS place FROM listing_lanes
      WHERE said_days <> '{}' AND (operator_id, listing_row) IN (
        SELECT operator_id, id FROM other WHERE sold_other UNION ALL SELECT operator_id, listing_row FROM ended)
      ORDER BY operator_id, listing_row FOR UPDATE
    ), unsaid AS (
      UPDATE listing_lanes SET said_days = '{}' WHERE ctid = ANY (ARRAY(SELECT place FROM outdated))
    )
    SELECT (SELECT count(*) FROM begun) + (SELECT count(*) FROM ended) AS rows`
}

/** Comparisons of a disconnected account stay pending. */
export const COMPARISON_TABLE: JobTable<"listing_row"> = {
  table: "listing_comparisons",
  keyColumn: "listing_row",
  pendingCondition: "true",
  accountCondition: `NOT EXISTS (
    SELECT FROM channel_accounts c WHERE c.operator_id = with_work.operator_id AND c.id = with_work.account_id
      AND c.auth_status = 'disconnected')`,
  operatorLimit: OPERATOR_COMPARISONS_MAX,
  accountLimit: ACCOUNT_COMPARISONS_MAX,
  leaseMs: COMPARING_LEASE_MS
}

const selectListingsSql = (sql: SqlClient.SqlClient): Fragment => sql`
  SELECT claimed.operator_id, claimed.listing_row, claimed.attempts, claimed.failures, listing.account_id, listing.channel_type,
    listing.listing_id, o.time_zone, ${dayRangesSql(sql, sql`claimed.suspected`)} AS suspected, claimed.compared_at
  FROM claimed
  JOIN listings listing ON listing.operator_id = claimed.operator_id AND listing.id = claimed.listing_row
  JOIN operators o ON o.id = claimed.operator_id`

interface CompleteComparisonParameters extends JobClaim {
  readonly now: Date
  readonly nextDueAt: Date
  /**
   * Each is the text of a `datemultirange`. On drifted days the channel's inventory is wrong, on suspected days it may
   * be wrong.
   */
  readonly driftedDays: string
  readonly suspectedDays: string
}

const completeComparisonSql = (
  sql: SqlClient.SqlClient,
  parameters: CompleteComparisonParameters,
  hasDrift: boolean
): Fragment => {
  const { now, nextDueAt, driftedDays, suspectedDays } = parameters
  const marked = sql`
    SELECT settled.operator_id, settled.listing_row, l.account_id, ${driftedDays}::datemultirange AS days,
      NULL AS traceparent
    FROM settled JOIN listings l ON l.operator_id = settled.operator_id AND l.id = settled.listing_row`
  return sql`
    WITH settled AS (
      UPDATE listing_comparisons
      SET due_at = ${nextDueAt}, failures = 0, compared_at = ${now}, suspected = ${suspectedDays}::datemultirange
      WHERE ${isClaimedCondition(sql, COMPARISON_TABLE, parameters)} RETURNING operator_id, listing_row
    )${hasDrift ? sql`, marked AS (${markDaysDueSql(sql, marked, now)})` : sql``}
    SELECT count(*) AS marked FROM ${hasDrift ? sql`marked` : sql`settled WHERE false`}`
}

const toDaySet = (days: ReadonlyArray<string>) => formatDaySet(days.map((day) => ({ start_date: day, end_date: day })))

interface ComparisonResult {
  readonly driftedDays: ReadonlyArray<string>
  readonly suspectedDays: ReadonlyArray<string>
  readonly nextDueAt: Date
}

const makeComparisonQueue = Effect.map(SqlClient.SqlClient, (sql) => {
  const { claim, release, postpone, toClaim } = makeJobQueue(sql, COMPARISON_TABLE, ClaimedComparison, {
    returning: sql`j.operator_id, j.listing_row, j.attempts, j.failures, j.suspected, j.compared_at`,
    statement: selectListingsSql(sql)
  })
  const complete = (input: CompleteComparisonParameters, hasDrift: boolean) =>
    sql`${completeComparisonSql(sql, input, hasDrift)}`
  return {
    claim,
    release,
    postpone,
    syncWithListings: (now: Date) =>
      Effect.map(
        readSyncedRows(
          sql`${syncComparisonsSql(sql, { now, latestDueAt: new Date(now.getTime() + MAX_COMPARISON_AHEAD_MS) })}`
        ),
        (row) => row?.rows ?? 0
      ),
    /** Marks the drifted days as due for a push. Returns whether this created a new push. */
    complete: (
      comparison: ClaimedComparison,
      { driftedDays, suspectedDays, nextDueAt }: ComparisonResult,
      now: Date
    ) => {
      const days = { driftedDays: toDaySet(driftedDays), suspectedDays: toDaySet(suspectedDays) }
      return Effect.map(
        readMarkedListings(complete({ ...toClaim(comparison), ...days, nextDueAt, now }, driftedDays.length > 0)),
        (row) => (row?.marked ?? 0) > 0
      )
    }
  }
})

/**
 * A comparison checks the channel's calendar of a listing against our inventory. As a job it never completes, because
 * there is always a next one.
 */
export class ComparisonQueue extends Context.Service<ComparisonQueue>()(
  "latchkey/domain/calendars/listing-calendars/ComparisonQueue",
  { make: makeComparisonQueue }
) {
  static readonly layer = Layer.effect(ComparisonQueue, ComparisonQueue.make)
}
