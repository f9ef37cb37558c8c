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

/** Selects the staff member as jsonb, or null. `operatorId` and `id` may be columns of the outer statement. */
export const assigneeJson = (sql: SqlClient, operatorId: number | Fragment, id: Fragment): Fragment => sql`(
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

/**
 * Selects the id of the staff member who is responsible for a property: the only active one who is assigned to it, or
 * else the only active one who works in all properties. Null if there is none or several.
 */
export const responsibleStaffSql = (sql: SqlClient, operatorId: Fragment, propertyId: Fragment): Fragment => sql`(
  SELECT CASE
    WHEN count(*) FILTER (WHERE able.is_assigned) = 1 THEN min(able.id) FILTER (WHERE able.is_assigned)
    WHEN count(*) FILTER (WHERE able.is_assigned) = 0 AND count(*) = 1 THEN min(able.id) END
  FROM (
    SELECT person.id, person.property_ids <> '{}' AS is_assigned
    FROM (SELECT page.id, ${propertyIdsJson(sql)} AS property_ids FROM staffs page
      WHERE page.operator_id = ${operatorId} AND page.is_active) person
    WHERE person.property_ids = '{}' OR ${propertyId} = ANY (person.property_ids)
  ) able)`
