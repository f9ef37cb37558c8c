import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { NotFound } from "../../../contract/errors.ts"

// These functions are not in `groups` and `tags`, because those modules depend on `properties`.

const TAGGED_KINDS = {
  property: { links: "current_tag_properties", carrier: "property_id" },
  room_type: { links: "current_tag_room_types", carrier: "room_type_id" }
} as const

type TaggedKind = keyof typeof TAGGED_KINDS

/** Returns the tags of the SQL row `page`, sorted by id. */
export const tagsJsonSql = (sql: SqlClient, kind: TaggedKind): Fragment => {
  const { links, carrier } = TAGGED_KINDS[kind]
  return sql`
    coalesce((
      SELECT jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'color', t.color) ORDER BY t.id)
      FROM ${sql(links)} link
      JOIN property_tags t ON t.operator_id = link.operator_id AND t.id = link.tag_id
      WHERE link.operator_id = page.operator_id AND link.${sql(carrier)} = page.id), '[]')`
}

export const selectIdsWithTagSql = (sql: SqlClient, kind: TaggedKind, operatorId: number, tagId: number): Fragment => {
  const { links, carrier } = TAGGED_KINDS[kind]
  return sql`SELECT ${sql(carrier)} FROM ${sql(links)} WHERE operator_id = ${operatorId} AND tag_id = ${tagId}`
}

export const tagExistsCondition = (sql: SqlClient, operatorId: number, id: number | undefined): Fragment =>
  id === undefined
    ? sql`true`
    : sql`EXISTS (SELECT FROM property_tags WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL)`

export const unknownTagIdError = new NotFound({ message: "tag_id: no such tag." })

/** Returns the groups of the SQL row `page`, sorted by id. */
export const groupsJsonSql = (sql: SqlClient): Fragment => sql`
  coalesce((
    SELECT jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name) ORDER BY g.id)
    FROM current_group_properties link
    JOIN property_groups g ON g.operator_id = link.operator_id AND g.id = link.group_id
    WHERE link.operator_id = page.operator_id AND link.property_id = page.id), '[]')`

export const selectPropertyIdsInGroupSql = (sql: SqlClient, operatorId: number, groupId: number): Fragment =>
  sql`SELECT property_id FROM current_group_properties WHERE operator_id = ${operatorId} AND group_id = ${groupId}`

export const groupExistsCondition = (sql: SqlClient, operatorId: number, id: number | undefined): Fragment =>
  id === undefined
    ? sql`true`
    : sql`EXISTS (SELECT FROM property_groups WHERE operator_id = ${operatorId} AND id = ${id})`

export const unknownGroupIdError = new NotFound({ message: "group_id: no such group." })
