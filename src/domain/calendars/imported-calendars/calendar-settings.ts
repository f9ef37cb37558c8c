import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import { readRowId } from "../../operator-rows.ts"
import type { CalendarChannelType } from "../calendar-stays/stay-channel.ts"
import type { CalendarEvents } from "./imported-calendar.ts"

/** An undefined setting keeps its value. */
export interface CalendarSettings {
  /** Whether to ignore a "Not available" event at the end of the feed whose end has moved forward between fetches. */
  readonly skipUnavailable?: boolean | undefined
  readonly events?: CalendarEvents | undefined
  /** Null: the host of the URL, or else the feed itself, names the channel. */
  readonly channelType?: CalendarChannelType | null | undefined
}

/**
 * Changes the calendars of `calendarsCte` whose settings differ, and makes them due for a full read. The raised
 * `attempts` supersedes a running fetch. Returns the names of the changed settings in `fields`.
 */
export const updateSettingsSql = (
  sql: SqlClient,
  calendarsCte: string,
  { skipUnavailable, events, channelType }: CalendarSettings,
  now: Date
): Fragment => sql`
  UPDATE imported_calendars i
  SET skip_unavailable = c.new_skip_unavailable, events = c.new_events, channel_type = c.new_channel_type,
    found_channel_type = NULL, stay_problems = '[]', applied_to = NULL, due_at = ${now}::timestamptz,
    attempts = i.attempts + 1
  FROM (
    SELECT former.*, coalesce(${skipUnavailable ?? null}::boolean, former.skip_unavailable) AS new_skip_unavailable,
      coalesce(${events ?? null}::text, former.events) AS new_events,
      CASE WHEN ${channelType !== undefined}::boolean THEN ${channelType ?? null}::text ELSE former.channel_type END
        AS new_channel_type
    FROM ${sql(calendarsCte)} cte
    JOIN imported_calendars former ON former.operator_id = cte.operator_id AND former.id = cte.id
  ) c
  WHERE i.operator_id = c.operator_id AND i.id = c.id AND (c.new_skip_unavailable <> c.skip_unavailable
    OR c.new_events <> c.events OR c.new_channel_type IS DISTINCT FROM c.channel_type)
  RETURNING i.operator_id, i.id, array_remove(ARRAY[
    CASE WHEN c.new_skip_unavailable <> c.skip_unavailable THEN 'skip_unavailable' END,
    CASE WHEN c.new_events <> c.events THEN 'events' END,
    CASE WHEN c.new_channel_type IS DISTINCT FROM c.channel_type THEN 'channel_type' END], NULL) AS fields`

export const changedSettingsRecordsSql = (sql: SqlClient): Fragment => sql`
  SELECT operator_id, 'imported_calendar:' || id AS record, fields FROM changed`

export const changeCalendarSettings =
  (sql: SqlClient) => (operatorId: number, id: number, settings: CalendarSettings, now: Date) =>
    readRowId(
      recordChange(sql, {
        change: sql`
          calendar AS (
            SELECT operator_id, id FROM imported_calendars WHERE operator_id = ${operatorId} AND id = ${id} FOR NO KEY UPDATE
          ), changed AS (${updateSettingsSql(sql, "calendar", settings, now)})`,
        events: [],
        changedRecords: changedSettingsRecordsSql(sql),
        outcome: sql`SELECT id FROM calendar`
      })
    )
