import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { InternalSubscriber } from "../../../jobs/events/internal-subscribers.ts"
import { AVAILABILITY_END_DAYS } from "../../../platform/limits.ts"
import type { DayRange } from "./rules.ts"

/** Converts a JSON list of {@link DayRange} to a `datemultirange`. */
export const daySetSql = (sql: SqlClient, ranges: Fragment): Fragment => sql`
  (SELECT coalesce(range_agg(daterange((each ->> 'start_date')::date, (each ->> 'end_date')::date, '[]')), '{}')
    FROM jsonb_array_elements(${ranges}) each)`

/** Converts a `datemultirange` to a sorted JSON list of {@link DayRange}. */
export const dayRangesSql = (sql: SqlClient, days: Fragment): Fragment => sql`
  (SELECT coalesce(jsonb_agg(jsonb_build_object('start_date', lower(each), 'end_date', upper(each) - 1) ORDER BY each), '[]')
    FROM unnest(${days}) each)`

/** Formats a parameter for `::datemultirange`. */
export const formatDaySet = (ranges: ReadonlyArray<DayRange>): string =>
  `{${ranges.map(({ start_date, end_date }) => `[${start_date},${end_date}]`).join(",")}}`

/** Keeps one day before today, because of time zones. */
export const withoutPastDaysSql = (sql: SqlClient, days: Fragment, now: Date): Fragment => sql`
  (${days} - datemultirange(daterange(NULL, (${now}::timestamptz AT TIME ZONE 'UTC')::date - 1)))`

/** Changes within this time are sent as one push. */
export const CALENDAR_COOLDOWN_MS = 1_000

export const cooldownSql = (sql: SqlClient): Fragment =>
  sql`interval '${sql.literal(String(CALENDAR_COOLDOWN_MS))} milliseconds'`

/**
 * `marked` selects `operator_id, listing_row, account_id, days, traceparent`, one row for each listing. Discards the
 * inventory that the host set for these days (`said_days`). Keeps the trace of the first pending change.
 *
 * Locks partitions in a fixed order to avoid deadlocks. An idle partition waits at most `CALENDAR_COOLDOWN_MS`, even if
 * the clock was set back.
 */
export const markDaysDueSql = (sql: SqlClient, marked: Fragment, now: Date): Fragment => sql`
  INSERT INTO listing_lanes AS lane (operator_id, listing_row, account_id, due_at, waiting, due_days, due_since, traceparent)
  SELECT operator_id, listing_row, account_id, ${now}::timestamptz, 1, days, ${now}::timestamptz, traceparent
  FROM (${marked}) marked
  ORDER BY operator_id, listing_row
  ON CONFLICT (operator_id, listing_row) DO UPDATE
    SET due_days = lane.due_days + excluded.due_days, said_days = lane.said_days - excluded.due_days,
      due_since = coalesce(lane.due_since, excluded.due_since), account_id = excluded.account_id,
      traceparent = coalesce(lane.traceparent, excluded.traceparent),
      waiting = lane.waiting + isempty(lane.due_days)::integer,
      due_at = CASE WHEN lane.waiting = 0
        THEN least(greatest(lane.due_at, excluded.due_at), excluded.due_at + ${cooldownSql(sql)}) ELSE lane.due_at END
    WHERE NOT lane.due_days @> excluded.due_days OR lane.said_days && excluded.due_days
  RETURNING operator_id`

/**
 * Marks changed nights as due for each listing that sells the property, alone or in a room type. Because of time zones,
 * also accepts one day before and after the horizon, which the push leaves out.
 */
export const markAvailabilityChangesDue: InternalSubscriber = (sql, dispatchedEvents, now) => {
  // A subquery is evaluated once, not for each day.
  const day = (distance: number) =>
    sql`(SELECT (${now}::timestamptz AT TIME ZONE 'UTC')::date + (${sql.literal(String(distance))}))`
  // OFFSET 0 makes PostgreSQL parse each payload once, not for each of its days.
  const availabilityEvents = sql`
    SELECT operator_id, (payload ->> 'property_id')::bigint AS property_id, payload -> 'availabilities' AS nights, traceparent
    FROM ${dispatchedEvents} WHERE event = 'property_availability_updated' OFFSET 0`
  const changedNights = sql`
    SELECT told.operator_id, told.property_id, range_agg(daterange(night.date, night.date + 1)) AS days,
      min(told.traceparent) AS traceparent
    FROM (${availabilityEvents}) told CROSS JOIN LATERAL jsonb_to_recordset(told.nights) AS night (date date)
    WHERE night.date BETWEEN ${day(-1)} AND ${day(AVAILABILITY_END_DAYS + 1)}
    GROUP BY 1, 2`
  return markDaysDueSql(
    sql,
    sql`
      SELECT linked.operator_id, linked.id AS listing_row, linked.account_id, range_agg(changed.days) AS days,
        min(changed.traceparent) AS traceparent
      FROM (${changedNights}) changed
      CROSS JOIN LATERAL (
        SELECT l.operator_id, l.id, l.account_id FROM listings l
        WHERE l.operator_id = changed.operator_id AND l.property_id = changed.property_id AND l.shelf_status <> 'deleted'
        UNION ALL
        SELECT l.operator_id, l.id, l.account_id FROM room_type_properties r
        JOIN listings l ON l.operator_id = r.operator_id AND l.room_type_id = r.room_type_id
        WHERE r.operator_id = changed.operator_id AND r.property_id = changed.property_id AND l.shelf_status <> 'deleted'
      ) linked
      GROUP BY 1, 2, 3`,
    now
  )
}
