import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { NotFound } from "../../contract/errors.ts"

// What other families read of the groups of properties.

/** The groups of the property in `page`, ascending: a jsonb array of id and name. */
export const groupsOf = (sql: SqlClient): Fragment => sql`
  coalesce((
    SELECT jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name) ORDER BY g.id)
    FROM current_group_properties link
    JOIN property_groups g ON g.operator_id = link.operator_id AND g.id = link.group_id
    WHERE link.operator_id = page.operator_id AND link.property_id = page.id), '[]')`

/** The ids of all properties in a group: a query. */
export const groupedIn = (sql: SqlClient, operatorId: number, groupId: number): Fragment =>
  sql`SELECT property_id FROM current_group_properties WHERE operator_id = ${operatorId} AND group_id = ${groupId}`

/** Whether there is a group of that id; true for none: a field that was not sent names nothing wrong. */
export const groupKnown = (sql: SqlClient, operatorId: number, id: number | undefined): Fragment =>
  id === undefined
    ? sql`true`
    : sql`EXISTS (SELECT FROM property_groups WHERE operator_id = ${operatorId} AND id = ${id})`

/** 404 for a `group_id` that is no group of the caller. */
export const noSuchGroup = new NotFound({ message: "group_id: no such group." })
