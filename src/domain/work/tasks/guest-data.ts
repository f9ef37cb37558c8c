import { belongsToStays, type GuestDataTable } from "../../guest-data.ts"

/** The note of a task may mention the guest. */
export const guestDataInTasks: GuestDataTable = {
  table: "tasks",
  keyColumns: ["id"],
  belongsToGuest: belongsToStays,
  eraseStatements: (sql, guest) => [
    sql`UPDATE tasks t SET note = '' WHERE t.operator_id = ${guest.operatorId} AND ${belongsToStays(sql, guest)}`
  ]
}
