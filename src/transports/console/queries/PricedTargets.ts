import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import { BasePriceDay } from "../../../domain/calendars/base-prices/contract.ts"
import {
  effectiveBasePricesSql,
  propertyTargetSql,
  roomTypeTargetSql
} from "../../../domain/calendars/base-prices/effective-prices.ts"
import { mappedListingsSql } from "../../../domain/calendars/base-prices/price-pushes.ts"
import { idsParameter } from "../../../platform/database/parameters.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { BASE_PRICE_LISTINGS_MAX } from "../../../platform/limits.ts"

type Sql = SqlClient.SqlClient

const MappedListing = Schema.Struct({
  id: Schema.Int,
  channel_type: Schema.String,
  listing_id: Schema.String,
  title: Schema.String,
  ratio: Schema.Int
})
export type MappedListing = typeof MappedListing.Type

const PricedDay = Schema.Struct({
  ...BasePriceDay.fields,
  /** The values without those of the room type. */
  own: Schema.Struct({
    price: Schema.NullOr(Schema.Int),
    minimum_stay: Schema.NullOr(Schema.Int),
    maximum_stay: Schema.NullOr(Schema.Int)
  })
})
export type PricedDay = typeof PricedDay.Type

const PricedTarget = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  currency: Schema.String,
  /** At most {@link BASE_PRICE_LISTINGS_MAX}. */
  listings: Schema.Array(MappedListing),
  days: Schema.Array(PricedDay)
})
export type PricedTarget = typeof PricedTarget.Type

const readPricedTargets = makeRowsReader(PricedTarget)

export interface PricedTargetFilter {
  readonly type: "property" | "room_type"
  readonly ids: ReadonlyArray<number>
  /** The days to read, both included. Undefined: none. */
  readonly span: { readonly first: string; readonly last: string } | undefined
}

const daysJsonSql = (sql: Sql, { type, span }: PricedTargetFilter): Fragment => {
  if (span === undefined) return sql`'[]'::jsonb`
  const dates = { start: sql`${span.first}::date`, end: sql`${span.last}::date` }
  const ownerCondition =
    type === "property" ? sql`own.property_id = target.property_id` : sql`own.room_type_id = target.room_type_id`
  return sql`(
    SELECT coalesce(jsonb_agg(to_jsonb(day) || jsonb_build_object('own', jsonb_build_object('price', own.price,
      'minimum_stay', own.minimum_stay, 'maximum_stay', own.maximum_stay)) ORDER BY day.date), '[]')
    FROM (${effectiveBasePricesSql(sql, sql`(SELECT target.*)`, dates)}) day
    LEFT JOIN base_prices own ON own.operator_id = target.operator_id AND ${ownerCondition} AND own.date = day.date)`
}

const selectPricedTargets = (sql: Sql, operatorId: number, filter: PricedTargetFilter) => {
  const [owner, records] =
    filter.type === "property" ? [propertyTargetSql, sql`properties`] : [roomTypeTargetSql, sql`room_types`]
  return sql`
    SELECT target.id, target.title, target.currency, ${daysJsonSql(sql, filter)} AS days, (
      SELECT coalesce(jsonb_agg(listing), '[]') FROM (
        SELECT l.id, l.channel_type, l.listing_id, coalesce(nullif(l.title, ''), l.listing_id) AS title, l.ratio
        FROM ${mappedListingsSql(sql, sql`(SELECT target.*)`)}
        ORDER BY l.channel_type, l.id LIMIT ${sql.literal(String(BASE_PRICE_LISTINGS_MAX))}
      ) listing) AS listings
    FROM (
      SELECT owner.*, each.id, each.title
      FROM ${records} each CROSS JOIN LATERAL (${owner(sql, sql`each.operator_id`, sql`each.id`)}) owner
      WHERE each.operator_id = ${operatorId} AND each.id = ANY (${idsParameter(filter.ids)}::bigint[])
    ) target
    ORDER BY target.title, target.id`
}

/** The properties or room types of a change of base prices, as they are before it. */
export class PricedTargets extends Context.Service<PricedTargets>()(
  "latchkey/transports/console/queries/PricedTargets",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({
      of: (filter: PricedTargetFilter) =>
        CurrentCaller.use(({ operatorId }) => readPricedTargets(selectPricedTargets(sql, operatorId, filter)))
    }))
  }
) {
  static readonly layer = Layer.effect(PricedTargets, PricedTargets.make)
}
