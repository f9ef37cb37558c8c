import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { normalizeForSearch, normalizeSearchKeyword } from "../../../platform/database/parameters.ts"
import { NAMED_PROPERTIES_MAX } from "../../../platform/limits.ts"

export const PickableProperty = Schema.Struct({ id: Schema.Int, title: Schema.String, deactivated: Schema.Boolean })
export type PickableProperty = typeof PickableProperty.Type

interface PropertyPickerInput {
  readonly operatorId: number
  /** Selected properties are included even if their titles do not match. */
  readonly q: string | undefined
}

/**
 * A row beyond {@link NAMED_PROPERTIES_MAX} means that further properties exist. Selected properties come first, so
 * that the limit never cuts one off.
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

export const titleCondition = (sql: SqlClient, title: Fragment, q: string | undefined): Fragment =>
  q === undefined
    ? sql`true`
    : sql`position(${normalizeSearchKeyword(sql, q)} in ${normalizeForSearch(sql, title)}) > 0`
