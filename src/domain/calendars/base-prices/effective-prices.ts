import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * Computes the currency of a room type's base prices: the currency that all its properties share, otherwise that of the
 * operator in row `o`.
 */
const roomTypeCurrencySql = (sql: SqlClient, roomTypeId: Fragment, o: Fragment, properties: Fragment): Fragment => sql`
  (SELECT CASE WHEN min(each.currency) = max(each.currency) THEN min(each.currency) ELSE ${o}.currency END
    FROM (
      SELECT coalesce(p.currency, ${o}.currency) AS currency
      FROM room_type_properties sibling
      JOIN ${properties} p ON p.operator_id = sibling.operator_id AND p.id = sibling.property_id
      WHERE sibling.operator_id = ${o}.id AND sibling.room_type_id = ${roomTypeId}) each)`

/**
 * Selects the target of base prices, at most one row: `operator_id, property_id, room_type_id, fallback_id, currency,
 * inherits_price`. For a property, `room_type_id` is null and `fallback_id` is its room type, if any. `inherits_price` is
 * true if the property uses prices of its room type, which needs the same currency. `properties` names the rows that have
 * the currencies.
 */
export const propertyTargetSql = (
  sql: SqlClient,
  operatorId: Fragment,
  propertyId: Fragment,
  properties: Fragment = sql`properties`
): Fragment => sql`
  SELECT target.*, target.fallback_id IS NOT NULL AND target.currency = target.fallback_currency AS inherits_price
  FROM (
    SELECT p.operator_id, p.id AS property_id, NULL::bigint AS room_type_id, member.room_type_id AS fallback_id,
      coalesce(p.currency, o.currency) AS currency,
      CASE WHEN member.room_type_id IS NOT NULL
        THEN ${roomTypeCurrencySql(sql, sql`member.room_type_id`, sql`o`, properties)} END AS fallback_currency
    FROM ${properties} p
    JOIN operators o ON o.id = p.operator_id
    LEFT JOIN room_type_properties member ON member.operator_id = p.operator_id AND member.property_id = p.id
    WHERE p.operator_id = ${operatorId} AND p.id = ${propertyId}
  ) target`

/** Selects the columns of {@link propertyTargetSql}, in which `property_id` and `fallback_id` are null. */
export const roomTypeTargetSql = (
  sql: SqlClient,
  operatorId: Fragment,
  roomTypeId: Fragment,
  properties: Fragment = sql`properties`
): Fragment => sql`
  SELECT t.operator_id, NULL::bigint AS property_id, t.id AS room_type_id, NULL::bigint AS fallback_id,
    ${roomTypeCurrencySql(sql, sql`t.id`, sql`o`, properties)} AS currency, NULL::text AS fallback_currency, false AS inherits_price
  FROM room_types t JOIN operators o ON o.id = t.operator_id
  WHERE t.operator_id = ${operatorId} AND t.id = ${roomTypeId}`

export interface PriceDates {
  readonly start: Fragment
  /** Included. */
  readonly end: Fragment
}

/**
 * Selects `date, price, minimum_stay, maximum_stay` of the target in row `target`, one row for each day of the range.
 * A value is null if neither the target nor its room type has one.
 */
export const effectiveBasePricesSql = (sql: SqlClient, target: Fragment, { start, end }: PriceDates): Fragment => sql`
  SELECT day.date, coalesce(own.price, CASE WHEN target.inherits_price THEN shared.price END) AS price,
    coalesce(own.minimum_stay, shared.minimum_stay) AS minimum_stay,
    coalesce(own.maximum_stay, shared.maximum_stay) AS maximum_stay
  FROM ${target} target
  CROSS JOIN LATERAL (
    SELECT ${start} + n AS date FROM generate_series(0, ${end} - ${start}) n
  ) day
  LEFT JOIN LATERAL (
    SELECT * FROM base_prices b
    WHERE b.operator_id = target.operator_id AND b.property_id = target.property_id AND b.date = day.date
    UNION ALL
    SELECT * FROM base_prices b
    WHERE b.operator_id = target.operator_id AND b.room_type_id = target.room_type_id AND b.date = day.date
  ) own ON true
  LEFT JOIN base_prices shared ON shared.operator_id = target.operator_id AND shared.room_type_id = target.fallback_id
    AND shared.date = day.date`
