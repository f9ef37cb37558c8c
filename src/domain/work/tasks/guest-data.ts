import { belongsToStays, type GuestDataTable } from "../../guest-data.ts"

/** What is done for a stay may be said in its guest's name. */
export const guestDataInTasks: GuestDataTable = {
  table: "tasks",
  keyColumns: ["id"],
  belongsToGuest: belongsToStays,
  eraseStatements: (sql, guest) => [
    sql`UPDATE tasks t SET note = '' WHERE t.operator_id = ${guest.operatorId} AND ${belongsToStays(sql, guest)}`
  ]
}
