import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { PaletteColor } from "../../contract/palette.ts"
import type { Value } from "../../database/forms.ts"

/** A tag by its name, with the colour it gets when it is new. */
interface NamedTag {
  readonly operatorId: Value<number>
  readonly name: Value<string>
  readonly color: Value<PaletteColor>
  readonly at: Value<Date>
}

/**
 * CTEs for statements that put a tag on a stay: `named_tag` has the `id` and `stays_version` of the tag of that name, which
 * is made or restored when no dictionary has it, where the CTE `stay` has its row; `made_tag` has it then. The database
 * refuses one more than the operator has room for (`reservation_tag_limit`).
 */
export const namedTag = (sql: SqlClient, { operatorId, name, color, at }: NamedTag): Fragment => sql`
  known_tag AS (
    SELECT id, stays_version FROM usable_reservation_tags
    WHERE operator_id = ${operatorId} AND tag_name = ${name}
  ), made_tag AS (
    INSERT INTO reservation_tags (operator_id, tag_name, color, created_at)
    SELECT operator_id, ${name}, ${color}, ${at}::timestamptz FROM stay WHERE NOT EXISTS (SELECT FROM known_tag)
    ON CONFLICT (operator_id, tag_name) DO UPDATE SET deleted_at = NULL
    RETURNING operator_id, id, stays_version
  ), named_tag AS (SELECT id, stays_version FROM known_tag UNION ALL SELECT id, stays_version FROM made_tag)`
