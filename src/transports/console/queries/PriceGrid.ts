import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import { BasePriceDay, SKIP_REASONS } from "../../../domain/calendars/base-prices/contract.ts"
import {
  effectiveBasePricesSql,
  propertyTargetSql,
  roomTypeTargetSql
} from "../../../domain/calendars/base-prices/effective-prices.ts"
import {
  listingPriceSql,
  mappedListingsSql,
  skipReasonSql
} from "../../../domain/calendars/base-prices/price-pushes.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { PRICE_LISTINGS_SHOWN, PRICE_PUSHES_SCANNED, PRICE_TARGETS_MAX } from "../../../platform/limits.ts"
import { NamedRecord, namedRecordsSql } from "./named-records.ts"
import { titleCondition } from "./property-picker.ts"

type Sql = SqlClient.SqlClient

const ListingPriceDay = Schema.Struct({
  date: Schema.String,
  /** Base price with the markup. Null if the day has no base price. */
  expected: Schema.NullOr(Schema.Int),
  /** The last price that the channel accepted. Null if no recent push has one. */
  accepted: Schema.NullOr(Schema.Int),
  is_waiting: Schema.Boolean,
  is_missed: Schema.Boolean,
  /** The price was set for the listing itself. */
  is_direct: Schema.Boolean
})
export type ListingPriceDay = typeof ListingPriceDay.Type

const PriceListing = Schema.Struct({
  id: Schema.Int,
  channel_type: Schema.String,
  title: Schema.String,
  ratio: Schema.Int,
  /** Why the listing gets no base prices. Null if it gets them. */
  reason: Schema.NullOr(Schema.Literals(SKIP_REASONS)),
  /** The states of the shown days together. */
  is_waiting: Schema.Boolean,
  is_missed: Schema.Boolean,
  is_direct: Schema.Boolean,
  /** Empty unless the listings of the property or room type are shown. */
  days: Schema.Array(ListingPriceDay)
})
export type PriceListing = typeof PriceListing.Type

const PriceRow = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  deactivated: Schema.Boolean,
  currency: Schema.String,
  days: Schema.Array(BasePriceDay),
  listing_total: Schema.Int,
  /** At most {@link PRICE_LISTINGS_SHOWN}. */
  listings: Schema.Array(PriceListing)
})
export type PriceRow = typeof PriceRow.Type

const PriceGridView = Schema.Struct({
  /** Sorted by title, at most {@link PRICE_TARGETS_MAX}. */
  rows: Schema.Array(PriceRow),
  total: Schema.Int,
  groups: Schema.Array(NamedRecord)
})
export type PriceGridView = typeof PriceGridView.Type

const readPriceGrid = makeSingleRowReader(PriceGridView)

export interface PriceGridFilter {
  readonly type: "property" | "room_type"
  readonly q: string | undefined
  /** Ignored for room types. */
  readonly groupId: number | undefined
  readonly first: string
  /** Included. */
  readonly last: string
  readonly offset: number
  /** The property or room type whose listings are shown day by day. */
  readonly openId: number | undefined
}

interface PriceGridInput extends PriceGridFilter {
  readonly operatorId: number
}

const matchingSql = (sql: Sql, { type, operatorId, q, groupId }: PriceGridInput): Fragment => {
  const condition = sql`each.operator_id = ${operatorId} AND ${titleCondition(sql, sql`each.title`, q)}`
  if (type === "room_type") return sql`room_types each WHERE ${condition}`
  return groupId === undefined
    ? sql`properties each WHERE ${condition}`
    : sql`properties each WHERE ${condition} AND each.id IN (
        SELECT property_id FROM current_group_properties WHERE operator_id = ${operatorId} AND group_id = ${groupId})`
}

/** Returns the CTEs `page` (the shown records) and `target` (with what the base prices of each need). */
const targetsSql = (sql: Sql, input: PriceGridInput): Fragment => {
  const [owner, isDeactivated] =
    input.type === "property"
      ? [propertyTargetSql, sql`each.deactivated_at IS NOT NULL`]
      : [roomTypeTargetSql, sql`false`]
  return sql`
  page AS MATERIALIZED (
    SELECT each.operator_id, each.id, each.title, ${isDeactivated} AS deactivated FROM ${matchingSql(sql, input)}
    ORDER BY each.title, each.id LIMIT ${sql.literal(String(PRICE_TARGETS_MAX))} OFFSET ${input.offset}
  ), target AS MATERIALIZED (
    SELECT owner.*, page.id, page.title, page.deactivated
    FROM page CROSS JOIN LATERAL (${owner(sql, sql`page.operator_id`, sql`page.id`)}) owner
  )`
}

const targetListingsSql = (sql: Sql, { first, last }: PriceGridInput): Fragment => sql`
  target_listing AS MATERIALIZED (
    SELECT target.id AS target_id, l.operator_id, l.id, l.channel_type, l.listing_id, l.title, l.ratio,
      ${skipReasonSql(sql, sql`target.currency`)} AS reason, lane.direct_price_days AS direct_days,
      lane.missed_price_days - lane.direct_price_days AS missed_days, EXISTS (
        SELECT FROM listing_pushes p
        WHERE p.operator_id = l.operator_id AND p.listing_row = l.id AND p.settled_at IS NULL AND p.kind = 'prices'
      ) AS is_waiting, daterange(${first}::date, ${last}::date, '[]') AS shown_days,
      row_number() OVER (PARTITION BY target.id ORDER BY l.channel_type, l.id) AS place
    FROM ${mappedListingsSql(sql, sql`target`)}
    JOIN channel_accounts a ON a.operator_id = l.operator_id AND a.id = l.account_id
    LEFT JOIN listing_lanes lane ON lane.operator_id = l.operator_id AND lane.listing_row = l.id
    WHERE l.shelf_status <> 'deleted'
  )`

/** Returns the CTEs `recent_price` and `listing_day`, for the listings of `openId` only. */
const listingDaysSql = (sql: Sql, { openId, first, last }: PriceGridInput): Fragment => {
  const isOpen =
    openId === undefined
      ? sql`false`
      : sql`l.target_id = ${openId} AND l.place <= ${sql.literal(String(PRICE_LISTINGS_SHOWN))}`
  const priceOf = (columns: Fragment, state: Fragment) => sql`
    SELECT ${columns} FROM recent_price recent
    WHERE recent.listing_row = l.id AND recent.state = ${state} AND day.date >= recent.first AND day.date <= recent.last`
  return sql`
  recent_price AS MATERIALIZED (
    SELECT l.id AS listing_row, p.id AS push_id, p.state, each.place, (each.range ->> 'start_date')::date AS first,
      (each.range ->> 'end_date')::date AS last, (each.range ->> 'price')::bigint AS price
    FROM target_listing l
    CROSS JOIN LATERAL (
      SELECT * FROM listing_pushes push WHERE push.operator_id = l.operator_id AND push.listing_row = l.id
      ORDER BY push.id DESC LIMIT ${sql.literal(String(PRICE_PUSHES_SCANNED))}) p
    CROSS JOIN LATERAL jsonb_array_elements(p.ranges) WITH ORDINALITY each (range, place)
    WHERE ${isOpen} AND p.kind = 'prices' AND p.state IN ('waiting', 'pushed')
      AND each.range ->> 'start_date' <= ${last} AND each.range ->> 'end_date' >= ${first}
  ), listing_day AS MATERIALIZED (
    SELECT l.id AS listing_row, day.date,
      CASE WHEN day.price IS NOT NULL THEN ${listingPriceSql(sql, sql`day.price`, sql`l.ratio`)} END AS expected,
      (${priceOf(sql`price`, sql`'pushed'`)} ORDER BY push_id DESC, place DESC LIMIT 1) AS accepted,
      EXISTS (${priceOf(sql``, sql`'waiting'`)}) AS is_waiting, coalesce(l.missed_days @> day.date, false) AS is_missed,
      coalesce(l.direct_days @> day.date, false) AS is_direct
    FROM target_listing l JOIN target_day day ON day.id = l.target_id
    WHERE ${isOpen}
  )`
}

const listingsJsonSql = (sql: Sql): Fragment => sql`
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'channel_type', l.channel_type,
    'title', coalesce(nullif(l.title, ''), l.listing_id), 'ratio', l.ratio, 'reason', l.reason, 'is_waiting', l.is_waiting,
    'is_missed', coalesce(l.missed_days && l.shown_days, false), 'is_direct', coalesce(l.direct_days && l.shown_days, false),
    'days', (
      SELECT coalesce(jsonb_agg(to_jsonb(day) - 'listing_row' ORDER BY day.date), '[]') FROM listing_day day
      WHERE day.listing_row = l.id)) ORDER BY l.place), '[]')
  FROM target_listing l
  WHERE l.target_id = target.id AND l.place <= ${sql.literal(String(PRICE_LISTINGS_SHOWN))}`

const selectPriceGrid = (sql: Sql, input: PriceGridInput) => {
  const dates = { start: sql`${input.first}::date`, end: sql`${input.last}::date` }
  return sql`
    WITH ${targetsSql(sql, input)}, target_day AS MATERIALIZED (
      SELECT target.id, day.*
      FROM target CROSS JOIN LATERAL (${effectiveBasePricesSql(sql, sql`(SELECT target.*)`, dates)}) day
    ), ${targetListingsSql(sql, input)}, ${listingDaysSql(sql, input)}
    SELECT (SELECT count(*) FROM ${matchingSql(sql, input)}) AS total,
      ${namedRecordsSql(sql, "property_groups", input.operatorId)} AS groups, (
        SELECT coalesce(jsonb_agg(jsonb_build_object('id', target.id, 'title', target.title,
          'deactivated', target.deactivated, 'currency', target.currency, 'days', (
            SELECT jsonb_agg(to_jsonb(day) - 'id' ORDER BY day.date) FROM target_day day WHERE day.id = target.id),
          'listing_total', (SELECT count(*) FROM target_listing l WHERE l.target_id = target.id),
          'listings', (${listingsJsonSql(sql)})) ORDER BY target.title, target.id), '[]')
        FROM target) AS rows`
}

/** Base prices by day, and what the channels have of them. */
export class PriceGrid extends Context.Service<PriceGrid>()("latchkey/transports/console/queries/PriceGrid", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    of: (filter: PriceGridFilter) =>
      CurrentCaller.use(({ operatorId }) => readPriceGrid(selectPriceGrid(sql, { ...filter, operatorId })))
  }))
}) {
  static readonly layer = Layer.effect(PriceGrid, PriceGrid.make)
}
