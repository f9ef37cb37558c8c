import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Queue, Result } from "effect"
import { TestClock } from "effect/testing"
import { AllowedReceivers, parseAllowedHosts } from "../../../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { DeliveryQueue } from "../../../../src/domain/webhooks/deliveries/DeliveryQueue.ts"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { EventDispatcher } from "../../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { eraseGuestMatches } from "../../../../src/tools/privacy/guest-erasure.ts"
import { findGuest } from "../../../../src/tools/privacy/guest-search.ts"
import {
  toAirbnbBooking,
  toAirbnbFeed,
  toVrboFeed
} from "../../../support/domain/calendars/calendar-stays/marketplace-feeds.ts"
import {
  createPropertyOwner,
  MINUTE_MS,
  NOW,
  startCalendarSource
} from "../../../support/domain/calendars/imported-calendars/import-service.ts"
import { createSubscription, deliverAllDue } from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import { layerLocalOutbound, respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { asSystemActor, layerServiceWithOutbound } from "../../../support/harness.ts"
import { BaseUrl, layerHttpServerOf } from "../../../support/http-server.ts"
import { layerOwnDatabase } from "../../../support/own-database.ts"
import { readRentalControlCalendar } from "../../../support/rental-control.ts"

// What a house calendar, a webhook and the API return about a guest from an imported calendar, before and after
// erasure.

const layerService = layerHttpServerOf(
  Layer.mergeAll(EventDispatcher.layer, DeliveryQueue.layer).pipe(
    Layer.provideMerge(layerServiceWithOutbound(layerOwnDatabase)),
    Layer.provideMerge(layerLocalOutbound),
    Layer.provideMerge(Layer.succeed(AllowedReceivers, Result.getOrThrow(parseAllowedHosts("127.0.0.1"))))
  )
)

const BOOKING = toAirbnbBooking("HMABCDEF12", "2027-05-01", "2027-05-04", "0815")

const prepare = Effect.gen(function* () {
  yield* TestClock.setTime(NOW)
  const host = yield* createPropertyOwner
  const { api, as, propertyId } = host
  const source = yield* startCalendarSource
  const { imported_calendar_id: id } = yield* as(
    api.create_imported_calendar({ property_id: propertyId, url: source.makeUrl(), events: "stay" })
  )
  const serveAndFetch = (feed: string) =>
    Effect.gen(function* () {
      source.serveCalendar(feed)
      yield* TestClock.adjust(MINUTE_MS)
      assert.strictEqual((yield* as(api.fetch_imported_calendar({ id }))).error, null)
    })
  const { url } = yield* as(
    api.create_property_feed({
      property_id: propertyId,
      kind: "house",
      fields: ["guest_name", "phone", "guests", "code", "door_code"],
      door_code_source: "phone_last_four"
    })
  )
  const base = yield* BaseUrl
  const readHouseCalendar = Effect.promise(async () => {
    const response = await fetch(`${base}${new URL(url).pathname}`)
    return (await response.text()).replaceAll("\r\n ", "")
  })
  const loadStays = Effect.map(
    as(api.search_reservations({ start_check_in_date: "2027-01-01" })),
    ({ reservations }) => reservations
  )
  return { ...host, serveAndFetch, readHouseCalendar, loadStays }
})

layer(layerService, { excludeTestServices: false })("a guest whose booking came by a calendar", (it) => {
  it.effect("opens the door with the last digits of the phone number, exactly from lock_code_visible_after", () =>
    Effect.gen(function* () {
      const { serveAndFetch, readHouseCalendar, loadStays, api, as } = yield* prepare
      yield* serveAndFetch(toAirbnbFeed(BOOKING))
      const { stay_code = "", check_in_details } = (yield* loadStays)[0] ?? {}
      assert.isNull(check_in_details?.lock_code)
      yield* as(api.update_check_in_details({ stay_code, lock_code_visible_after: "15:00" }))
      // In Berlin it is two hours later than in UTC.
      const readEvent = Effect.map(readHouseCalendar, (text) => readRentalControlCalendar(text)[0])
      yield* TestClock.setTime(Date.parse("2027-05-01T12:59:59Z"))
      const before = yield* readEvent
      assert.deepInclude(before, { bookingId: "HMABCDEF12", slotName: "HMABCDEF12" })
      assert.deepStrictEqual([before?.doorCode, before?.lastFour], [undefined, undefined])
      yield* TestClock.setTime(Date.parse("2027-05-01T13:00:00Z"))
      const after = yield* readEvent
      assert.deepStrictEqual([after?.doorCode, after?.lastFour], ["0815", "0815"])
      yield* as(api.update_check_in_details({ stay_code, lock_code: "4711" }))
      assert.strictEqual((yield* readEvent)?.doorCode, "4711")
    })
  )

  it.effect("reaches the webhooks of the host: when the stay is made, moved and cancelled", () =>
    Effect.gen(function* () {
      const { serveAndFetch, loadStays, propertyId, ...operator } = yield* prepare
      const polls = yield* makeDeliveryPolls
      const receiver = yield* startReceiver(respondWith(200))
      yield* createSubscription(receiver.port, { operator, events: ["reservation_created", "reservation_updated"] })
      const loadBodies = Effect.gen(function* () {
        yield* deliverAllDue(polls)
        return (yield* Queue.clear(receiver.requests)).map(({ body }): unknown => JSON.parse(body))
      })
      yield* serveAndFetch(toAirbnbFeed(BOOKING))
      const { reservation_code, stay_code } = (yield* loadStays)[0] ?? assert.fail("there is no stay")
      const toBody = (event: string, time: string) => ({
        event,
        reservation_code,
        stay_code,
        property_id: propertyId,
        timestamp: `2027-04-20T10:${time}:00Z`
      })
      assert.deepStrictEqual(yield* loadBodies, [toBody("reservation_created", "01")])
      yield* serveAndFetch(toAirbnbFeed({ ...BOOKING, end: "2027-05-05" }))
      assert.deepStrictEqual(yield* loadBodies, [toBody("reservation_updated", "02")])
      yield* serveAndFetch(toAirbnbFeed())
      yield* TestClock.adjust(16 * MINUTE_MS)
      assert.deepStrictEqual(yield* loadBodies, [])
      yield* serveAndFetch(toAirbnbFeed())
      assert.deepStrictEqual(yield* loadBodies, [toBody("reservation_updated", "20")])
    })
  )

  it.effect("stays erased when the calendar is fetched again", () =>
    Effect.gen(function* () {
      const { operatorId, serveAndFetch, readHouseCalendar, loadStays, api, as } = yield* prepare
      const booking = { uid: "1", start: "2027-05-01", end: "2027-05-04", summary: "Reserved - Melusine" }
      const description = "Phone Number (Last 4 Digits): 0815"
      const toFeed = (change: Partial<typeof booking> = {}) =>
        toVrboFeed({ ...booking, ...change }).replace("SUMMARY", `DESCRIPTION:${description}\r\nSUMMARY`)
      yield* serveAndFetch(toFeed())
      const { reservation_code } = (yield* loadStays)[0] ?? assert.fail("there is no stay")
      yield* TestClock.setTime(Date.parse("2027-05-01T16:00:00Z"))
      const before = yield* readHouseCalendar
      for (const detail of ["Melusine", "0815", reservation_code]) assert.include(before, detail)

      const matches = yield* findGuest(operatorId, { by: "order", value: reservation_code }, yield* DateTime.nowAsDate)
      yield* asSystemActor(eraseGuestMatches(matches))
      const feeds = [toFeed({ uid: "2" }), toFeed({ uid: "2", end: "2027-05-06" }), toFeed({ end: "2027-05-06" })]
      for (const feed of feeds) {
        yield* serveAndFetch(feed)
        const stays = yield* loadStays
        assert.lengthOf(stays, 1)
        assert.deepInclude(stays[0], { reservation_code, guest_name: null, guest_phone: null, channel_remarks: "" })
        for (const text of [JSON.stringify(stays), JSON.stringify(yield* as(api.list_imported_calendars({})))])
          for (const detail of ["Melusine", "0815"]) assert.notInclude(text, detail)
        const text = yield* readHouseCalendar
        for (const detail of ["Melusine", "0815", reservation_code]) assert.notInclude(text, detail)
        assert.lengthOf(readRentalControlCalendar(text), 1)
      }
      assert.strictEqual((yield* loadStays)[0]?.check_out_date, "2027-05-06")
    })
  )
})
