import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type GuestPlace, ofStays, type Party } from "../../guest-place.ts"

/** Nights of the stays that something is written to, by the property as the table is read along. */
const ofNights = (sql: SqlClient, party: Party): Fragment => sql`
  ${ofStays(sql, party)} AND t.remarks <> '' AND t.property_id IN (
    SELECT t.property_id FROM stays t WHERE t.operator_id = ${party.operatorId} AND ${ofStays(sql, party, "id")})`

/** What a host wrote to a night that a stay has. */
export const dayPlace: GuestPlace = {
  table: "calendar_days",
  key: ["property_id", "day"],
  about: ofNights,
  erasing: (sql, party) => [
    sql`UPDATE calendar_days t SET remarks = '' WHERE t.operator_id = ${party.operatorId} AND ${ofNights(sql, party)}`
  ]
}
