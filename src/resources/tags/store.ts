import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { Conflict, ValidationFailed } from "../../contract/errors.ts"
import type { Page } from "../../contract/page.ts"
import { PaletteColor } from "../../contract/palette.ts"
import { rowUnless } from "../../database/constraints.ts"
import { idsParameter } from "../../database/parameters.ts"
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

/** The SQL of property tags. How a list is replaced as a whole is told in migration 0003_portfolio. */
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
        SELECT counted.total, page.position, page.id, page.name, page.color, ARRAY(
            SELECT link.property_id FROM tag_properties link
            WHERE link.operator_id = page.operator_id AND link.tag_id = page.id AND link.version = page.properties_version
            ORDER BY link.property_id) AS property_ids,
          ARRAY(
            SELECT link.room_type_id FROM tag_room_types link
            WHERE link.operator_id = page.operator_id AND link.tag_id = page.id AND link.version = page.room_types_version
            ORDER BY link.room_type_id) AS room_type_ids
        FROM counted LEFT JOIN page ON true
        ORDER BY page.position`)

    /** One row: which of the ids are not the operator's. */
    const ground = (operatorId: number, attached: Attached): Fragment => sql`
      SELECT ${unknownProperties(sql, operatorId, attached.propertyIds)} AS properties,
        ${unknownRoomTypes(sql, operatorId, attached.roomTypeIds)} AS room_types`

    const allKnown = sql`ground.properties = '{}' AND ground.room_types = '{}'`

    /** The CTEs that put the tag of the CTE `written` on what is given, under the versions that count now. */
    const attached = ({ propertyIds, roomTypeIds }: Attached): Fragment => sql`
      on_properties AS (
        INSERT INTO tag_properties (operator_id, tag_id, version, property_id)
        SELECT written.operator_id, written.id, written.properties_version, given.id
        FROM written, unnest(${idsParameter(propertyIds)}::bigint[]) AS given (id)
      ), on_room_types AS (
        INSERT INTO tag_room_types (operator_id, tag_id, version, room_type_id)
        SELECT written.operator_id, written.id, written.room_types_version, given.id
        FROM written, unnest(${idsParameter(roomTypeIds)}::bigint[]) AS given (id)
      )`

    /** The CTEs that clear away what former versions of the tag of the CTE `written` were on. */
    const detached = sql`
      off_properties AS (
        DELETE FROM tag_properties link USING written
        WHERE link.operator_id = written.operator_id AND link.tag_id = written.id
          AND link.version < written.properties_version
      ), off_room_types AS (
        DELETE FROM tag_room_types link USING written
        WHERE link.operator_id = written.operator_id AND link.tag_id = written.id
          AND link.version < written.room_types_version
      )`

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
