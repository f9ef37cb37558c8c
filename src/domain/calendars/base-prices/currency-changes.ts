import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { queueBasePricePushesSql } from "../listing-calendars/queued-base-prices.ts"
import { currentDatesSql } from "./current-prices.ts"
import { effectiveBasePricesSql, propertyTargetSql, roomTypeTargetSql } from "./effective-prices.ts"
import { mappedListingsSql, priceListingsSql, requestPushesSql, sourceSql } from "./price-pushes.ts"

/**
 * Returns the CTEs `edited_property` and `price_target`. A new currency of the property can change the currency of its
 * room type. A property uses prices of its room type only if both have the same currency, so other properties of the
 * room type are targets too. A statement reads the rows of `properties` as they were before it, so `edited_property`
 * adds the new currency.
 */
const changedTargetsSql = (sql: SqlClient): Fragment => {
  const editedProperties = sql`edited_property`
  const [operatorId, propertyId] = [sql`price_owner.operator_id`, sql`price_owner.property_id`]
  const roomTypeId = sql`price_owner.room_type_id`
  return sql`
  edited_property AS MATERIALIZED (
    SELECT p.operator_id, p.id, CASE WHEN p.id = after.id THEN after.currency ELSE p.currency END AS currency
    FROM before
    JOIN after ON after.operator_id = before.operator_id AND after.id = before.id
    JOIN properties p ON p.operator_id = after.operator_id AND p.id = ANY (after.id || ARRAY(
      SELECT other.property_id FROM room_type_properties own
      JOIN room_type_properties other ON other.operator_id = own.operator_id AND other.room_type_id = own.room_type_id
      WHERE own.operator_id = after.operator_id AND own.property_id = after.id))
    WHERE after.currency IS DISTINCT FROM before.currency
  ), price_target AS MATERIALIZED (
    SELECT target.*, former.currency <> target.currency AS has_new_currency, o.time_zone
    FROM (
      SELECT operator_id, id AS property_id, NULL::bigint AS room_type_id FROM edited_property
      UNION
      SELECT member.operator_id, NULL, member.room_type_id FROM edited_property p
      JOIN room_type_properties member ON member.operator_id = p.operator_id AND member.property_id = p.id
    ) price_owner
    CROSS JOIN LATERAL (
      ${propertyTargetSql(sql, operatorId, propertyId, editedProperties)}
      UNION ALL
      ${roomTypeTargetSql(sql, operatorId, roomTypeId, editedProperties)}
    ) target
    CROSS JOIN LATERAL (
      ${propertyTargetSql(sql, operatorId, propertyId)}
      UNION ALL
      ${roomTypeTargetSql(sql, operatorId, roomTypeId)}
    ) former
    JOIN operators o ON o.id = target.operator_id
    WHERE (former.currency, former.inherits_price) IS DISTINCT FROM (target.currency, target.inherits_price)
  )`
}

/**
 * Returns CTEs that compare the CTEs `before` and `after`, each with at most one row of `properties`. They queue the
 * base prices from today on for the listings in the new currency, in place of direct prices. These listings missed
 * every change, so they also get the stay lengths. The caller must hold the operator's lock. The last CTE is
 * `queue_check`.
 */
export const queuePricesInNewCurrencySql = (sql: SqlClient, now: Date): Fragment => sql`
  ${changedTargetsSql(sql)}, ${priceListingsSql(sql, mappedListingsSql(sql, sql`price_target`))},
  pushed_day AS MATERIALIZED (
    SELECT ${sourceSql(sql, sql`target`)} AS source, day.date,
      CASE WHEN target.has_new_currency OR ${startsToInheritCondition(sql)} THEN day.price END AS price,
      CASE WHEN target.has_new_currency THEN day.minimum_stay END AS minimum_stay,
      CASE WHEN target.has_new_currency THEN day.maximum_stay END AS maximum_stay
    FROM price_target target
    CROSS JOIN LATERAL (${effectiveBasePricesSql(sql, sql`(SELECT target.*)`, currentDatesSql(sql, now))}) day
    WHERE ${sourceSql(sql, sql`target`)} IN (SELECT source FROM price_listing WHERE reason IS NULL)
  ), ${requestPushesSql(sql, sql`true`)}, ${queueBasePricePushesSql(sql, now)}`

/** For a target that keeps its currency: the day had no price, and now has that of the room type. */
const startsToInheritCondition = (sql: SqlClient): Fragment => sql`
  target.inherits_price AND NOT EXISTS (
    SELECT FROM base_prices own
    WHERE own.operator_id = target.operator_id AND own.property_id = target.property_id AND own.date = day.date
      AND own.price IS NOT NULL)`
