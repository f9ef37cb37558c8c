import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import { GroupRef, TagRef } from "../../../domain/properties/properties/contract.ts"
import { groupsJsonSql, tagsJsonSql } from "../../../domain/properties/properties/groups-and-tags.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { PORTFOLIO_ROWS_MAX } from "../../../platform/limits.ts"
import { nightPriceSql } from "./night-price.ts"
import { titleCondition } from "./property-picker.ts"

// The page needs names and states, but the API's operations return only ids.

type Sql = SqlClient.SqlClient

const PortfolioPropertyRow = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  deactivated_at: Schema.NullOr(Schema.String),
  capacity: Schema.NullOr(Schema.Int),
  /** Listings that are mapped to the property or to its room type. */
  listings: Schema.Int,
  /** `price` is null if the night has no base price. */
  night: Schema.Struct({ currency: Schema.String, price: Schema.NullOr(Schema.Finite) }),
  groups: Schema.Array(GroupRef),
  tags: Schema.Array(TagRef),
  room_type: Schema.NullOr(Schema.String)
})
export type PortfolioProperty = typeof PortfolioPropertyRow.Type

const CountedFields = { id: Schema.Int, name: Schema.String, properties: Schema.Int }

const PortfolioGroup = Schema.Struct(CountedFields)
const PortfolioTag = Schema.Struct({ ...CountedFields, color: Schema.String, room_types: Schema.Int })
const PortfolioRoomType = Schema.Struct({ ...CountedFields, tags: Schema.Array(TagRef) })

/** `rows` has at most {@link PORTFOLIO_ROWS_MAX} rows. `total` counts all. */
const listPageSchema = <A>(row: Schema.ConstraintCodec<A, unknown>) =>
  Schema.Struct({ total: Schema.Int, rows: Schema.Array(row) })

const PortfolioRow = Schema.Struct({
  properties: listPageSchema(PortfolioPropertyRow),
  groups: listPageSchema(PortfolioGroup),
  tags: listPageSchema(PortfolioTag),
  room_types: listPageSchema(PortfolioRoomType)
})
export type PortfolioData = typeof PortfolioRow.Type

const readPortfolio = makeSingleRowReader(PortfolioRow)

export interface PortfolioRange {
  readonly q: string | undefined
  /** The night of the base prices, a date in the operator's time zone. */
  readonly today: string
  readonly propertiesOffset: number
  readonly groupsOffset: number
  readonly tagsOffset: number
  readonly roomTypesOffset: number
}

interface PortfolioInput extends PortfolioRange {
  readonly operatorId: number
}

/** `order` and `row` refer to a row of `matching` as `page`. */
const listPageJsonSql = (
  sql: Sql,
  matching: Fragment,
  { order, offset, row }: { readonly order: Fragment; readonly offset: Fragment; readonly row: Fragment }
): Fragment => sql`
  jsonb_build_object('total', (SELECT count(*) FROM ${matching}), 'rows', (
    SELECT coalesce(jsonb_agg(${row} ORDER BY ${order}), '[]')
    FROM (SELECT * FROM ${matching} ORDER BY ${order} LIMIT ${sql.literal(String(PORTFOLIO_ROWS_MAX))} OFFSET ${offset}) page))`

const roomTypeTitleSql = (sql: Sql): Fragment => sql`(
  SELECT t.title FROM room_type_properties link
  JOIN room_types t ON t.operator_id = link.operator_id AND t.id = link.room_type_id
  WHERE link.operator_id = page.operator_id AND link.property_id = page.id)`

const linkCountSql = (sql: Sql, links: string, owner: string): Fragment =>
  sql`(SELECT count(*) FROM ${sql(links)} link WHERE link.operator_id = page.operator_id AND link.${sql(owner)} = page.id)`

/** A listing is mapped to a property or to a room type, so none counts twice. */
const listingCountSql = (sql: Sql): Fragment => sql`(
  (SELECT count(*) FROM listings l
    WHERE l.operator_id = page.operator_id AND l.property_id = page.id AND l.shelf_status <> 'deleted') +
  (SELECT count(*) FROM room_type_properties link
    JOIN listings l ON l.operator_id = link.operator_id AND l.room_type_id = link.room_type_id
    WHERE link.operator_id = page.operator_id AND link.property_id = page.id AND l.shelf_status <> 'deleted'))`

const nightJsonSql = (sql: Sql, today: string): Fragment => sql`(
  SELECT to_jsonb(night) FROM (${nightPriceSql(sql, {
    operatorId: sql`page.operator_id`,
    propertyId: sql`page.id`,
    date: sql`${today}::date`
  })}) night)`

const selectPortfolio = (
  sql: Sql,
  { operatorId, q, today, propertiesOffset, groupsOffset, tagsOffset, roomTypesOffset }: PortfolioInput
) => {
  const matchingSql = (table: string, condition: Fragment) =>
    sql`(SELECT * FROM ${sql(table)} each WHERE each.operator_id = ${operatorId} AND ${condition}) matching`
  return sql`
      SELECT ${listPageJsonSql(sql, matchingSql("properties", titleCondition(sql, sql`each.title`, q)), {
        order: sql`title, id`,
        offset: sql`${propertiesOffset}`,
        row: sql`jsonb_build_object('id', page.id, 'title', page.title, 'deactivated_at', page.deactivated_at, 'capacity', page.capacity,
          'listings', ${listingCountSql(sql)}, 'night', ${nightJsonSql(sql, today)},
          'groups', ${groupsJsonSql(sql)}, 'tags', ${tagsJsonSql(sql, "property")}, 'room_type', ${roomTypeTitleSql(sql)})`
      })} AS properties,
      ${listPageJsonSql(sql, matchingSql("property_groups", sql`true`), {
        order: sql`name, id`,
        offset: sql`${groupsOffset}`,
        row: sql`jsonb_build_object('id', page.id, 'name', page.name,
          'properties', ${linkCountSql(sql, "current_group_properties", "group_id")})`
      })} AS groups,
      ${listPageJsonSql(sql, matchingSql("property_tags", sql`each.deleted_at IS NULL`), {
        order: sql`name, id`,
        offset: sql`${tagsOffset}`,
        row: sql`jsonb_build_object('id', page.id, 'name', page.name, 'color', page.color,
          'properties', ${linkCountSql(sql, "current_tag_properties", "tag_id")},
          'room_types', ${linkCountSql(sql, "current_tag_room_types", "tag_id")})`
      })} AS tags,
      ${listPageJsonSql(sql, matchingSql("room_types", sql`true`), {
        order: sql`title, id`,
        offset: sql`${roomTypesOffset}`,
        row: sql`jsonb_build_object('id', page.id, 'name', page.title,
          'properties', ${linkCountSql(sql, "room_type_properties", "room_type_id")}, 'tags', ${tagsJsonSql(sql, "room_type")})`
      })} AS room_types`
}

export class Portfolio extends Context.Service<Portfolio>()("latchkey/transports/console/queries/Portfolio", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    of: (range: PortfolioRange) =>
      CurrentCaller.use(({ operatorId }) => readPortfolio(selectPortfolio(sql, { ...range, operatorId })))
  }))
}) {
  static readonly layer = Layer.effect(Portfolio, Portfolio.make)
}
