import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Value } from "../../../platform/database/forms.ts"
import { NAMES_CHOSEN_FROM } from "../../../platform/limits.ts"

/** Something that is chosen by its name. */
export const Named = Schema.Struct({ id: Schema.Int, name: Schema.String })
export type Named = typeof Named.Type

const NAMED = {
  properties: "title",
  property_groups: "name",
  room_types: "title"
} as const

/** Those of an operator by their names, as JSON: one more than a form shows tells that there are more. */
export const namedIn = (sql: SqlClient, table: keyof typeof NAMED, operatorId: Value<number>): Fragment => sql`
  (SELECT coalesce(jsonb_agg(each), '[]') FROM (
    SELECT id, ${sql(NAMED[table])} AS name FROM ${sql(table)} WHERE operator_id = ${operatorId}
    ORDER BY 2, id LIMIT ${sql.literal(String(NAMES_CHOSEN_FROM + 1))}) each)`
