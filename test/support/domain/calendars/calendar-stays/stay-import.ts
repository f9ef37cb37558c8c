import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  createPropertyOwner,
  emptyCalendarTables,
  fetchAllDue,
  MINUTE_MS,
  makeCalendarImportWorker,
  startCalendarSource
} from "../imported-calendars/import-service.ts"

/** Deletes all imported calendars. Creates a property with one calendar whose bookings become stays. */
export const prepareStayImport = Effect.gen(function* () {
  yield* emptyCalendarTables
  const host = yield* createPropertyOwner
  const { api, as, propertyId } = host
  const source = yield* startCalendarSource
  const worker = yield* makeCalendarImportWorker
  const { imported_calendar_id: calendarId } = yield* as(
    api.create_imported_calendar({ property_id: propertyId, url: source.makeUrl(), events: "stay" })
  )
  const fetchDue = Effect.andThen(TestClock.adjust(17 * MINUTE_MS), fetchAllDue(worker))
  const serveAndFetch = (feed: string) =>
    Effect.andThen(
      Effect.sync(() => source.serveCalendar(feed)),
      fetchDue
    )
  const loadStays = Effect.map(
    as(api.search_reservations({ start_check_in_date: "2027-01-01", order_by: "check_in_date", limit: 100 })),
    ({ reservations }) => reservations.toReversed()
  )
  const stayLines = Effect.map(loadStays, (stays) =>
    stays.map(({ check_in_date, check_out_date, status, channel_id }) =>
      [check_in_date, check_out_date, status, channel_id.startsWith("9-") ? "" : channel_id].join(" ").trim()
    )
  )
  const loadProblems = Effect.map(
    as(api.list_imported_calendars({})),
    ({ imported_calendars }) =>
      imported_calendars[0]?.stay_problems.map(({ reason, check_in_date }) =>
        `${reason} ${check_in_date ?? ""}`.trim()
      ) ?? []
  )
  const loadReservationEvents = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ event: string }>`
      SELECT event FROM events WHERE operator_id = ${host.operatorId} AND event LIKE 'reservation%' ORDER BY id`
    return rows.map(({ event }) => event)
  }).pipe(Effect.orDie)
  const loadHeldDays = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ day: string }>`
      SELECT day FROM calendar_days WHERE operator_id = ${host.operatorId} AND property_id = ${propertyId}
        AND (stay_id IS NOT NULL OR imported > 0) ORDER BY day`
    return rows.map(({ day }) => day)
  }).pipe(Effect.orDie)
  return {
    ...host,
    ...source,
    calendarId,
    worker,
    fetchDue,
    serveAndFetch,
    loadStays,
    stayLines,
    loadProblems,
    loadReservationEvents,
    loadHeldDays
  }
})
