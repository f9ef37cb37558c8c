import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { columnReadExpressions } from "../../../platform/database/columns.ts"
import { HostStayFields } from "../stays/stay.ts"

const guestsJson = (sql: SqlClient): Fragment => sql`(
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name, 'images', (
      SELECT count(*) FROM identity_images i WHERE i.operator_id = g.operator_id AND i.guest_id = g.id)) ORDER BY g.id), '[]')
  FROM guests g WHERE g.operator_id = s.operator_id AND g.stay_id = s.id)`

const unnamedGuestImageCountSql = (sql: SqlClient): Fragment => sql`(
  SELECT count(*) FROM identity_images i
  WHERE i.operator_id = s.operator_id AND i.order_id = s.order_id AND i.stay_id = s.id AND i.guest_id IS NULL)`

/**
 * Selects guest portal stays. `where` and `moreColumns` may use the aliases `s`, `o`, `p` and `host`. `moreColumns`
 * starts with a comma.
 */
export const guestPortalStaysSql = (sql: SqlClient, where: Fragment, moreColumns: Fragment = sql``): Fragment => {
  const { arrival_at = sql`s.arrival_at` } = columnReadExpressions(sql, HostStayFields, "s")
  return sql`
    SELECT s.operator_id, s.id, s.stay_code, o.status, o.expires_at, host.name AS host_name, main.email AS host_email,
      host.time_zone, p.title, p.address, p.latitude, p.longitude, s.check_in_date, s.check_out_date,
      to_char(coalesce(p.checkin_time, host.default_checkin_time), 'HH24:MI') AS check_in_time,
      to_char(coalesce(p.checkout_time, host.default_checkout_time), 'HH24:MI') AS check_out_time,
      s.guest_name, s.number_of_guests, s.number_of_infants, s.number_of_pets, ${guestsJson(sql)} AS guests,
      ${unnamedGuestImageCountSql(sql)} AS other_images, s.identity_image_count, ${arrival_at} AS arrival_at, s.lock_code,
      s.lock_code_visible_after, s.id_required, s.check_in_approved_at${moreColumns}
    FROM stays s
    JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
    JOIN operators host ON host.id = s.operator_id
    LEFT JOIN accounts main ON main.operator_id = s.operator_id AND main.role = 'main'
    LEFT JOIN properties p ON p.operator_id = s.operator_id AND p.id = s.property_id
    WHERE ${where}`
}
