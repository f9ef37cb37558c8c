import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { genericPlanParameter, jsonParameter } from "../../../platform/database/parameters.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { traceparentSql } from "../../../platform/database/traceparent-sql.ts"
import { QUEUED_LISTING_PUSHES_MAX } from "../../../platform/limits.ts"
import { type ListingKey, operatorListingSql } from "../../listings/listing-lookup.ts"
import { formatDaySet, withoutPastDaysSql } from "./due-days.ts"
import type { DayRange, RangesField } from "./rules.ts"

/** `at` is the position in the request, from 1. */
const ListingAccountRow = Schema.Struct({ at: Schema.Int, account_id: Schema.Int })
type ListingAccountRow = typeof ListingAccountRow.Type

/** If `queued` is false, the account is disconnected, the prices are read-only, or too many pushes are pending. */
const PushQueueResult = Schema.Struct({
  auth_status: Schema.String,
  is_readonly: Schema.Boolean,
  queued: Schema.Boolean
})
type PushQueueResult = typeof PushQueueResult.Type

const readAccounts = makeRowsReader(ListingAccountRow)
const readQueueResult = makeOptionalRowReader(PushQueueResult)

const makeFindAccounts =
  (sql: SqlClient.SqlClient): ListingCalendarStore["Service"]["findAccounts"] =>
  (operatorId, listings) =>
    readAccounts(
      sql`
        SELECT named.at, l.account_id
        FROM unnest(${genericPlanParameter(
          sql,
          "text[]",
          listings.map((each) => each.channel_type)
        )}, ${genericPlanParameter(
          sql,
          "text[]",
          listings.map((each) => each.listing_id)
        )})
          WITH ORDINALITY AS named (channel_type, listing_id, at)
        JOIN listings l ON l.operator_id = ${genericPlanParameter(sql, "bigint", operatorId)} AND l.channel_type = named.channel_type
          AND l.listing_id = named.listing_id
        ORDER BY named.at`
    )

export interface PushRequest extends ListingKey {
  readonly kind: RangesField
  readonly ranges: ReadonlyArray<DayRange>
}

/**
 * Locks the partition (a row of `listing_lanes`) before the push gets its id. So the ids of a listing rise in commit
 * order, and concurrent calls cannot exceed the limit. The limit does not count pushes of changed availability.
 */
const makeQueuePush = (sql: SqlClient.SqlClient): ListingCalendarStore["Service"]["queuePush"] => {
  const most = sql.literal(String(QUEUED_LISTING_PUSHES_MAX))
  return (operatorId, { channel_type, listing_id, kind, ranges }, now) =>
    readQueueResult(
      recordChange(sql, {
        change: sql`
          own AS (
            SELECT l.operator_id, l.id, l.account_id, a.auth_status,
              l.ratio_readonly AND ${kind}::text = 'prices' AS is_readonly
            FROM (${operatorListingSql(sql, operatorId, channel_type, listing_id)}) l
            JOIN channel_accounts a ON a.operator_id = l.operator_id AND a.id = l.account_id
          ), lane AS (
            INSERT INTO listing_lanes AS lane (operator_id, listing_row, account_id, due_at, waiting, said_days, direct_price_days)
            SELECT operator_id, id, account_id, ${now}::timestamptz, 1, ${formatDaySet(kind === "inventories" ? ranges : [])}::datemultirange,
              ${formatDaySet(kind === "prices" ? ranges : [])}::datemultirange
            FROM own WHERE auth_status <> 'disconnected' AND NOT is_readonly
            ON CONFLICT (operator_id, listing_row) DO UPDATE
              SET waiting = lane.waiting + 1, account_id = excluded.account_id,
                said_days = excluded.said_days + ${withoutPastDaysSql(sql, sql`lane.said_days`, now)},
                direct_price_days = excluded.direct_price_days + ${withoutPastDaysSql(sql, sql`lane.direct_price_days`, now)},
                due_at = CASE WHEN lane.waiting = 0 THEN excluded.due_at ELSE lane.due_at END
              WHERE lane.waiting - lane.calendar_waits::integer - (NOT isempty(lane.due_days))::integer < ${most}
            RETURNING operator_id, listing_row
          ), push AS (
            INSERT INTO listing_pushes (operator_id, listing_row, kind, ranges, created_at, traceparent)
            SELECT operator_id, listing_row, ${kind}::text, ${jsonParameter(ranges)}::jsonb, ${now}::timestamptz, ${traceparentSql(sql)}
            FROM lane
            RETURNING operator_id, listing_row, kind
          )`,
        events: [],
        changedRecords: sql`SELECT operator_id, 'listing:' || listing_row AS record, ARRAY[kind] AS fields FROM push`,
        outcome: sql`SELECT auth_status, is_readonly, EXISTS (SELECT FROM push) AS queued FROM own`
      })
    )
}

export class ListingCalendarStore extends Context.Service<
  ListingCalendarStore,
  {
    /** Omits unknown listings. Keeps the order of the request. */
    readonly findAccounts: (
      operatorId: number,
      listings: ReadonlyArray<ListingKey>
    ) => Effect.Effect<ReadonlyArray<ListingAccountRow>>
    readonly queuePush: (
      operatorId: number,
      request: PushRequest,
      now: Date
    ) => Effect.Effect<PushQueueResult | undefined, never, CurrentActor>
  }
>()("latchkey/domain/calendars/listing-calendars/ListingCalendarStore") {
  static readonly layer = Layer.effect(
    ListingCalendarStore,
    Effect.map(SqlClient.SqlClient, (sql) =>
      ListingCalendarStore.of({ findAccounts: makeFindAccounts(sql), queuePush: makeQueuePush(sql) })
    )
  )
}
