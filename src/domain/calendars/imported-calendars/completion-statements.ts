import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { RecordedChange } from "../../../changes/recorded-change.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import { CALENDAR_FEEDBACK_LOOP_MS } from "../../../platform/limits.ts"
import { countImportedDaysSql, propertiesTouchedByImportSql } from "../availability/calendar-days.ts"
import type { StayProblem } from "../calendar-stays/stay-problem.ts"
import { freezeFeedsOfRemovedCalendarsSql } from "../property-feeds/feed-freezing.ts"
import type { CalendarUpdate } from "./imported-calendar.ts"

// All statements are idempotent. Each checks the claim and locks the calendar.
//
// A busy day may be a feedback loop, marked by `echo`: the marketplace repeats a day that it read in our feed. A new
// day is marked if that read was within the last CALENDAR_FEEDBACK_LOOP_MS. The mark is cleared if the marketplace
// reads our feed without the day, but its calendar still has it. Such a day is not marked again.

export interface CalendarClaim {
  readonly operator_id: number
  readonly id: number
  readonly attempts: number
  readonly now: Date
}

/**
 * A caller fetches without a claim. Storing such a fetch ends a worker's claim, and the audit log always records it.
 */
export type FetchedBy = "worker" | "caller"

const nextAttemptsSql = (sql: SqlClient, by: FetchedBy): Fragment =>
  by === "caller" ? sql`attempts = i.attempts + 1` : sql`attempts = i.attempts`

const fetchedCalendarSql = (sql: SqlClient, field: "fetched_at" | "error"): Fragment => sql`
  SELECT operator_id, 'imported_calendar:' || id AS record, ARRAY[${sql.literal(`'${field}'`)}]::text[] AS fields FROM settled`

const isClaimedCondition = (sql: SqlClient, { operator_id, id, attempts }: CalendarClaim): Fragment =>
  sql`operator_id = ${operator_id} AND id = ${id} AND attempts = ${attempts}`

/**
 * Selects the days that the marketplace last read in our feed. They are also `recent_days`, unless that read was longer
 * ago than CALENDAR_FEEDBACK_LOOP_MS.
 */
const recordedFeedDaysSql = (sql: SqlClient, now: Date): Fragment => sql`
  SELECT coalesce(f.told, '{}') AS days,
    CASE WHEN f.told_at > ${now}::timestamptz - ${feedbackLoopIntervalSql(sql)} THEN f.told ELSE '{}' END AS recent_days
  FROM (SELECT) one LEFT JOIN (
    property_feeds f JOIN calendar c
      ON f.operator_id = c.operator_id AND f.property_id = c.property_id AND f.calendar_id = c.id AND f.grant_id IS NULL
  ) ON true`

const feedbackLoopIntervalSql = (sql: SqlClient): Fragment =>
  sql`interval '${sql.literal(String(CALENDAR_FEEDBACK_LOOP_MS))} milliseconds'`

const clearFeedbackLoopsSql = (
  sql: SqlClient,
  first: { readonly first: string }["first"],
  unless: Fragment
): Fragment => sql`
  UPDATE imported_days d SET echo = false FROM calendar c, feed_record
  WHERE d.operator_id = c.operator_id AND d.calendar_id = c.id AND d.echo AND d.day >= ${first}::date
    AND NOT feed_record.days @> d.day AND ${unless}`

interface ApplyUpdateParameters extends CalendarClaim, Omit<CalendarUpdate, "bookingWindow" | "bookings"> {
  /** Last day that an unchanged feed covers. Null if the feed must be read again even if it is unchanged. */
  readonly applied_to: string | null
  readonly unavailable_before: string | null
  readonly unavailable_moved: boolean
  readonly nextFetch: Date
}

/**
 * If `unblocksDays` is false, days that the feed no longer contains stay blocked and are listed in the column `kept`.
 */
export const applyUpdateChange = (sql: SqlClient, parameters: ApplyUpdateParameters, by: FetchedBy): RecordedChange => {
  const { days, first, last, now, unblocksDays } = parameters
  const changed = sql`
    SELECT operator_id, property_id, day, true AS busy FROM blocked_day
    UNION ALL SELECT operator_id, property_id, day, false FROM unblocked_day`
  return {
    change: sql`
      calendar AS (
        SELECT operator_id, id, property_id FROM imported_calendars WHERE ${isClaimedCondition(sql, parameters)} FOR NO KEY UPDATE
      ), feed_record AS MATERIALIZED (${recordedFeedDaysSql(sql, now)}),
      current_day AS MATERIALIZED (
        SELECT c.operator_id, c.id AS calendar_id, c.property_id, day FROM calendar c, unnest(${days}::date[]) day
      ), dropped_day AS MATERIALIZED (
        SELECT d.operator_id, d.calendar_id, d.property_id, d.day FROM imported_days d
        JOIN calendar c ON c.operator_id = d.operator_id AND c.id = d.calendar_id
        WHERE d.day BETWEEN ${first}::date AND ${last}::date AND NOT EXISTS (SELECT FROM current_day WHERE current_day.day = d.day)
      ), kept_day AS (SELECT day FROM dropped_day WHERE NOT ${unblocksDays}::boolean),
      unblocked_day AS (
        DELETE FROM imported_days d USING dropped_day
        WHERE d.operator_id = dropped_day.operator_id AND d.calendar_id = dropped_day.calendar_id AND d.day = dropped_day.day
          AND ${unblocksDays}::boolean
        RETURNING d.operator_id, d.property_id, d.day
      ), feedback_update AS (${clearFeedbackLoopsSql(
        sql,
        first,
        sql`(EXISTS (SELECT FROM current_day WHERE current_day.day = d.day) OR EXISTS (SELECT FROM kept_day WHERE kept_day.day = d.day))`
      )}),
      blocked_day AS (
        INSERT INTO imported_days (operator_id, calendar_id, day, property_id, echo)
        SELECT operator_id, calendar_id, day, property_id, feed_record.recent_days @> day FROM current_day, feed_record
        ORDER BY day ON CONFLICT DO NOTHING
        RETURNING operator_id, property_id, day
      ), ${countImportedDaysSql(sql, changed, { first, at: now })},
      settled AS (
        UPDATE imported_calendars i SET state = 'ok', failures = 0, fetched_at = ${now}, due_at = ${parameters.nextFetch},
          error = CASE WHEN NOT ${unblocksDays}::boolean THEN ${parameters.unreadable} END,
          unreadable = ${parameters.unreadable}, accepted_digest = ${parameters.accepted_digest},
          kept = (SELECT coalesce(range_agg(daterange(day, day + 1)), '{}') FROM kept_day),
          unavailable_before = ${parameters.unavailable_before}::date, unavailable_moved = ${parameters.unavailable_moved},
          etag = ${parameters.etag}, last_modified = ${parameters.last_modified}, digest = ${parameters.digest},
          applied_to = ${parameters.applied_to}::date, ${nextAttemptsSql(sql, by)}
        FROM calendar c WHERE i.operator_id = c.operator_id AND i.id = c.id
        RETURNING i.operator_id, i.id, i.state, i.error
      )`,
    events: [],
    changedRecords:
      by === "worker"
        ? propertiesTouchedByImportSql(sql)
        : sql`${propertiesTouchedByImportSql(sql)} UNION ALL ${fetchedCalendarSql(sql, "fetched_at")}`,
    outcome: sql`
      SELECT state, error, (SELECT count(*) FROM imported_count) AS changed_days,
        (SELECT count(*) FROM current_day) + (SELECT count(*) FROM kept_day) AS busy_days, false AS is_superseded FROM settled`
  }
}

export interface StaySyncOutcome {
  readonly channelType: string | undefined
  readonly problems: ReadonlyArray<StayProblem>
  /** As for {@link applyUpdateChange}. */
  readonly applied_to: string | null
  readonly isDueNow: boolean
}

interface CompleteStaySyncParameters extends CalendarClaim, StaySyncOutcome {}

/** Completes a fetch after its stays have been created, moved and cancelled. */
export const completeStaySyncSql = (sql: SqlClient, parameters: CompleteStaySyncParameters): Fragment => sql`
  UPDATE imported_calendars
  SET found_channel_type = ${parameters.channelType ?? null}::text, stay_problems = ${jsonParameter(parameters.problems)}::jsonb,
    applied_to = ${parameters.applied_to}::date,
    due_at = CASE WHEN ${parameters.isDueNow}::boolean THEN ${parameters.now}::timestamptz ELSE due_at END
  WHERE ${isClaimedCondition(sql, parameters)} AND events = 'stay'`

interface CompleteUnchangedParameters extends CalendarClaim {
  readonly first: string
  readonly nextFetch: Date
}

/** Also clears marks of feedback loops, because the marketplace may have read our feed again. */
export const completeUnchangedSql = (sql: SqlClient, parameters: CompleteUnchangedParameters): Fragment => sql`
  WITH calendar AS (
    UPDATE imported_calendars
    SET state = 'ok', error = CASE WHEN accepted_digest IS DISTINCT FROM digest THEN unreadable END, failures = 0,
      fetched_at = ${parameters.now}, due_at = ${parameters.nextFetch}
    WHERE ${isClaimedCondition(sql, parameters)} RETURNING operator_id, id, property_id
  ), feed_record AS MATERIALIZED (${recordedFeedDaysSql(sql, parameters.now)}), feedback_update AS (${clearFeedbackLoopsSql(sql, parameters.first, sql`true`)})
  SELECT 0 AS changed_days FROM calendar`

interface AcceptFeedParameters extends CalendarClaim {
  readonly first: string
}

/**
 * Unblocks the days in the column `kept`. Supersedes a running fetch, so the calendar becomes due at once. The caller
 * must have locked the calendar, as for {@link removeCalendarChange}.
 */
export const acceptFeedChange = (sql: SqlClient, parameters: AcceptFeedParameters): RecordedChange => ({
  change: sql`
    calendar AS (
      SELECT operator_id, id, property_id, kept FROM imported_calendars
      WHERE ${isClaimedCondition(sql, parameters)} FOR NO KEY UPDATE
    ), unblocked_day AS (
      DELETE FROM imported_days d USING calendar c
      WHERE d.operator_id = c.operator_id AND d.calendar_id = c.id AND c.kept @> d.day
      RETURNING d.operator_id, d.property_id, d.day
    ), ${countImportedDaysSql(sql, sql`SELECT operator_id, property_id, day, false AS busy FROM unblocked_day`, {
      first: parameters.first,
      at: parameters.now
    })},
    accepted AS (
      UPDATE imported_calendars i SET accepted_digest = i.digest, kept = '{}', due_at = ${parameters.now},
        attempts = i.attempts + 1, error = CASE WHEN i.state = 'failing' THEN i.error END
      FROM calendar c WHERE i.operator_id = c.operator_id AND i.id = c.id
      RETURNING i.operator_id, i.id
    )`,
  events: [],
  changedRecords: sql`
    ${propertiesTouchedByImportSql(sql)}
    UNION ALL SELECT operator_id, 'imported_calendar:' || id, '{accepted}'::text[] FROM accepted`,
  outcome: sql`SELECT (SELECT count(*) FROM imported_count) AS changed_days FROM accepted`
})

interface FailFetchParameters extends CalendarClaim {
  readonly failures: number
  readonly reason: string
  readonly nextFetch: Date
}

export const failFetchSql = (
  sql: SqlClient,
  parameters: FailFetchParameters,
  by: FetchedBy = "worker"
): Fragment => sql`
  UPDATE imported_calendars i
  SET state = 'failing', error = ${parameters.reason}, failures = failures + 1, due_at = ${parameters.nextFetch},
    ${nextAttemptsSql(sql, by)}
  WHERE ${isClaimedCondition(sql, parameters)} AND failures = ${parameters.failures}
  RETURNING operator_id, id, state, error`

export const failFetchChange = (sql: SqlClient, parameters: FailFetchParameters): RecordedChange => ({
  change: sql`settled AS (${failFetchSql(sql, parameters, "caller")})`,
  events: [],
  changedRecords: fetchedCalendarSql(sql, "error"),
  outcome: sql`
    SELECT id, state, error, 0 AS changed_days, NULL::bigint AS busy_days, false AS is_superseded FROM settled`
})

export const releaseCalendarSql = (sql: SqlClient, parameters: CalendarClaim): Fragment => sql`
  UPDATE imported_calendars SET due_at = ${parameters.now} WHERE ${isClaimedCondition(sql, parameters)}`

interface RemoveCalendarParameters extends CalendarClaim {
  readonly first: string
}

/**
 * The caller must have locked the calendar in an earlier statement, so that this one sees all days that workers stored.
 */
export const removeCalendarChange = (sql: SqlClient, parameters: RemoveCalendarParameters): RecordedChange => ({
  change: sql`
    calendar AS (
      SELECT operator_id, id, property_id FROM imported_calendars WHERE ${isClaimedCondition(sql, parameters)} FOR UPDATE
    ), unblocked_day AS (
      DELETE FROM imported_days d USING calendar c WHERE d.operator_id = c.operator_id AND d.calendar_id = c.id
      RETURNING d.operator_id, d.property_id, d.day
    ), ${countImportedDaysSql(sql, sql`SELECT operator_id, property_id, day, false AS busy FROM unblocked_day`, {
      first: parameters.first,
      at: parameters.now
    })},
    removed AS (
      DELETE FROM imported_calendars i USING calendar c WHERE i.operator_id = c.operator_id AND i.id = c.id
      RETURNING i.operator_id, i.property_id, i.id
    ), outlived AS (${freezeFeedsOfRemovedCalendarsSql(sql, "removed")})`,
  events: [],
  changedRecords: sql`
    ${propertiesTouchedByImportSql(sql)}
    UNION ALL SELECT operator_id, 'imported_calendar:' || id, '{}'::text[] FROM removed`,
  outcome: sql`SELECT id FROM removed`
})
