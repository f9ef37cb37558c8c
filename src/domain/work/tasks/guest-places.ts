import { type GuestPlace, ofStays } from "../../guest-place.ts"

/** What is done for a stay may be said in its guest's name. */
export const taskPlace: GuestPlace = {
  table: "tasks",
  key: ["id"],
  about: ofStays,
  erasing: (sql, party) => [
    sql`UPDATE tasks t SET note = '' WHERE t.operator_id = ${party.operatorId} AND ${ofStays(sql, party)}`
  ]
}
