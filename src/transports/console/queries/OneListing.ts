import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { SKIP_REASONS } from "../../../domain/calendars/base-prices/contract.ts"
import {
  effectiveBasePricesSql,
  propertyTargetSql,
  roomTypeTargetSql
} from "../../../domain/calendars/base-prices/effective-prices.ts"
import { listingPriceSql, skipReasonSql } from "../../../domain/calendars/base-prices/price-pushes.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { LISTING_PUSHES_SHOWN } from "../../../platform/limits.ts"
import { mappingColumns, mappingJoins } from "./listing-mapping.ts"
import { NamedRecord, namedRecordsSql } from "./named-records.ts"
import { pushedDaysSql } from "./pushed-days.ts"

const ListingPush = Schema.Struct({
  id: Schema.Int,
  kind: Schema.String,
  state: Schema.String,
  reason: Schema.NullOr(Schema.String),
  attempts: Schema.Int,
  created_at: Schema.String,
  settled_at: Schema.NullOr(Schema.String),
  first: Schema.NullOr(Schema.String),
  last: Schema.NullOr(Schema.String)
})
export type ListingPush = typeof ListingPush.Type

const ListingComparison = Schema.Struct({
  /** Null if the listing was not compared since it was mapped. */
  compared_at: Schema.NullOr(Schema.String),
  due_at: Schema.NullOr(Schema.String),
  failures: Schema.Int,
  /** Number of days on which the channel offered less than is available. */
  suspected_days: Schema.Int
})

const ListingBasePrices = Schema.Struct({
  /** Why the listing gets no base prices. Null if it gets them. */
  reason: Schema.NullOr(Schema.Literals(SKIP_REASONS)),
  days: Schema.Array(
    Schema.Struct({
      date: Schema.String,
      /** Base price with the markup. */
      price: Schema.NullOr(Schema.Int),
      /** The price was set for the listing itself. */
      is_direct: Schema.Boolean
    })
  )
})
export type ListingBasePrices = typeof ListingBasePrices.Type

const ListingDetail = Schema.Struct({
  id: Schema.Int,
  channel_type: Schema.String,
  listing_id: Schema.String,
  title: Schema.String,
  url: Schema.NullOr(Schema.String),
  currency: Schema.String,
  inventory: Schema.Int,
  shelf_status: Schema.String,
  property_id: Schema.NullOr(Schema.Int),
  room_type_id: Schema.NullOr(Schema.Int),
  link_type: Schema.NullOr(Schema.Literals(["property", "room_type"])),
  link_title: Schema.NullOr(Schema.String),
  ratio: Schema.Int,
  readonly: Schema.Boolean,
  account: Schema.Struct({ id: Schema.Int, username: Schema.String, auth_status: Schema.String }),
  /** Number of pending changes. All calendar changes count as one. */
  waiting: Schema.Int,
  /** Null without a mapping, or just after the mapping was made. */
  comparison: Schema.NullOr(ListingComparison),
  /** Latest pushes first, at most {@link LISTING_PUSHES_SHOWN}. */
  pushes: Schema.Array(ListingPush),
  /** Null without a mapping. */
  base_prices: Schema.NullOr(ListingBasePrices),
  properties: Schema.Array(NamedRecord),
  room_types: Schema.Array(NamedRecord)
})
export type ListingDetail = typeof ListingDetail.Type

const readListingDetail = makeOptionalRowReader(ListingDetail)

interface DaySpan {
  readonly first: string
  /** Included. */
  readonly last: string
}

const basePricesSql = (sql: SqlClient.SqlClient, { first, last }: DaySpan) => {
  const dates = { start: sql`${first}::date`, end: sql`${last}::date` }
  return sql`(
    SELECT jsonb_build_object('reason', ${skipReasonSql(sql, sql`target.currency`)}, 'days', (
      SELECT jsonb_agg(jsonb_build_object('date', day.date,
        'price', CASE WHEN day.price IS NOT NULL THEN ${listingPriceSql(sql, sql`day.price`, sql`l.ratio`)} END,
        'is_direct', coalesce(lane.direct_price_days @> day.date, false)) ORDER BY day.date)
      FROM (${effectiveBasePricesSql(sql, sql`(SELECT target.*)`, dates)}) day))
    FROM (
      ${propertyTargetSql(sql, sql`l.operator_id`, sql`l.property_id`)}
      UNION ALL
      ${roomTypeTargetSql(sql, sql`l.operator_id`, sql`l.room_type_id`)}
    ) target)`
}

const selectListingDetail = (sql: SqlClient.SqlClient, operatorId: number, id: number, span: DaySpan) =>
  sql`
      SELECT l.id, l.channel_type, l.listing_id, l.title, l.url, l.currency, l.inventory, l.shelf_status, l.property_id,
        l.room_type_id, ${mappingColumns(sql)}, l.ratio, l.ratio_readonly AS readonly,
        jsonb_build_object('id', a.id, 'username', a.username, 'auth_status', a.auth_status) AS account,
        coalesce(lane.waiting, 0) AS waiting,
        CASE WHEN c.listing_row IS NOT NULL THEN jsonb_build_object(
          'compared_at', c.compared_at, 'due_at', CASE WHEN isfinite(c.due_at) THEN c.due_at END, 'failures', c.failures, 'suspected_days', (
            SELECT coalesce(sum(upper(each) - lower(each)), 0) FROM unnest(c.suspected) each)) END AS comparison,
        (SELECT coalesce(jsonb_agg(row ORDER BY row.id DESC), '[]') FROM (
          SELECT p.id, p.kind, p.state, p.reason, p.attempts, p.created_at, p.settled_at, days.first, days.last
          FROM (
            SELECT * FROM listing_pushes WHERE operator_id = l.operator_id AND listing_row = l.id
            ORDER BY id DESC LIMIT ${sql.literal(String(LISTING_PUSHES_SHOWN))}) p
          CROSS JOIN LATERAL ${pushedDaysSql(sql)} days
        ) row) AS pushes,
        ${basePricesSql(sql, span)} AS base_prices,
        ${namedRecordsSql(sql, "properties", operatorId)} AS properties, ${namedRecordsSql(sql, "room_types", operatorId)} AS room_types
      FROM listings l
      JOIN channel_accounts a ON a.operator_id = l.operator_id AND a.id = l.account_id
      ${mappingJoins(sql)}
      LEFT JOIN listing_lanes lane ON lane.operator_id = l.operator_id AND lane.listing_row = l.id
      LEFT JOIN listing_comparisons c ON c.operator_id = l.operator_id AND c.listing_row = l.id
      WHERE l.operator_id = ${operatorId} AND l.id = ${id}`

export class OneListing extends Context.Service<OneListing>()("latchkey/transports/console/queries/OneListing", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** The base prices are those of the days. */
    of: (id: number, span: DaySpan) =>
      CurrentCaller.use(({ operatorId }) => readListingDetail(selectListingDetail(sql, operatorId, id, span)))
  }))
}) {
  static readonly layer = Layer.effect(OneListing, OneListing.make)
}
