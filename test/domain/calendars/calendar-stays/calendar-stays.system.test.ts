import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../../src/contract/time.ts"
import { findBusyDays } from "../../../../src/domain/calendars/property-feeds/feed-reads.ts"
import { CALENDAR_STAY_CHANGES_MAX } from "../../../../src/platform/limits.ts"
import {
  toAirbnbBlock,
  toAirbnbBooking,
  toAirbnbFeed,
  toSmoobuFeed
} from "../../../support/domain/calendars/calendar-stays/marketplace-feeds.ts"
import { prepareStayImport } from "../../../support/domain/calendars/calendar-stays/stay-import.ts"
import {
  createPropertyOwner,
  layerImportService,
  loadAvailabilityEvents,
  loadCalendarDays,
  MINUTE_MS
} from "../../../support/domain/calendars/imported-calendars/import-service.ts"
import { call, insertOrder } from "../../../support/harness.ts"
import { insertChannelAccount, insertListing } from "../../../support/listings.ts"
import { SEQUENCES_MS } from "../../../support/time-limits.ts"

const BOOKING = toAirbnbBooking("HMABCDEF12", "2027-05-01", "2027-05-04")

const toManualReservation = (property_id: number) => ({
  property_id,
  custom_channel_id: 30,
  check_in_date: "2027-05-06",
  check_out_date: "2027-05-08",
  guest_name: "Grace Hopper",
  currency: "EUR",
  rate_amount: 100,
  commission_amount: 0,
  received_amount: 0,
  income_method_id: 197,
  channel_id: "MANUAL"
})

layer(layerImportService)("stays from a calendar", (it) => {
  it.effect("are made once, without a price, with a code of their own", () =>
    Effect.gen(function* () {
      const { serveAndFetch, loadStays, loadProblems, loadReservationEvents, calendarId, propertyId, fetchDue } =
        yield* prepareStayImport
      const feed = toAirbnbFeed(BOOKING, toAirbnbBlock("block", "2027-05-10", "2027-05-12"))
      yield* serveAndFetch(feed)
      const [stay, ...others] = yield* loadStays
      assert.deepStrictEqual(others, [])
      if (stay === undefined) return assert.fail("there is no stay")
      assert.match(stay.reservation_code, /^9-\d{9}-[0-9A-Z]{4}$/)
      assert.deepInclude(stay, {
        stay_code: stay.reservation_code,
        property_id: propertyId,
        channel_type: "airbnb",
        channel_id: "HMABCDEF12",
        status: "accepted",
        check_in_date: "2027-05-01",
        check_out_date: "2027-05-04",
        guest_name: null,
        channel_remarks: "Phone number ends with 4711."
      })
      assert.strictEqual(stay.rates.total_rate.amount, 0)
      assert.isNull(stay.rates.total_commission)
      assert.deepStrictEqual(yield* loadCalendarDays(calendarId), [
        "2027-05-01",
        "2027-05-02",
        "2027-05-03",
        "2027-05-10",
        "2027-05-11"
      ])
      yield* fetchDue
      yield* serveAndFetch(feed.replace("DTSTAMP:20270420T091500Z", "DTSTAMP:20270420T101500Z\r\nX-A:1"))
      assert.lengthOf(yield* loadStays, 1)
      assert.deepStrictEqual(yield* loadProblems, [])
      assert.deepStrictEqual(yield* loadReservationEvents, ["reservation_created"])
    })
  )

  it.effect("are cancelled after two complete fetches without their booking", () =>
    Effect.gen(function* () {
      const { serveAndFetch, stayLines, loadProblems, loadHeldDays, fetchDue, loadReservationEvents } =
        yield* prepareStayImport
      yield* serveAndFetch(toAirbnbFeed(BOOKING))
      yield* serveAndFetch(toAirbnbFeed())
      assert.deepStrictEqual(yield* stayLines, ["2027-05-01 2027-05-04 accepted HMABCDEF12"])
      assert.deepStrictEqual(yield* loadProblems, ["missing 2027-05-01"])
      assert.deepStrictEqual(yield* loadHeldDays, ["2027-05-01", "2027-05-02", "2027-05-03"])
      yield* fetchDue
      assert.deepStrictEqual(yield* stayLines, ["2027-05-01 2027-05-04 cancelled HMABCDEF12"])
      assert.deepStrictEqual(yield* loadProblems, [])
      assert.deepStrictEqual(yield* loadHeldDays, [])
      assert.deepStrictEqual(yield* loadReservationEvents, ["reservation_created", "reservation_updated"])
      // The booking comes back as a new stay.
      yield* serveAndFetch(toAirbnbFeed(BOOKING))
      assert.deepStrictEqual(yield* stayLines, [
        "2027-05-01 2027-05-04 cancelled HMABCDEF12",
        "2027-05-01 2027-05-04 accepted HMABCDEF12-2"
      ])
    })
  )

  it.effect("stay while the feed is incomplete, and when their check-in is not in the future", () =>
    Effect.gen(function* () {
      const { serveAndFetch, stayLines, loadProblems, fetchDue } = yield* prepareStayImport
      const begun = toAirbnbBooking("HMBEGUN123", "2027-04-20", "2027-04-25")
      yield* serveAndFetch(toAirbnbFeed(BOOKING, begun))
      const broken = toAirbnbFeed().replace(
        "END:VCALENDAR",
        "BEGIN:VEVENT\r\nUID:b\r\nDTSTART:never\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:c\r\nDTSTART;VALUE=DATE:20200101\r\nEND:VEVENT\r\nEND:VCALENDAR"
      )
      yield* serveAndFetch(broken)
      yield* fetchDue
      const both = ["2027-04-20 2027-04-25 accepted HMBEGUN123", "2027-05-01 2027-05-04 accepted HMABCDEF12"]
      assert.deepStrictEqual(yield* stayLines, both)
      assert.deepStrictEqual(yield* loadProblems, ["missing_after_check_in 2027-04-20", "missing 2027-05-01"])
      yield* serveAndFetch(toAirbnbFeed())
      assert.deepStrictEqual(yield* loadProblems, ["missing_after_check_in 2027-04-20", "missing 2027-05-01"])
      yield* fetchDue
      yield* fetchDue
      assert.deepStrictEqual(yield* stayLines, [both[0], "2027-05-01 2027-05-04 cancelled HMABCDEF12"])
      assert.deepStrictEqual(yield* loadProblems, ["missing_after_check_in 2027-04-20"])
    })
  )

  it.effect("move with their booking, and keep their stay when only the UID changes", () =>
    Effect.gen(function* () {
      const { serveAndFetch, stayLines, loadHeldDays, loadStays } = yield* prepareStayImport
      yield* serveAndFetch(toAirbnbFeed(BOOKING))
      const before = yield* loadStays
      yield* serveAndFetch(toAirbnbFeed({ ...BOOKING, uid: "another@airbnb.com" }))
      yield* serveAndFetch(
        toAirbnbFeed({ ...BOOKING, uid: "another@airbnb.com", start: "2027-05-02", end: "2027-05-05" })
      )
      assert.deepStrictEqual(yield* stayLines, ["2027-05-02 2027-05-05 accepted HMABCDEF12"])
      assert.strictEqual((yield* loadStays)[0]?.id, before[0]?.id)
      assert.deepStrictEqual(yield* loadHeldDays, ["2027-05-02", "2027-05-03", "2027-05-04"])
    })
  )

  it.effect("are replaced when another guest books the same nights", () =>
    Effect.gen(function* () {
      const { serveAndFetch, stayLines, loadProblems, loadHeldDays, fetchDue } = yield* prepareStayImport
      yield* serveAndFetch(toAirbnbFeed(BOOKING))
      yield* serveAndFetch(toAirbnbFeed(toAirbnbBooking("HMANOTHER1", "2027-05-01", "2027-05-04")))
      assert.deepStrictEqual((yield* loadProblems).toSorted(), ["missing 2027-05-01", "nights_taken 2027-05-01"])
      assert.lengthOf(yield* loadHeldDays, 3)
      yield* fetchDue
      assert.deepStrictEqual((yield* stayLines).toSorted(), [
        "2027-05-01 2027-05-04 accepted HMANOTHER1",
        "2027-05-01 2027-05-04 cancelled HMABCDEF12"
      ])
      assert.deepStrictEqual(yield* loadProblems, [])
      assert.lengthOf(yield* loadHeldDays, 3)
    })
  )

  it.effect("are made of a known confirmation code with a new UID and new dates", () =>
    Effect.gen(function* () {
      const { serveAndFetch, stayLines, loadProblems, fetchDue } = yield* prepareStayImport
      yield* serveAndFetch(toAirbnbFeed(BOOKING))
      const moved = { ...BOOKING, uid: "new@airbnb.com", start: "2027-05-20", end: "2027-05-22" }
      yield* serveAndFetch(toAirbnbFeed(moved))
      assert.deepStrictEqual(yield* stayLines, ["2027-05-20 2027-05-22 accepted HMABCDEF12"])
      yield* serveAndFetch(toAirbnbFeed())
      yield* fetchDue
      yield* serveAndFetch(toAirbnbFeed({ ...moved, uid: "newer@airbnb.com" }))
      assert.deepStrictEqual(yield* stayLines, [
        "2027-05-20 2027-05-22 cancelled HMABCDEF12",
        "2027-05-20 2027-05-22 accepted HMABCDEF12-2"
      ])
      assert.deepStrictEqual(yield* loadProblems, [])
    })
  )

  it.effect("are made or moved once their nights become free, although the feed is unchanged", () =>
    Effect.gen(function* () {
      const { serveAndFetch, stayLines, loadProblems, fetchDue } = yield* prepareStayImport
      const other = toAirbnbBooking("HMOTHER123", "2027-05-10", "2027-05-12")
      yield* serveAndFetch(toAirbnbFeed(BOOKING, other))
      yield* serveAndFetch(
        toAirbnbFeed(
          { ...BOOKING, start: "2027-05-10", end: "2027-05-12" },
          { ...other, start: "2027-05-20", end: "2027-05-22" },
          toAirbnbBooking("HMTHIRD123", "2027-05-01", "2027-05-04")
        )
      )
      yield* fetchDue
      yield* fetchDue
      assert.deepStrictEqual(yield* stayLines, [
        "2027-05-01 2027-05-04 accepted HMTHIRD123",
        "2027-05-10 2027-05-12 accepted HMABCDEF12",
        "2027-05-20 2027-05-22 accepted HMOTHER123"
      ])
      assert.deepStrictEqual(yield* loadProblems, [])
    })
  )

  it.effect("are not made or moved where another stay holds a night", () =>
    Effect.gen(function* () {
      const { serveAndFetch, stayLines, loadProblems, loadHeldDays, token, propertyId } = yield* prepareStayImport
      const manual = yield* call(token, "create_reservation", toManualReservation(propertyId))
      assert.strictEqual(manual.error_code, 0, manual.error_msg)
      const other = toAirbnbBooking("HMOTHER123", "2027-05-07", "2027-05-09")
      yield* serveAndFetch(toAirbnbFeed(BOOKING, other))
      const lines = ["2027-05-01 2027-05-04 accepted HMABCDEF12", "2027-05-06 2027-05-08 accepted MANUAL"]
      assert.deepStrictEqual(yield* stayLines, lines)
      assert.deepStrictEqual(yield* loadProblems, ["nights_taken 2027-05-07"])
      yield* serveAndFetch(toAirbnbFeed({ ...BOOKING, start: "2027-05-03", end: "2027-05-07" }, other))
      assert.deepStrictEqual(yield* stayLines, lines)
      assert.deepStrictEqual(yield* loadProblems, ["nights_taken 2027-05-03", "nights_taken 2027-05-07"])
      assert.deepStrictEqual(
        yield* loadHeldDays,
        ["01", "02", "03", "04", "05", "06", "07", "08"].map((day) => `2027-05-${day}`)
      )
    })
  )

  it.effect("can be cancelled and detached by the host", () =>
    Effect.gen(function* () {
      const { serveAndFetch, stayLines, loadStays, loadProblems, loadHeldDays, fetchDue, as, api, token } =
        yield* prepareStayImport
      const kept = toAirbnbBooking("HMKEPT1234", "2027-06-01", "2027-06-03")
      yield* serveAndFetch(toAirbnbFeed(BOOKING, kept))
      const [first = "", second = ""] = (yield* loadStays).map(({ stay_code }) => stay_code)
      yield* as(api.cancel_calendar_stay({ stay_code: first }))
      yield* as(api.cancel_calendar_stay({ stay_code: first }))
      yield* as(api.detach_calendar_stay({ stay_code: second }))
      yield* as(api.detach_calendar_stay({ stay_code: second }))
      yield* serveAndFetch(toAirbnbFeed({ ...BOOKING, uid: "again@airbnb.com" }, kept))
      const lines = ["2027-05-01 2027-05-04 cancelled HMABCDEF12", "2027-06-01 2027-06-03 accepted HMKEPT1234"]
      assert.deepStrictEqual(yield* stayLines, lines)
      assert.deepStrictEqual(yield* loadProblems, ["cancelled_here 2027-05-01"])
      assert.lengthOf(yield* loadHeldDays, 5)
      yield* serveAndFetch(toAirbnbFeed())
      yield* fetchDue
      assert.deepStrictEqual(yield* stayLines, lines)
      assert.deepStrictEqual(yield* loadHeldDays, ["2027-06-01", "2027-06-02"])
      const refusal = yield* call(token, "detach_calendar_stay", { stay_code: "5-NONE" })
      assert.strictEqual(refusal.error_code, 404)
    })
  )

  it.effect(
    "are not made for a booking window that moves over 60 days",
    () =>
      Effect.gen(function* () {
        const { serveAndFetch, loadStays, loadReservationEvents, as, api, calendarId, propertyId } =
          yield* prepareStayImport
        yield* as(api.update_imported_calendar({ id: calendarId, skip_unavailable: true }))
        const eventCounts: Array<number> = []
        for (let day = 0; day < 60; day += 1) {
          const window = toAirbnbBlock("window", addDays("2027-08-01", day), addDays("2027-08-20", day))
          yield* serveAndFetch(toAirbnbFeed(window))
          yield* TestClock.adjust(24 * 60 * MINUTE_MS - 17 * MINUTE_MS)
          eventCounts.push((yield* loadAvailabilityEvents(propertyId)).length)
        }
        assert.deepStrictEqual(yield* loadStays, [])
        assert.deepStrictEqual(yield* loadReservationEvents, [])
        // The first fetch blocks the window. The second recognizes it, and no later one changes a day.
        assert.deepStrictEqual([eventCounts[0], eventCounts[1], eventCounts.at(-1)], [1, 2, 2])
      }),
    SEQUENCES_MS
  )

  it.effect("are kept when the calendar is removed or only blocks days again", () =>
    Effect.gen(function* () {
      const { serveAndFetch, stayLines, fetchDue, as, api, calendarId, loadHeldDays } = yield* prepareStayImport
      yield* serveAndFetch(toAirbnbFeed(BOOKING))
      yield* as(api.update_imported_calendar({ id: calendarId, events: "block" }))
      yield* serveAndFetch(toAirbnbFeed())
      yield* fetchDue
      const lines = ["2027-05-01 2027-05-04 accepted HMABCDEF12"]
      assert.deepStrictEqual(yield* stayLines, lines)
      yield* as(api.update_imported_calendar({ id: calendarId, events: "stay" }))
      yield* fetchDue
      yield* as(api.delete_imported_calendar({ id: calendarId }))
      assert.deepStrictEqual(yield* stayLines, lines)
      assert.lengthOf(yield* loadHeldDays, 3)
    })
  )

  it.effect("are not made if an account of the channel sells the property, or if the channel is unknown", () =>
    Effect.gen(function* () {
      const { serveAndFetch, loadStays, loadProblems, operatorId, propertyId, as, api, calendarId, fetchDue } =
        yield* prepareStayImport
      const accountId = yield* insertChannelAccount(operatorId)
      yield* insertListing(operatorId, accountId, { propertyId })
      yield* serveAndFetch(toAirbnbFeed(BOOKING))
      assert.deepStrictEqual(yield* loadStays, [])
      assert.deepStrictEqual(yield* loadProblems, ["account_connected"])
      yield* serveAndFetch(toSmoobuFeed({ start: "2027-05-01", end: "2027-05-04", summary: "Ada Lovelace" }))
      assert.deepStrictEqual(yield* loadStays, [])
      assert.deepStrictEqual(yield* loadProblems, ["channel_unknown"])
      yield* as(api.update_imported_calendar({ id: calendarId, channel_type: "expedia" }))
      yield* fetchDue
      assert.deepInclude((yield* loadStays)[0], { channel_type: "expedia", guest_name: "Ada Lovelace" })
      assert.deepStrictEqual(yield* loadProblems, [])
    })
  )

  it.effect("are made in steps of the limit, and each exactly once", () =>
    Effect.gen(function* () {
      const { serveCalendar, loadStays, loadProblems, as, api, calendarId, fetchDue } = yield* prepareStayImport
      const bookings = Array.from({ length: CALENDAR_STAY_CHANGES_MAX + 1 }, (_, index) => ({
        ...BOOKING,
        uid: `${index}@airbnb.com`,
        description: "Reserved",
        start: addDays("2027-05-01", index),
        end: addDays("2027-05-02", index)
      }))
      serveCalendar(toAirbnbFeed(...bookings))
      yield* as(api.fetch_imported_calendar({ id: calendarId }))
      const countStays = Effect.map(
        as(api.search_reservations({ start_check_in_date: "2027-01-01" })),
        ({ total }) => total
      )
      assert.strictEqual(yield* countStays, CALENDAR_STAY_CHANGES_MAX)
      yield* fetchDue
      assert.strictEqual(yield* countStays, CALENDAR_STAY_CHANGES_MAX + 1)
      assert.lengthOf(yield* loadStays, 100)
      assert.deepStrictEqual(yield* loadProblems, [])
    })
  )

  it.effect("are left out of the feed for their own marketplace, except nights that their booking no longer has", () =>
    Effect.gen(function* () {
      const { serveAndFetch, loadProblems, operatorId, propertyId, calendarId, token } = yield* prepareStayImport
      yield* serveAndFetch(toAirbnbFeed(BOOKING))
      const sql = yield* SqlClient.SqlClient
      const findDays = findBusyDays(sql)
      const range = { start: "2027-04-20", end: "2027-06-30" }
      const insertFeed = Effect.fnUntraced(function* (calendar_id: number | null) {
        const [feed] = yield* sql<{ id: number }>`
          INSERT INTO property_feeds (operator_id, property_id, calendar_id, token, created_at)
          VALUES (${operatorId}, ${propertyId}, ${calendar_id}, ${`lkfeed_${calendar_id}_${operatorId}`}, now()) RETURNING id`
        const row = { operator_id: operatorId, id: feed?.id ?? 0, calendar_id }
        return Effect.map(findDays(row, "2027-04-20", range, new Date()), (days) => days?.stay_days)
      }, Effect.orDie)
      const [ownDays, otherDays] = [yield* insertFeed(calendarId), yield* insertFeed(null)]
      assert.deepStrictEqual(yield* ownDays, [])
      // Days since 2027-04-20.
      assert.deepStrictEqual(yield* otherDays, [11, 12, 13])
      yield* call(token, "create_reservation", toManualReservation(propertyId))
      yield* serveAndFetch(toAirbnbFeed({ ...BOOKING, start: "2027-05-03", end: "2027-05-07" }))
      assert.deepStrictEqual(yield* loadProblems, ["nights_taken 2027-05-03"])
      assert.deepStrictEqual(yield* ownDays, [11, 12, 16, 17])
      assert.deepStrictEqual(yield* otherDays, [11, 12, 13, 16, 17])
    })
  )

  it.effect("belong to their operator, and leave entries in the audit log", () =>
    Effect.gen(function* () {
      const { serveAndFetch, loadStays, operatorId, as, api } = yield* prepareStayImport
      yield* serveAndFetch(toAirbnbFeed(BOOKING))
      const stay_code = (yield* loadStays)[0]?.stay_code ?? assert.fail("there is no stay")
      const stranger = yield* createPropertyOwner
      for (const operation of ["cancel_calendar_stay", "detach_calendar_stay"] as const) {
        assert.strictEqual((yield* call(stranger.token, operation, { stay_code })).error_code, 404)
      }
      yield* as(api.detach_calendar_stay({ stay_code }))
      yield* as(api.cancel_calendar_stay({ stay_code }))
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ line: string }>`
        SELECT operation || ' ' || record || ' ' || array_to_string(fields, ',') AS line FROM trail
        WHERE operator_id = ${operatorId} AND record = ${`reservation:${stay_code}`} ORDER BY id`
      assert.deepStrictEqual(
        rows.map(({ line }) => line.replace(stay_code, "CODE")),
        [
          "import calendar reservation:CODE ",
          "detach_calendar_stay reservation:CODE calendar",
          "cancel_calendar_stay reservation:CODE cancelled_at,status"
        ]
      )
      const refusal = yield* call(stranger.token, "cancel_calendar_stay", {
        stay_code: yield* insertOrder(stranger.operatorId, [{ propertyId: stranger.propertyId }])
      })
      assert.strictEqual(refusal.error_code, 422)
    })
  )
})
