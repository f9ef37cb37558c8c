import { Layer } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { AVAILABILITY_END_DAYS } from "../../../platform/limits.ts"
import { Listings } from "../../listings/Listings.ts"
import { MappingPricePushes } from "../../listings/MappingPricePushes.ts"
import { queueBasePricePushesSql } from "../listing-calendars/queued-base-prices.ts"
import { effectiveBasePricesSql, propertyTargetSql, roomTypeTargetSql } from "./effective-prices.ts"
import { requestPushesSql, skipReasonSql, sourceSql } from "./price-pushes.ts"

/**
 * Queues the base prices from today on. A new mapping also queues the stay lengths and replaces direct prices, because
 * the listing now follows other base prices. A new ratio keeps direct prices. A listing that was read-only missed every
 * change, so it also gets the stay lengths.
 */
const queuePushesSql = (sql: SqlClient, now: Date): Fragment => {
  const today = sql`(${now}::timestamptz AT TIME ZONE target.time_zone)::date`
  const dates = { start: today, end: sql`${today} + ${sql.literal(String(AVAILABILITY_END_DAYS))}` }
  return sql`
    changed_listing AS MATERIALIZED (
      SELECT after.*,
        (after.property_id, after.room_type_id) IS DISTINCT FROM (before.property_id, before.room_type_id) AS has_new_target,
        before.ratio_readonly AS was_readonly
      FROM after JOIN before ON before.operator_id = after.operator_id AND before.id = after.id
      WHERE after.shelf_status <> 'deleted' AND NOT after.ratio_readonly
        AND (after.property_id, after.room_type_id, after.ratio, after.ratio_readonly)
          IS DISTINCT FROM (before.property_id, before.room_type_id, before.ratio, before.ratio_readonly)
    ), price_target AS MATERIALIZED (
      SELECT target.*, o.time_zone, changed_listing.has_new_target OR changed_listing.was_readonly AS needs_stay_lengths
      FROM changed_listing
      CROSS JOIN LATERAL (
        ${propertyTargetSql(sql, sql`changed_listing.operator_id`, sql`changed_listing.property_id`)}
        UNION ALL
        ${roomTypeTargetSql(sql, sql`changed_listing.operator_id`, sql`changed_listing.room_type_id`)}
      ) target
      JOIN operators o ON o.id = target.operator_id
    ), price_listing AS MATERIALIZED (
      SELECT l.operator_id, l.id AS listing_row, l.account_id, l.channel_type, l.ratio,
        ${sourceSql(sql, sql`target`)} AS source, ${skipReasonSql(sql, sql`target.currency`)} AS reason,
        NOT l.has_new_target AS keeps_direct_prices
      FROM changed_listing l
      CROSS JOIN price_target target
      JOIN channel_accounts a ON a.operator_id = l.operator_id AND a.id = l.account_id
    ), pushed_day AS MATERIALIZED (
      SELECT ${sourceSql(sql, sql`target`)} AS source, day.date, day.price,
        CASE WHEN target.needs_stay_lengths THEN day.minimum_stay END AS minimum_stay,
        CASE WHEN target.needs_stay_lengths THEN day.maximum_stay END AS maximum_stay
      FROM price_target target
      CROSS JOIN LATERAL (${effectiveBasePricesSql(sql, sql`(SELECT target.*)`, dates)}) day
    ), ${requestPushesSql(sql, sql`true`)}, ${queueBasePricePushesSql(sql, now)}`
}

export const layerMappingPricePushes = Layer.succeed(MappingPricePushes, { queuePushesSql })

/** `Listings` that push base prices when a mapping or ratio changes. */
export const layerListingsWithPrices = Layer.provide(Listings.layer, layerMappingPricePushes)
