import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { makeJobQueue } from "../../../jobs/job-queue.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { LISTING_PUSH_GIVE_UP_MS } from "../../../platform/limits.ts"
import { currentTraceparent } from "../../../platform/telemetry/traceparent.ts"
import { createCalendarPushSql, readInventorySql } from "./calendar-push-statements.ts"
import type { ListingInventory } from "./listing-inventory.ts"
import { CalendarPushRow, ClaimedPush, InventoryRow, type PushInProgress, type PushSpan } from "./push.ts"
import {
  type CompletePushParameters,
  type PartitionClaim,
  PUSH_TABLE,
  postponePushSql,
  recordPushedSql,
  recordRefusedSql
} from "./push-statements.ts"

/**
 * A calendar push (changed availability) is sent before the host's pushes, because a sold night must not wait for a
 * thousand prices. After each calendar push, one waiting push of the host is sent.
 */
const isCalendarPushCondition = (sql: SqlClient.SqlClient): Fragment => sql`
  (j.calendar_waits OR (NOT isempty(j.due_days) AND (NOT j.calendar_last OR j.waiting = 1)))`

/** Returns the reason why the base price in row `first` no longer belongs on its listing, or null. */
const obsoleteReasonSql = (sql: SqlClient.SqlClient): Fragment => sql`
  CASE WHEN first.price_source IS NULL THEN NULL
    WHEN listing.ratio_readonly THEN 'the prices of the listing are set on its channel'
    WHEN first.price_source IS DISTINCT FROM coalesce(listing.property_id, -listing.room_type_id)
    THEN 'the listing is no longer mapped to the owner of these base prices' END`

/** A calendar push has no row in `listing_pushes` before it is sent. */
const selectFirstPushesSql = (sql: SqlClient.SqlClient): Fragment => sql`
  SELECT claimed.operator_id, claimed.listing_row, claimed.attempts, claimed.failures, listing.account_id, listing.channel_type,
    listing.listing_id, first.id AS push_id,
    jsonb_build_object('kind', coalesce(first.kind, 'availability'), 'ranges', coalesce(first.ranges, '[]')) AS content,
    ${obsoleteReasonSql(sql)} AS obsolete_reason, CASE WHEN first.price_source IS NOT NULL THEN o.time_zone END AS time_zone,
    CASE WHEN claimed.of_calendar THEN claimed.traceparent ELSE first.traceparent END AS traceparent
  FROM claimed
  LEFT JOIN LATERAL (
    SELECT id, kind, ranges, price_source, traceparent FROM listing_pushes
    WHERE operator_id = claimed.operator_id AND listing_row = claimed.listing_row AND settled_at IS NULL
      AND NOT claimed.of_calendar
    ORDER BY id LIMIT 1) first ON true
  JOIN listings listing ON listing.operator_id = claimed.operator_id AND listing.id = claimed.listing_row
  JOIN operators o ON o.id = claimed.operator_id
  WHERE claimed.of_calendar OR first.id IS NOT NULL`

type ListingKey = Pick<ClaimedPush, "operator_id" | "listing_row">

const readCount = makeOptionalRowReader(Schema.Struct({ pushes: Schema.Int }))
const readCalendarPush = makeOptionalRowReader(CalendarPushRow)
const readInventory = makeOptionalRowReader(InventoryRow)
/** Whether base prices or stay lengths must be queued again. The host repeats a base price that the channel refused. */
const missedFields = { misses_prices: Schema.Boolean, misses_stay_lengths: Schema.Boolean }
const readRefusal = makeOptionalRowReader(Schema.Struct(missedFields))
const readDeadLetters = makeOptionalRowReader(
  Schema.Struct({ pushes: Schema.Int, of_calendar: Schema.Boolean, ...missedFields })
)

const makeCompareSoon =
  (sql: SqlClient.SqlClient) =>
  ({ operator_id, listing_row }: ListingKey, now: Date) =>
    Effect.asVoid(
      Effect.orDie(sql`
        UPDATE listing_comparisons SET due_at = least(due_at, ${now})
        WHERE operator_id = ${operator_id} AND listing_row = ${listing_row}`)
    )

const makeLoadInventory =
  (sql: SqlClient.SqlClient) =>
  ({ operator_id, listing_row }: ListingKey, span: PushSpan): Effect.Effect<ListingInventory | undefined> =>
    Effect.map(readInventory(sql`${readInventorySql(sql, { operator_id, listing_row, ...span })}`), (row) =>
      row === undefined ? undefined : { ...row, ...span, unsellable: new Map(row.unsellable) }
    )

const makePushQueue = Effect.map(SqlClient.SqlClient, (sql) => {
  const { claim, release, toClaim } = makeJobQueue(sql, PUSH_TABLE, ClaimedPush, {
    returning: sql`j.operator_id, j.listing_row, j.attempts, j.failures, j.traceparent,
          ${isCalendarPushCondition(sql)} AS of_calendar`,
    statement: selectFirstPushesSql(sql)
  })
  const toPartitionClaim = (claimedPush: ClaimedPush, now: Date): PartitionClaim => ({ ...toClaim(claimedPush), now })
  const toPushClaim = ({ claimedPush, push_id, ranges }: PushInProgress, now: Date) => ({
    ...toPartitionClaim(claimedPush, now),
    push_id,
    ranges
  })
  const complete = (input: CompletePushParameters) => sql`${recordPushedSql(sql, input)}`
  return {
    claim,
    release,
    createCalendarPush: (claimedPush: ClaimedPush, now: Date) =>
      readCalendarPush(sql`${createCalendarPushSql(sql, toPartitionClaim(claimedPush, now))}`),

    loadInventory: makeLoadInventory(sql),

    /** Returns undefined, like the methods below, if another worker has the claim by now. */
    complete: (push: PushInProgress, span: PushSpan, now: Date) =>
      Effect.flatMap(currentTraceparent, (traceparent) =>
        readCount(complete({ ...toPushClaim(push, now), reason: undefined, ...span, traceparent }))
      ),

    completeEmpty: (push: PushInProgress, reason: string, now: Date) =>
      readCount(
        complete({
          ...toPushClaim(push, now),
          reason,
          start_date: undefined,
          end_date: undefined,
          traceparent: undefined
        })
      ),

    refuse: (push: PushInProgress, reason: string, now: Date) =>
      readRefusal(sql`${recordRefusedSql(sql, { ...toPushClaim(push, now), reason })}`),

    fail: (push: PushInProgress, reason: string, nextAttempt: Date, now: Date) =>
      readDeadLetters(
        sql`${postponePushSql(sql, {
          ...toPushClaim(push, now),
          reason,
          failures: push.claimedPush.failures,
          nextAttempt,
          tooOld: new Date(now.getTime() - LISTING_PUSH_GIVE_UP_MS)
        })}`
      ),

    compareSoon: makeCompareSoon(sql)
  }
})

/**
 * Each listing is a partition, so its changes arrive in order, even after a retry. If a worker dies, its push is sent
 * again when the lease ends.
 */
export class PushQueue extends Context.Service<PushQueue>()("latchkey/domain/calendars/listing-calendars/PushQueue", {
  make: makePushQueue
}) {
  static readonly layer = Layer.effect(PushQueue, PushQueue.make)
}
