import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { PaletteColor } from "../../contract/palette.ts"
import type { Value } from "../../database/forms.ts"
import { exactFirst, isNamed, keyOf } from "../named-row.ts"

/** A tag by its name, with the colour it gets when it is new. */
interface NamedTag {
  readonly operatorId: Value<number>
  readonly name: Value<string>
  readonly color: Value<PaletteColor>
  readonly at: Value<Date>
}

/** A query for the tag of that name in any dictionary. */
const knownTag = (sql: SqlClient, { operatorId, name }: NamedTag): Fragment => sql`
  SELECT tag.id, tag.stays_version FROM usable_reservation_tags tag
  WHERE tag.operator_id = ${operatorId} AND ${isNamed(sql, "tag", "tag_name", name)}
  ORDER BY ${exactFirst(sql, "tag", "tag_name", name)} LIMIT 1`

/** Who asks for a tag: a statement that puts it on a stay, or one that adds it to the dictionary. */
type Asking = "stay" | "dictionary"

/** Whether a tag of the dictionary must not be made. The unique key finds an own tag whose deletion is not committed yet. */
const exists = (sql: SqlClient, { name }: NamedTag, asking: Asking): Fragment =>
  asking === "stay"
    ? sql`EXISTS (SELECT FROM known_tag)`
    : sql`EXISTS (SELECT FROM default_reservation_tags WHERE lower(tag_name) = ${keyOf(sql, name)})`

/**
 * CTEs: `known_tag` has the tag of that name in any dictionary. Where there is none, and the CTE called as `asking` has its
 * row, `made_tag` has a new tag, or the deleted one of that name under the name as it is given now. When another call makes
 * the tag at the same moment, `made_tag` has that one for a stay, and no row for the dictionary. The database refuses one more
 * than the operator has room for (`reservation_tag_limit`).
 */
export const makeTag = (sql: SqlClient, tag: NamedTag, asking: Asking): Fragment => {
  const { operatorId, name, color, at } = tag
  const stillDeleted = asking === "stay" ? sql`true` : sql`tag.deleted_at IS NOT NULL`
  return sql`
  known_tag AS (${knownTag(sql, tag)}), unkeyed_tag AS (
    SELECT id FROM reservation_tags WHERE operator_id = ${operatorId} AND tag_name = ${name} AND name_key IS NULL
  ), restored_tag AS (
    UPDATE reservation_tags tag SET deleted_at = NULL
    FROM ${sql.literal(asking)} asking, unkeyed_tag
    WHERE tag.operator_id = ${operatorId} AND tag.id = unkeyed_tag.id AND NOT EXISTS (SELECT FROM known_tag) AND ${stillDeleted}
    RETURNING tag.*
  ), inserted_tag AS (
    INSERT INTO reservation_tags AS tag (operator_id, tag_name, name_key, color, created_at)
    SELECT ${operatorId}::bigint, ${name}::text, ${keyOf(sql, name)}, ${color}::text, ${at}::timestamptz
    FROM ${sql.literal(asking)} asking
    WHERE NOT ${exists(sql, tag, asking)} AND NOT EXISTS (SELECT FROM unkeyed_tag)
    ON CONFLICT (operator_id, name_key) DO UPDATE SET deleted_at = NULL,
      tag_name = CASE WHEN tag.deleted_at IS NULL THEN tag.tag_name ELSE excluded.tag_name END
    WHERE ${stillDeleted}
    RETURNING tag.*
  ), made_tag AS (SELECT * FROM restored_tag UNION ALL SELECT * FROM inserted_tag)`
}

/** The same for statements that put a tag on a stay: `named_tag` has the `id` and `stays_version` of the known or made tag. */
export const namedTag = (sql: SqlClient, tag: NamedTag): Fragment => sql`
  ${makeTag(sql, tag, "stay")},
  named_tag AS (SELECT id, stays_version FROM known_tag UNION ALL SELECT id, stays_version FROM made_tag)`
