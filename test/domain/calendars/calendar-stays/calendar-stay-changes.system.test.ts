import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { deletePastStayLinks } from "../../../../src/domain/calendars/calendar-stays/retention.ts"
import { CALENDAR_DAY_RETENTION_MS } from "../../../../src/platform/limits.ts"
import {
  toAirbnbBooking,
  toAirbnbFeed,
  toVrboFeed
} from "../../../support/domain/calendars/calendar-stays/marketplace-feeds.ts"
import { prepareStayImport } from "../../../support/domain/calendars/calendar-stays/stay-import.ts"
import { layerImportService } from "../../../support/domain/calendars/imported-calendars/import-service.ts"
import { call, insertProperty } from "../../../support/harness.ts"

const BOOKING = toAirbnbBooking("HMABCDEF12", "2027-05-01", "2027-05-04")
const OTHER = toAirbnbBooking("HMOTHER123", "2027-05-10", "2027-05-12")
const THIRD = toAirbnbBooking("HMTHIRD123", "2027-05-20", "2027-05-23")

const DAY_MS = 24 * 60 * 60 * 1000

const nightsOf = ({ start, end }: typeof BOOKING) => ({ start, end })

layer(layerImportService)("stays of a changed calendar", (it) => {
  it.effect("swap their nights at one fetch, and move in turn onto nights that others leave", () =>
    Effect.gen(function* () {
      const { serveAndFetch, stayLines, loadStays, loadProblems, loadHeldDays, loadReservationEvents } =
        yield* prepareStayImport
      yield* serveAndFetch(toAirbnbFeed(BOOKING, OTHER, THIRD))
      const idsOf = (stays: ReadonlyArray<{ readonly id: number; readonly channel_id: string }>) =>
        stays.map(({ id, channel_id }) => `${channel_id} ${id}`).toSorted()
      const before = idsOf(yield* loadStays)
      yield* serveAndFetch(toAirbnbFeed({ ...BOOKING, ...nightsOf(OTHER) }, { ...OTHER, ...nightsOf(BOOKING) }, THIRD))
      assert.deepStrictEqual(yield* stayLines, [
        "2027-05-01 2027-05-04 accepted HMOTHER123",
        "2027-05-10 2027-05-12 accepted HMABCDEF12",
        "2027-05-20 2027-05-23 accepted HMTHIRD123"
      ])
      assert.deepStrictEqual(yield* loadProblems, [])
      yield* serveAndFetch(
        toAirbnbFeed(
          { ...OTHER, ...nightsOf(OTHER) },
          { ...BOOKING, ...nightsOf(THIRD) },
          { ...THIRD, start: "2027-06-01", end: "2027-06-03" }
        )
      )
      assert.deepStrictEqual(yield* stayLines, [
        "2027-05-10 2027-05-12 accepted HMOTHER123",
        "2027-05-20 2027-05-23 accepted HMABCDEF12",
        "2027-06-01 2027-06-03 accepted HMTHIRD123"
      ])
      assert.deepStrictEqual(yield* loadProblems, [])
      assert.deepStrictEqual(idsOf(yield* loadStays), before)
      assert.lengthOf(yield* loadHeldDays, 7)
      assert.lengthOf(yield* loadReservationEvents, 3 + 2 + 3)
    })
  )

  it.effect("swap although the move of a third stay is blocked, and take no night of another reservation", () =>
    Effect.gen(function* () {
      const { serveAndFetch, stayLines, loadProblems, token, propertyId } = yield* prepareStayImport
      const manual = yield* call(token, "create_reservation", {
        property_id: propertyId,
        custom_channel_id: 30,
        check_in_date: "2027-06-01",
        check_out_date: "2027-06-03",
        guest_name: "Grace Hopper",
        currency: "EUR",
        rate_amount: 100,
        commission_amount: 0,
        received_amount: 0,
        income_method_id: 197,
        channel_id: "MANUAL"
      })
      assert.strictEqual(manual.error_code, 0, manual.error_msg)
      yield* serveAndFetch(toAirbnbFeed(BOOKING, OTHER, THIRD))
      yield* serveAndFetch(
        toAirbnbFeed(
          { ...BOOKING, ...nightsOf(OTHER) },
          { ...OTHER, start: "2027-05-01", end: "2027-05-02" },
          { ...THIRD, start: "2027-05-30", end: "2027-06-02" }
        )
      )
      assert.deepStrictEqual(yield* stayLines, [
        "2027-05-01 2027-05-02 accepted HMOTHER123",
        "2027-05-10 2027-05-12 accepted HMABCDEF12",
        "2027-05-20 2027-05-23 accepted HMTHIRD123",
        "2027-06-01 2027-06-03 accepted MANUAL"
      ])
      assert.deepStrictEqual(yield* loadProblems, ["nights_taken 2027-05-30"])
      yield* serveAndFetch(
        toAirbnbFeed(
          { ...BOOKING, ...nightsOf(THIRD) },
          { ...OTHER, start: "2027-05-30", end: "2027-06-02" },
          { ...THIRD, ...nightsOf(OTHER) }
        )
      )
      assert.deepStrictEqual((yield* stayLines).slice(0, 3), [
        "2027-05-01 2027-05-02 accepted HMOTHER123",
        "2027-05-10 2027-05-12 accepted HMTHIRD123",
        "2027-05-20 2027-05-23 accepted HMABCDEF12"
      ])
      assert.deepStrictEqual(yield* loadProblems, ["nights_taken 2027-05-30"])
    })
  )

  it.effect("are made only of the earliest booking with a UID, and the other bookings are reported", () =>
    Effect.gen(function* () {
      const { serveAndFetch, stayLines, loadProblems, loadHeldDays, fetchDue } = yield* prepareStayImport
      const [first, second] = [
        { uid: "same", start: "2027-05-01", end: "2027-05-04", summary: "Reserved - Ada" },
        { uid: "same", start: "2027-05-10", end: "2027-05-12", summary: "Reserved - Grace" }
      ]
      for (const feed of [toVrboFeed(first, second), toVrboFeed(second, first)]) {
        yield* serveAndFetch(feed)
        assert.deepStrictEqual(yield* stayLines, ["2027-05-01 2027-05-04 accepted"])
        assert.deepStrictEqual(yield* loadProblems, ["duplicate_uid 2027-05-10"])
        assert.lengthOf(yield* loadHeldDays, 5)
      }
      yield* fetchDue
      assert.deepStrictEqual(yield* loadProblems, ["duplicate_uid 2027-05-10"])
      yield* serveAndFetch(toVrboFeed(first, { ...second, uid: "another" }))
      assert.deepStrictEqual(yield* stayLines, ["2027-05-01 2027-05-04 accepted", "2027-05-10 2027-05-12 accepted"])
      assert.deepStrictEqual(yield* loadProblems, [])
    })
  )

  it.effect("keep their guests when the feed numbers its events anew", () =>
    Effect.gen(function* () {
      const { serveAndFetch, loadStays, loadProblems } = yield* prepareStayImport
      const nights = [
        ["Ada", "2027-05-01", "2027-05-03"],
        ["Grace", "2027-05-03", "2027-05-05"],
        ["Mary", "2027-05-05", "2027-05-07"]
      ] as const
      const toFeed = (guests: typeof nights | readonly (typeof nights)[number][]) =>
        toVrboFeed(
          ...guests.map(([name, start, end], index) => ({
            uid: `${index + 1}`,
            start,
            end,
            summary: `Reserved - ${name}`
          }))
        )
      const loadGuests = Effect.map(loadStays, (stays) =>
        stays.map(({ id, guest_name, check_in_date, status }) => `${id} ${guest_name} ${check_in_date} ${status}`)
      )
      yield* serveAndFetch(toFeed(nights))
      const before = yield* loadGuests
      yield* serveAndFetch(toFeed(nights.toReversed()))
      assert.deepStrictEqual(yield* loadGuests, before)
      yield* serveAndFetch(toFeed(nights.slice(1)))
      assert.deepStrictEqual(yield* loadGuests, before)
      assert.deepStrictEqual(yield* loadProblems, ["missing 2027-05-01"])
    })
  )

  it.effect("are taken over by a calendar that replaces the removed one", () =>
    Effect.gen(function* () {
      const { serveAndFetch, stayLines, loadStays, loadProblems, as, api, calendarId, propertyId, makeUrl, fetchDue } =
        yield* prepareStayImport
      const anonymous = { uid: "plain@airbnb.com", start: "2027-05-15", end: "2027-05-17", summary: "Reserved" }
      const detached = { ...anonymous, uid: "kept@airbnb.com", start: "2027-05-25", end: "2027-05-27" }
      const cancelled = toAirbnbBooking("HMCANCEL12", "2027-06-01", "2027-06-03")
      yield* serveAndFetch(toAirbnbFeed(BOOKING, OTHER, anonymous, detached, cancelled))
      const codes = new Map((yield* loadStays).map((stay) => [stay.check_in_date, stay.stay_code]))
      yield* as(api.detach_calendar_stay({ stay_code: codes.get("2027-05-25") ?? "" }))
      yield* as(api.cancel_calendar_stay({ stay_code: codes.get("2027-06-01") ?? "" }))
      yield* as(api.delete_imported_calendar({ id: calendarId }))
      yield* as(api.create_imported_calendar({ property_id: propertyId, url: makeUrl("/new.ics"), events: "stay" }))
      yield* serveAndFetch(
        toAirbnbFeed(
          { ...BOOKING, start: "2027-05-02", end: "2027-05-05" },
          { ...anonymous, start: "2027-05-16", end: "2027-05-18" },
          { ...detached, start: "2027-05-26", end: "2027-05-28" },
          cancelled
        )
      )
      const lines = [
        "2027-05-02 2027-05-05 accepted HMABCDEF12",
        "2027-05-10 2027-05-12 accepted HMOTHER123",
        "2027-05-16 2027-05-18 accepted",
        "2027-05-25 2027-05-27 accepted",
        "2027-06-01 2027-06-03 cancelled HMCANCEL12"
      ]
      assert.deepStrictEqual(yield* stayLines, lines)
      assert.deepStrictEqual(
        (yield* loadStays).map(({ stay_code }) => stay_code).toSorted(),
        Array.from(codes.values()).toSorted()
      )
      assert.deepStrictEqual(yield* loadProblems, ["cancelled_here 2027-06-01"])
      // The stay that the new calendar never had stays, because nobody knows whether its booking is gone.
      yield* fetchDue
      yield* serveAndFetch(toAirbnbFeed())
      yield* fetchDue
      assert.deepStrictEqual(
        (yield* stayLines).filter((line) => line.includes("accepted")),
        [lines[1], lines[3]]
      )
    })
  )

  it.effect("of a removed calendar keep their link until they are past", () =>
    Effect.gen(function* () {
      const { serveAndFetch, stayLines, as, api, calendarId } = yield* prepareStayImport
      const sql = yield* SqlClient.SqlClient
      yield* serveAndFetch(toAirbnbFeed(BOOKING, OTHER))
      const dayAfterRetention = Date.parse(`${BOOKING.end}T00:00:00Z`) + CALENDAR_DAY_RETENTION_MS + DAY_MS
      const countLinksAt = (time: number) =>
        Effect.andThen(deletePastStayLinks(new Date(time)), sql`SELECT FROM calendar_stays`).pipe(
          Effect.map((rows) => rows.length),
          Effect.orDie
        )
      assert.strictEqual(yield* countLinksAt(dayAfterRetention), 2)
      yield* as(api.delete_imported_calendar({ id: calendarId }))
      assert.strictEqual(yield* countLinksAt(dayAfterRetention - 1), 2)
      assert.strictEqual(yield* countLinksAt(dayAfterRetention), 1)
      assert.lengthOf(yield* stayLines, 2)
    })
  )

  it.effect("are not taken over by a calendar of another channel", () =>
    Effect.gen(function* () {
      const { serveAndFetch, stayLines, loadProblems, as, api, calendarId, propertyId, makeUrl } =
        yield* prepareStayImport
      const plain = { uid: "1", start: "2027-05-15", end: "2027-05-17", summary: "Reserved" }
      yield* serveAndFetch(toAirbnbFeed(plain))
      yield* as(api.delete_imported_calendar({ id: calendarId }))
      yield* as(api.create_imported_calendar({ property_id: propertyId, url: makeUrl("/v.ics"), events: "stay" }))
      yield* serveAndFetch(toVrboFeed({ ...plain, start: "2027-05-16", end: "2027-05-18" }))
      assert.deepStrictEqual(yield* stayLines, ["2027-05-15 2027-05-17 accepted"])
      assert.deepStrictEqual(yield* loadProblems, ["nights_taken 2027-05-16"])
    })
  )

  it.effect("are not taken over by a calendar of another property", () =>
    Effect.gen(function* () {
      const { serveAndFetch, loadStays, loadProblems, as, api, operatorId, calendarId, propertyId, makeUrl } =
        yield* prepareStayImport
      const otherPropertyId = yield* insertProperty(operatorId, "Harbour 2")
      const plain = { uid: "1", start: "2027-05-15", end: "2027-05-17", summary: "Reserved" }
      yield* serveAndFetch(toAirbnbFeed(plain))
      yield* as(api.delete_imported_calendar({ id: calendarId }))
      yield* as(api.create_imported_calendar({ property_id: otherPropertyId, url: makeUrl("/o.ics"), events: "stay" }))
      yield* serveAndFetch(toAirbnbFeed({ ...plain, start: "2027-05-16", end: "2027-05-18" }))
      assert.deepStrictEqual(
        (yield* loadStays).map(({ property_id, check_in_date }) => [property_id, check_in_date]),
        [
          [propertyId, "2027-05-15"],
          [otherPropertyId, "2027-05-16"]
        ]
      )
      assert.deepStrictEqual(yield* loadProblems, [])
    })
  )
})
