import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Page } from "../../../contract/page.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import { genericPlanParameter } from "../../../platform/database/parameters.ts"
import type { OperatorScoped } from "../../operator-rows.ts"
import { Property, type search_properties } from "./contract.ts"
import { groupsJsonSql, selectIdsWithTagSql, selectPropertyIdsInGroupSql, tagsJsonSql } from "./groups-and-tags.ts"
import { channelsJsonSql } from "./property-channels.ts"

export type PropertySearch = Pick<typeof search_properties.payloadSchema.Type, "id" | "group_id" | "tag_id">

type OperatorPropertySearch = OperatorScoped & PropertySearch

const searchConditions = (
  sql: SqlClient.SqlClient,
  { operatorId, id, group_id, tag_id }: OperatorPropertySearch
): ReadonlyArray<Fragment> => {
  const all = [sql`operator_id = ${genericPlanParameter(sql, "bigint", operatorId)}`]
  if (id !== undefined) all.push(sql`id = ${id}`)
  if (group_id !== undefined) all.push(sql`id IN (${selectPropertyIdsInGroupSql(sql, operatorId, group_id)})`)
  if (tag_id !== undefined) all.push(sql`id IN (${selectIdsWithTagSql(sql, "property", operatorId, tag_id)})`)
  return all
}

export const makeSearchProperties = (sql: SqlClient.SqlClient) => {
  const selectPage = makePageReader(
    sql,
    Property,
    (values: OperatorPropertySearch) => ({
      matchingRows: sql`SELECT * FROM properties WHERE ${sql.and(searchConditions(sql, values))}`,
      orderBy: sql`id`,
      joins: sql`LEFT JOIN operators o ON o.id = page.operator_id`
    }),
    {
      channels: channelsJsonSql(sql, "property"),
      groups: groupsJsonSql(sql),
      tags: tagsJsonSql(sql, "property"),
      default_checkin_time: sql`to_char(coalesce(page.checkin_time, o.default_checkin_time), 'HH24:MI')`,
      default_checkout_time: sql`to_char(coalesce(page.checkout_time, o.default_checkout_time), 'HH24:MI')`,
      timezone: sql`o.time_zone`,
      currency: sql`coalesce(page.currency, o.currency)`,
      cover: sql`CASE WHEN page.cover_url IS NOT NULL THEN jsonb_build_object('original_url', page.cover_url) END`,
      is_active: sql`page.deactivated_at IS NULL`
    }
  )
  return (operatorId: number, filters: PropertySearch, page: Page) => selectPage({ ...filters, operatorId }, page)
}
