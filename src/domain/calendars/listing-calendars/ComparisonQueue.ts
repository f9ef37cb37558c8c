import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import {
  type AccountKey,
  type ClaimRequest,
  claimableRowsSql,
  type FairQueue,
  toBusyCounts
} from "../../../jobs/fair-queue.ts"
import { computeLeaseEnd } from "../../../jobs/lease.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeOptionalRowReader, makeReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { CHANNEL_ACTION_TIMEOUT_MS } from "../../channels/port/channel-api-errors.ts"
import { dayRangesSql, formatDaySet, markDaysDueSql } from "./due-days.ts"

/** Comparisons under way at once in a process, those of one operator, and those of one of its accounts. */
export const CONCURRENT_COMPARISONS_MAX = 16
const OPERATOR_COMPARISONS_MAX = 4
export const ACCOUNT_COMPARISONS_MAX = 2

/** Milliseconds a worker has a comparison to itself: the channel's answer and writing down what it found fit into it. */
export const COMPARING_LEASE_MS = CHANNEL_ACTION_TIMEOUT_MS + 15_000

/** Listings whose comparison one statement begins, or ends. */
export const COMPARISON_SYNC_ROWS = 1_000

/** A comparison that was taken. */
export const ClaimedComparison = Schema.Struct({
  operator_id: Schema.Int,
  listing_row: Schema.Int,
  account_id: Schema.Int,
  channel_type: Schema.String,
  listing_id: Schema.String,
  time_zone: Schema.String,
  /** How often it was taken, this time included: no other worker has it with the same number. */
  attempts: Schema.Int,
  failures: Schema.Int,
  suspected: Schema.Array(Schema.Struct({ start_date: Schema.String, end_date: Schema.String })),
  /** Null where it was never compared since it was linked. */
  compared_at: Schema.NullOr(Schema.Date)
})
export type ClaimedComparison = typeof ClaimedComparison.Type

const readTaken = makeRowsReader(ClaimedComparison)
const readSyncedRows = makeOptionalRowReader(Schema.Struct({ rows: Schema.Int }))
const readMarkedListings = makeOptionalRowReader(Schema.Struct({ marked: Schema.Int }))
const readNothing = makeReader(() => undefined)

interface SyncComparisonsParameters {
  readonly now: Date
  readonly latestDueAt: Date
}

/** Further ahead no comparison is due: the clock was set back since. */
const MAX_COMPARISON_AHEAD_MS = 2 * 24 * 60 * 60 * 1000

/**
 * Listings that are linked and have no comparison, or one of another link or account, begin with one that is due; of those
 * that are linked no more it ends. Answers how many: at most so many a statement, the rest by the next.
 */
const syncComparisonsSql = (
  sql: SqlClient.SqlClient,
  { now, latestDueAt }: Givens<SyncComparisonsParameters>
): Fragment => {
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
      -- What the host said of the listing was of what it sold then.
      SELECT ctid AS place FROM listing_lanes
      WHERE said_days <> '{}' AND (operator_id, listing_row) IN (
        SELECT operator_id, id FROM other WHERE sold_other UNION ALL SELECT operator_id, listing_row FROM ended)
      ORDER BY operator_id, listing_row FOR UPDATE
    ), unsaid AS (
      UPDATE listing_lanes SET said_days = '{}' WHERE ctid = ANY (ARRAY(SELECT place FROM outdated))
    )
    SELECT (SELECT count(*) FROM begun) + (SELECT count(*) FROM ended) AS rows`
}

/** What of it is due, and in which turn. */
export const comparisonQueue = (sql: SqlClient.SqlClient): FairQueue => ({
  table: sql`listing_comparisons`,
  keyColumn: sql`listing_row`,
  pendingCondition: sql`true`,
  accountCondition: sql`NOT EXISTS (
    SELECT FROM channel_accounts c WHERE c.operator_id = with_work.operator_id AND c.id = with_work.account_id
      AND c.auth_status = 'disconnected')`,
  operatorLimit: OPERATOR_COMPARISONS_MAX,
  accountLimit: ACCOUNT_COMPARISONS_MAX
})

/** Takes comparisons that are due. A disconnected account is not asked: its are due when it is back. */
const takingDue = (sql: SqlClient.SqlClient, taking: Givens<ClaimRequest>): Fragment => {
  const queue = comparisonQueue(sql)
  return sql`
    WITH RECURSIVE ${claimableRowsSql(sql, queue, taking)}, taken AS (
      UPDATE listing_comparisons c SET attempts = c.attempts + 1, due_at = ${taking.leaseEnd}
      WHERE c.ctid = ANY (ARRAY(SELECT place FROM chosen)) AND c.due_at <= ${taking.now}
      RETURNING c.operator_id, c.listing_row, c.attempts, c.failures, c.suspected, c.compared_at
    )
    SELECT taken.operator_id, taken.listing_row, taken.attempts, taken.failures, listing.account_id, listing.channel_type,
      listing.listing_id, o.time_zone, ${dayRangesSql(sql, sql`taken.suspected`)} AS suspected,
      taken.compared_at
    FROM taken
    JOIN listings listing ON listing.operator_id = taken.operator_id AND listing.id = taken.listing_row
    JOIN operators o ON o.id = taken.operator_id`
}

interface ComparisonClaim {
  readonly operator_id: number
  readonly listing_row: number
  readonly attempts: number
  readonly now: Date
}

const isClaimedCondition = (
  sql: SqlClient.SqlClient,
  { operator_id, listing_row, attempts }: Givens<Omit<ComparisonClaim, "now">>
) => sql`
  operator_id = ${operator_id} AND listing_row = ${listing_row} AND attempts = ${attempts}`

interface CompleteComparisonParameters extends ComparisonClaim {
  readonly nextDueAt: Date
  /** Sets of days. */
  readonly driftedDays: string
  readonly suspectedDays: string
}

/** Writes down what was found: what drifted is due in the listing's lane. */
const settling = (
  sql: SqlClient.SqlClient,
  parameters: Givens<CompleteComparisonParameters>,
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
      WHERE ${isClaimedCondition(sql, parameters)} RETURNING operator_id, listing_row
    )${hasDrift ? sql`, marked AS (${markDaysDueSql(sql, marked, now)})` : sql``}
    SELECT count(*) AS marked FROM ${hasDrift ? sql`marked` : sql`settled WHERE false`}`
}

const inHand = ({ operator_id, listing_row, attempts }: ClaimedComparison, now: Date): ComparisonClaim => ({
  operator_id,
  listing_row,
  attempts,
  now
})

const toDaySet = (days: ReadonlyArray<string>) => formatDaySet(days.map((day) => ({ start_date: day, end_date: day })))

/** What a look at a listing's calendar came to. */
interface ComparisonResult {
  readonly driftedDays: ReadonlyArray<string>
  readonly suspectedDays: ReadonlyArray<string>
  readonly nextDueAt: Date
}

/**
 * When the calendars of listings are compared with their channels', in the database, for any worker of any process: timed work
 * (jobs/timed-work.ts) that is never settled, since there is a next time.
 */
export class ComparisonQueue extends Context.Service<
  ComparisonQueue,
  {
    /** Begins and ends comparisons as listings are linked; returns how many, at most {@link COMPARISON_SYNC_ROWS} of each. */
    readonly syncWithListings: (now: Date) => Effect.Effect<number>
    /** Claims up to `maxJobs` due comparisons. `inProgress` has those that this process has claimed already. */
    readonly take: (
      now: Date,
      maxJobs: number,
      inProgress: Iterable<AccountKey>
    ) => Effect.Effect<ReadonlyArray<ClaimedComparison>>
    /** Makes a push of the drifted days due. Returns whether there is a new push to send. */
    readonly complete: (comparison: ClaimedComparison, result: ComparisonResult, now: Date) => Effect.Effect<boolean>
    /** Postpones the comparison, as the channel could not be read. */
    readonly fail: (comparison: ClaimedComparison, next: Date, now: Date) => Effect.Effect<void>
    readonly release: (comparison: ClaimedComparison, now: Date) => Effect.Effect<void>
  }
>()("latchkey/domain/calendars/listing-calendars/ComparisonQueue") {
  static readonly layer = Layer.effect(
    ComparisonQueue,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const syncComparisons = inForms(sql, (parameters: Givens<SyncComparisonsParameters>) =>
        syncComparisonsSql(sql, parameters)
      )
      const take = inForms(sql, (taking: Givens<ClaimRequest>) => takingDue(sql, taking))
      const complete = inForms(sql, (parameters: Givens<CompleteComparisonParameters>, hasDrift: boolean) =>
        settling(sql, parameters, hasDrift)
      )
      const postpone = inForms(
        sql,
        ({ next, failed, ...given }: Givens<ComparisonClaim & { readonly next: Date; readonly failed: number }>) => sql`
        UPDATE listing_comparisons SET due_at = ${next}, failures = failures + ${failed} WHERE ${isClaimedCondition(sql, given)}`
      )
      return ComparisonQueue.of({
        syncWithListings: (now) =>
          Effect.map(
            readSyncedRows(syncComparisons({ now, latestDueAt: new Date(now.getTime() + MAX_COMPARISON_AHEAD_MS) })),
            (row) => row?.rows ?? 0
          ),

        take: (now, maxJobs, inProgress) =>
          readTaken(
            take({ now, leaseEnd: computeLeaseEnd(now, COMPARING_LEASE_MS), maxJobs, ...toBusyCounts(inProgress) })
          ),

        complete: (comparison, { driftedDays, suspectedDays, nextDueAt }, now) =>
          Effect.map(
            readMarkedListings(
              complete(
                {
                  ...inHand(comparison, now),
                  nextDueAt,
                  driftedDays: toDaySet(driftedDays),
                  suspectedDays: toDaySet(suspectedDays)
                },
                driftedDays.length > 0
              )
            ),
            (row) => (row?.marked ?? 0) > 0
          ),

        fail: (comparison, next, now) => readNothing(postpone({ ...inHand(comparison, now), next, failed: 1 })),
        release: (comparison, now) => readNothing(postpone({ ...inHand(comparison, now), next: now, failed: 0 }))
      })
    })
  )
}
