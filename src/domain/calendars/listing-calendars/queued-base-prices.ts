import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { traceparentSql } from "../../../platform/database/traceparent-sql.ts"
import { QUEUED_LISTING_PUSHES_MAX } from "../../../platform/limits.ts"
import { withoutPastDaysSql } from "./due-days.ts"

/**
 * Returns the CTEs `lane`, `push` and `queue_check`, which queue the pushes of the CTE `requested_push`. It has one row
 * for each listing: `operator_id, listing_row, account_id, price_days` (datemultirange), `prices` and `restrictions`
 * (JSON ranges of days, or null), `source` and `keeps_direct_prices`. If `keeps_direct_prices` is true, days with a direct price
 * are not pushed. Otherwise the pushed prices replace the direct ones.
 *
 * `queue_check` has one row. Its `is_full` is true if the queue of a listing is full. Then that listing gets no push,
 * and the caller must roll back or accept this. The queue partitions are locked in a fixed order, which avoids
 * deadlocks. Each push gets its id under that lock, so the ids of a listing's pushes rise in commit order.
 */
export const queueBasePricePushesSql = (sql: SqlClient, now: Date): Fragment => {
  const maxQueued = sql.literal(String(QUEUED_LISTING_PUSHES_MAX))
  return sql`
    lane AS (
      INSERT INTO listing_lanes AS lane (operator_id, listing_row, account_id, due_at, waiting)
      SELECT operator_id, listing_row, account_id, ${now}::timestamptz,
        (prices IS NOT NULL)::integer + (restrictions IS NOT NULL)::integer
      FROM requested_push ORDER BY operator_id, listing_row
      ON CONFLICT (operator_id, listing_row) DO UPDATE
        SET account_id = excluded.account_id,
          due_at = CASE WHEN lane.waiting = 0 THEN excluded.due_at ELSE lane.due_at END,
          (waiting, direct_price_days, accepted_price_days, missed_price_days) = (
            SELECT lane.waiting + excluded.waiting
                - (r.prices IS NOT NULL AND r.keeps_direct_prices AND r.price_days <@ lane.direct_price_days)::integer,
              CASE WHEN r.keeps_direct_prices THEN lane.direct_price_days
                ELSE ${withoutPastDaysSql(sql, sql`lane.direct_price_days`, now)} - r.price_days END,
              CASE WHEN r.keeps_direct_prices THEN lane.accepted_price_days
                ELSE ${withoutPastDaysSql(sql, sql`lane.accepted_price_days`, now)} - r.price_days END,
              CASE WHEN r.keeps_direct_prices
                THEN (lane.missed_price_days - (r.price_days - lane.direct_price_days))
                  + r.price_days * (lane.direct_price_days - lane.accepted_price_days)
                ELSE lane.missed_price_days - r.price_days END
            FROM requested_push r
            WHERE r.operator_id = excluded.operator_id AND r.listing_row = excluded.listing_row)
        WHERE lane.waiting - lane.calendar_waits::integer - (NOT isempty(lane.due_days))::integer + excluded.waiting <= ${maxQueued}
      RETURNING operator_id, listing_row, direct_price_days
    ), push AS (
      INSERT INTO listing_pushes (operator_id, listing_row, kind, ranges, price_source, created_at, traceparent)
      SELECT lane.operator_id, lane.listing_row, content.kind, content.ranges, r.source, ${now}::timestamptz,
        ${traceparentSql(sql)}
      FROM lane
      JOIN requested_push r ON r.operator_id = lane.operator_id AND r.listing_row = lane.listing_row
      CROSS JOIN LATERAL (VALUES
        ('prices', CASE WHEN r.keeps_direct_prices THEN ${pricesOutsideSql(sql, sql`r.prices`, sql`lane.direct_price_days`)} ELSE r.prices END),
        ('restrictions', r.restrictions)
      ) AS content (kind, ranges)
      WHERE content.ranges IS NOT NULL
      ORDER BY lane.listing_row, content.kind
      RETURNING operator_id, listing_row
    ), queue_check AS (
      SELECT (SELECT count(*) FROM requested_push) > (SELECT count(*) FROM lane) AS is_full
    )`
}

/** Returns null if no day is left. */
const pricesOutsideSql = (sql: SqlClient, prices: Fragment, days: Fragment): Fragment => sql`
  (SELECT jsonb_agg(jsonb_build_object('start_date', lower(part), 'end_date', upper(part) - 1, 'price', each -> 'price')
      ORDER BY lower(part))
    FROM jsonb_array_elements(${prices}) each
    CROSS JOIN unnest(
      datemultirange(daterange((each ->> 'start_date')::date, (each ->> 'end_date')::date, '[]')) - ${days}) part)`

/**
 * Returns a CTE that ends the direct prices of skipped listings, which get no push to end them. So a later push has the
 * new base price of these days. `skippedDays` selects `operator_id, listing_row, days` (datemultirange).
 */
export const endDirectPricesSql = (sql: SqlClient, skippedDays: Fragment): Fragment => sql`
  ended_direct_price AS (
    UPDATE listing_lanes lane
    SET direct_price_days = lane.direct_price_days - skipped.days,
      accepted_price_days = lane.accepted_price_days - skipped.days
    FROM (${skippedDays}) skipped
    WHERE lane.operator_id = skipped.operator_id AND lane.listing_row = skipped.listing_row
      AND lane.direct_price_days && skipped.days
  )`
