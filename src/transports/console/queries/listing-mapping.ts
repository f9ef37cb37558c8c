import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

export const mappingColumns = (sql: SqlClient): Fragment => sql`
  CASE WHEN l.property_id IS NOT NULL THEN 'property' WHEN l.room_type_id IS NOT NULL THEN 'room_type' END AS link_type,
  coalesce(linked_property.title, linked_type.title) AS link_title`

export const mappingJoins = (sql: SqlClient): Fragment => sql`
  LEFT JOIN properties linked_property
    ON linked_property.operator_id = l.operator_id AND linked_property.id = l.property_id
  LEFT JOIN room_types linked_type
    ON linked_type.operator_id = l.operator_id AND linked_type.id = l.room_type_id`
