import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { Conflict, ValidationFailed } from "../../contract/errors.ts"
import type { Page } from "../../contract/page.ts"
import { PaletteColor } from "../../contract/palette.ts"
import { rowUnless } from "../../database/constraints.ts"
import { clearFormer, idsOn, putOn } from "../../database/replaced-list.ts"
import { paged, pageRowsOf, rowOf } from "../../database/rows.ts"
import { unknownProperties, unknownRoomTypes } from "../properties/belonging.ts"
import { Tag } from "./contract.ts"

/** What a tag is put on. */
export interface Attached {
  readonly propertyIds: ReadonlyArray<number>
  readonly roomTypeIds: ReadonlyArray<number>
}

export interface NewTag extends Attached {
  readonly name: string
  /** Undefined: a restored tag keeps its colour, a new one gets `otherwise`. */
  readonly color: PaletteColor | undefined
  readonly otherwise: PaletteColor
}

/** What an edit sets; what is undefined stays. */
export interface TagEdit {
  readonly name: string | undefined
  readonly color: PaletteColor | undefined
  readonly propertyIds: ReadonlyArray<number> | undefined
  readonly roomTypeIds: ReadonlyArray<number> | undefined
}

/**
 * `id` and `color` are null when nothing changed: because of the unknown ids, or else because a new tag's name is taken
 * or there is no tag to edit.
 */
const Written = Schema.Struct({
  id: Schema.NullOr(Schema.Int),
  color: Schema.NullOr(PaletteColor),
  unknownProperties: Schema.Array(Schema.Int),
  unknownRoomTypes: Schema.Array(Schema.Int)
})

const readPage = pageRowsOf(Tag)
const readIdentity = rowOf(Schema.Struct({ id: Schema.Int }))
const readWritten = rowUnless(Written, ({ name, detail }) => {
  switch (name) {
    case "property_tags_name":
      return nameTaken
    case "property_tag_limit":
      return new ValidationFailed({
        message: `property_tag_limit: there are ${detail} property tags, and no more are allowed.`
      })
  }
})

export const nameTaken = new Conflict({ message: "name: another tag has it already." })

const PROPERTIES = { rows: "tag_properties", owner: "tag_id", item: "property_id", version: "properties_version" }
const ROOM_TYPES = { rows: "tag_room_types", owner: "tag_id", item: "room_type_id", version: "room_types_version" }

/** The SQL of property tags. */
export class TagStore extends Context.Service<TagStore>()("latchkey/resources/TagStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const search = (operatorId: number, wanted: { readonly id: number | undefined }, page: Page) =>
      readPage(sql`
        ${paged(sql, {
          matching: sql`
            SELECT * FROM property_tags WHERE operator_id = ${operatorId} AND deleted_at IS NULL
              AND ${wanted.id === undefined ? sql`true` : sql`id = ${wanted.id}`}`,
          orderBy: sql`id`,
          ...page
        })}
        SELECT counted.total, page.position, page.id, page.name, page.color,
          ${idsOn(sql, PROPERTIES)} AS property_ids, ${idsOn(sql, ROOM_TYPES)} AS room_type_ids
        FROM counted LEFT JOIN page ON true
        ORDER BY page.position`)

    /** One row: which of the ids are not the operator's. */
    const ground = (operatorId: number, attached: Attached): Fragment => sql`
      SELECT ${unknownProperties(sql, operatorId, attached.propertyIds)} AS properties,
        ${unknownRoomTypes(sql, operatorId, attached.roomTypeIds)} AS room_types`

    const allKnown = sql`ground.properties = '{}' AND ground.room_types = '{}'`

    /** The CTEs that put the tag of the CTE `written` on what is given, under the versions that count now. */
    const attached = ({ propertyIds, roomTypeIds }: Attached): Fragment => sql`
      on_properties AS (${putOn(sql, PROPERTIES, propertyIds)}),
      on_room_types AS (${putOn(sql, ROOM_TYPES, roomTypeIds)})`

    /** The CTEs that clear away what former versions of the tag of the CTE `written` were on. */
    const detached = sql`
      off_properties AS (${clearFormer(sql, PROPERTIES)}),
      off_room_types AS (${clearFormer(sql, ROOM_TYPES)})`

    const returning = sql`RETURNING operator_id, id, color, properties_version, room_types_version`

    const outcome = sql`
      SELECT written.id, written.color, ground.properties AS "unknownProperties", ground.room_types AS "unknownRoomTypes"
      FROM ground LEFT JOIN written ON true`

    /** Makes a tag, or restores the deleted one of that name. Fails when there is no room for one more. */
    const create = (operatorId: number, tag: NewTag, now: Date) =>
      readWritten(sql`
        WITH ground AS (${ground(operatorId, tag)}),
        written AS (
          INSERT INTO property_tags AS tag (operator_id, name, color, created_at)
          SELECT ${operatorId}::bigint, ${tag.name}::text, ${tag.color ?? tag.otherwise}::text, ${now}::timestamptz
          FROM ground WHERE ${allKnown}
          ON CONFLICT (operator_id, name) DO UPDATE SET
            deleted_at = NULL, color = coalesce(${tag.color ?? null}::text, tag.color)
          WHERE tag.deleted_at IS NOT NULL
          ${returning}
        ), ${attached(tag)}
        ${outcome}`)

    /** A deleted tag gives up its name for one that is renamed to it, and cannot come back then. */
    const freed = (operatorId: number, id: number, name: string): Fragment => sql`
      DELETE FROM property_tags deleted USING ground
      WHERE deleted.operator_id = ${operatorId} AND deleted.name = ${name} AND deleted.deleted_at IS NOT NULL
        AND ${allKnown} AND EXISTS (
          SELECT FROM property_tags WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL)
      RETURNING deleted.id`

    /** Fails when the name is taken. */
    const update = (operatorId: number, id: number, edit: TagEdit) => {
      const lists = { propertyIds: edit.propertyIds ?? [], roomTypeIds: edit.roomTypeIds ?? [] }
      return readWritten(sql`
        WITH ground AS (${ground(operatorId, lists)}),
        freed AS (${edit.name === undefined ? sql`SELECT` : freed(operatorId, id, edit.name)}),
        written AS (
          UPDATE property_tags SET
            name = coalesce(${edit.name ?? null}::text, name),
            color = coalesce(${edit.color ?? null}::text, color),
            properties_version = properties_version + ${edit.propertyIds === undefined ? 0 : 1},
            room_types_version = room_types_version + ${edit.roomTypeIds === undefined ? 0 : 1}
          FROM ground
          WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL AND ${allKnown}
            -- Asking for its rows makes the name free before it is taken.
            AND (SELECT count(*) FROM freed) >= 0
          ${returning}
        ), ${detached}, ${attached(lists)}
        ${outcome}`)
    }

    /** Answers the deleted tag's id, or undefined when there is none. */
    const remove = (operatorId: number, id: number, now: Date) =>
      readIdentity(sql`
        WITH written AS (
          UPDATE property_tags SET deleted_at = ${now}::timestamptz,
            properties_version = properties_version + 1, room_types_version = room_types_version + 1
          WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL
          ${returning}
        ), ${detached}
        SELECT id FROM written`)

    return { search, create, update, remove }
  })
}) {
  static readonly layer = Layer.effect(TagStore, TagStore.make)
}
