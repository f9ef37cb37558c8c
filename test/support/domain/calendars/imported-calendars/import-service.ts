import { assert } from "@effect/vitest"
import { DateTime, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CalendarStays } from "../../../../../src/domain/calendars/calendar-stays/CalendarStays.ts"
import { CalendarQueue } from "../../../../../src/domain/calendars/imported-calendars/CalendarQueue.ts"
import { calendarJobs } from "../../../../../src/domain/calendars/imported-calendars/calendar-jobs.ts"
import { FeedReader } from "../../../../../src/domain/calendars/imported-calendars/FeedReader.ts"
import { ImportedCalendars } from "../../../../../src/domain/calendars/imported-calendars/ImportedCalendars.ts"
import type { ClaimedCalendar } from "../../../../../src/domain/calendars/imported-calendars/imported-calendar.ts"
import { makeFindPropertyOwner } from "../../../../../src/domain/properties/properties/ownership.ts"
import { AllowedReceivers, parseAllowedHosts } from "../../../../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { makeJobRunner, runJob } from "../../../../../src/jobs/job-runner.ts"
import {
  asSystemActor,
  createOperator,
  insertProperty,
  layerServiceWithOutbound,
  typedClient,
  withToken
} from "../../../harness.ts"
import { layerOwnDatabase } from "../../../own-database.ts"
import { layerLocalOutbound, makeSwitchableHandler, respondWith } from "../../webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../webhooks/deliveries/webhook-receiver.ts"

// A property that follows calendars, and a worker whose every look is called by the test.

export const TODAY = "2027-04-20"
export const NOW = Date.parse(`${TODAY}T10:00:00Z`)
export const MINUTE_MS = 60_000

/** The service and what a worker needs, over a database of its own; hosts on 127.0.0.1 are allowed. */
export const layerImportService = Layer.mergeAll(
  CalendarQueue.layer,
  CalendarStays.layer,
  FeedReader.layer,
  ImportedCalendars.layer
).pipe(
  Layer.provideMerge(layerServiceWithOutbound(layerOwnDatabase)),
  Layer.provideMerge(layerLocalOutbound),
  Layer.provideMerge(Layer.succeed(AllowedReceivers, Result.getOrThrow(parseAllowedHosts("127.0.0.1"))))
)

/** A calendar with these lines. */
export const toCalendarText = (...lines: ReadonlyArray<string>): string =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Test//Test//EN", ...lines, "END:VCALENDAR", ""].join("\r\n")

/** All-day events: `toBusyCalendar("2027-05-01/2027-05-04")` has three nights. */
export const toBusyCalendar = (...dateRanges: ReadonlyArray<string>): string =>
  toCalendarText(
    ...dateRanges.flatMap((dateRange, index) => {
      const [start = "", end = ""] = dateRange.replaceAll("-", "").split("/")
      return [
        "BEGIN:VEVENT",
        `UID:${index}@test`,
        `DTSTART;VALUE=DATE:${start}`,
        `DTEND;VALUE=DATE:${end}`,
        "SUMMARY:Reserved",
        "END:VEVENT"
      ]
    })
  )

/** The same with an event whose start cannot be read, after one that is long past. */
export const toPartlyReadableCalendar = (...dateRanges: ReadonlyArray<string>): string =>
  toBusyCalendar("2020-01-01/2020-01-02", ...dateRanges).replace(
    "END:VCALENDAR",
    ["BEGIN:VEVENT", "UID:broken@test", "DTSTART:never", "SUMMARY:Reserved", "END:VEVENT", "END:VCALENDAR"].join("\r\n")
  )

/** Nothing of the tests before is left to be fetched. */
export const emptyCalendarTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`TRUNCATE imported_days, calendar_stays, imported_calendars`
  yield* TestClock.setTime(NOW)
}).pipe(Effect.orDie)

/** A host of a calendar that says what the test says at that time. */
export const startCalendarSource = Effect.gen(function* () {
  const { behavior, handler } = makeSwitchableHandler()
  const { port, requests } = yield* startReceiver(handler)
  const makeUrl = (path = "/calendar.ics?s=SECRET") => `http://127.0.0.1:${port}${path}`
  return {
    behavior,
    requests,
    makeUrl,
    serveCalendar: (text: string | Buffer, headers: Record<string, string> = {}) => {
      behavior.respond = respondWith(200, text, headers)
    }
  }
})

/** An operator with a property. */
export const createPropertyOwner = Effect.gen(function* () {
  const operator = yield* createOperator()
  const propertyId = yield* insertProperty(operator.operatorId, "Harbour 1")
  return { ...operator, propertyId, api: yield* typedClient, as: withToken(operator.token) }
})

/** Follows the calendar at an address. */
export const addImportedCalendar = Effect.fnUntraced(function* (propertyId: number, url: string) {
  const calendars = yield* ImportedCalendars
  const operatorId =
    (yield* makeFindPropertyOwner(yield* SqlClient.SqlClient)(propertyId)) ??
    assert.fail(`there is no property ${propertyId}`)
  const { id } = yield* calendars.add(operatorId, propertyId, url).pipe(asSystemActor, Effect.orDie)
  return id
})

/** A property that follows one calendar, and nobody else who follows any. */
export const createImportOnEmptyTables = Effect.gen(function* () {
  yield* emptyCalendarTables
  const host = yield* createPropertyOwner
  const source = yield* startCalendarSource
  const calendarId = yield* addImportedCalendar(host.propertyId, source.makeUrl())
  return { ...host, ...source, calendarId }
})

export const makeCalendarImportWorker = makeJobRunner(calendarJobs)

/** Makes one attempt of a claimed calendar. */
export const importCalendar = (calendar: ClaimedCalendar) => runJob(calendarJobs, calendar)

export type ImportWorker = Effect.Success<typeof makeCalendarImportWorker>

/** Fetches what is due, until nothing is. */
export const fetchAllDue = Effect.fnUntraced(function* (worker: ImportWorker) {
  let before = -1
  while (true) {
    yield* worker.claimDue
    yield* worker.awaitIdle
    const attempts = yield* countAttempts
    if (attempts === before) return
    before = attempts
  }
})

const countAttempts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ tries: number }>`SELECT coalesce(sum(attempts), 0)::int AS tries FROM imported_calendars`
  return row?.tries ?? 0
}).pipe(Effect.orDie)

/** How a calendar stands. */
export const loadCalendarState = Effect.fnUntraced(function* (id: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    state: string
    error: string | null
    due_at: Date
    fetched_at: Date | null
    failures: number
  }>`
    SELECT state, error, due_at, fetched_at, failures FROM imported_calendars WHERE id = ${id}`
  return row
}, Effect.orDie)

/** The days of a calendar that stand here, `2027-05-01` or `2027-05-01 echo`. */
export const loadCalendarDays = Effect.fnUntraced(function* (id: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ day: string; echo: boolean }>`
    SELECT day, echo FROM imported_days WHERE calendar_id = ${id} ORDER BY day`
  return rows.map(({ day, echo }) => (echo ? `${day} echo` : day))
}, Effect.orDie)

/** What subscribers are told of a property's days, oldest first: `+2027-05-01` is free, `-2027-05-01` is not. */
export const loadAvailabilityEvents = Effect.fnUntraced(function* (propertyId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ availabilities: ReadonlyArray<{ date: string; available: boolean }> }>`
    SELECT payload->'availabilities' AS availabilities FROM events
    WHERE event = 'property_availability_updated' AND record = ${`property:${propertyId}`} ORDER BY id`
  return rows.map(({ availabilities }) =>
    availabilities.map(({ date, available }) => `${available ? "+" : "-"}${date}`).join(" ")
  )
}, Effect.orDie)

/** The counter-feed of a calendar, as read without and with these days: `insertPropertyFeed(…)` is what its source knows from us. */
export const insertPropertyFeed = Effect.fnUntraced(function* (calendarId: number, ...days: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const text = `{${days.map((day) => `[${day},${day}]`).join(",")}}`
  yield* sql`
    INSERT INTO property_feeds (operator_id, property_id, calendar_id, token, told, told_at, created_at)
    SELECT operator_id, property_id, id, 'lkfeed_' || id, ${text}::datemultirange, ${yield* DateTime.nowAsDate}, now()
    FROM imported_calendars WHERE id = ${calendarId}
    ON CONFLICT ON CONSTRAINT property_feeds_reader DO UPDATE SET told = excluded.told, told_at = excluded.told_at`
}, Effect.orDie)
