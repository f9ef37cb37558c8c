import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { TagColor } from "../../../contract/tag-color.ts"
import type { ConstraintViolation } from "../../../platform/database/constraint-violations.ts"
import { exactNameFirstOrder, hasNameCondition, nameKeyParameter } from "../../named-row.ts"

/** A tag by its name, with the colour it gets when it is new. */
interface TagByName {
  readonly operatorId: number
  readonly name: string
  readonly color: TagColor
  readonly at: Date
}

/** Returns a query for the tag with this name among the default tags and the operator's own tags. */
const selectExistingTag = (sql: SqlClient, { operatorId, name }: TagByName): Fragment => sql`
  SELECT tag.id, tag.stays_version FROM usable_reservation_tags tag
  WHERE tag.operator_id = ${operatorId} AND ${hasNameCondition(sql, "tag", "tag_name", name)}
  ORDER BY ${exactNameFirstOrder(sql, "tag", "tag_name", name)} LIMIT 1`

/**
 * Returns whether a statement of {@link findOrCreateTag} broke the former unique constraint on exact names: another transaction
 * made the tag at the same moment. The previous release still needs the constraint, and `ON CONFLICT` takes only one. A
 * new statement finds that tag.
 */
export const isConcurrentTagViolation = (constraint: ConstraintViolation | undefined): boolean =>
  constraint?.name === "reservation_tags_name"

/** The CTE that a new tag is made for: the stay that gets the tag, or the dictionary that the tag is added to. */
type TagTarget = "stay" | "dictionary"

/**
 * Returns the condition under which no tag is made. For the dictionary it names the default tags only: `ON CONFLICT` finds an own
 * tag, also one whose deletion is not committed yet.
 */
const tagExistsCondition = (sql: SqlClient, { name }: TagByName, target: TagTarget): Fragment =>
  target === "stay"
    ? sql`EXISTS (SELECT FROM known_tag)`
    : sql`EXISTS (SELECT FROM default_reservation_tags WHERE lower(tag_name) = ${nameKeyParameter(sql, name)})`

/**
 * Returns CTEs that find or make the tag with a name, if the CTE named `target` has a row.
 *
 * - `known_tag`: the default tag or own tag with the name, if there is one.
 * - `unkeyed_tag`: an own tag with exactly this name and no comparison key. No unique key stops a second tag beside it.
 * - `restored_tag`: `unkeyed_tag`, whose deletion is undone.
 * - `inserted_tag`: a new tag, or the deleted tag with the same key, which gets the name as it is written now.
 * - `made_tag`: the row of `restored_tag` or `inserted_tag`.
 *
 * If another transaction makes the tag at the same time, `made_tag` is that tag for a stay, and empty for the dictionary. The
 * database rejects a tag beyond the operator's limit (`reservation_tag_limit`).
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

/**
 * Returns the CTEs of {@link findOrCreateTag} for a statement that puts a tag on a stay, and `named_tag`, which has the `id` and
 * `stays_version` of the known or made tag.
 */
export const findOrCreateStayTag = (sql: SqlClient, tag: TagByName): Fragment => sql`
  ${findOrCreateTag(sql, tag, "stay")},
  named_tag AS (SELECT id, stays_version FROM known_tag UNION ALL SELECT id, stays_version FROM made_tag)`
