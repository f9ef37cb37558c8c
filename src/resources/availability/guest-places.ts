import { idsParameter } from "../../database/parameters.ts"
import type { GuestPlace } from "../guest-place.ts"

/** What a host wrote to a night that a stay has. */
export const dayPlace: GuestPlace = {
  table: "calendar_days",
  key: "property_id, t.day",
  about: (sql, { operatorId, stayIds }) => sql`
    t.stay_id = ANY (${idsParameter(stayIds)}::bigint[]) AND t.remarks <> ''
    AND t.property_id IN (
      SELECT property_id FROM stays WHERE operator_id = ${operatorId} AND id = ANY (${idsParameter(stayIds)}::bigint[]))`,
  erasing: (sql, { operatorId, stayIds }) => [
    sql`
      UPDATE calendar_days SET remarks = ''
      WHERE operator_id = ${operatorId} AND stay_id = ANY (${idsParameter(stayIds)}::bigint[]) AND remarks <> ''
        AND property_id IN (
          SELECT property_id FROM stays WHERE operator_id = ${operatorId} AND id = ANY (${idsParameter(stayIds)}::bigint[]))`
  ]
}
