import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { GroupRef, TagRef } from "../../../domain/properties/properties/contract.ts"
import { groupsJson, tagsJson } from "../../../domain/properties/properties/groups-and-tags.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { PORTFOLIO_ROWS } from "../../../platform/limits.ts"
import { titleCondition } from "./property-picker.ts"

// What an operator lets and how it is sorted, in one statement: properties with all that is on them, and the groups, tags and room
// types there are. The operations tell no property's state, and lists of ids where a host wants to see names.

type Sql = SqlClient.SqlClient

const PortfolioPropertyRow = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  /** Null: it is let. */
  deactivated_at: Schema.NullOr(Schema.String),
  groups: Schema.Array(GroupRef),
  tags: Schema.Array(TagRef),
  room_type: Schema.NullOr(Schema.String)
})
export type PortfolioProperty = typeof PortfolioPropertyRow.Type

const CountedFields = { id: Schema.Int, name: Schema.String, properties: Schema.Int }

const PortfolioGroup = Schema.Struct(CountedFields)
const PortfolioTag = Schema.Struct({ ...CountedFields, color: Schema.String, room_types: Schema.Int })
const PortfolioRoomType = Schema.Struct({ ...CountedFields, tags: Schema.Array(TagRef) })

/** A part of a list of at most {@link PORTFOLIO_ROWS}, and how many there are in all. */
const partSchema = <A>(row: Schema.ConstraintCodec<A, unknown>) =>
  Schema.Struct({ total: Schema.Int, rows: Schema.Array(row) })

const PortfolioRow = Schema.Struct({
  properties: partSchema(PortfolioPropertyRow),
  groups: partSchema(PortfolioGroup),
  tags: partSchema(PortfolioTag),
  room_types: partSchema(PortfolioRoomType)
})
export type PortfolioData = typeof PortfolioRow.Type

const readPortfolio = makeSingleRowReader(PortfolioRow)

/** Where each list begins, and a part of the titles that are looked for. */
export interface PortfolioInput {
  readonly operatorId: number
  readonly q: string | undefined
  readonly properties: number
  readonly groups: number
  readonly tags: number
  readonly room_types: number
}

/** A jsonb object of {@link partSchema}: rows of `matching` by `order`, of which `page` is one. */
const partJsonSql = (
  sql: Sql,
  matching: Fragment,
  { order, offset, row }: { readonly order: Fragment; readonly offset: Fragment; readonly row: Fragment }
): Fragment => sql`
  jsonb_build_object('total', (SELECT count(*) FROM ${matching}), 'rows', (
    SELECT coalesce(jsonb_agg(${row} ORDER BY ${order}), '[]')
    FROM (SELECT * FROM ${matching} ORDER BY ${order} LIMIT ${sql.literal(String(PORTFOLIO_ROWS))} OFFSET ${offset}) page))`

const roomTypeTitleSql = (sql: Sql): Fragment => sql`(
  SELECT t.title FROM room_type_properties link
  JOIN room_types t ON t.operator_id = link.operator_id AND t.id = link.room_type_id
  WHERE link.operator_id = page.operator_id AND link.property_id = page.id)`

/** How many are on a list of `page`. */
const linkCountSql = (sql: Sql, links: string, owner: string): Fragment =>
  sql`(SELECT count(*) FROM ${sql(links)} link WHERE link.operator_id = page.operator_id AND link.${sql(owner)} = page.id)`

const preparePortfolio = (sql: Sql) =>
  inForms(sql, ({ operatorId, q, properties, groups, tags, room_types }: Givens<PortfolioInput>) => {
    const matchingSql = (table: string, narrowed: Fragment) =>
      sql`(SELECT * FROM ${sql(table)} each WHERE each.operator_id = ${operatorId} AND ${narrowed}) matching`
    return sql`
      SELECT ${partJsonSql(sql, matchingSql("properties", titleCondition(sql, sql`each.title`, q)), {
        order: sql`title, id`,
        offset: sql`${properties}`,
        row: sql`jsonb_build_object('id', page.id, 'title', page.title, 'deactivated_at', page.deactivated_at,
          'groups', ${groupsJson(sql)}, 'tags', ${tagsJson(sql, "property")}, 'room_type', ${roomTypeTitleSql(sql)})`
      })} AS properties,
      ${partJsonSql(sql, matchingSql("property_groups", sql`true`), {
        order: sql`name, id`,
        offset: sql`${groups}`,
        row: sql`jsonb_build_object('id', page.id, 'name', page.name,
          'properties', ${linkCountSql(sql, "current_group_properties", "group_id")})`
      })} AS groups,
      ${partJsonSql(sql, matchingSql("property_tags", sql`each.deleted_at IS NULL`), {
        order: sql`name, id`,
        offset: sql`${tags}`,
        row: sql`jsonb_build_object('id', page.id, 'name', page.name, 'color', page.color,
          'properties', ${linkCountSql(sql, "current_tag_properties", "tag_id")},
          'room_types', ${linkCountSql(sql, "current_tag_room_types", "tag_id")})`
      })} AS tags,
      ${partJsonSql(sql, matchingSql("room_types", sql`true`), {
        order: sql`title, id`,
        offset: sql`${room_types}`,
        row: sql`jsonb_build_object('id', page.id, 'name', page.title,
          'properties', ${linkCountSql(sql, "room_type_properties", "room_type_id")}, 'tags', ${tagsJson(sql, "room_type")})`
      })} AS room_types`
  })

/** What an operator lets, as a host looks over it. */
export class Portfolio extends Context.Service<
  Portfolio,
  { readonly of: (input: PortfolioInput) => Effect.Effect<PortfolioData> }
>()("latchkey/transports/console/queries/Portfolio") {
  static readonly layer = Layer.effect(
    Portfolio,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const statement = preparePortfolio(sql)
      return Portfolio.of({ of: (input) => readPortfolio(statement(input)) })
    })
  )
}
