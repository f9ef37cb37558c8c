import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { onRecord, touchedIn } from "../../changes/on-record.ts"
import { ValidationFailed } from "../../contract/errors.ts"
import { nameTaken } from "../../contract/names.ts"
import type { Page } from "../../contract/page.ts"
import { rowUnless } from "../../database/constraints.ts"
import { onlyRowOf, paged, pageRowsOf } from "../../database/rows.ts"
import { channelsOf } from "./channels.ts"
import { Property, type search_properties } from "./contract.ts"
import { groupedIn, groupKnown, groupsOf, taggedWith, tagKnown, tagsOn } from "./labels.ts"

/** Which properties a search means; what is not given does not narrow it. */
export type PropertySearch = Pick<typeof search_properties.payloadSchema.Type, "id" | "group_id" | "tag_id">

const readPage = pageRowsOf(Property)
const readKnown = onlyRowOf(Schema.Struct({ group_known: Schema.Boolean, tag_known: Schema.Boolean }))

const readCreated = rowUnless(Schema.Struct({ id: Schema.Int }), ({ name, detail }) => {
  switch (name) {
    case "properties_title":
      return nameTaken("title", "property")
    case "room_limit":
      return new ValidationFailed({ message: `room_limit: all ${detail} properties of the subscription are in use.` })
  }
})

const search = (sql: SqlClient.SqlClient) => (operatorId: number, wanted: PropertySearch, page: Page) => {
  const conditions = [sql`operator_id = ${operatorId}`]
  if (wanted.id !== undefined) conditions.push(sql`id = ${wanted.id}`)
  if (wanted.group_id !== undefined) conditions.push(sql`id IN (${groupedIn(sql, operatorId, wanted.group_id)})`)
  if (wanted.tag_id !== undefined)
    conditions.push(sql`id IN (${taggedWith(sql, "property", operatorId, wanted.tag_id)})`)
  return readPage(sql`
    ${paged(sql, {
      matching: sql`SELECT * FROM properties WHERE ${sql.and(conditions)}`,
      orderBy: sql`id`,
      ...page
    })}
    SELECT counted.total, page.position, page.id, page.title, page.address, page.longitude, page.latitude,
      ${channelsOf(sql)} AS channels, ${groupsOf(sql)} AS groups, ${tagsOn(sql, "property")} AS tags,
      to_char(coalesce(page.checkin_time, o.default_checkin_time), 'HH24:MI') AS default_checkin_time,
      to_char(coalesce(page.checkout_time, o.default_checkout_time), 'HH24:MI') AS default_checkout_time,
      o.time_zone AS timezone,
      CASE WHEN page.cover_url IS NOT NULL THEN jsonb_build_object('original_url', page.cover_url) END AS cover
    FROM counted LEFT JOIN page ON true LEFT JOIN operators o ON o.id = page.operator_id
    ORDER BY page.position`)
}

/** Whether the group and the tag a search names exist; asked only when the search found nothing. */
const known = (sql: SqlClient.SqlClient) => (operatorId: number, wanted: PropertySearch) =>
  readKnown(sql`
    SELECT ${groupKnown(sql, operatorId, wanted.group_id)} AS group_known,
      ${tagKnown(sql, operatorId, wanted.tag_id)} AS tag_known`)

/** Fails when the title is taken or the operator has no room left. */
const create = (sql: SqlClient.SqlClient) => (operatorId: number, title: string, now: Date) =>
  readCreated(
    onRecord(sql, {
      change: sql`
        made AS (
          INSERT INTO properties (operator_id, title, created_at) VALUES (${operatorId}, ${title}, ${now})
          RETURNING operator_id, id
        )`,
      events: [],
      touched: touchedIn(sql, "property", "made"),
      outcome: sql`SELECT id FROM made`
    })
  )

/** The SQL of properties. */
export class PropertyStore extends Context.Service<PropertyStore>()("latchkey/resources/PropertyStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({ search: search(sql), known: known(sql), create: create(sql) }))
}) {
  static readonly layer = Layer.effect(PropertyStore, PropertyStore.make)
}
