import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Value } from "../../database/forms.ts"
import { recordEvent } from "../../events/events.ts"

// What other families' statements say of the calendar's nights: parts of one statement, which the table's owner writes.

/**
 * CTEs that give nights to stays, or free them, and record the days that can be sold now or no more. `wanted` selects
 * `operator_id, property_id, day, stay_id` (null frees the night) and `taken_from`, the stay that gives the night up to
 * this one or null. The database refuses a night that has another holder than that (`one_holder_a_night`).
 *
 * Nights are locked in one order, so two changes never wait in a circle for them.
 */
export const giveNights = (sql: SqlClient, wanted: Fragment, at: Value<Date>): Fragment => sql`
  given_night AS (
    INSERT INTO calendar_days (operator_id, property_id, day, stay_id, taken_from)
    SELECT operator_id, property_id, day, stay_id, taken_from FROM (${wanted}) wanted
    ORDER BY property_id, day
    ON CONFLICT (operator_id, property_id, day)
      DO UPDATE SET stay_id = excluded.stay_id, taken_from = excluded.taken_from
    RETURNING operator_id, property_id, day, closed, stay_id, taken_from
  ), turned AS (
    SELECT operator_id, property_id,
      jsonb_agg(jsonb_build_object('date', day, 'available', stay_id IS NULL) ORDER BY day) AS availabilities
    FROM given_night WHERE NOT closed AND taken_from IS NULL GROUP BY operator_id, property_id
  ), nights_recorded AS (${recordEvent(sql, "property_availability_updated", {
    from: sql`turned`,
    record: sql`'property:' || property_id`,
    fields: { property_id: sql`property_id`, availabilities: sql`availabilities` },
    at
  })})`

/** Selects those of the nights that a stay holds; `nights` is a table expression with `property_id` and `day`. */
export const heldAmong = (sql: SqlClient, operatorId: Value<number>, nights: Fragment): Fragment => sql`
  SELECT d.property_id, d.day FROM ${nights}
  JOIN calendar_days d ON d.operator_id = ${operatorId} AND d.property_id = nights.property_id AND d.day = nights.day
  WHERE d.stay_id IS NOT NULL`

/** Selects, each once, the stays that hold a night of a property from one day on and before another. */
export const holdersOf = (
  sql: SqlClient,
  operatorId: Value<number>,
  propertyId: Value<number>,
  days: { readonly from: Fragment; readonly before: Fragment }
): Fragment => sql`
  SELECT DISTINCT d.stay_id FROM calendar_days d
  WHERE d.operator_id = ${operatorId} AND d.property_id = ${propertyId}
    AND d.day >= ${days.from} AND d.day < ${days.before} AND d.stay_id IS NOT NULL`

/** Whether another stay holds a night of `s`, a row of `stays`. */
export const othersHoldNightsOf = (sql: SqlClient, s: Fragment): Fragment => sql`EXISTS (
  SELECT FROM calendar_days d WHERE d.operator_id = ${s}.operator_id AND d.property_id = ${s}.property_id
    AND d.day >= ${s}.check_in_date AND d.day < ${s}.check_out_date AND d.stay_id <> ${s}.id)`
