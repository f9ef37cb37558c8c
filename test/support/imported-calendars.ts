import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { hostOf } from "../../src/domain/calendars/imported-calendars/calendar-url.ts"

// Calendars of elsewhere as they stand in the database, without anybody who fetches them.

/** A calendar that a property imports; answers its id. */
export const insertImportedCalendar = Effect.fn("calendarOf")(function* (
  operatorId: number,
  propertyId: number,
  url: string
) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ id: number }>`
    INSERT INTO imported_calendars (operator_id, property_id, url, host, due_at, created_at)
    VALUES (${operatorId}, ${propertyId}, ${url}, ${hostOf(url)}, now() + interval '100 years', now()) RETURNING id`
  return row?.id ?? assert.fail("no row was inserted or found")
}, Effect.orDie)

/** Days that it says are busy, by itself or as an echo; they close the property. */
export const insertImportedDays = Effect.fn("sayBusy")(function* (
  operatorId: number,
  propertyId: number,
  calendarId: number,
  isFeedbackLoop: boolean,
  ...days: ReadonlyArray<string>
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH said AS (
      INSERT INTO imported_days (operator_id, calendar_id, day, property_id, echo)
      SELECT ${operatorId}::bigint, ${calendarId}::bigint, each::date, ${propertyId}::bigint, ${isFeedbackLoop}::boolean
      FROM unnest(${days}::text[]) each
      RETURNING operator_id, property_id, day
    )
    INSERT INTO calendar_days (operator_id, property_id, day, imported) SELECT operator_id, property_id, day, 1 FROM said
    ON CONFLICT (operator_id, property_id, day) DO UPDATE SET imported = calendar_days.imported + 1`
}, Effect.orDie)

/** It was read a moment ago but for one event; returns the digest of its feed. */
export const insertUnreadablePart = Effect.fnUntraced(function* (calendarId: number) {
  const sql = yield* SqlClient.SqlClient
  const digest = "2:JQfXOeZQ7Mbs8Yjg5A2rKkq3mO1uWvC0oTzLr9hPpQk="
  const reason =
    "1 part of the calendar could not be read, so no dates became available: DTSTART in line 8 is unreadable"
  yield* sql`
    UPDATE imported_calendars SET state = 'ok', error = ${reason}, unreadable = ${reason}, digest = ${digest},
      fetched_at = ${yield* DateTime.nowAsDate}
    WHERE id = ${calendarId}`
  return digest
}, Effect.orDie)
