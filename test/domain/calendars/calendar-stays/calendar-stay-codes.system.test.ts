import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CALENDAR_STAY_CODE_TRIES } from "../../../../src/platform/limits.ts"
import { toAirbnbBooking, toAirbnbFeed } from "../../../support/domain/calendars/calendar-stays/marketplace-feeds.ts"
import { prepareTwoCalendars } from "../../../support/domain/calendars/calendar-stays/stay-calendars.ts"
import { prepareStayImport } from "../../../support/domain/calendars/calendar-stays/stay-import.ts"
import { layerImportService } from "../../../support/domain/calendars/imported-calendars/import-service.ts"
import { insertOrder } from "../../../support/harness.ts"

const BOOKING = toAirbnbBooking("HMABCDEF12", "2027-05-01", "2027-05-04")

const FEED = toAirbnbFeed(BOOKING)

/** Inserts unassigned reservations of earlier dates, which the tests do not list, with the code of the booking. */
const insertPastOrders = Effect.fnUntraced(function* (
  operatorId: number,
  status: string,
  generations: ReadonlyArray<number>
) {
  const sql = yield* SqlClient.SqlClient
  const codes: Array<string> = []
  for (const generation of generations) {
    const stay = { propertyId: null, checkIn: "2026-05-01", checkOut: "2026-05-03" }
    const code = yield* insertOrder(operatorId, [stay], { channelType: "airbnb" })
    const channelId = generation === 1 ? "HMABCDEF12" : `HMABCDEF12-${generation}`
    yield* sql`UPDATE orders SET channel_id = ${channelId}, status = ${status},
        cancelled_at = CASE WHEN ${status} = 'cancelled' THEN now() END
      WHERE operator_id = ${operatorId} AND reservation_code = ${code}`
    codes.push(code)
  }
  return codes
}, Effect.orDie)

layer(layerImportService)("a booking with a confirmation code", (it) => {
  it.effect("has one stay after it left and came back three times", () =>
    Effect.gen(function* () {
      const { serveAndFetch, fetchDue, stayLines, loadProblems } = yield* prepareStayImport
      yield* serveAndFetch(FEED)
      for (let round = 0; round < 3; round += 1) {
        yield* serveAndFetch(toAirbnbFeed())
        yield* fetchDue
        yield* serveAndFetch(FEED)
        yield* fetchDue
      }
      const line = "2027-05-01 2027-05-04"
      assert.deepStrictEqual((yield* stayLines).toSorted(), [
        `${line} accepted HMABCDEF12-4`,
        `${line} cancelled HMABCDEF12`,
        `${line} cancelled HMABCDEF12-2`,
        `${line} cancelled HMABCDEF12-3`
      ])
      assert.deepStrictEqual(yield* loadProblems, [])
    })
  )

  it.effect("takes the next code while cancelled reservations have the former ones", () =>
    Effect.gen(function* () {
      const { serveAndFetch, fetchDue, stayLines, loadProblems, operatorId } = yield* prepareStayImport
      yield* insertPastOrders(operatorId, "cancelled", [2, 3])
      yield* serveAndFetch(FEED)
      yield* serveAndFetch(toAirbnbFeed())
      yield* fetchDue
      yield* serveAndFetch(FEED)
      const lines = ["2027-05-01 2027-05-04 accepted HMABCDEF12-4", "2027-05-01 2027-05-04 cancelled HMABCDEF12"]
      assert.deepStrictEqual((yield* stayLines).toSorted(), lines)
      // The stay keeps its code and follows its booking.
      yield* serveAndFetch(toAirbnbFeed({ ...BOOKING, uid: "new@airbnb.com", start: "2027-05-20", end: "2027-05-22" }))
      assert.include(yield* stayLines, "2027-05-20 2027-05-22 accepted HMABCDEF12-4")
      assert.deepStrictEqual(yield* loadProblems, [])
    })
  )

  it.effect("goes on at the next fetch if more reservations have ended than one fetch tries", () =>
    Effect.gen(function* () {
      const { serveAndFetch, fetchDue, stayLines, operatorId } = yield* prepareStayImport
      const generations = Array.from({ length: CALENDAR_STAY_CODE_TRIES + 1 }, (_, index) => index + 1)
      yield* insertPastOrders(operatorId, "cancelled", generations)
      yield* serveAndFetch(FEED)
      assert.deepStrictEqual(yield* stayLines, [])
      yield* fetchDue
      assert.deepStrictEqual(yield* stayLines, [
        `2027-05-01 2027-05-04 accepted HMABCDEF12-${CALENDAR_STAY_CODE_TRIES + 2}`
      ])
    })
  )

  it.effect("reports the accepted reservation that has its code, and makes a stay once that one is cancelled", () =>
    Effect.gen(function* () {
      const { first, second, stayLines } = yield* prepareTwoCalendars({ isSameProperty: false })
      yield* first.serveAndFetch(FEED)
      yield* second.serveAndFetch(toAirbnbFeed())
      yield* first.serveAndFetch(toAirbnbFeed())
      yield* second.serveAndFetch(FEED)
      const [problem] = yield* second.loadProblems
      assert.deepInclude(problem, { reason: "reservation_exists", check_in_date: "2027-05-01" })
      assert.match(problem?.reservation_code ?? "", /^9-/)
      yield* first.fetchNow
      yield* second.fetchNow
      assert.deepStrictEqual((yield* stayLines).toSorted(), [
        "2027-05-01 2027-05-04 accepted HMABCDEF12-2",
        "2027-05-01 2027-05-04 cancelled HMABCDEF12"
      ])
      assert.deepStrictEqual(yield* second.loadProblems, [])
    })
  )

  it.effect("makes a stay in the worker's next fetch of an unchanged feed once its code is free", () =>
    Effect.gen(function* () {
      const { serveAndFetch, fetchDue, stayLines, operatorId } = yield* prepareStayImport
      const sql = yield* SqlClient.SqlClient
      const [code = ""] = yield* insertPastOrders(operatorId, "accepted", [1])
      yield* serveAndFetch(FEED)
      assert.deepStrictEqual(yield* stayLines, [])
      yield* sql`UPDATE orders SET status = 'cancelled', cancelled_at = now() WHERE reservation_code = ${code}`
      yield* fetchDue
      assert.deepStrictEqual(yield* stayLines, ["2027-05-01 2027-05-04 accepted HMABCDEF12-2"])
    })
  )

  it.effect("stays cancelled if the host cancelled it, although a second calendar has it too", () =>
    Effect.gen(function* () {
      const { first, second, stayLines, loadStays, as, api } = yield* prepareTwoCalendars({ isSameProperty: true })
      yield* first.serveAndFetch(FEED)
      const { stay_code = "" } = (yield* loadStays)[0] ?? {}
      yield* as(api.cancel_calendar_stay({ stay_code }))
      yield* second.serveAndFetch(FEED)
      assert.deepStrictEqual(yield* stayLines, ["2027-05-01 2027-05-04 cancelled HMABCDEF12"])
      assert.deepInclude((yield* second.loadProblems)[0], { reason: "cancelled_here", reservation_code: stay_code })
    })
  )
})
