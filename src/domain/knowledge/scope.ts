import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { idsParameter } from "../../platform/database/parameters.ts"

// What an entry is for, of a row of knowledge_bases whose columns stand bare.

/**
 * Properties, and the groups and room types that hold them: each is what stands before the ids of a scope, `ids &&` of several and
 * `id = ANY` of one, which costs a third.
 */
interface ScopeOperands {
  readonly properties: Fragment
  readonly groups: Fragment
  readonly roomTypes: Fragment
}

/** Whether it is for one of these places: for all, for a property, or for a group or room type that holds it. */
export const scopeCondition = (sql: SqlClient, { properties, groups, roomTypes }: ScopeOperands): Fragment => sql`
  CASE scope_property_type
    WHEN 'all' THEN true
    WHEN 'by_property' THEN ${properties} (scope_property_ids)
    WHEN 'by_group' THEN ${groups} (scope_property_ids)
    WHEN 'by_room_type' THEN ${roomTypes} (scope_property_ids)
  END`

/** Whether it is for one of these properties of the operator, as groups and room types hold them now. */
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

/** Whether it is for one of these channels, `text[]`. */
export const channelScopeCondition = (sql: SqlClient, channelTypes: ReadonlyArray<string> | Fragment): Fragment =>
  sql`(scope_channel_type = 'all' OR scope_channels && ${channelTypes}::text[])`
