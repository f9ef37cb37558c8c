import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * For a CTE: the feeds for the calendars in the CTE `removedCalendarsCte` (`operator_id, property_id, id`) leave out calendars that are
 * added later. A later calendar may be the same marketplace again. It would read its own days from our feed, repeat them, and so keep
 * days blocked that nobody booked.
 */
export const freezeFeedsOfRemovedCalendarsSql = (sql: SqlClient, removedCalendarsCte: string): Fragment => sql`
  UPDATE property_feeds f SET last_calendar_id = (
    SELECT max(c.id) FROM imported_calendars c WHERE c.operator_id = f.operator_id AND c.property_id = f.property_id)
  FROM ${sql(removedCalendarsCte)} removed
  WHERE f.operator_id = removed.operator_id AND f.property_id = removed.property_id AND f.calendar_id = removed.id`
