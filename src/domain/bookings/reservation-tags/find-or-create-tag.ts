import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { TagColor } from "../../../contract/tag-color.ts"
import type { ConstraintViolation } from "../../../platform/database/constraint-violations.ts"
import { exactNameFirstOrder, hasNameCondition, nameKeyParameter } from "../../named-row.ts"

interface TagByName {
  readonly operatorId: number
  readonly name: string
  readonly color: TagColor
  readonly at: Date
}

const selectExistingTag = (sql: SqlClient, { operatorId, name }: TagByName): Fragment => sql`
  SELECT tag.id, tag.stays_version FROM usable_reservation_tags tag
  WHERE tag.operator_id = ${operatorId} AND ${hasNameCondition(sql, "tag", "tag_name", name)}
  ORDER BY ${exactNameFirstOrder(sql, "tag", "tag_name", name)} LIMIT 1`

/**
 * Detects that another transaction created the tag concurrently. A retry finds that tag. The previous release still
 * needs this constraint, but `ON CONFLICT` handles only one constraint.
 */
export const isConcurrentTagViolation = (constraint: ConstraintViolation | undefined): boolean =>
  constraint?.name === "reservation_tags_name"

type TagTarget = "stay" | "dictionary"

/**
 * For the dictionary, checks only default tags. `ON CONFLICT` finds the operator's own tags, even one that a concurrent
 * transaction deletes.
 */
const tagExistsCondition = (sql: SqlClient, { name }: TagByName, target: TagTarget): Fragment =>
  target === "stay"
    ? sql`EXISTS (SELECT FROM known_tag)`
    : sql`EXISTS (SELECT FROM default_reservation_tags WHERE lower(tag_name) = ${nameKeyParameter(sql, name)})`

/**
 * Returns CTEs that find, restore or create a tag if the CTE named by `target` has a row. A restored or created tag is
 * in `made_tag`.
 *
 * The unique key does not prevent a second tag beside a tag without `name_key`, so `unkeyed_tag` looks for one.
 *
 * If another transaction creates the tag concurrently, `made_tag` contains that tag for a stay, but is empty for the
 * dictionary.
 */
export const findOrCreateTag = (sql: SqlClient, tag: TagByName, target: TagTarget): Fragment => {
  const { operatorId, name, color, at } = tag
  const stillDeleted = target === "stay" ? sql`true` : sql`tag.deleted_at IS NOT NULL`
  return sql`
  known_tag AS (${selectExistingTag(sql, tag)}), unkeyed_tag AS (
    SELECT id FROM reservation_tags WHERE operator_id = ${operatorId} AND tag_name = ${name} AND name_key IS NULL
  ), restored_tag AS (
    UPDATE reservation_tags tag SET deleted_at = NULL
    FROM ${sql.literal(target)} target, unkeyed_tag
    WHERE tag.operator_id = ${operatorId} AND tag.id = unkeyed_tag.id AND NOT EXISTS (SELECT FROM known_tag) AND ${stillDeleted}
    RETURNING tag.*
  ), inserted_tag AS (
    INSERT INTO reservation_tags AS tag (operator_id, tag_name, name_key, color, created_at)
    SELECT ${operatorId}::bigint, ${name}::text, ${nameKeyParameter(sql, name)}, ${color}::text, ${at}::timestamptz
    FROM ${sql.literal(target)} target
    WHERE NOT ${tagExistsCondition(sql, tag, target)} AND NOT EXISTS (SELECT FROM unkeyed_tag)
    ON CONFLICT (operator_id, name_key) DO UPDATE SET deleted_at = NULL,
      tag_name = CASE WHEN tag.deleted_at IS NULL THEN tag.tag_name ELSE excluded.tag_name END
    WHERE ${stillDeleted}
    RETURNING tag.*
  ), made_tag AS (SELECT * FROM restored_tag UNION ALL SELECT * FROM inserted_tag)`
}

export const findOrCreateStayTag = (sql: SqlClient, tag: TagByName): Fragment => sql`
  ${findOrCreateTag(sql, tag, "stay")},
  named_tag AS (SELECT id, stays_version FROM known_tag UNION ALL SELECT id, stays_version FROM made_tag)`
