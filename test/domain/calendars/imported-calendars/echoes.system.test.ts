import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  createImportOnEmptyTables,
  fetchAllDue,
  insertPropertyFeed,
  layerImportService,
  loadAvailabilityEvents,
  loadCalendarDays,
  MINUTE_MS,
  makeCalendarImportWorker,
  toBusyCalendar
} from "../../../support/domain/calendars/imported-calendars/import-service.ts"
import { respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { call, insertOrder } from "../../../support/harness.ts"

const following = Effect.gen(function* () {
  const one = yield* createImportOnEmptyTables
  const importing = yield* makeCalendarImportWorker
  const fetched = Effect.andThen(TestClock.adjust(17 * MINUTE_MS), fetchAllDue(importing))
  return { ...one, fetched }
})

layer(layerImportService)("an echo", (it) => {
  it.effect("is what a source says that we told it, and no more once it says it after we have not", () =>
    Effect.gen(function* () {
      const { calendarId: id, serveCalendar: says, fetched } = yield* following
      yield* insertPropertyFeed(id, "2027-05-01")
      says(toBusyCalendar("2027-05-01/2027-05-03"))
      yield* fetched
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01 echo", "2027-05-02"])
      // Told of the 2nd later: it had said so before.
      yield* insertPropertyFeed(id, "2027-05-01", "2027-05-02")
      says(toBusyCalendar("2027-05-01/2027-05-04"))
      yield* fetched
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01 echo", "2027-05-02", "2027-05-03"])
      yield* insertPropertyFeed(id)
      says(toBusyCalendar("2027-05-01/2027-05-02", "2027-05-02/2027-05-04"))
      yield* fetched
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01", "2027-05-02", "2027-05-03"])
    })
  )

  for (const way of ["the same bytes", "304"]) {
    it.effect(`becomes the source's own word also where it answers ${way}`, () =>
      Effect.gen(function* () {
        const { calendarId: id, serveCalendar: says, behavior: mood, fetched } = yield* following
        yield* insertPropertyFeed(id, "2027-05-01")
        says(toBusyCalendar("2027-05-01/2027-05-02"), { etag: '"one"' })
        yield* fetched
        if (way === "304") mood.respond = respondWith(304)
        yield* fetched
        assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01 echo"])
        yield* insertPropertyFeed(id)
        yield* fetched
        assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01"])
      })
    )
  }

  it.effect("holds nothing shut: booked, synced twice, cancelled and synced, the night is free on both sides", () =>
    Effect.gen(function* () {
      const {
        calendarId: id,
        operatorId,
        propertyId: property,
        api,
        as,
        serveCalendar: says,
        fetched
      } = yield* following
      const night = { checkIn: "2027-05-01", checkOut: "2027-05-02" }
      const code = yield* insertOrder(operatorId, [{ propertyId: property, ...night }])
      // Their feed has what ours told them, without our UIDs.
      yield* insertPropertyFeed(id, "2027-05-01")
      says(toBusyCalendar("2027-05-01/2027-05-02"))
      yield* fetched
      yield* fetched
      yield* as(api.cancel_reservation({ reservation_code: code }))
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01 echo"])
      // They read ours, which has no echo in it, and then theirs has none either.
      yield* insertPropertyFeed(id)
      says(toBusyCalendar())
      yield* fetched
      assert.deepStrictEqual(yield* loadCalendarDays(id), [])
      assert.deepStrictEqual(yield* loadAvailabilityEvents(property), ["+2027-05-01"])
    })
  )

  it.effect("closes the night to channels, but keeps no order by hand out of it: nobody holds it there", () =>
    Effect.gen(function* () {
      const { calendarId: id, operatorId, propertyId: property, token, serveCalendar: says, fetched } = yield* following
      yield* insertPropertyFeed(id, "2027-05-01")
      says(toBusyCalendar("2027-05-01/2027-05-02"))
      yield* fetched
      assert.deepStrictEqual(yield* loadAvailabilityEvents(property), ["-2027-05-01"])
      const night = { checkIn: "2027-05-01", checkOut: "2027-05-02" }
      const code = yield* insertOrder(operatorId, [{ propertyId: null, ...night }])
      const { error_code } = yield* call(token, "allocate_stay", { stay_code: code, property_id: property })
      assert.strictEqual(error_code, 0)
    })
  )
})
