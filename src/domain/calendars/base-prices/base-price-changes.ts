import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { BASE_PRICE_LISTINGS_MAX, UNMAPPED_LISTINGS_SHOWN } from "../../../platform/limits.ts"
import { makeMappedQueueFullError } from "../../listings/MappingPricePushes.ts"
import { withOperatorLock } from "../../operator-rows.ts"
import { endDirectPricesSql, queueBasePricePushesSql } from "../listing-calendars/queued-base-prices.ts"
import { BasePricePushes } from "./contract.ts"
import { effectiveBasePricesSql } from "./effective-prices.ts"
import { mappedListingsSql, priceListingsSql, requestPushesSql } from "./price-pushes.ts"
import { type PriceTarget, targetSql } from "./price-target.ts"
import type { BasePriceDayChange } from "./rules.ts"

/**
 * Nothing changes if the target is not known, a date conflicts, or the target has too many listings. If the queue of a
 * listing is full, the caller must roll back the change.
 */
export const BasePriceChangeRow = Schema.Struct({
  is_known: Schema.Boolean,
  /** The first day whose minimum stay would be above its maximum stay. */
  conflicting_date: Schema.NullOr(Schema.String),
  has_too_many_listings: Schema.Boolean,
  is_queue_full: Schema.Boolean,
  ...BasePricePushes.fields
})
export type BasePriceChangeRow = typeof BasePriceChangeRow.Type

const readChange = makeSingleRowReader(BasePriceChangeRow)

/** `b` is the stored day. A key that is absent in the JSON keeps the value. */
const newValueSql = (sql: SqlClient, field: "price" | "minimum_stay" | "maximum_stay") => sql`
  CASE WHEN (change.day -> ${sql.literal(`'${field}'`)}) IS NULL THEN b.${sql(field)}
    ELSE (change.day ->> ${sql.literal(`'${field}'`)})::bigint END`

/** Is true for the rows `b` of `base_prices` that belong to the row `target`. */
const isOfTargetCondition = (sql: SqlClient, { type }: PriceTarget) =>
  type === "property"
    ? sql`b.operator_id = target.operator_id AND b.property_id = target.property_id`
    : sql`b.operator_id = target.operator_id AND b.room_type_id = target.room_type_id`

/** Returns the CTEs `target` and `changed_day`. A day whose values stay the same is not in `changed_day`. */
const changedDaysSql = (sql: SqlClient, priceTarget: PriceTarget, changes: ReadonlyArray<BasePriceDayChange>) => sql`
  target AS MATERIALIZED (${targetSql(sql, priceTarget)}), changed_day AS MATERIALIZED (
    SELECT * FROM (
      SELECT target.*, change.date, b.price AS old_price, b.minimum_stay AS old_minimum, b.maximum_stay AS old_maximum,
        ${newValueSql(sql, "price")} AS price, (${newValueSql(sql, "minimum_stay")})::integer AS minimum_stay,
        (${newValueSql(sql, "maximum_stay")})::integer AS maximum_stay
      FROM (
        SELECT day, (day ->> 'date')::date AS date FROM jsonb_array_elements(${jsonParameter(changes)}::jsonb) day
      ) change
      CROSS JOIN target
      LEFT JOIN base_prices b ON ${isOfTargetCondition(sql, priceTarget)} AND b.date = change.date
    ) compared
    WHERE (price, minimum_stay, maximum_stay) IS DISTINCT FROM (old_price, old_minimum, old_maximum)
  )`

/**
 * Returns the CTEs
 * - `source`: the target and, for a room type, also its properties
 * - `source_day`: the effective values of each changed day, before (`old_…`) and after the change
 */
const sourceDaysSql = (sql: SqlClient, { type }: PriceTarget) =>
  type === "property"
    ? sql`
  source AS MATERIALIZED (SELECT target.*, target.property_id AS source FROM target), source_day AS MATERIALIZED (
    SELECT changed_day.property_id AS source, changed_day.date,
      coalesce(changed_day.old_price, CASE WHEN inherits_price THEN shared.price END) AS old_price,
      coalesce(changed_day.price, CASE WHEN inherits_price THEN shared.price END) AS price,
      coalesce(old_minimum, shared.minimum_stay) AS old_minimum,
      coalesce(changed_day.minimum_stay, shared.minimum_stay) AS minimum_stay,
      coalesce(old_maximum, shared.maximum_stay) AS old_maximum,
      coalesce(changed_day.maximum_stay, shared.maximum_stay) AS maximum_stay
    FROM changed_day
    LEFT JOIN base_prices shared ON shared.operator_id = changed_day.operator_id
      AND shared.room_type_id = changed_day.fallback_id AND shared.date = changed_day.date
  )`
    : sql`
  source AS MATERIALIZED (
    SELECT operator_id, property_id, room_type_id, fallback_id, currency, -room_type_id AS source, true AS inherits_price
    FROM target
    UNION ALL
    SELECT p.operator_id, p.id, NULL, target.room_type_id, coalesce(p.currency, o.currency), p.id,
      coalesce(p.currency, o.currency) = target.currency
    FROM target
    JOIN operators o ON o.id = target.operator_id
    JOIN room_type_properties member ON member.operator_id = target.operator_id AND member.room_type_id = target.room_type_id
    JOIN properties p ON p.operator_id = member.operator_id AND p.id = member.property_id
  ), source_day AS MATERIALIZED (
    SELECT source.source, changed_day.date,
      coalesce(own.price, CASE WHEN source.inherits_price THEN old_price END) AS old_price,
      coalesce(own.price, CASE WHEN source.inherits_price THEN changed_day.price END) AS price,
      coalesce(own.minimum_stay, old_minimum) AS old_minimum,
      coalesce(own.minimum_stay, changed_day.minimum_stay) AS minimum_stay,
      coalesce(own.maximum_stay, old_maximum) AS old_maximum,
      coalesce(own.maximum_stay, changed_day.maximum_stay) AS maximum_stay
    FROM source CROSS JOIN changed_day
    LEFT JOIN base_prices own ON own.operator_id = source.operator_id AND own.property_id = source.property_id
      AND own.date = changed_day.date
  )`

/** Returns the CTEs `pushed_day` (a value that stays the same is null) and `price_listing`, for `requestPushesSql`. */
const pushedDaysAndListingsSql = (sql: SqlClient) => sql`
  pushed_day AS MATERIALIZED (
    SELECT source, date, CASE WHEN price IS DISTINCT FROM old_price THEN price END AS price,
      CASE WHEN minimum_stay IS DISTINCT FROM old_minimum THEN minimum_stay END AS minimum_stay,
      CASE WHEN maximum_stay IS DISTINCT FROM old_maximum THEN maximum_stay END AS maximum_stay
    FROM source_day
  ), ${priceListingsSql(sql, mappedListingsSql(sql, sql`source`))}`

/**
 * Returns the CTEs `missed_day` and `missed_run`: days whose price is set again to the same value, and which a listing
 * has missed. Leaves out days with a direct price.
 */
const missedDaysSql = (sql: SqlClient, changes: ReadonlyArray<BasePriceDayChange>) => {
  const pricedDates = changes.filter(({ price }) => typeof price === "number").map(({ date }) => date)
  const day = { start: sql`priced.date`, end: sql`priced.date` }
  return sql`
  missed_day AS MATERIALIZED (
    SELECT l.listing_row, l.ratio, day.date, day.price
    FROM price_listing l
    JOIN source ON source.source = l.source
    JOIN listing_lanes lane ON lane.operator_id = l.operator_id AND lane.listing_row = l.listing_row
      AND NOT isempty(lane.missed_price_days)
    CROSS JOIN unnest((SELECT ${pricedDates}::text[]::date[])) priced (date)
    CROSS JOIN LATERAL (${effectiveBasePricesSql(sql, sql`(SELECT source.*)`, day)} LIMIT 1) day
    LEFT JOIN source_day changed ON changed.source = l.source AND changed.date = day.date
    WHERE lane.missed_price_days @> priced.date AND NOT lane.direct_price_days @> priced.date
      AND l.reason IS NULL AND day.price IS NOT NULL AND changed.price IS NOT DISTINCT FROM changed.old_price
  ), missed_run AS MATERIALIZED (
    SELECT listing_row, ratio, price, min(date) AS start_date, max(date) AS end_date
    FROM (
      SELECT *, date - row_number() OVER (PARTITION BY listing_row, price ORDER BY date)::integer AS run FROM missed_day
    ) numbered
    GROUP BY listing_row, ratio, price, run
  )`
}

const preconditionSql = (sql: SqlClient) => sql`
  precondition AS MATERIALIZED (
    SELECT (
        SELECT min(date) FROM source_day
        WHERE minimum_stay > maximum_stay AND (minimum_stay, maximum_stay) IS DISTINCT FROM (old_minimum, old_maximum)
      )::text AS conflicting_date,
      (SELECT count(*) FROM price_listing) > ${sql.literal(String(BASE_PRICE_LISTINGS_MAX))} AS has_too_many_listings
  )`

const IS_CHANGE_ALLOWED = "(SELECT conflicting_date IS NULL AND NOT has_too_many_listings FROM precondition)"

const writtenDaysSql = (sql: SqlClient, { type }: PriceTarget) => {
  const owner = type === "property" ? sql`property_id` : sql`room_type_id`
  return sql`
  cleared_day AS (
    DELETE FROM base_prices b USING changed_day c
    WHERE b.operator_id = c.operator_id AND b.${owner} = c.${owner} AND b.date = c.date
      AND num_nonnulls(c.price, c.minimum_stay, c.maximum_stay) = 0 AND ${sql.literal(IS_CHANGE_ALLOWED)}
  ), written_day AS (
    INSERT INTO base_prices (operator_id, property_id, room_type_id, date, price, minimum_stay, maximum_stay)
    SELECT operator_id, property_id, room_type_id, date, price, minimum_stay, maximum_stay FROM changed_day
    WHERE num_nonnulls(price, minimum_stay, maximum_stay) > 0 AND ${sql.literal(IS_CHANGE_ALLOWED)}
    ON CONFLICT (operator_id, ${owner}, date) WHERE ${owner} IS NOT NULL DO UPDATE
      SET price = excluded.price, minimum_stay = excluded.minimum_stay, maximum_stay = excluded.maximum_stay
  )`
}

const skippedDaysSql = (sql: SqlClient): Fragment => sql`
  SELECT l.operator_id, l.listing_row, range_agg(daterange(run.start_date, run.end_date, '[]')) AS days
  FROM price_listing l JOIN price_run run ON run.source = l.source
  WHERE l.reason IS NOT NULL AND ${sql.literal(IS_CHANGE_ALLOWED)}
  GROUP BY l.operator_id, l.listing_row`

/**
 * Returns the CTE `listing_outcome`, in which `reason` is null for a push. Four kinds of listings are in it:
 * - listings with a changed day
 * - listings without a changed day that missed the price of a day
 * - listings of the property's room type: they sell the property, but at the prices of the room type
 * - unmapped listings, which a host may have forgotten to map
 *
 * `unusedPriceListingsSql` adds one more kind.
 */
const listingOutcomesSql = (sql: SqlClient): Fragment => sql`
  affected_source AS MATERIALIZED (SELECT source FROM price_run UNION SELECT source FROM stay_run), listing_outcome AS (
    SELECT l.listing_row, l.channel_type, l.listing_id,
      CASE WHEN r.listing_row IS NULL THEN coalesce(l.reason, 'unsupported') END AS reason
    FROM price_listing l
    JOIN affected_source ON affected_source.source = l.source
    LEFT JOIN requested_push r ON r.listing_row = l.listing_row
    UNION ALL
    SELECT l.listing_row, l.channel_type, l.listing_id, NULL
    FROM price_listing l JOIN requested_push r ON r.listing_row = l.listing_row
    WHERE l.source NOT IN (SELECT source FROM affected_source)
    UNION ALL
    SELECT l.id, l.channel_type, l.listing_id, 'no_mapping'
    FROM target JOIN listings l ON l.operator_id = target.operator_id AND l.room_type_id = target.fallback_id
    WHERE l.shelf_status <> 'deleted' AND EXISTS (SELECT FROM affected_source)
    UNION ALL
    (SELECT l.id, l.channel_type, l.listing_id, 'no_mapping'
      FROM target JOIN listings l ON l.operator_id = target.operator_id
      WHERE l.property_id IS NULL AND l.room_type_id IS NULL AND l.shelf_status <> 'deleted'
        AND EXISTS (SELECT FROM affected_source)
      ORDER BY l.id LIMIT ${sql.literal(String(UNMAPPED_LISTINGS_SHOWN))})
    UNION ALL
    ${unusedPriceListingsSql(sql)}
  )`

/** Selects listings of properties that do not use the new price of their room type, because their currency differs. */
const unusedPriceListingsSql = (sql: SqlClient): Fragment => sql`
  SELECT l.listing_row, l.channel_type, l.listing_id, coalesce(l.reason, 'currency')
  FROM target JOIN source ON NOT source.inherits_price JOIN price_listing l ON l.source = source.source
  WHERE target.room_type_id IS NOT NULL AND l.source NOT IN (SELECT source FROM affected_source)
    AND l.listing_row NOT IN (SELECT listing_row FROM requested_push) AND EXISTS (
      SELECT FROM changed_day JOIN source_day ON source_day.source = l.source AND source_day.date = changed_day.date
      WHERE changed_day.price IS DISTINCT FROM changed_day.old_price AND changed_day.price IS NOT NULL
        AND source_day.price IS NULL)`

const outcomeSql = (sql: SqlClient): Fragment => {
  const listing = sql`'channel_type', channel_type, 'listing_id', listing_id`
  return sql`
    SELECT EXISTS (SELECT FROM target) AS is_known, precondition.conflicting_date, precondition.has_too_many_listings,
      queue_check.is_full AS is_queue_full,
      coalesce((SELECT jsonb_agg(jsonb_build_object(${listing}) ORDER BY listing_row) FROM listing_outcome WHERE reason IS NULL), '[]')
        AS pushed,
      coalesce((SELECT jsonb_agg(jsonb_build_object(${listing}, 'reason', reason) ORDER BY listing_row) FROM listing_outcome
        WHERE reason IS NOT NULL), '[]') AS skipped
    FROM precondition, queue_check`
}

/**
 * Changes the days and queues the pushes in one statement. Holds the operator's lock, so that changes of mappings and
 * ratios run before or after it. Fails if the queue of a listing is full, which rolls back the transaction.
 */
export const makeChangeBasePrices = (sql: SqlClient) => {
  const runLocked = withOperatorLock(sql)
  return (target: PriceTarget, changes: ReadonlyArray<BasePriceDayChange>, now: Date) =>
    runLocked(
      target.operatorId,
      Effect.filterOrFail(
        readChange(changeStatement(sql, target, changes, now)),
        (row) => !row.is_queue_full,
        () => makeMappedQueueFullError("ranges")
      )
    )
}

const changeStatement = (sql: SqlClient, target: PriceTarget, changes: ReadonlyArray<BasePriceDayChange>, now: Date) =>
  recordChange(sql, {
    change: sql`
      ${changedDaysSql(sql, target, changes)}, ${sourceDaysSql(sql, target)}, ${pushedDaysAndListingsSql(sql)},
      ${preconditionSql(sql)}, ${missedDaysSql(sql, changes)},
      ${requestPushesSql(sql, sql.literal(IS_CHANGE_ALLOWED), sql`UNION ALL SELECT listing_row, ratio, price, start_date, end_date FROM missed_run`)}, ${queueBasePricePushesSql(sql, now)},
      ${endDirectPricesSql(sql, skippedDaysSql(sql))}, ${writtenDaysSql(sql, target)}, ${listingOutcomesSql(sql)}`,
    events: [],
    changedRecords: sql`
      SELECT target.operator_id,
        ${sql.literal(`'${target.type}:'`)} || coalesce(target.property_id, target.room_type_id) AS record,
        CASE WHEN EXISTS (SELECT FROM changed_day) THEN ARRAY['base_prices'] ELSE '{}'::text[] END AS fields
      FROM target, queue_check WHERE NOT queue_check.is_full AND ${sql.literal(IS_CHANGE_ALLOWED)}`,
    outcome: outcomeSql(sql)
  })
