import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms, touchedIn } from "../../../changes/on-record.ts"
import { ValidationFailed } from "../../../contract/errors.ts"
import { nameTaken } from "../../../contract/names.ts"
import type { Page } from "../../../contract/page.ts"
import { rowUnless } from "../../../platform/database/constraints.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { pagesOf } from "../../../platform/database/pages.ts"
import { onlyRowOf } from "../../../platform/database/rows.ts"
import { withNameHolder } from "../../own-row.ts"
import { Identity } from "../../row-fields.ts"
import { channelsOf } from "./channels.ts"
import { Property, type search_properties } from "./contract.ts"
import { groupedIn, groupKnown, groupsOf, taggedWith, tagKnown, tagsOn } from "./labels.ts"

/** Which properties a search means; what is not given does not narrow it. */
export type PropertySearch = Pick<typeof search_properties.payloadSchema.Type, "id" | "group_id" | "tag_id">

const readKnown = onlyRowOf(Schema.Struct({ group_known: Schema.Boolean, tag_known: Schema.Boolean }))

const readCreated = rowUnless(Identity, ({ name, detail }) => {
  switch (name) {
    case "properties_title":
      return nameTaken("title", "property")
    case "room_limit":
      return new ValidationFailed({ message: `room_limit: all ${detail} properties of the subscription are in use.` })
  }
})

const valuesOf = (operatorId: number, { id, group_id, tag_id }: PropertySearch) => ({
  operatorId,
  id,
  group_id,
  tag_id
})
type Wanted = Givens<ReturnType<typeof valuesOf>>

const conditions = (
  sql: SqlClient.SqlClient,
  { operatorId, id, group_id, tag_id }: Wanted
): ReadonlyArray<Fragment> => {
  const all = [sql`operator_id = ${operatorId}`]
  if (id !== undefined) all.push(sql`id = ${id}`)
  if (group_id !== undefined) all.push(sql`id IN (${groupedIn(sql, operatorId, group_id)})`)
  if (tag_id !== undefined) all.push(sql`id IN (${taggedWith(sql, "property", operatorId, tag_id)})`)
  return all
}

const search = (sql: SqlClient.SqlClient) => {
  const page = pagesOf(sql, Property, (wanted: Wanted) => ({
    matching: sql`SELECT * FROM properties WHERE ${sql.and(conditions(sql, wanted))}`,
    orderBy: sql`id`,
    columns: {
      channels: channelsOf(sql, "property"),
      groups: groupsOf(sql),
      tags: tagsOn(sql, "property"),
      default_checkin_time: sql`to_char(coalesce(page.checkin_time, o.default_checkin_time), 'HH24:MI')`,
      default_checkout_time: sql`to_char(coalesce(page.checkout_time, o.default_checkout_time), 'HH24:MI')`,
      timezone: sql`o.time_zone`,
      cover: sql`CASE WHEN page.cover_url IS NOT NULL THEN jsonb_build_object('original_url', page.cover_url) END`
    },
    joined: sql`LEFT JOIN operators o ON o.id = page.operator_id`
  }))
  return (operatorId: number, wanted: PropertySearch, asked: Page) => page(valuesOf(operatorId, wanted), asked)
}

/** Whether the group and the tag a search names exist; asked only when the search found nothing. */
const known = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId, group_id, tag_id }: Wanted) => sql`
      SELECT ${groupKnown(sql, operatorId, group_id)} AS group_known, ${tagKnown(sql, operatorId, tag_id)} AS tag_known`
  )
  return (operatorId: number, wanted: PropertySearch) => readKnown(statement(valuesOf(operatorId, wanted)))
}

interface Made {
  readonly operatorId: number
  readonly title: string
  readonly now: Date
}

/** Fails when the title is taken or the operator has no room left. */
const create = (sql: SqlClient.SqlClient) => {
  const statement = onRecordInForms(sql, ({ operatorId, title, now }: Givens<Made>) => ({
    change: sql`
      made AS (
        INSERT INTO properties (operator_id, title, created_at) VALUES (${operatorId}, ${title}, ${now})
        RETURNING operator_id, id
      )`,
    events: [],
    touched: touchedIn(sql, "property", "made"),
    outcome: sql`SELECT id FROM made`
  }))
  return (operatorId: number, title: string, now: Date) => readCreated(statement({ operatorId, title, now }))
}

/** The SQL of properties. */
export class PropertyStore extends Context.Service<PropertyStore>()("latchkey/resources/PropertyStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    search: search(sql),
    known: known(sql),
    create: create(sql),
    withNameHolder: withNameHolder(sql, { table: "properties", column: "title" })
  }))
}) {
  static readonly layer = Layer.effect(PropertyStore, PropertyStore.make)
}
