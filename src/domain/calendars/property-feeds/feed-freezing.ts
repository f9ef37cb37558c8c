import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * Makes the feeds of removed calendars leave out calendars that are added later. `removedCalendarsCte` has the columns
 * `operator_id`, `property_id` and `id`.
 *
 * A marketplace may still read the feed of a removed calendar. If the host imports the calendar again, the old feed
 * must not return the marketplace's own days (a feedback loop).
 */
export const freezeFeedsOfRemovedCalendarsSql = (sql: SqlClient, removedCalendarsCte: string): Fragment => sql`
  UPDATE property_feeds f SET last_calendar_id = (
    SELECT max(c.id) FROM imported_calendars c WHERE c.operator_id = f.operator_id AND c.property_id = f.property_id)
  FROM ${sql(removedCalendarsCte)} removed
  WHERE f.operator_id = removed.operator_id AND f.property_id = removed.property_id AND f.calendar_id = removed.id`
