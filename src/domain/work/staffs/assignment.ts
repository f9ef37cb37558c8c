import { Schema, Struct } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { Staff } from "./contract.ts"
import { propertyIdsJson } from "./store.ts"

// What a family that gives work to people needs of them: how they are, and that they are still so when it is written.

/** A person as work is given to them. */
export const Assignee = Schema.Struct({
  ...Struct.pick(Staff.fields, ["id", "is_active", "property_ids"]),
  /** Of the list `property_ids`: another one, another list. */
  properties_version: Schema.Int
})
export type Assignee = typeof Assignee.Type

/** The operator's person of that id, which may be a column of the statement around it, as jsonb; null for nobody. */
export const assigneeJson = (sql: SqlClient, operatorId: number, id: Fragment): Fragment => sql`(
  SELECT jsonb_build_object('id', page.id, 'is_active', page.is_active, 'properties_version', page.properties_version,
    'property_ids', ${propertyIdsJson(sql)})
  FROM (SELECT * FROM staffs person WHERE person.operator_id = ${operatorId} AND person.id = ${id}) page)`

/**
 * A CTE `assignee` that has a row when the person is still as they were read, and always where none is given, when nobody is assigned. Until
 * the statement is through they stay so: a change of them waits, and one that came first is waited for.
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
