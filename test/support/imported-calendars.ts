import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { addDays } from "../../src/contract/time.ts"
import { hostOf } from "../../src/domain/calendars/imported-calendars/calendar-url.ts"
import { insertOrder } from "./harness.ts"

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

/** A reservation of three nights that follows a booking of the calendar; returns its code. */
export const insertCalendarStay = Effect.fnUntraced(function* (
  operatorId: number,
  propertyId: number,
  calendarId: number,
  checkIn: string
) {
  const sql = yield* SqlClient.SqlClient
  const checkOut = addDays(checkIn, 3)
  const code = yield* insertOrder(operatorId, [{ propertyId, checkIn, checkOut }], { channelType: "vrbo" })
  const calendarCode = `9-${checkIn.replaceAll("-", "")}${operatorId}-TEST`
  yield* sql`
    WITH stay AS (
      UPDATE stays SET stay_code = ${calendarCode} WHERE operator_id = ${operatorId} AND stay_code = ${code}
    ), followed AS (
      INSERT INTO calendar_stays (operator_id, reservation_code, calendar_id, uid_digest, check_in_date, check_out_date)
      VALUES (${operatorId}, ${calendarCode}, ${calendarId}, 'digest', ${checkIn}, ${checkOut})
    )
    UPDATE orders SET reservation_code = ${calendarCode} WHERE operator_id = ${operatorId} AND reservation_code = ${code}`
  return calendarCode
}, Effect.orDie)
