import { hash } from "node:crypto"
import { assert, describe, it as itPure, layer } from "@effect/vitest"
import { Effect, Logger, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../../src/contract/time.ts"
import { describeUnreadableParts } from "../../../../src/domain/calendars/imported-calendars/calendar-update.ts"
import { ImportedCalendars } from "../../../../src/domain/calendars/imported-calendars/ImportedCalendars.ts"
import { AVAILABILITY_END_DAYS, CALENDAR_ERROR_LENGTH } from "../../../../src/platform/limits.ts"
import { MANUAL_RESERVATION } from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import {
  createImportOnEmptyTables,
  fetchAllDue,
  insertPropertyFeed,
  layerImportService,
  loadAvailabilityEvents,
  loadCalendarDays,
  loadCalendarState,
  MINUTE_MS,
  makeCalendarImportWorker,
  TODAY,
  toBusyCalendar,
  toPartlyReadableCalendar
} from "../../../support/domain/calendars/imported-calendars/import-service.ts"
import { respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { asSystemActor, call } from "../../../support/harness.ts"

const KEEPS_DAYS_BLOCKED = /^1 part of the calendar could not be read, so no dates became available: /

/** A property that follows one calendar. `fetchFeed` serves a feed and fetches it. */
const prepare = Effect.gen(function* () {
  const one = yield* createImportOnEmptyTables
  const importing = yield* makeCalendarImportWorker
  const fetchAgain = Effect.andThen(TestClock.adjust(17 * MINUTE_MS), fetchAllDue(importing))
  const fetchFeed = (text: string, headers?: Record<string, string>) =>
    Effect.andThen(
      Effect.sync(() => one.serveCalendar(text, headers)),
      fetchAgain
    )
  const [calendars, sql] = [yield* ImportedCalendars, yield* SqlClient.SqlClient]
  const accept = Effect.gen(function* () {
    const [calendar] = yield* sql<{ digest: string | null }>`
      SELECT digest FROM imported_calendars WHERE id = ${one.calendarId}`
    return yield* asSystemActor(calendars.accept(one.operatorId, one.calendarId, calendar?.digest ?? "none"))
  })
  return { ...one, fetchAgain, fetchFeed, accept }
})

layer(layerImportService)("an imported calendar of which a part cannot be read", (it) => {
  it.effect("unblocks no day and says why, until the whole feed can be read again", () =>
    Effect.gen(function* () {
      const { calendarId: id, propertyId: property, fetchFeed } = yield* prepare
      yield* fetchFeed(toBusyCalendar("2027-05-01/2027-05-04"))
      yield* fetchFeed(toPartlyReadableCalendar("2027-05-03/2027-05-05"))
      const kept = ["2027-05-01", "2027-05-02", "2027-05-03", "2027-05-04"]
      assert.deepStrictEqual(yield* loadCalendarDays(id), kept)
      const state = yield* loadCalendarState(id)
      assert.strictEqual(state?.state, "ok")
      assert.match(state?.error ?? "", KEEPS_DAYS_BLOCKED)
      // A second feed with unreadable parts keeps the same days.
      yield* fetchFeed(toPartlyReadableCalendar())
      assert.deepStrictEqual(yield* loadCalendarDays(id), kept)
      yield* fetchFeed(toBusyCalendar("2027-05-03/2027-05-05"))
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-03", "2027-05-04"])
      assert.deepInclude(yield* loadCalendarState(id), { state: "ok", error: null })
      assert.deepStrictEqual(yield* loadAvailabilityEvents(property), [
        "-2027-05-01 -2027-05-02 -2027-05-03",
        "-2027-05-04",
        "+2027-05-01 +2027-05-02"
      ])
    })
  )

  it.effect("keeps the error through fetches that find nothing new or fail", () =>
    Effect.gen(function* () {
      const { calendarId: id, behavior: mood, fetchFeed, fetchAgain } = yield* prepare
      yield* fetchFeed(toBusyCalendar("2027-05-01/2027-05-02"))
      yield* fetchFeed(toPartlyReadableCalendar(), { etag: '"one"' })
      const answers: ReadonlyArray<typeof mood.respond> = [respondWith(304), respondWith(500), respondWith(304)]
      for (const answer of answers) {
        mood.respond = answer
        yield* fetchAgain
        assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01"])
      }
      assert.strictEqual((yield* loadCalendarState(id))?.state, "ok")
      assert.match((yield* loadCalendarState(id))?.error ?? "", KEEPS_DAYS_BLOCKED)
    })
  )

  it.effect("rejects a booking of a kept night with 409, until the host accepts the feed", () =>
    Effect.gen(function* () {
      const { propertyId: property, token, fetchFeed, accept } = yield* prepare
      yield* fetchFeed(toBusyCalendar("2027-05-01/2027-05-02"))
      yield* fetchFeed(toPartlyReadableCalendar())
      const night = { property_id: property, check_in_date: "2027-05-01", check_out_date: "2027-05-02" }
      const response = yield* call(token, "create_reservation", { ...MANUAL_RESERVATION, ...night })
      assert.strictEqual(response.error_code, 409)
      assert.match(response.error_msg, /night of 2027-05-01: Busy in the calendar of 127.0.0.1/)
      yield* accept
      assert.strictEqual((yield* call(token, "create_reservation", { ...MANUAL_RESERVATION, ...night })).error_code, 0)
    })
  )

  it.effect("is logged once, when its feed first has unreadable parts", () =>
    Effect.gen(function* () {
      const { fetchFeed } = yield* prepare
      const warnings: Array<string> = []
      const logger = Logger.make(({ message, logLevel }) => {
        if (logLevel === "Warn") warnings.push(JSON.stringify(message))
      })
      const fetchLogged = (feed: string) => Effect.provide(fetchFeed(feed), Logger.layer([logger]))
      const clause = "DTSTART in line 12 is unreadable"
      yield* fetchLogged(toBusyCalendar("2027-05-01/2027-05-02"))
      assert.deepStrictEqual(warnings, [])
      yield* fetchLogged(toPartlyReadableCalendar())
      yield* fetchLogged(toPartlyReadableCalendar("2027-05-05/2027-05-06"))
      assert.lengthOf(warnings, 1)
      assert.match(String(warnings[0]), /in part/)
      assert.include(warnings[0], clause)
      assert.notMatch(warnings.join(""), /never|SECRET/)
      yield* fetchLogged(toBusyCalendar())
      yield* fetchLogged(toPartlyReadableCalendar())
      assert.lengthOf(warnings, 2)
    })
  )

  it.effect("is accepted for one feed only", () =>
    Effect.gen(function* () {
      const { calendarId: id, propertyId: property, fetchFeed, fetchAgain, accept } = yield* prepare
      yield* fetchFeed(toBusyCalendar("2027-05-01/2027-05-04"))
      const inPart = toPartlyReadableCalendar("2027-05-03/2027-05-04").replaceAll(
        "DTSTART;",
        "DTSTAMP:20270420T100000Z\r\nDTSTART;"
      )
      yield* fetchFeed(inPart)
      assert.deepStrictEqual(yield* accept, { changed_days: 2 })
      assert.deepStrictEqual(yield* accept, { changed_days: 0 })
      const withoutError = { state: "ok", error: null }
      assert.deepInclude(yield* loadCalendarState(id), withoutError)
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-03"])
      assert.deepStrictEqual(yield* loadAvailabilityEvents(property), [
        "-2027-05-01 -2027-05-02 -2027-05-03",
        "+2027-05-01 +2027-05-02"
      ])
      // The acceptance lasts through fetches of the same feed: unchanged, a day later, and with another DTSTAMP.
      yield* fetchAgain
      assert.deepInclude(yield* loadCalendarState(id), withoutError)
      yield* TestClock.adjust(24 * 60 * MINUTE_MS)
      yield* fetchAgain
      assert.deepInclude(yield* loadCalendarState(id), withoutError)
      yield* fetchFeed(inPart.replaceAll("20270420T100000Z", "20270421T110000Z"))
      assert.deepInclude(yield* loadCalendarState(id), withoutError)
      // Another feed with unreadable parts unblocks nothing, nor does the accepted feed after it.
      yield* fetchFeed(toPartlyReadableCalendar("2027-05-04/2027-05-05"))
      assert.match((yield* loadCalendarState(id))?.error ?? "", KEEPS_DAYS_BLOCKED)
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-03", "2027-05-04"])
      yield* fetchFeed(inPart)
      assert.match((yield* loadCalendarState(id))?.error ?? "", KEEPS_DAYS_BLOCKED)
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-03", "2027-05-04"])
    })
  )

  it.effect(
    "cannot be accepted if it was never read, if the whole feed was read, or if the host saw another feed",
    () =>
      Effect.gen(function* () {
        const { operatorId, calendarId: id, fetchFeed, accept } = yield* prepare
        const refusal = Effect.map(Effect.flip(accept), ({ _tag, message }) => `${_tag} ${message}`)
        assert.match(yield* refusal, /^Conflict id: .*next successful fetch/)
        yield* fetchFeed(toBusyCalendar("2027-05-01/2027-05-02"))
        assert.match(yield* refusal, /^Conflict id: .*nothing to accept/)
        yield* fetchFeed(toPartlyReadableCalendar())
        const calendars = yield* ImportedCalendars
        const conflict = yield* Effect.flip(asSystemActor(calendars.accept(operatorId, id, "2:another")))
        assert.match(conflict.message, /^digest: .*again/)
        assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01"])
        assert.deepInclude(yield* Effect.flip(asSystemActor(calendars.accept(operatorId, 999_999_999, "none"))), {
          _tag: "NotFound"
        })
        yield* fetchFeed(toBusyCalendar())
        assert.match(yield* refusal, /^Conflict id: .*nothing to accept/)
      })
  )

  it.effect("can be accepted during a fetch, which then blocks nothing and is repeated", () =>
    Effect.gen(function* () {
      const { calendarId: id, behavior: mood, requests, fetchFeed, accept } = yield* prepare
      yield* fetchFeed(toBusyCalendar("2027-05-01/2027-05-02"))
      yield* fetchFeed(toPartlyReadableCalendar())
      yield* Queue.clear(requests)
      let answer = () => {}
      mood.respond = (response, received) => {
        answer = () => respondWith(200, toPartlyReadableCalendar("2027-05-05/2027-05-06"))(response, received)
      }
      const importing = yield* makeCalendarImportWorker
      yield* TestClock.adjust(17 * MINUTE_MS)
      yield* importing.claimDue
      yield* Queue.take(requests)
      assert.deepStrictEqual(yield* accept, { changed_days: 1 })
      answer()
      yield* importing.awaitIdle
      assert.deepStrictEqual(yield* loadCalendarDays(id), [])
      assert.deepInclude(yield* loadCalendarState(id), { state: "ok", error: null })
      mood.respond = respondWith(200, toPartlyReadableCalendar("2027-05-05/2027-05-06"))
      yield* fetchAllDue(importing)
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-05"])
    })
  )

  it.effect("keeps days that were echoes as its own days once our feed no longer names them", () =>
    Effect.gen(function* () {
      const { calendarId: id, fetchFeed } = yield* prepare
      yield* insertPropertyFeed(id, "2027-05-01")
      yield* fetchFeed(toBusyCalendar("2027-05-01/2027-05-03"))
      yield* fetchFeed(toPartlyReadableCalendar())
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01 echo", "2027-05-02"])
      // The source may still block the 1st for its own booking, so no booking by hand may take it.
      yield* insertPropertyFeed(id)
      yield* fetchFeed(toPartlyReadableCalendar("2027-05-05/2027-05-06"))
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01", "2027-05-02", "2027-05-05"])
      yield* fetchFeed(toBusyCalendar())
      assert.deepStrictEqual(yield* loadCalendarDays(id), [])
    })
  )

  it.effect("keeps days while the range of days moves on", () =>
    Effect.gen(function* () {
      const { calendarId: id, fetchFeed, fetchAgain, accept } = yield* prepare
      const last = addDays(TODAY, AVAILABILITY_END_DAYS)
      yield* fetchFeed(toBusyCalendar(`${TODAY}/2027-04-22`, `${last}/${addDays(last, 2)}`))
      assert.deepStrictEqual(yield* loadCalendarDays(id), [TODAY, "2027-04-21", last])
      yield* fetchFeed(toPartlyReadableCalendar())
      yield* TestClock.adjust(24 * 60 * MINUTE_MS)
      yield* fetchAgain
      assert.deepStrictEqual(yield* loadCalendarDays(id), [TODAY, "2027-04-21", last])
      yield* accept
      // Past days stay as they were.
      assert.deepStrictEqual(yield* loadCalendarDays(id), [TODAY])
    })
  )
})

layer(layerImportService)("after the upgrade an imported calendar", (it) => {
  it.effect("is read again although its feed is unchanged, also after the previous release has fetched it again", () =>
    Effect.gen(function* () {
      const { calendarId: id, behavior: mood, requests, serveCalendar: says, fetchAgain } = yield* prepare
      const sql = yield* SqlClient.SqlClient
      const feed = toBusyCalendar("2027-05-01/2027-05-03")
      says(feed, { etag: '"one"' })
      // The state that the previous release writes.
      const readByOldRelease = sql`
        WITH days AS (DELETE FROM imported_days WHERE calendar_id = ${id})
        UPDATE imported_calendars
        SET state = 'ok', digest = ${hash("sha256", feed, "base64")}, etag = '"one"', applied_to = '2099-01-01'
        WHERE id = ${id}`
      for (const _ of ["before the upgrade", "beside this release"]) {
        yield* readByOldRelease
        yield* Queue.clear(requests)
        yield* fetchAgain
        const [request] = yield* Queue.clear(requests)
        assert.isUndefined(request?.headers["if-none-match"])
        assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01", "2027-05-02"])
      }
      mood.respond = respondWith(304)
      yield* fetchAgain
      const [request] = yield* Queue.clear(requests)
      assert.strictEqual(request?.headers["if-none-match"], '"one"')
    })
  )
})

describe("the description of unreadable parts", () => {
  const clause = "DTSTART in line 8 is unreadable"
  const middle = " of the calendar could not be read, so no dates became available: "

  itPure("is one sentence", () => {
    assert.isNull(describeUnreadableParts([]))
    assert.strictEqual(describeUnreadableParts([clause]), `1 part${middle}${clause}`)
    assert.strictEqual(describeUnreadableParts([clause, clause]), `2 parts${middle}${clause}; ${clause}`)
    assert.match(describeUnreadableParts(Array(5).fill("x")) ?? "", /^5 parts of/)
    assert.match(
      describeUnreadableParts([...Array(5).fill("x"), "and 2 more"]) ?? "",
      /^More than 5 parts of .*; and 2 more$/
    )
  })

  itPure("is at most as long as an error may be", () => {
    const longest = CALENDAR_ERROR_LENGTH - `1 part${middle}`.length
    assert.strictEqual(describeUnreadableParts(["x".repeat(longest)]), `1 part${middle}${"x".repeat(longest)}`)
    assert.strictEqual(describeUnreadableParts(["x".repeat(longest + 1)]), `1 part${middle}${"x".repeat(longest - 1)}…`)
  })
})
