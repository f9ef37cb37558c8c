import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Value } from "../../database/forms.ts"
import { idsParameter } from "../../database/parameters.ts"

// What an entry is for, of a row of knowledge_bases whose columns stand bare.

/** Whether it is for one of these properties of the operator: for all, for it, or for a group or room type that holds it. */
export const isForProperties = (
  sql: SqlClient,
  operatorId: Value<number>,
  ids: Value<ReadonlyArray<number>>
): Fragment => {
  const given = sql`${idsParameter(ids)}::bigint[]`
  return sql`CASE scope_property_type
    WHEN 'all' THEN true
    WHEN 'by_property' THEN scope_property_ids && ${given}
    WHEN 'by_group' THEN scope_property_ids && ARRAY(
      SELECT group_id FROM current_group_properties WHERE operator_id = ${operatorId} AND property_id = ANY(${given}))
    ELSE scope_property_ids && ARRAY(
      SELECT room_type_id FROM room_type_properties WHERE operator_id = ${operatorId} AND property_id = ANY(${given}))
  END`
}

/** Whether it is for one of these channels. */
export const isForChannels = (sql: SqlClient, channelTypes: Value<ReadonlyArray<string>>): Fragment =>
  sql`(scope_channel_type = 'all' OR scope_channels && ${channelTypes}::text[])`
