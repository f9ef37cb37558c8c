import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { PaletteColor } from "../../contract/palette.ts"

/**
 * The CTE `tag` of a statement that puts a tag on something, and those before it: `id` and `stays_version` of the tag of
 * that name, which is made or restored when no dictionary of the operator has it. `wherever` is a CTE with `operator_id`:
 * without a row in it nothing is made. The statement fails when there is no room for a new one (`reservation_tag_limit`).
 */
export const tagNamed = (
  sql: SqlClient,
  operatorId: number,
  tag: { readonly name: string; readonly color: PaletteColor },
  wherever: Fragment,
  at: Date
): Fragment => sql`
  known_tag AS (
    SELECT id, stays_version FROM usable_reservation_tags
    WHERE operator_id = ${operatorId} AND tag_name = ${tag.name}
  ), made_tag AS (
    INSERT INTO reservation_tags (operator_id, tag_name, color, created_at)
    SELECT operator_id, ${tag.name}, ${tag.color}, ${at}::timestamptz
    FROM ${wherever} WHERE NOT EXISTS (SELECT FROM known_tag)
    ON CONFLICT (operator_id, tag_name) DO UPDATE SET deleted_at = NULL
    RETURNING id, stays_version
  ), tag AS (SELECT * FROM known_tag UNION ALL SELECT * FROM made_tag)`
