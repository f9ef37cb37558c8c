import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { SCOPE_CHOICES_MAX } from "../../../platform/limits.ts"

export const NamedRecord = Schema.Struct({ id: Schema.Int, name: Schema.String })
export type NamedRecord = typeof NamedRecord.Type

const NAME_COLUMN_BY_TABLE = {
  properties: "title",
  property_groups: "name",
  room_types: "title"
} as const

/** Returns records sorted by name. A row beyond SCOPE_CHOICES_MAX means that further records exist. */
export const namedRecordsSql = (
  sql: SqlClient,
  table: keyof typeof NAME_COLUMN_BY_TABLE,
  operatorId: number
): Fragment => sql`
  (SELECT coalesce(jsonb_agg(each), '[]') FROM (
    SELECT id, ${sql(NAME_COLUMN_BY_TABLE[table])} AS name FROM ${sql(table)} WHERE operator_id = ${operatorId}
    ORDER BY 2, id LIMIT ${sql.literal(String(SCOPE_CHOICES_MAX + 1))}) each)`
