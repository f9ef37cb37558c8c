import type { SqlClient } from "effect/sql/SqlClient"
import { prepareRecordedChange } from "../../../changes/recorded-change.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { readRowId } from "../../operator-rows.ts"

/** The settings of a calendar that its host may change. */
export interface CalendarSettings {
  /** Whether to ignore a "Not available" block at the end of the feed once its end has moved forward. */
  readonly skipUnavailable: boolean
}

interface ChangeCalendarSettingsParameters extends CalendarSettings {
  readonly id: number
  readonly now: Date
}

/**
 * Changes the settings of a calendar and makes it due, so that its feed is read again. The change overtakes a fetch that is
 * under way. Returns the id; undefined if there is no such calendar. Equal settings change nothing.
 */
export const changeCalendarSettings = (sql: SqlClient) => {
  const statement = prepareRecordedChange(
    sql,
    ({ id, skipUnavailable, now }: Givens<ChangeCalendarSettingsParameters>) => ({
      change: sql`
      calendar AS (
        SELECT operator_id, id FROM imported_calendars WHERE id = ${id} FOR NO KEY UPDATE
      ), changed AS (
        UPDATE imported_calendars i
        SET skip_unavailable = ${skipUnavailable}, applied_to = NULL, due_at = ${now}, attempts = i.attempts + 1
        FROM calendar c
        WHERE i.operator_id = c.operator_id AND i.id = c.id AND i.skip_unavailable <> ${skipUnavailable}
        RETURNING i.operator_id, i.id
      )`,
      events: [],
      changedRecords: sql`
      SELECT operator_id, 'imported_calendar:' || id AS record, '{skip_unavailable}'::text[] AS fields FROM changed`,
      outcome: sql`SELECT id FROM calendar`
    })
  )
  return (id: number, settings: CalendarSettings, now: Date) => readRowId(statement({ id, now, ...settings }))
}
