import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { NAMED_PROPERTIES_MAX } from "../../../platform/limits.ts"
import { PickableProperty, pickablePropertiesSql } from "./property-picker.ts"

type Sql = SqlClient.SqlClient

const Ids = Schema.Array(Schema.Int)

const Group = Schema.Struct({ id: Schema.Int, name: Schema.String, property_ids: Ids })
const Tag = Schema.Struct({ ...Group.fields, color: Schema.String, room_type_ids: Ids })

/** `it` is null for a new record and for an unknown id. */
const formSchema = <A>(it: Schema.ConstraintCodec<A, unknown>) =>
  Schema.Struct({ it: Schema.NullOr(it), properties: Schema.Array(PickableProperty) })

const RoomTypes = Schema.Array(Schema.Struct({ id: Schema.Int, title: Schema.String }))

const GroupForm = formSchema(Group)
const TagForm = Schema.Struct({ ...formSchema(Tag).fields, room_types: RoomTypes })
const RoomTypeForm = Schema.Struct({
  properties: Schema.Array(PickableProperty),
  /** Number of properties that already have a room type. */
  taken: Schema.Int
})
export type GroupForm = typeof GroupForm.Type
export type TagForm = typeof TagForm.Type
export type RoomTypeForm = typeof RoomTypeForm.Type

interface GroupingFormQuery {
  readonly id: number | undefined
  readonly q: string | undefined
}

const idsJsonSql = (sql: Sql, item: string, selectedIdsSql: Fragment): Fragment =>
  sql`(SELECT coalesce(jsonb_agg(${sql(item)} ORDER BY ${sql(item)}), '[]') FROM (${selectedIdsSql}) link)`

const NO_IDS_SQL = "SELECT NULL::bigint WHERE false"

const makeLoadGroupForm = (sql: Sql) => {
  const read = makeSingleRowReader(GroupForm)
  return ({ id, q }: GroupingFormQuery) =>
    CurrentCaller.use(({ operatorId }) => {
      const selectedIdsSql =
        id === undefined
          ? sql.literal(NO_IDS_SQL)
          : sql`SELECT property_id FROM current_group_properties WHERE operator_id = ${operatorId} AND group_id = ${id}`
      const it =
        id === undefined
          ? sql`NULL`
          : sql`(SELECT jsonb_build_object('id', id, 'name', name, 'property_ids', ${idsJsonSql(sql, "property_id", selectedIdsSql)})
            FROM property_groups WHERE operator_id = ${operatorId} AND id = ${id})`
      return read(
        sql`SELECT ${it} AS it, ${pickablePropertiesSql(sql, { operatorId, q }, selectedIdsSql)} AS properties`
      )
    })
}

const makeLoadTagForm = (sql: Sql) => {
  const read = makeSingleRowReader(TagForm)
  return ({ id, q }: GroupingFormQuery) =>
    CurrentCaller.use(({ operatorId }) => {
      const selectedIdsSql = (links: string, item: string) =>
        id === undefined
          ? sql`SELECT NULL::bigint AS ${sql(item)} WHERE false`
          : sql`SELECT ${sql(item)} FROM ${sql(links)} WHERE operator_id = ${operatorId} AND tag_id = ${id}`
      const selectedPropertyIdsSql = selectedIdsSql("current_tag_properties", "property_id")
      const selectedRoomTypeIdsSql = selectedIdsSql("current_tag_room_types", "room_type_id")
      const it =
        id === undefined
          ? sql`NULL`
          : sql`(SELECT jsonb_build_object('id', id, 'name', name, 'color', color,
              'property_ids', ${idsJsonSql(sql, "property_id", selectedPropertyIdsSql)},
              'room_type_ids', ${idsJsonSql(sql, "room_type_id", selectedRoomTypeIdsSql)})
            FROM property_tags WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL)`
      return read(sql`
      SELECT ${it} AS it, ${pickablePropertiesSql(sql, { operatorId, q }, selectedPropertyIdsSql)} AS properties, (
        SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'title', title)), '[]')
        FROM (
          SELECT t.id, t.title FROM room_types t LEFT JOIN (${selectedRoomTypeIdsSql}) on_list ON on_list.room_type_id = t.id
          WHERE t.operator_id = ${operatorId} ORDER BY on_list.room_type_id IS NULL, t.title, t.id
          LIMIT ${sql.literal(String(NAMED_PROPERTIES_MAX))}) choosable) AS room_types`)
    })
}

const makeLoadRoomTypeForm = (sql: Sql) => {
  const read = makeSingleRowReader(RoomTypeForm)
  return ({ q }: Omit<GroupingFormQuery, "id">) => {
    const unusedCondition = sql`NOT EXISTS (
      SELECT FROM room_type_properties link WHERE link.operator_id = p.operator_id AND link.property_id = p.id)`
    return CurrentCaller.use(({ operatorId }) =>
      read(sql`
        SELECT ${pickablePropertiesSql(sql, { operatorId, q }, sql.literal(NO_IDS_SQL), unusedCondition)} AS properties,
          (SELECT count(*) FROM room_type_properties WHERE operator_id = ${operatorId}) AS taken`)
    )
  }
}

export class Sorting extends Context.Service<Sorting>()("latchkey/transports/console/queries/Sorting", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    group: makeLoadGroupForm(sql),
    tag: makeLoadTagForm(sql),
    /** The console does not edit existing room types. */
    roomType: makeLoadRoomTypeForm(sql)
  }))
}) {
  static readonly layer = Layer.effect(Sorting, Sorting.make)
}
