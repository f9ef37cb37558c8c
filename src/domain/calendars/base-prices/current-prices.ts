import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { AVAILABILITY_END_DAYS } from "../../../platform/limits.ts"
import { queueBasePricePushesSql } from "../listing-calendars/queued-base-prices.ts"
import { effectiveBasePricesSql, type PriceDates, propertyTargetSql, roomTypeTargetSql } from "./effective-prices.ts"
import { priceListingsSql, requestPushesSql, sourceSql } from "./price-pushes.ts"

/** Days from today on, in the time zone of the row `target`. */
export const currentDatesSql = (sql: SqlClient, now: Date): PriceDates => {
  const today = sql`(${now}::timestamptz AT TIME ZONE target.time_zone)::date`
  return { start: today, end: sql`${today} + ${sql.literal(String(AVAILABILITY_END_DAYS))}` }
}

/**
 * Returns CTEs that queue the base prices of the CTE `changed_listing` from today on. It has rows of `listings` with
 * `has_new_target`, which replaces direct prices, and `needs_stay_lengths`, which also queues the stay lengths.
 * Listings with the same target must agree in `needs_stay_lengths`. The last CTE is `queue_check`.
 */
export const queueCurrentPricesSql = (sql: SqlClient, now: Date): Fragment => sql`
  price_target AS MATERIALIZED (
    SELECT target.*, o.time_zone, changed.needs_stay_lengths
    FROM (SELECT DISTINCT operator_id, property_id, room_type_id, needs_stay_lengths FROM changed_listing) changed
    CROSS JOIN LATERAL (
      ${propertyTargetSql(sql, sql`changed.operator_id`, sql`changed.property_id`)}
      UNION ALL
      ${roomTypeTargetSql(sql, sql`changed.operator_id`, sql`changed.room_type_id`)}
    ) target
    JOIN operators o ON o.id = target.operator_id
  ), ${priceListingsSql(sql, targetOfListingSql(sql), sql`NOT l.has_new_target`)}, pushed_day AS MATERIALIZED (
    SELECT ${sourceSql(sql, sql`target`)} AS source, day.date, day.price,
      CASE WHEN target.needs_stay_lengths THEN day.minimum_stay END AS minimum_stay,
      CASE WHEN target.needs_stay_lengths THEN day.maximum_stay END AS maximum_stay
    FROM price_target target
    CROSS JOIN LATERAL (${effectiveBasePricesSql(sql, sql`(SELECT target.*)`, currentDatesSql(sql, now))}) day
  ), ${requestPushesSql(sql, sql`true`)}, ${queueBasePricePushesSql(sql, now)}`

const targetOfListingSql = (sql: SqlClient): Fragment => sql`
  changed_listing l JOIN price_target target ON ${sourceSql(sql, sql`target`)} = ${sourceSql(sql, sql`l`)}`
