import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { onlyRowOf } from "../../../platform/database/rows.ts"
import { NAMED_PROPERTIES } from "../../../platform/limits.ts"
import { Choosable, toChoose } from "./choosing.ts"

// A group, a tag or a room type as the form has it that makes or changes it: what it is, what it is on, and what there is to choose
// from. Each in one statement.

type Sql = SqlClient.SqlClient

const Ids = Schema.Array(Schema.Int)

const Group = Schema.Struct({ id: Schema.Int, name: Schema.String, property_ids: Ids })
const Tag = Schema.Struct({ ...Group.fields, color: Schema.String, room_type_ids: Ids })

/** `it` is null where there is none of that id, or none is meant. */
const forming = <A>(it: Schema.ConstraintCodec<A, unknown>) =>
  Schema.Struct({ it: Schema.NullOr(it), properties: Schema.Array(Choosable) })

const RoomTypes = Schema.Array(Schema.Struct({ id: Schema.Int, title: Schema.String }))

const GroupForm = forming(Group)
const TagForm = Schema.Struct({ ...forming(Tag).fields, room_types: RoomTypes })
const RoomTypeForm = Schema.Struct({
  properties: Schema.Array(Choosable),
  /** Properties that are in a room type already, and so in none that is made. */
  taken: Schema.Int
})
export type GroupForm = typeof GroupForm.Type
export type TagForm = typeof TagForm.Type
export type RoomTypeForm = typeof RoomTypeForm.Type

/** Which one; undefined: one that is to be made. */
export interface Formed {
  readonly operatorId: number
  readonly id: number | undefined
  /** A part of the titles to choose from. */
  readonly q: string | undefined
}

/** The ids on a list, ascending: `jsonb`. */
const idsIn = (sql: Sql, item: string, on: Fragment): Fragment =>
  sql`(SELECT coalesce(jsonb_agg(${sql(item)} ORDER BY ${sql(item)}), '[]') FROM (${on}) link)`

const NONE = "SELECT NULL::bigint WHERE false"

const group = (sql: Sql) => {
  const read = onlyRowOf(GroupForm)
  const statement = inForms(sql, ({ operatorId, id, q }: Givens<Formed>) => {
    const on =
      id === undefined
        ? sql.literal(NONE)
        : sql`SELECT property_id FROM current_group_properties WHERE operator_id = ${operatorId} AND group_id = ${id}`
    const it =
      id === undefined
        ? sql`NULL`
        : sql`(SELECT jsonb_build_object('id', id, 'name', name, 'property_ids', ${idsIn(sql, "property_id", on)})
            FROM property_groups WHERE operator_id = ${operatorId} AND id = ${id})`
    return sql`SELECT ${it} AS it, ${toChoose(sql, { operatorId, q }, on)} AS properties`
  })
  return (formed: Formed) => read(statement(formed))
}

const tag = (sql: Sql) => {
  const read = onlyRowOf(TagForm)
  const statement = inForms(sql, ({ operatorId, id, q }: Givens<Formed>) => {
    const on = (links: string, item: string) =>
      id === undefined
        ? sql`SELECT NULL::bigint AS ${sql(item)} WHERE false`
        : sql`SELECT ${sql(item)} FROM ${sql(links)} WHERE operator_id = ${operatorId} AND tag_id = ${id}`
    const onProperties = on("current_tag_properties", "property_id")
    const onRoomTypes = on("current_tag_room_types", "room_type_id")
    const it =
      id === undefined
        ? sql`NULL`
        : sql`(SELECT jsonb_build_object('id', id, 'name', name, 'color', color,
              'property_ids', ${idsIn(sql, "property_id", onProperties)},
              'room_type_ids', ${idsIn(sql, "room_type_id", onRoomTypes)})
            FROM property_tags WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL)`
    return sql`
      SELECT ${it} AS it, ${toChoose(sql, { operatorId, q }, onProperties)} AS properties, (
        SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'title', title)), '[]')
        FROM (
          SELECT t.id, t.title FROM room_types t LEFT JOIN (${onRoomTypes}) on_list ON on_list.room_type_id = t.id
          WHERE t.operator_id = ${operatorId} ORDER BY on_list.room_type_id IS NULL, t.title, t.id
          LIMIT ${sql.literal(String(NAMED_PROPERTIES))}) choosable) AS room_types`
  })
  return (formed: Formed) => read(statement(formed))
}

const roomType = (sql: Sql) => {
  const read = onlyRowOf(RoomTypeForm)
  const statement = inForms(sql, ({ operatorId, q }: Givens<Omit<Formed, "id">>) => {
    const free = sql`NOT EXISTS (
      SELECT FROM room_type_properties link WHERE link.operator_id = p.operator_id AND link.property_id = p.id)`
    return sql`
      SELECT ${toChoose(sql, { operatorId, q }, sql.literal(NONE), free)} AS properties,
        (SELECT count(*) FROM room_type_properties WHERE operator_id = ${operatorId}) AS taken`
  })
  return ({ operatorId, q }: Omit<Formed, "id">) => read(statement({ operatorId, q }))
}

/** What forms that sort properties begin with. */
export class Sorting extends Context.Service<
  Sorting,
  {
    readonly group: (formed: Formed) => Effect.Effect<GroupForm>
    readonly tag: (formed: Formed) => Effect.Effect<TagForm>
    /** A room type is only made: nothing changes one. */
    readonly roomType: (formed: Omit<Formed, "id">) => Effect.Effect<RoomTypeForm>
  }
>()("latchkey/desk/Sorting") {
  static readonly layer = Layer.effect(
    Sorting,
    Effect.map(SqlClient.SqlClient, (sql) => Sorting.of({ group: group(sql), tag: tag(sql), roomType: roomType(sql) }))
  )
}
