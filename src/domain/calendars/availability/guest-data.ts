import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { belongsToStays, type GuestDataTable, type GuestRecordIds } from "../../guest-data.ts"

/** Nights of the stays that something is written to, by the property as the table is read along. */
const remarkedNightsCondition = (sql: SqlClient, party: GuestRecordIds): Fragment => sql`
  ${belongsToStays(sql, party)} AND t.remarks <> '' AND t.property_id IN (
    SELECT t.property_id FROM stays t WHERE t.operator_id = ${party.operatorId} AND ${belongsToStays(sql, party, "id")})`

/** What a host wrote to a night that a stay has. */
export const calendarDayGuestData: GuestDataTable = {
  table: "calendar_days",
  keyColumns: ["property_id", "day"],
  belongsToGuest: remarkedNightsCondition,
  eraseStatements: (sql, party) => [
    sql`UPDATE calendar_days t SET remarks = '' WHERE t.operator_id = ${party.operatorId} AND ${remarkedNightsCondition(sql, party)}`
  ]
}
