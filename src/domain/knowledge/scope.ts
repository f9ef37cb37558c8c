import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { idsParameter } from "../../platform/database/parameters.ts"

// Conditions on unqualified columns of `knowledge_bases`.

/** SQL before the ids of a scope: `ids &&` for several ids, or `id = ANY` for one, which is faster. */
interface ScopeOperands {
  readonly properties: Fragment
  readonly groups: Fragment
  readonly roomTypes: Fragment
}

export const scopeCondition = (sql: SqlClient, { properties, groups, roomTypes }: ScopeOperands): Fragment => sql`
  CASE scope_property_type
    WHEN 'all' THEN true
    WHEN 'by_property' THEN ${properties} (scope_property_ids)
    WHEN 'by_group' THEN ${groups} (scope_property_ids)
    WHEN 'by_room_type' THEN ${roomTypes} (scope_property_ids)
  END`

export const propertyScopeCondition = (sql: SqlClient, operatorId: number, ids: ReadonlyArray<number>): Fragment => {
  const idsSql = sql`${idsParameter(ids)}::bigint[]`
  return scopeCondition(sql, {
    properties: sql`${idsSql} &&`,
    groups: sql`ARRAY(
      SELECT group_id FROM current_group_properties WHERE operator_id = ${operatorId} AND property_id = ANY(${idsSql})) &&`,
    roomTypes: sql`ARRAY(
      SELECT room_type_id FROM room_type_properties WHERE operator_id = ${operatorId} AND property_id = ANY(${idsSql})) &&`
  })
}

/** `channelTypes` is a `text[]`. */
export const channelScopeCondition = (sql: SqlClient, channelTypes: ReadonlyArray<string> | Fragment): Fragment =>
  sql`(scope_channel_type = 'all' OR scope_channels && ${channelTypes}::text[])`
