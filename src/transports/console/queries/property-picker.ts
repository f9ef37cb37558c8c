import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { normalizeForSearch, normalizeSearchKeyword } from "../../../platform/database/parameters.ts"
import { NAMED_PROPERTIES_MAX } from "../../../platform/limits.ts"

// Properties that a form has to choose from, where a list of them is made or changed.

/** A property in such a form. */
export const PickableProperty = Schema.Struct({ id: Schema.Int, title: Schema.String, deactivated: Schema.Boolean })
export type PickableProperty = typeof PickableProperty.Type

interface PropertyPickerInput {
  readonly operatorId: number
  /** A part of a title, in whatever case; what is on the list already is shown whatever it is called. */
  readonly q: string | undefined
}

/**
 * A jsonb array of {@link PickableProperty}, at most {@link NAMED_PROPERTIES_MAX} and one more, which says that there are more. Those on the
 * list come first, so that none of them is taken off because there was no room to show it. `selectedIdsSql`: a query for their ids.
 */
export const pickablePropertiesSql = (
  sql: SqlClient,
  { operatorId, q }: PropertyPickerInput,
  selectedIdsSql: Fragment,
  condition: Fragment = sql`true`
): Fragment => sql`(
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'title', title, 'deactivated', deactivated)), '[]')
  FROM (
    SELECT p.id, p.title, p.deactivated_at IS NOT NULL AS deactivated
    FROM properties p LEFT JOIN (${selectedIdsSql}) on_list (property_id) ON on_list.property_id = p.id
    WHERE p.operator_id = ${operatorId} AND ${condition}
      AND (on_list.property_id IS NOT NULL OR ${titleCondition(sql, sql`p.title`, q)})
    ORDER BY on_list.property_id IS NULL, p.title, p.id
    LIMIT ${sql.literal(String(NAMED_PROPERTIES_MAX + 1))}) choosable)`

/** Whether a title has that text in it; every one where none is given. */
export const titleCondition = (sql: SqlClient, title: Fragment, q: string | undefined): Fragment =>
  q === undefined
    ? sql`true`
    : sql`position(${normalizeSearchKeyword(sql, q)} in ${normalizeForSearch(sql, title)}) > 0`
