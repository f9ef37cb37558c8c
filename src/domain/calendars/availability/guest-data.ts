import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { belongsToStays, type GuestDataTable, type GuestRecordIds } from "../../guest-data.ts"

/** The condition on `property_id` lets PostgreSQL use the table's primary key. */
const remarkedNightsCondition = (sql: SqlClient, guest: GuestRecordIds): Fragment => sql`
  ${belongsToStays(sql, guest)} AND t.remarks <> '' AND t.property_id IN (
    SELECT t.property_id FROM stays t WHERE t.operator_id = ${guest.operatorId} AND ${belongsToStays(sql, guest, "id")})`

export const guestDataInCalendarDays: GuestDataTable = {
  table: "calendar_days",
  keyColumns: ["property_id", "day"],
  belongsToGuest: remarkedNightsCondition,
  eraseStatements: (sql, guest) => [
    sql`UPDATE calendar_days t SET remarks = '' WHERE t.operator_id = ${guest.operatorId} AND ${remarkedNightsCondition(sql, guest)}`
  ]
}
