import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { AMOUNT_MAX } from "../../../platform/limits.ts"
import { CHANNELS_BY_RESTRICTION } from "../../channels/port/listing-days.ts"
import { CALENDAR_PUSH_CHANNELS } from "../listing-calendars/contract.ts"

const toSqlTextList = (texts: ReadonlyArray<string>) => texts.map((each) => `'${each}'`).join(", ")
const PUSH_CHANNELS_SQL = toSqlTextList(CALENDAR_PUSH_CHANNELS)
const STAY_CHANNELS_SQL = toSqlTextList(CHANNELS_BY_RESTRICTION.min_stay_on_arrival)

/** Computes `round(base_price * ratio / 100)`, half up, from 1 to AMOUNT_MAX. */
export const listingPriceSql = (sql: SqlClient, price: Fragment, ratio: Fragment): Fragment => sql`
  least(${sql.literal(String(AMOUNT_MAX))}, greatest(1, (${price}::bigint * ${ratio}::bigint + 50) / 100))`

/** Returns the reason why the listing in row `l` of the account in row `a` gets no base prices, or null. */
export const skipReasonSql = (sql: SqlClient, currency: Fragment): Fragment => sql`
  CASE WHEN l.ratio_readonly THEN 'readonly'
    WHEN l.currency <> ${currency} THEN 'currency'
    WHEN a.auth_status = 'disconnected' THEN 'disconnected'
    WHEN l.channel_type NOT IN (${sql.literal(PUSH_CHANNELS_SQL)}) THEN 'unsupported' END`

/** Joins each row `target` of `targets` with the listings `l` that are mapped to its property or room type. */
export const mappedListingsSql = (sql: SqlClient, targets: Fragment): Fragment => sql`
  ${targets} target CROSS JOIN LATERAL (
    SELECT * FROM listings WHERE operator_id = target.operator_id AND property_id = target.property_id
    UNION ALL
    SELECT * FROM listings WHERE operator_id = target.operator_id AND room_type_id = target.room_type_id
  ) l`

/** Computes `source`, which names the owner of base prices: the id of a property, or the negative id of a room type. */
export const sourceSql = (sql: SqlClient, row: Fragment): Fragment =>
  sql`coalesce(${row}.property_id, -${row}.room_type_id)`

/**
 * Returns the CTE `price_listing` for `requestPushesSql`. `listings` joins rows `l` of `listings` with their `target`.
 */
export const priceListingsSql = (sql: SqlClient, listings: Fragment, keepsDirectPrices = sql`false`): Fragment => sql`
  price_listing AS MATERIALIZED (
    SELECT l.operator_id, l.id AS listing_row, l.account_id, l.channel_type, l.listing_id, l.ratio,
      ${sourceSql(sql, sql`target`)} AS source, ${skipReasonSql(sql, sql`target.currency`)} AS reason,
      ${keepsDirectPrices} AS keeps_direct_prices
    FROM ${listings}
    JOIN channel_accounts a ON a.operator_id = l.operator_id AND a.id = l.account_id
    WHERE l.shelf_status <> 'deleted'
  )`

/**
 * Returns the CTEs `price_run`, `stay_run` and `requested_push`, from the CTEs
 * - `pushed_day`: `source, date, price, minimum_stay, maximum_stay`, in which null is not pushed
 * - `price_listing`: `operator_id, listing_row, account_id, channel_type, ratio, source, reason, keeps_direct_prices`
 *
 * Consecutive days with equal values become one range. This is computed once for each source, not for each listing.
 * `missedRuns` (`UNION ALL SELECT listing_row, ratio, price, start_date, end_date`) adds ranges of single listings.
 */
export const requestPushesSql = (sql: SqlClient, condition: Fragment, missedRuns: Fragment = sql``): Fragment => sql`
  price_run AS MATERIALIZED (
    SELECT source, price, min(date) AS start_date, max(date) AS end_date
    FROM (
      SELECT source, price, date, date - row_number() OVER (PARTITION BY source, price ORDER BY date)::integer AS run
      FROM pushed_day WHERE price IS NOT NULL
    ) numbered
    GROUP BY source, price, run
  ), stay_run AS MATERIALIZED (
    SELECT source, minimum_stay, maximum_stay, min(date) AS start_date, max(date) AS end_date
    FROM (
      SELECT source, minimum_stay, maximum_stay, date,
        date - row_number() OVER (PARTITION BY source, minimum_stay, maximum_stay ORDER BY date)::integer AS run
      FROM pushed_day WHERE num_nonnulls(minimum_stay, maximum_stay) > 0
    ) numbered
    GROUP BY source, minimum_stay, maximum_stay, run
  ), requested_push AS MATERIALIZED (
    SELECT l.operator_id, l.listing_row, l.account_id, coalesce(priced.days, '{}') AS price_days, priced.prices,
      restricted.restrictions, l.source, l.keeps_direct_prices
    FROM price_listing l
    LEFT JOIN (
      SELECT run.listing_row, range_agg(daterange(run.start_date, run.end_date, '[]')) AS days,
        jsonb_agg(jsonb_build_object('start_date', run.start_date, 'end_date', run.end_date,
          'price', ${listingPriceSql(sql, sql`run.price`, sql`run.ratio`)}) ORDER BY run.start_date) AS prices
      FROM (
        SELECT l.listing_row, l.ratio, run.price, run.start_date, run.end_date
        FROM price_listing l JOIN price_run run ON run.source = l.source
        ${missedRuns}
      ) run
      GROUP BY run.listing_row
    ) priced ON priced.listing_row = l.listing_row
    LEFT JOIN (
      SELECT l.listing_row,
        jsonb_agg(jsonb_strip_nulls(jsonb_build_object('start_date', run.start_date, 'end_date', run.end_date,
          'min_stay_on_arrival', run.minimum_stay, 'max_stay_on_arrival', run.maximum_stay))
          ORDER BY run.start_date) AS restrictions
      FROM price_listing l JOIN stay_run run ON run.source = l.source
      WHERE l.channel_type IN (${sql.literal(STAY_CHANNELS_SQL)})
      GROUP BY l.listing_row
    ) restricted ON restricted.listing_row = l.listing_row
    WHERE l.reason IS NULL AND num_nonnulls(priced.prices, restricted.restrictions) > 0 AND ${condition}
  )`
