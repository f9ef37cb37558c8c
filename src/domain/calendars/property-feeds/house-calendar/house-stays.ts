import type { SqlClient } from "effect/sql/SqlClient"
import type { DateRange } from "../../../../contract/date-range.ts"
import { makeRowsReader } from "../../../../platform/database/rows.ts"
import { HOUSE_FEED_STAYS_MAX } from "../../../../platform/limits.ts"
import { guestPortalStaysSql } from "../../../bookings/check-in/guest-portal-query.ts"
import type { OperatorScoped } from "../../../operator-rows.ts"
import { HouseStay } from "./house-events.ts"

export interface HouseStaySearch extends OperatorScoped, DateRange {
  readonly propertyId: number
}

const readStays = makeRowsReader(HouseStay)

/** Returns the accepted stays with a night in the range, by check-in, at most {@link HOUSE_FEED_STAYS_MAX}. */
export const findHouseStays =
  (sql: SqlClient) =>
  ({ operatorId, propertyId, start, end }: HouseStaySearch) => {
    const stays = guestPortalStaysSql(
      sql,
      sql`s.operator_id = ${operatorId} AND o.status = 'accepted' AND s.id = ANY (ARRAY(
        SELECT DISTINCT d.stay_id FROM calendar_days d
        WHERE d.operator_id = ${operatorId} AND d.property_id = ${propertyId} AND d.day BETWEEN ${start} AND ${end}
          AND d.stay_id IS NOT NULL))`,
      sql`, o.reservation_code, o.channel_id, s.guest_phone, s.channel_remarks, s.guide_token IS NULL AS is_erased`
    )
    return readStays(sql`${stays} ORDER BY s.check_in_date, s.id LIMIT ${sql.literal(String(HOUSE_FEED_STAYS_MAX))}`)
  }
