import { assert, layer } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ImportedCalendars } from "../../../../src/domain/calendars/imported-calendars/ImportedCalendars.ts"
import { deletePastImportedDays } from "../../../../src/domain/calendars/imported-calendars/retention.ts"
import { SHUTDOWN_MS } from "../../../../src/jobs/job-worker.ts"
import { CALENDAR_DAY_RETENTION_MS, CALENDAR_VALIDATOR_LENGTH } from "../../../../src/platform/limits.ts"
import { MANUAL_RESERVATION } from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import {
  addImportedCalendar,
  createImportOnEmptyTables,
  fetchAllDue,
  layerImportService,
  loadAvailabilityEvents,
  loadCalendarDays,
  loadCalendarState,
  MINUTE_MS,
  makeCalendarImportWorker,
  toBusyCalendar
} from "../../../support/domain/calendars/imported-calendars/import-service.ts"
import { respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { asSystemActor, call, insertOrder } from "../../../support/harness.ts"

const later = TestClock.adjust(17 * MINUTE_MS)

/** A property that follows one calendar. */
const following = Effect.gen(function* () {
  const one = yield* createImportOnEmptyTables
  const importing = yield* makeCalendarImportWorker
  const days = (start_date: string, end_date: string) =>
    one.api.get_property_availability({ property_ids: [one.propertyId], start_date, end_date }).pipe(
      one.as,
      Effect.map(({ properties: [only] }) =>
        (only?.availabilities ?? []).map(({ available, remarks }) =>
          `${available ? "free" : "taken"} ${remarks}`.trim()
        )
      )
    )
  return { ...one, importing, days }
})

const BUSY = "taken Busy in the calendar of 127.0.0.1"

layer(layerImportService)("an imported calendar", (it) => {
  it.effect("closes days that are busy, says where, and opens them again", () =>
    Effect.gen(function* () {
      const { propertyId: property, calendarId: id, serveCalendar: says, importing, days } = yield* following
      says(toBusyCalendar("2027-05-01/2027-05-03", "2027-05-05/2027-05-06"))
      yield* fetchAllDue(importing)
      const taken = yield* days("2027-04-30", "2027-05-06")
      assert.deepStrictEqual(taken, ["free", BUSY, BUSY, "free", "free", BUSY, "free"])
      assert.strictEqual((yield* loadCalendarState(id))?.state, "ok")
      says(toBusyCalendar("2027-05-02/2027-05-04"))
      yield* later
      yield* fetchAllDue(importing)
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-02", "2027-05-03"])
      says(toBusyCalendar())
      yield* later
      yield* fetchAllDue(importing)
      assert.deepStrictEqual(yield* days("2027-04-30", "2027-05-06"), Array(7).fill("free"))
      assert.deepStrictEqual(yield* loadAvailabilityEvents(property), [
        "-2027-05-01 -2027-05-02 -2027-05-05",
        "+2027-05-01 -2027-05-03 +2027-05-05",
        "+2027-05-02 +2027-05-03"
      ])
    })
  )

  it.effect("cannot be opened by the host, nor by a stay that goes", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        propertyId: property,
        token,
        as,
        api,
        serveCalendar: says,
        importing,
        days
      } = yield* following
      const code = yield* insertOrder(operatorId, [
        { propertyId: property, checkIn: "2027-05-01", checkOut: "2027-05-03" }
      ])
      says(toBusyCalendar("2027-05-02/2027-05-04"))
      yield* fetchAllDue(importing)
      yield* call(token, "update_availabilities", {
        property_ids: [property],
        available: true,
        start_date: "2027-05-01",
        end_date: "2027-05-04"
      })
      yield* as(api.cancel_reservation({ reservation_code: code }))
      const shown = yield* days("2027-05-01", "2027-05-04")
      assert.deepStrictEqual(
        shown.map((day) => day.split(" ")[0]),
        ["free", "taken", "taken", "free"]
      )
      // What really changed: the import took only the 3rd, the cancellation freed only the 1st.
      assert.deepStrictEqual(yield* loadAvailabilityEvents(property), ["-2027-05-03", "+2027-05-01"])
    })
  )

  it.effect("stays as it was while its feed is broken, and says so without its address", () =>
    Effect.gen(function* () {
      const { calendarId: id, serveCalendar: says, behavior: mood, importing } = yield* following
      says(toBusyCalendar("2027-05-01/2027-05-03"))
      yield* fetchAllDue(importing)
      const broken: ReadonlyArray<readonly [() => void, RegExp]> = [
        [() => says("<html>Sign in</html>"), /not iCalendar/],
        [() => says(""), /is empty/],
        [() => says(toBusyCalendar("2027-05-01/2027-05-03").replace("END:VCALENDAR\r\n", "")), /is incomplete/],
        [() => says(toBusyCalendar("2027-05-01/2027-05-03").slice(0, 150)), /is incomplete/],
        [
          () => says(toBusyCalendar(), { "content-encoding": "gzip" }),
          /sent it as gzip, and it cannot be decompressed/
        ],
        [() => (mood.respond = respondWith(404)), /answered 404/],
        [() => (mood.respond = (response) => response.destroy()), /cannot be reached/]
      ]
      for (const [turn, expected] of broken) {
        turn()
        yield* TestClock.adjust(150 * MINUTE_MS)
        yield* fetchAllDue(importing)
        const state = yield* loadCalendarState(id)
        assert.strictEqual(state?.state, "failing")
        assert.match(state?.error ?? "", expected)
        assert.notMatch(state?.error ?? "", /SECRET|calendar\.ics/)
        assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01", "2027-05-02"])
      }
      says(toBusyCalendar("2027-05-01/2027-05-02"))
      yield* TestClock.adjust(150 * MINUTE_MS)
      yield* fetchAllDue(importing)
      assert.deepInclude(yield* loadCalendarState(id), { state: "ok", error: null, failures: 0 })
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01"])
    })
  )

  it.effect("is asked every quarter of an hour for what is new, and once a day for all of it", () =>
    Effect.gen(function* () {
      const { calendarId: id, serveCalendar: says, behavior: mood, requests, importing } = yield* following
      says(toBusyCalendar("2027-05-01/2027-05-03"), { etag: '"one"', "last-modified": "Tue, 20 Apr 2027 10:00:00 GMT" })
      yield* fetchAllDue(importing)
      const [first] = yield* Queue.clear(requests)
      assert.strictEqual(first?.headers["accept-encoding"], "identity")
      assert.isUndefined(first?.headers["if-none-match"])
      const due =
        ((yield* loadCalendarState(id))?.due_at.getTime() ?? 0) -
        (yield* TestClock.testClockWith((clock) => clock.currentTimeMillis))
      assert.isTrue(due >= 13.5 * MINUTE_MS && due <= 16.5 * MINUTE_MS, String(due))
      mood.respond = respondWith(304)
      yield* later
      yield* fetchAllDue(importing)
      const [second] = yield* Queue.clear(requests)
      assert.strictEqual(second?.headers["if-none-match"], '"one"')
      assert.strictEqual(second?.headers["if-modified-since"], "Tue, 20 Apr 2027 10:00:00 GMT")
      assert.deepInclude(yield* loadCalendarState(id), { state: "ok", error: null })
      yield* TestClock.adjust(24 * 60 * MINUTE_MS)
      says(toBusyCalendar("2027-05-01/2027-05-03"), { etag: '"one"' })
      yield* fetchAllDue(importing)
      const [third] = yield* Queue.clear(requests)
      assert.isUndefined(third?.headers["if-none-match"])
    })
  )

  it.effect("is fetched once, however many workers look, and each of its changes is told once", () =>
    Effect.gen(function* () {
      const { propertyId: property, serveCalendar: says, requests, importing, makeUrl: url } = yield* following
      const ids = [1, 2, 3, 4, 5, 6]
      for (const n of ids) yield* addImportedCalendar(property, url(`/${n}.ics`))
      const other = yield* makeCalendarImportWorker
      says(toBusyCalendar("2027-05-01/2027-05-03"))
      for (let n = 0; n < ids.length; n++) {
        yield* Effect.all([importing.claimDue, other.claimDue], { concurrency: 2, discard: true })
        yield* Effect.andThen(importing.awaitIdle, other.awaitIdle)
      }
      assert.lengthOf(yield* Queue.clear(requests), ids.length + 1)
      assert.deepStrictEqual(yield* loadAvailabilityEvents(property), ["-2027-05-01 -2027-05-02"])
      says(toBusyCalendar())
      yield* later
      for (let n = 0; n < ids.length; n++) {
        yield* Effect.all([importing.claimDue, other.claimDue], { concurrency: 2, discard: true })
        yield* Effect.andThen(importing.awaitIdle, other.awaitIdle)
      }
      const told = (yield* loadAvailabilityEvents(property)).slice(1).join(" ").split(" ").toSorted()
      assert.deepStrictEqual(told, ["+2027-05-01", "+2027-05-02"])
    })
  )

  it.effect("is handed back by a worker that is stopped, and fetched by the next at once", () =>
    Effect.gen(function* () {
      const { behavior: mood, calendarId: id, requests, serveCalendar: says } = yield* following
      mood.respond = () => {}
      yield* Effect.scoped(
        Effect.gen(function* () {
          const stopped = yield* makeCalendarImportWorker
          yield* stopped.claimDue
          yield* Queue.take(requests)
          yield* Effect.forkDetach(TestClock.adjust(SHUTDOWN_MS))
        })
      )
      assert.deepInclude(yield* loadCalendarState(id), { state: "new", failures: 0 })
      says(toBusyCalendar("2027-05-01/2027-05-02"))
      yield* fetchAllDue(yield* makeCalendarImportWorker)
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01"])
    })
  )

  it.effect("is asked by what its host gave it, if that is not too long", () =>
    Effect.gen(function* () {
      const { serveCalendar: says, requests, importing } = yield* following
      for (const length of [CALENDAR_VALIDATOR_LENGTH, CALENDAR_VALIDATOR_LENGTH + 1]) {
        const etag = "x".repeat(length)
        says(toBusyCalendar(`2027-05-01/2027-05-0${length - CALENDAR_VALIDATOR_LENGTH + 2}`), { etag })
        yield* later
        yield* fetchAllDue(importing)
        yield* Queue.clear(requests)
        yield* later
        yield* fetchAllDue(importing)
        const [asked] = yield* Queue.clear(requests)
        assert.strictEqual(asked?.headers["if-none-match"], length > CALENDAR_VALIDATOR_LENGTH ? undefined : etag)
      }
    })
  )

  it.effect("forgets days four weeks after they are past", () =>
    Effect.gen(function* () {
      const { calendarId: id, serveCalendar: says, importing } = yield* following
      says(toBusyCalendar("2027-04-20/2027-04-22"))
      yield* fetchAllDue(importing)
      const after = (day: string) => Date.parse(`${day}T00:00:00Z`) + CALENDAR_DAY_RETENTION_MS
      yield* deletePastImportedDays(new Date(after("2027-04-20")))
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-04-20", "2027-04-21"])
      yield* deletePastImportedDays(new Date(after("2027-04-21")))
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-04-21"])
    })
  )

  it.effect("is removed with what only it closed", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        propertyId: property,
        calendarId: id,
        serveCalendar: says,
        importing,
        days,
        makeUrl: url
      } = yield* following
      const other = yield* addImportedCalendar(property, url("/other.ics"))
      says(toBusyCalendar("2027-05-01/2027-05-03"))
      yield* fetchAllDue(importing)
      const calendars = yield* ImportedCalendars
      yield* asSystemActor(calendars.remove(operatorId, id))
      assert.lengthOf(yield* loadCalendarDays(other), 2)
      assert.strictEqual((yield* days("2027-05-01", "2027-05-01"))[0]?.split(" ")[0], "taken")
      yield* asSystemActor(calendars.remove(operatorId, other))
      assert.deepStrictEqual(yield* days("2027-05-01", "2027-05-02"), ["free", "free"])
      assert.deepStrictEqual(yield* loadAvailabilityEvents(property), [
        "-2027-05-01 -2027-05-02",
        "+2027-05-01 +2027-05-02"
      ])
      const sql = yield* SqlClient.SqlClient
      const [left] =
        yield* sql`SELECT count(*)::int AS rows FROM calendar_days WHERE property_id = ${property} AND imported <> 0`
      assert.deepStrictEqual(left, { rows: 0 })
    })
  )

  it.effect("keeps orders by hand out of nights that somebody holds there, and none that a channel sold", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, token, serveCalendar: says, importing } = yield* following
      says(toBusyCalendar("2027-05-02/2027-05-03"))
      yield* fetchAllDue(importing)
      const byHand = {
        ...MANUAL_RESERVATION,
        property_id: property,
        check_in_date: "2027-05-01",
        check_out_date: "2027-05-04"
      }
      const created = yield* call(token, "create_reservation", byHand)
      assert.strictEqual(created.error_code, 409)
      assert.match(created.error_msg, /night of 2027-05-02: Busy in the calendar of 127.0.0.1\.$/)
      const beside = { ...byHand, check_out_date: "2027-05-02" }
      assert.strictEqual((yield* call(token, "create_reservation", beside)).error_code, 0)
      const code = yield* insertOrder(operatorId, [{ propertyId: null, checkIn: "2027-05-01", checkOut: "2027-05-04" }])
      const refused = yield* call(token, "allocate_stay", { stay_code: code, property_id: property })
      assert.strictEqual(refused.error_code, 409)
      assert.match(refused.error_msg, new RegExp(`property ${property} .* night of 2027-05-02.*127.0.0.1`))
      const kept = yield* insertOrder(operatorId, [
        { propertyId: property, checkIn: "2027-05-03", checkOut: "2027-05-04" }
      ])
      const dates = yield* call(token, "update_reservation_basic", { stay_code: kept, check_in_date: "2027-05-01" })
      assert.strictEqual(dates.error_code, 409)
      const after = yield* call(token, "update_reservation_basic", { stay_code: kept, check_out_date: "2027-05-06" })
      assert.strictEqual(after.error_code, 0)
    })
  )
})
