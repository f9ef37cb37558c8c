import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { GroupOf, TagOf } from "../../../domain/properties/properties/contract.ts"
import { groupsOf, tagsOn } from "../../../domain/properties/properties/labels.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { onlyRowOf } from "../../../platform/database/rows.ts"
import { PORTFOLIO_ROWS } from "../../../platform/limits.ts"
import { titled } from "./choosing.ts"

// What an operator lets and how it is sorted, in one statement: properties with all that is on them, and the groups, tags and room
// types there are. The operations tell no property's state, and lists of ids where a host wants to see names.

type Sql = SqlClient.SqlClient

const Property = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  /** Null: it is let. */
  deactivated_at: Schema.NullOr(Schema.String),
  groups: Schema.Array(GroupOf),
  tags: Schema.Array(TagOf),
  room_type: Schema.NullOr(Schema.String)
})
export type PortfolioProperty = typeof Property.Type

const Counted = { id: Schema.Int, name: Schema.String, properties: Schema.Int }

const Group = Schema.Struct(Counted)
const Tag = Schema.Struct({ ...Counted, color: Schema.String, room_types: Schema.Int })
const RoomType = Schema.Struct({ ...Counted, tags: Schema.Array(TagOf) })

/** A part of a list of at most {@link PORTFOLIO_ROWS}, and how many there are in all. */
const part = <A>(row: Schema.ConstraintCodec<A, unknown>) =>
  Schema.Struct({ total: Schema.Int, rows: Schema.Array(row) })

const Shown = Schema.Struct({
  properties: part(Property),
  groups: part(Group),
  tags: part(Tag),
  room_types: part(RoomType)
})
export type ShownPortfolio = typeof Shown.Type

const read = onlyRowOf(Shown)

/** Where each list begins, and a part of the titles that are looked for. */
export interface PortfolioAsked {
  readonly operatorId: number
  readonly q: string | undefined
  readonly properties: number
  readonly groups: number
  readonly tags: number
  readonly room_types: number
}

/** A jsonb object of {@link part}: rows of `matching` by `order`, of which `page` is one. */
const partOf = (
  sql: Sql,
  matching: Fragment,
  { order, offset, row }: { readonly order: Fragment; readonly offset: Fragment; readonly row: Fragment }
): Fragment => sql`
  jsonb_build_object('total', (SELECT count(*) FROM ${matching}), 'rows', (
    SELECT coalesce(jsonb_agg(${row} ORDER BY ${order}), '[]')
    FROM (SELECT * FROM ${matching} ORDER BY ${order} LIMIT ${sql.literal(String(PORTFOLIO_ROWS))} OFFSET ${offset}) page))`

const inRoomType = (sql: Sql): Fragment => sql`(
  SELECT t.title FROM room_type_properties link
  JOIN room_types t ON t.operator_id = link.operator_id AND t.id = link.room_type_id
  WHERE link.operator_id = page.operator_id AND link.property_id = page.id)`

/** How many are on a list of `page`. */
const countOn = (sql: Sql, links: string, owner: string): Fragment =>
  sql`(SELECT count(*) FROM ${sql(links)} link WHERE link.operator_id = page.operator_id AND link.${sql(owner)} = page.id)`

const portfolio = (sql: Sql) =>
  inForms(sql, ({ operatorId, q, properties, groups, tags, room_types }: Givens<PortfolioAsked>) => {
    const of = (table: string, narrowed: Fragment) =>
      sql`(SELECT * FROM ${sql(table)} each WHERE each.operator_id = ${operatorId} AND ${narrowed}) matching`
    return sql`
      SELECT ${partOf(sql, of("properties", titled(sql, sql`each.title`, q)), {
        order: sql`title, id`,
        offset: sql`${properties}`,
        row: sql`jsonb_build_object('id', page.id, 'title', page.title, 'deactivated_at', page.deactivated_at,
          'groups', ${groupsOf(sql)}, 'tags', ${tagsOn(sql, "property")}, 'room_type', ${inRoomType(sql)})`
      })} AS properties,
      ${partOf(sql, of("property_groups", sql`true`), {
        order: sql`name, id`,
        offset: sql`${groups}`,
        row: sql`jsonb_build_object('id', page.id, 'name', page.name,
          'properties', ${countOn(sql, "current_group_properties", "group_id")})`
      })} AS groups,
      ${partOf(sql, of("property_tags", sql`each.deleted_at IS NULL`), {
        order: sql`name, id`,
        offset: sql`${tags}`,
        row: sql`jsonb_build_object('id', page.id, 'name', page.name, 'color', page.color,
          'properties', ${countOn(sql, "current_tag_properties", "tag_id")},
          'room_types', ${countOn(sql, "current_tag_room_types", "tag_id")})`
      })} AS tags,
      ${partOf(sql, of("room_types", sql`true`), {
        order: sql`title, id`,
        offset: sql`${room_types}`,
        row: sql`jsonb_build_object('id', page.id, 'name', page.title,
          'properties', ${countOn(sql, "room_type_properties", "room_type_id")}, 'tags', ${tagsOn(sql, "room_type")})`
      })} AS room_types`
  })

/** What an operator lets, as a host looks over it. */
export class Portfolio extends Context.Service<
  Portfolio,
  { readonly of: (asked: PortfolioAsked) => Effect.Effect<ShownPortfolio> }
>()("latchkey/desk/Portfolio") {
  static readonly layer = Layer.effect(
    Portfolio,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const statement = portfolio(sql)
      return Portfolio.of({ of: (asked) => read(statement(asked)) })
    })
  )
}
