import { idsParameter } from "../../database/parameters.ts"
import type { GuestPlace } from "../guest-place.ts"

/** What is done for a stay may be said in its guest's name. */
export const taskPlace: GuestPlace = {
  table: "tasks",
  key: "id",
  about: (sql, { stayIds }) => sql`t.stay_id = ANY (${idsParameter(stayIds)}::bigint[])`,
  erasing: (sql, { operatorId, stayIds }) => [
    sql`
      UPDATE tasks SET note = '' WHERE operator_id = ${operatorId} AND stay_id = ANY (${idsParameter(stayIds)}::bigint[])`
  ]
}
