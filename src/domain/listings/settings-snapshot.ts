import type { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { jsonParameter } from "../../platform/database/parameters.ts"
import type { OperatorRowId } from "../operator-rows.ts"

export interface ListingSettingsParameters extends OperatorRowId {
  readonly settings: Readonly<Record<string, Schema.Json>>
  readonly now: Date
}

/** Keeps recorded settings that are not in `settings`. Returns `operator_id` and `id`. */
export const updateSettingsSnapshotSql = (
  sql: SqlClient,
  { operatorId, id, settings, now }: Pick<ListingSettingsParameters, keyof ListingSettingsParameters>
): Fragment => sql`
  UPDATE listings
  SET price_and_rules = coalesce(price_and_rules, '{}') || ${jsonParameter(settings)}::jsonb, updated_at = ${now}
  WHERE operator_id = ${operatorId} AND id = ${id}
  RETURNING operator_id, id`
