import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Conflict, ValidationFailed } from "../../contract/errors.ts"
import type { Page } from "../../contract/page.ts"
import { rowUnless } from "../../database/constraints.ts"
import { idsParameter } from "../../database/parameters.ts"
import { paged, pageRowsOf, rowOf } from "../../database/rows.ts"
import { unknownProperties } from "./belonging.ts"
import { channelsOf } from "./channels.ts"
import { RoomType } from "./contract.ts"
import { tagExists } from "./store.ts"

export interface RoomTypeSearch {
  readonly id: number | undefined
  readonly tagId: number | undefined
}

const readPage = pageRowsOf(RoomType)
const readTag = rowOf(Schema.Struct({ tag: Schema.Boolean }))

/** Either the new room type, or the ids that kept it from being made: of no property, or of one in another room type. */
const Created = Schema.Struct({
  id: Schema.NullOr(Schema.Int),
  unknownProperties: Schema.Array(Schema.Int),
  takenProperties: Schema.Array(Schema.Int)
})

const readCreated = rowUnless(Created, ({ name, detail }) => {
  switch (name) {
    case "room_types_title":
      return new Conflict({ message: "title: another room type has it already." })
    // Taken while the statement ran.
    case "room_type_properties_one":
      return new Conflict({ message: "property_ids: in another room type already." })
    case "room_type_limit":
      return new ValidationFailed({
        message: `room_type_limit: all ${detail} room types of the subscription are in use.`
      })
  }
})

/** The SQL of room types. */
export class RoomTypeStore extends Context.Service<RoomTypeStore>()("latchkey/resources/RoomTypeStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const search = (operatorId: number, wanted: RoomTypeSearch, page: Page) => {
      const conditions = [sql`operator_id = ${operatorId}`]
      if (wanted.id !== undefined) conditions.push(sql`id = ${wanted.id}`)
      if (wanted.tagId !== undefined) {
        conditions.push(sql`id IN (
          SELECT room_type_id FROM current_tag_room_types WHERE operator_id = ${operatorId} AND tag_id = ${wanted.tagId})`)
      }
      return readPage(sql`
        ${paged(sql, {
          matching: sql`SELECT * FROM room_types WHERE ${sql.and(conditions)}`,
          orderBy: sql`id`,
          ...page
        })}
        SELECT counted.total, page.position, page.id, page.title, ${channelsOf(sql)} AS channels,
          coalesce((
            SELECT jsonb_agg(jsonb_build_object('id', p.id, 'title', p.title) ORDER BY p.id)
            FROM room_type_properties link
            JOIN properties p ON p.operator_id = link.operator_id AND p.id = link.property_id
            WHERE link.operator_id = page.operator_id AND link.room_type_id = page.id), '[]') AS properties,
          coalesce((
            SELECT jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'color', t.color) ORDER BY t.id)
            FROM current_tag_room_types link
            JOIN property_tags t ON t.operator_id = link.operator_id AND t.id = link.tag_id
            WHERE link.operator_id = page.operator_id AND link.room_type_id = page.id), '[]') AS tags
        FROM counted LEFT JOIN page ON true
        ORDER BY page.position`)
    }

    const tagKnown = (operatorId: number, tagId: number) =>
      Effect.map(readTag(sql`SELECT ${tagExists(sql, operatorId, tagId)} AS tag`), (row) => row?.tag === true)

    /**
     * Fails when the title is taken, a property is in another room type or the operator has no room left. The
     * properties are taken in the order of their ids: two calls that want the same ones wait, and never for each other.
     */
    const create = (operatorId: number, title: string, propertyIds: ReadonlyArray<number>, now: Date) =>
      readCreated(sql`
        WITH ground AS (
          SELECT ${unknownProperties(sql, operatorId, propertyIds)} AS unknown, ARRAY(
            SELECT property_id FROM room_type_properties
            WHERE operator_id = ${operatorId} AND property_id = ANY(${idsParameter(propertyIds)}::bigint[])
            ORDER BY property_id) AS taken
        ), room_type AS (
          INSERT INTO room_types (operator_id, title, created_at)
          SELECT ${operatorId}::bigint, ${title}::text, ${now}::timestamptz
          FROM ground WHERE ground.unknown = '{}' AND ground.taken = '{}'
          RETURNING operator_id, id
        ), rooms AS (
          INSERT INTO room_type_properties (operator_id, room_type_id, property_id)
          SELECT room_type.operator_id, room_type.id, given.id
          FROM room_type, unnest(${idsParameter(propertyIds)}::bigint[]) AS given (id)
          ORDER BY given.id
        )
        SELECT room_type.id, ground.unknown AS "unknownProperties", ground.taken AS "takenProperties"
        FROM ground LEFT JOIN room_type ON true`)

    return { search, tagKnown, create }
  })
}) {
  static readonly layer = Layer.effect(RoomTypeStore, RoomTypeStore.make)
}
