import { Schema, Struct } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { Staff } from "./contract.ts"
import { propertyIdsJson } from "./store.ts"

export const Assignee = Schema.Struct({
  ...Struct.pick(Staff.fields, ["id", "is_active", "property_ids"]),
  /** Changes whenever `property_ids` changes. */
  properties_version: Schema.Int
})
export type Assignee = typeof Assignee.Type

/** Selects the staff member as jsonb, or null. `id` may be a column of the outer statement. */
export const assigneeJson = (sql: SqlClient, operatorId: number, id: Fragment): Fragment => sql`(
  SELECT jsonb_build_object('id', page.id, 'is_active', page.is_active, 'properties_version', page.properties_version,
    'property_ids', ${propertyIdsJson(sql)})
  FROM (SELECT * FROM staffs person WHERE person.operator_id = ${operatorId} AND person.id = ${id}) page)`

/**
 * The CTE `assignee` locks the staff member. It has a row if the staff member is unchanged since the read, or if none
 * is assigned.
 */
export const lockUnchangedAssignee = (sql: SqlClient, operatorId: number, assignee: Assignee | undefined): Fragment =>
  assignee === undefined
    ? sql`assignee AS (SELECT)`
    : sql`assignee AS (
        SELECT id FROM staffs
        WHERE operator_id = ${operatorId} AND id = ${assignee.id}
          AND is_active = ${assignee.is_active}
          AND properties_version = ${assignee.properties_version}
        FOR SHARE
      )`
