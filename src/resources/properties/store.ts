import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { Conflict, ValidationFailed } from "../../contract/errors.ts"
import type { Page } from "../../contract/page.ts"
import { rowUnless } from "../../database/constraints.ts"
import { paged, pageRowsOf, rowOf } from "../../database/rows.ts"
import { channelsOf } from "./channels.ts"
import { Property } from "./contract.ts"

/** Which properties a search means; what is undefined does not narrow it. */
export interface PropertySearch {
  readonly id: number | undefined
  readonly groupId: number | undefined
  readonly tagId: number | undefined
}

const readPage = pageRowsOf(Property)
const readKnown = rowOf(Schema.Struct({ group: Schema.Boolean, tag: Schema.Boolean }))

const readCreated = rowUnless(Schema.Struct({ id: Schema.Int }), ({ name, detail }) => {
  switch (name) {
    case "properties_title":
      return new Conflict({ message: "title: another property has it already." })
    case "room_limit":
      return new ValidationFailed({ message: `room_limit: all ${detail} properties of the subscription are in use.` })
  }
})

/** The SQL of properties. */
export class PropertyStore extends Context.Service<PropertyStore>()("latchkey/resources/PropertyStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const conditions = (operatorId: number, search: PropertySearch): ReadonlyArray<Fragment> => {
      const all = [sql`operator_id = ${operatorId}`]
      if (search.id !== undefined) all.push(sql`id = ${search.id}`)
      if (search.groupId !== undefined) {
        all.push(sql`id IN (
          SELECT property_id FROM current_group_properties WHERE operator_id = ${operatorId} AND group_id = ${search.groupId})`)
      }
      if (search.tagId !== undefined) {
        all.push(sql`id IN (
          SELECT property_id FROM current_tag_properties WHERE operator_id = ${operatorId} AND tag_id = ${search.tagId})`)
      }
      return all
    }

    const search = (operatorId: number, wanted: PropertySearch, page: Page) =>
      readPage(sql`
        ${paged(sql, {
          matching: sql`SELECT * FROM properties WHERE ${sql.and(conditions(operatorId, wanted))}`,
          orderBy: sql`id`,
          ...page
        })}
        SELECT counted.total, page.position, page.id, page.title, page.address, page.longitude, page.latitude,
          ${channelsOf(sql)} AS channels,
          coalesce((
            SELECT jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name) ORDER BY g.id)
            FROM current_group_properties link
            JOIN property_groups g ON g.operator_id = link.operator_id AND g.id = link.group_id
            WHERE link.operator_id = page.operator_id AND link.property_id = page.id), '[]') AS groups,
          coalesce((
            SELECT jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'color', t.color) ORDER BY t.id)
            FROM current_tag_properties link
            JOIN property_tags t ON t.operator_id = link.operator_id AND t.id = link.tag_id
            WHERE link.operator_id = page.operator_id AND link.property_id = page.id), '[]') AS tags,
          to_char(coalesce(page.checkin_time, o.default_checkin_time), 'HH24:MI') AS default_checkin_time,
          to_char(coalesce(page.checkout_time, o.default_checkout_time), 'HH24:MI') AS default_checkout_time,
          o.time_zone AS timezone,
          CASE WHEN page.cover_url IS NOT NULL THEN jsonb_build_object('original_url', page.cover_url) END AS cover
        FROM counted LEFT JOIN page ON true LEFT JOIN operators o ON o.id = page.operator_id
        ORDER BY page.position`)

    /** Whether the group and the tag a search names exist; asked only when the search found nothing. */
    const known = (operatorId: number, wanted: Pick<PropertySearch, "groupId" | "tagId">) =>
      readKnown(sql`SELECT
        ${
          wanted.groupId === undefined
            ? sql`true`
            : sql`EXISTS (SELECT FROM property_groups WHERE operator_id = ${operatorId} AND id = ${wanted.groupId})`
        } AS "group",
        ${wanted.tagId === undefined ? sql`true` : tagExists(sql, operatorId, wanted.tagId)} AS tag`)

    /** Fails when the title is taken or the operator has no room left. */
    const create = (operatorId: number, title: string, now: Date) =>
      readCreated(sql`
        INSERT INTO properties (operator_id, title, created_at) VALUES (${operatorId}, ${title}, ${now}) RETURNING id`)

    return { search, known, create }
  })
}) {
  static readonly layer = Layer.effect(PropertyStore, PropertyStore.make)
}

/** Whether a tag of that id is there and not deleted. */
export const tagExists = (sql: SqlClient.SqlClient, operatorId: number, id: number): Fragment =>
  sql`EXISTS (SELECT FROM property_tags WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL)`
