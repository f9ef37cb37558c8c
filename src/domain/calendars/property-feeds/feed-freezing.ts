import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * For a CTE: the feed for the source of a calendar that is followed no more, of the CTE `gone` (`operator_id, property_id,
 * id`), tells nothing of calendars that are added later. One of them may be the same source again, which would hear its own
 * words, say them for ever because we do, and keep days shut that nobody holds.
 */
export const freezeFeedsOfRemovedCalendarsSql = (sql: SqlClient, removedCalendarsCte: string): Fragment => sql`
  UPDATE property_feeds f SET last_calendar_id = (
    SELECT max(c.id) FROM imported_calendars c WHERE c.operator_id = f.operator_id AND c.property_id = f.property_id)
  FROM ${sql(removedCalendarsCte)} gone
  WHERE f.operator_id = gone.operator_id AND f.property_id = gone.property_id AND f.calendar_id = gone.id`
