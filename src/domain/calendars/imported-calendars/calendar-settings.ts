import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import { readRowId } from "../../operator-rows.ts"

export interface CalendarSettings {
  /** Whether to ignore a "Not available" event at the end of the feed whose end has moved forward between fetches. */
  readonly skipUnavailable: boolean
}

interface SettingsChange extends CalendarSettings {
  readonly now: Date
}

/**
 * Changes the calendars of `calendarsCte` whose setting differs, and makes them due for a full read. The raised
 * `attempts` supersedes a running fetch.
 */
export const updateSettingsSql = (
  sql: SqlClient,
  calendarsCte: string,
  { skipUnavailable, now }: SettingsChange
): Fragment => sql`
  UPDATE imported_calendars i
  SET skip_unavailable = ${skipUnavailable}::boolean, applied_to = NULL, due_at = ${now}::timestamptz, attempts = i.attempts + 1
  FROM ${sql(calendarsCte)} c
  WHERE i.operator_id = c.operator_id AND i.id = c.id AND i.skip_unavailable <> ${skipUnavailable}::boolean
  RETURNING i.operator_id, i.id`

export const changedSettingsRecordsSql = (sql: SqlClient): Fragment => sql`
  SELECT operator_id, 'imported_calendar:' || id AS record, '{skip_unavailable}'::text[] AS fields FROM changed`

export const changeCalendarSettings =
  (sql: SqlClient) =>
  (operatorId: number, id: number, { skipUnavailable }: CalendarSettings, now: Date) =>
    readRowId(
      recordChange(sql, {
        change: sql`
          calendar AS (
            SELECT operator_id, id FROM imported_calendars WHERE operator_id = ${operatorId} AND id = ${id} FOR NO KEY UPDATE
          ), changed AS (${updateSettingsSql(sql, "calendar", { skipUnavailable, now })})`,
        events: [],
        changedRecords: changedSettingsRecordsSql(sql),
        outcome: sql`SELECT id FROM calendar`
      })
    )
