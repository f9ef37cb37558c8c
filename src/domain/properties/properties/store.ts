import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { createdOrDeletedRecordsSql, prepareRecordedChange } from "../../../changes/recorded-change.ts"
import { ValidationFailed } from "../../../contract/errors.ts"
import { nameConflict } from "../../../contract/names.ts"
import type { Page } from "../../../contract/page.ts"
import { makeRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { RowId } from "../../column-schemas.ts"
import { makeFindIdByName } from "../../operator-rows.ts"
import { Property, type search_properties } from "./contract.ts"
import {
  groupExistsCondition,
  groupsJsonSql,
  selectIdsWithTagSql,
  selectPropertyIdsInGroupSql,
  tagExistsCondition,
  tagsJsonSql
} from "./groups-and-tags.ts"
import { channelsJsonSql } from "./property-channels.ts"

/** Which properties a search means; what is not given does not narrow it. */
export type PropertySearch = Pick<typeof search_properties.payloadSchema.Type, "id" | "group_id" | "tag_id">

const readFilterCheck = makeSingleRowReader(Schema.Struct({ group_known: Schema.Boolean, tag_known: Schema.Boolean }))

const readCreatedProperty = makeRowReaderOrFail(RowId, ({ name, detail }) => {
  switch (name) {
    case "properties_title":
      return nameConflict("title", "property")
    case "room_limit":
      return new ValidationFailed({ message: `room_limit: all ${detail} properties of the subscription are in use.` })
  }
})

const toSearchParameters = (operatorId: number, { id, group_id, tag_id }: PropertySearch) => ({
  operatorId,
  id,
  group_id,
  tag_id
})
type SearchParameters = Givens<ReturnType<typeof toSearchParameters>>

const searchConditions = (
  sql: SqlClient.SqlClient,
  { operatorId, id, group_id, tag_id }: SearchParameters
): ReadonlyArray<Fragment> => {
  const all = [sql`operator_id = ${operatorId}`]
  if (id !== undefined) all.push(sql`id = ${id}`)
  if (group_id !== undefined) all.push(sql`id IN (${selectPropertyIdsInGroupSql(sql, operatorId, group_id)})`)
  if (tag_id !== undefined) all.push(sql`id IN (${selectIdsWithTagSql(sql, "property", operatorId, tag_id)})`)
  return all
}

const search = (sql: SqlClient.SqlClient) => {
  const selectPage = makePageReader(sql, Property, (values: SearchParameters) => ({
    matchingRows: sql`SELECT * FROM properties WHERE ${sql.and(searchConditions(sql, values))}`,
    orderBy: sql`id`,
    columns: {
      channels: channelsJsonSql(sql, "property"),
      groups: groupsJsonSql(sql),
      tags: tagsJsonSql(sql, "property"),
      default_checkin_time: sql`to_char(coalesce(page.checkin_time, o.default_checkin_time), 'HH24:MI')`,
      default_checkout_time: sql`to_char(coalesce(page.checkout_time, o.default_checkout_time), 'HH24:MI')`,
      timezone: sql`o.time_zone`,
      cover: sql`CASE WHEN page.cover_url IS NOT NULL THEN jsonb_build_object('original_url', page.cover_url) END`
    },
    joins: sql`LEFT JOIN operators o ON o.id = page.operator_id`
  }))
  return (operatorId: number, filters: PropertySearch, page: Page) =>
    selectPage(toSearchParameters(operatorId, filters), page)
}

/** Whether the group and the tag a search names exist; asked only when the search found nothing. */
const checkFilters = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId, group_id, tag_id }: SearchParameters) => sql`
      SELECT ${groupExistsCondition(sql, operatorId, group_id)} AS group_known, ${tagExistsCondition(sql, operatorId, tag_id)} AS tag_known`
  )
  return (operatorId: number, filters: PropertySearch) =>
    readFilterCheck(statement(toSearchParameters(operatorId, filters)))
}

interface CreatePropertyParameters {
  readonly operatorId: number
  readonly title: string
  readonly now: Date
}

/** Fails when the title is taken or the operator has no room left. */
const create = (sql: SqlClient.SqlClient) => {
  const statement = prepareRecordedChange(sql, ({ operatorId, title, now }: Givens<CreatePropertyParameters>) => ({
    change: sql`
      made AS (
        INSERT INTO properties (operator_id, title, created_at) VALUES (${operatorId}, ${title}, ${now})
        RETURNING operator_id, id
      )`,
    events: [],
    changedRecords: createdOrDeletedRecordsSql(sql, "property", "made"),
    outcome: sql`SELECT id FROM made`
  }))
  return (operatorId: number, title: string, now: Date) => readCreatedProperty(statement({ operatorId, title, now }))
}

/** The SQL of properties. */
export class PropertyStore extends Context.Service<PropertyStore>()(
  "latchkey/domain/properties/properties/PropertyStore",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({
      search: search(sql),
      checkFilters: checkFilters(sql),
      create: create(sql),
      findIdByName: makeFindIdByName(sql, { table: "properties", column: "title" })
    }))
  }
) {
  static readonly layer = Layer.effect(PropertyStore, PropertyStore.make)
}
