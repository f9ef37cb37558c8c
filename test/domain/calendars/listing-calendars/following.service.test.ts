import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../../src/contract/time.ts"
import { CALENDAR_COOLDOWN_MS } from "../../../../src/domain/calendars/listing-calendars/due-days.ts"
import { PushQueue } from "../../../../src/domain/calendars/listing-calendars/PushQueue.ts"
import type { ClaimedPush } from "../../../../src/domain/calendars/listing-calendars/push.ts"
import { PUSH_BACKOFF } from "../../../../src/domain/calendars/listing-calendars/push-jobs.ts"
import {
  PUSH_LEASE_MS,
  PUSHING_ACCOUNT_SHARE
} from "../../../../src/domain/calendars/listing-calendars/push-statements.ts"
import { ChannelNotServed, ChannelRefused, ChannelUnavailable } from "../../../../src/domain/channels/port/errors.ts"
import {
  AVAILABILITY_END_DAYS,
  LISTING_PUSH_GIVE_UP_MS,
  LISTING_RANGES_MAX,
  QUEUED_LISTING_PUSHES_MAX
} from "../../../../src/platform/limits.ts"
import { MANUAL_RESERVATION } from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import {
  createMappedProperties,
  dispatchAllEvents,
  dispatchAndPush,
  layerAvailabilityPushService,
  loadListingPartition,
  loadPushedInventories
} from "../../../support/domain/calendars/listing-calendars/availability-push-service.ts"
import {
  loadListingEvents,
  loadPushLines,
  makeDayPrice,
  makePushWorker,
  NOW,
  pushAllDue,
  TODAY
} from "../../../support/domain/calendars/listing-calendars/push-service.ts"
import { call } from "../../../support/harness.ts"
import { insertChannelAccount, insertListing } from "../../../support/listings.ts"
import { collectLogLines } from "../../../support/log-lines.ts"
import { ScriptedChannel } from "../../../support/scripted-channel.ts"

const unavailable = Effect.fail(new ChannelUnavailable({ code: 503 }))

const rested = TestClock.adjust(CALENDAR_COOLDOWN_MS)

layer(layerAvailabilityPushService)("a listing follows its calendar", (it) => {
  it.effect("when the host closes and opens, and its subscribers hear of the days that were told", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, mappedListingId: listing, close, open } = yield* createMappedProperties
      const pushing = yield* makePushWorker
      yield* close([property], "2027-05-01", "2027-05-02", "2027-05-09")
      yield* dispatchAndPush(pushing)
      assert.deepStrictEqual(yield* loadPushedInventories(listing), [
        "2027-05-01..2027-05-02 0, 2027-05-09..2027-05-09 0"
      ])
      assert.deepStrictEqual(yield* loadPushLines(listing), ["availability pushed after 1"])
      assert.deepStrictEqual(yield* loadListingEvents(operatorId), [
        { channel_type: "airbnb", listing_id: listing, start_date: "2027-05-01", end_date: "2027-05-09" }
      ])
      yield* open([property], "2027-05-02")
      yield* rested
      yield* dispatchAndPush(pushing)
      assert.deepStrictEqual((yield* loadPushedInventories(listing)).slice(1), ["2027-05-02..2027-05-02 1"])
      assert.deepStrictEqual(yield* loadListingPartition(listing), { waiting: 0, due: "{}", said: "{}", waits: false })
    })
  )

  it.effect("when an order comes, moves and is cancelled, and nothing more of nights that stay taken", () =>
    Effect.gen(function* () {
      const { api, as, propertyId: property, mappedListingId: listing, close } = yield* createMappedProperties
      const pushing = yield* makePushWorker
      const then = Effect.andThen(rested, dispatchAndPush(pushing))
      const { reservation_code } = yield* api
        .create_reservation({ ...MANUAL_RESERVATION, property_id: property })
        .pipe(as)
      yield* then
      yield* close([property], "2027-05-04")
      yield* then
      const { reservations } = yield* api.search_reservations({ reservation_code }).pipe(as)
      yield* api
        .update_reservation_basic({
          stay_code: reservations[0]?.stay_code ?? "",
          check_in_date: "2027-05-06",
          check_out_date: "2027-05-08"
        })
        .pipe(as)
      yield* then
      yield* api.cancel_reservation({ reservation_code }).pipe(as)
      yield* then
      assert.deepStrictEqual(yield* loadPushedInventories(listing), [
        "2027-05-04..2027-05-06 0",
        "2027-05-05..2027-05-05 1, 2027-05-07..2027-05-07 0",
        "2027-05-06..2027-05-07 1"
      ])
    })
  )

  it.effect("with how many properties of the room type are free, of those that are let", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        roomIds: rooms,
        double,
        mappedListingId: listing,
        close,
        open
      } = yield* createMappedProperties
      const [first = 0, second = 0, third = 0] = rooms
      const pushing = yield* makePushWorker
      const then = Effect.andThen(rested, dispatchAndPush(pushing))
      yield* close([first], "2027-05-01", "2027-05-02")
      yield* close([second], "2027-05-02", "2027-05-03")
      yield* close([third], "2027-05-02")
      yield* then
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE properties SET deactivated_at = now() WHERE operator_id = ${operatorId} AND id = ${third}`
      yield* open([first], "2027-05-01")
      yield* then
      assert.deepStrictEqual(yield* loadPushedInventories(double), [
        "2027-05-01..2027-05-01 2, 2027-05-02..2027-05-02 0, 2027-05-03..2027-05-03 2",
        "2027-05-01..2027-05-01 2"
      ])
      assert.deepStrictEqual(yield* loadPushedInventories(listing), [])
    })
  )

  it.effect("when a calendar of elsewhere takes days, and when the property is let no more", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, mappedListingId: listing } = yield* createMappedProperties
      const pushing = yield* makePushWorker
      const sql = yield* SqlClient.SqlClient
      const happened = (date: string, available: boolean) => sql`
        INSERT INTO events (operator_id, event, record, payload, queued_at)
        VALUES (${operatorId}, 'property_availability_updated', ${`property:${property}`}, ${JSON.stringify({
          property_id: property,
          availabilities: [{ date, available }]
        })}::jsonb, now())`
      yield* sql`
        INSERT INTO calendar_days (operator_id, property_id, day, imported)
        VALUES (${operatorId}, ${property}, '2027-05-07', 1)`
      yield* happened("2027-05-07", false)
      yield* dispatchAndPush(pushing)
      yield* rested
      yield* sql`UPDATE properties SET deactivated_at = now() WHERE operator_id = ${operatorId} AND id = ${property}`
      yield* happened("2027-06-01", false)
      yield* dispatchAndPush(pushing)
      assert.deepStrictEqual(yield* loadPushedInventories(listing), [
        "2027-05-07..2027-05-07 0",
        "2027-06-01..2027-06-01 0"
      ])
    })
  )

  it.effect("up to the last day that can be sold, and nothing of days beyond or over", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, mappedListingId: listing } = yield* createMappedProperties
      const pushing = yield* makePushWorker
      const sql = yield* SqlClient.SqlClient
      const last = addDays(TODAY, AVAILABILITY_END_DAYS)
      const days = [addDays(TODAY, -2), addDays(TODAY, -1), TODAY, last, addDays(last, 1), addDays(last, 2)]
      const happened = (dates: ReadonlyArray<string>) => sql`
        INSERT INTO events (operator_id, event, record, payload, queued_at)
        VALUES (${operatorId}, 'property_availability_updated', ${`property:${property}`}, ${JSON.stringify({
          property_id: property,
          availabilities: dates.map((date) => ({ date, available: true }))
        })}::jsonb, now())`
      yield* happened(days)
      yield* dispatchAndPush(pushing)
      assert.deepStrictEqual(yield* loadPushedInventories(listing), [`${TODAY}..${TODAY} 1, ${last}..${last} 1`])
      yield* rested
      yield* happened([addDays(TODAY, -1)])
      yield* dispatchAndPush(pushing)
      assert.lengthOf(yield* loadPushedInventories(listing), 1)
      assert.match(
        (yield* loadPushLines(listing)).join(),
        /^availability pushed after 1,availability pushed after 1: .*days/
      )
    })
  )

  it.effect("not when it is linked to nothing by then, is deleted there, or is a stranger's", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        account,
        propertyId: property,
        mappedListingId: listing,
        close
      } = yield* createMappedProperties
      const pushing = yield* makePushWorker
      const sql = yield* SqlClient.SqlClient
      const gone = yield* insertListing(operatorId, account, { propertyId: property })
      yield* sql`UPDATE listings SET shelf_status = 'deleted' WHERE listing_id = ${gone}`
      const other = yield* createMappedProperties
      yield* close([property], "2027-05-01")
      yield* dispatchAllEvents
      yield* sql`UPDATE listings SET property_id = NULL WHERE listing_id = ${listing}`
      yield* pushAllDue(pushing)
      assert.match((yield* loadPushLines(listing)).join(), /^availability pushed after 1: .*not mapped/)
      assert.isUndefined(yield* loadListingPartition(gone))
      assert.isUndefined(yield* loadListingPartition(other.mappedListingId))
      assert.deepStrictEqual(yield* loadListingEvents(operatorId), [])
    })
  )

  it.effect("a rest after the last push at most, also when the clock was set back", () =>
    Effect.gen(function* () {
      const { propertyId: property, mappedListingId: listing, close } = yield* createMappedProperties
      const pushing = yield* makePushWorker
      yield* TestClock.adjust("30 days")
      yield* close([property], "2027-07-01")
      yield* dispatchAndPush(pushing)
      yield* TestClock.setTime(NOW)
      yield* close([property], "2027-07-02")
      yield* dispatchAndPush(pushing)
      assert.lengthOf(yield* loadPushedInventories(listing), 1)
      yield* TestClock.adjust(CALENDAR_COOLDOWN_MS - 1)
      yield* pushAllDue(pushing)
      assert.lengthOf(yield* loadPushedInventories(listing), 1)
      yield* TestClock.adjust(1)
      yield* pushAllDue(pushing)
      assert.deepStrictEqual((yield* loadPushedInventories(listing)).slice(1), ["2027-07-02..2027-07-02 0"])
    })
  )

  it.effect("in few calls, however much changes", () =>
    Effect.gen(function* () {
      const { propertyId: property, mappedListingId: listing, close } = yield* createMappedProperties
      const pushing = yield* makePushWorker
      const days = Array.from({ length: 1_000 }, (_, at) => addDays("2027-05-01", at))
      // One after the other, while the worker is at it.
      for (const [nth, day] of days.entries()) {
        yield* close([property], day)
        if (nth % 100 === 0) yield* dispatchAndPush(pushing)
      }
      yield* rested
      yield* dispatchAndPush(pushing)
      const told = yield* loadPushedInventories(listing)
      assert.deepStrictEqual(told, ["2027-05-01..2027-05-01 0", `2027-05-02..${days.at(-1)} 0`])
    })
  )

  it.effect(`in one call for ${LISTING_RANGES_MAX} ranges of days, and in two for one more`, () =>
    Effect.gen(function* () {
      const { propertyId: property, mappedListingId: listing, close } = yield* createMappedProperties
      const pushing = yield* makePushWorker
      const every = (count: number) => Array.from({ length: count }, (_, at) => addDays("2027-05-01", 2 * at))
      yield* close([property], ...every(LISTING_RANGES_MAX))
      yield* dispatchAndPush(pushing)
      assert.lengthOf(yield* loadPushedInventories(listing), 1)
      const { propertyId: more, mappedListingId: another, close: shut } = yield* createMappedProperties
      yield* shut([more], ...every(LISTING_RANGES_MAX + 1))
      yield* dispatchAndPush(pushing)
      const calls = yield* loadPushedInventories(another)
      assert.deepStrictEqual(
        calls.map((each) => each.split(", ").length),
        [LISTING_RANGES_MAX, 1]
      )
      assert.deepStrictEqual(yield* loadPushLines(another), ["availability pushed after 1"])
    })
  )
})

layer(layerAvailabilityPushService)("a channel that is away", (it) => {
  it.effect("for an hour is told what there is then, each listing once, and what the host asked in order", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      const {
        token,
        operatorId,
        account,
        propertyId: property,
        mappedListingId: listing,
        double,
        roomIds: rooms,
        close,
        open
      } = yield* createMappedProperties
      const pushing = yield* makePushWorker
      const second = yield* insertListing(operatorId, account, { propertyId: property })
      const listings = [listing, second, double]
      for (const each of listings) yield* channel.setResponse(each, unavailable)
      const price = (amount: number) =>
        call(token, "update_listing_prices", {
          channel_type: "airbnb",
          listing_id: listing,
          prices: [makeDayPrice(amount)]
        })
      for (let minute = 0; minute < 60; minute++) {
        yield* (minute % 2 === 0 ? close : open)([property, rooms[0] ?? 0], "2027-05-01", addDays("2027-06-01", minute))
        if (minute % 20 === 0) yield* price(100 + minute)
        yield* dispatchAndPush(pushing)
        yield* TestClock.adjust("1 minute")
      }
      for (const each of listings) {
        assert.deepStrictEqual(yield* loadPushedInventories(each), [])
        yield* channel.setResponse(each, Effect.void)
      }
      yield* TestClock.adjust(2 * PUSH_BACKOFF.longestMs)
      yield* dispatchAndPush(pushing)
      // The last of the changes opened the first of May; of June and July every other day was closed, and that was all.
      const closed = Array.from({ length: 30 }, (_, at) => addDays("2027-06-01", 2 * at))
      const of = (full: number) =>
        [`2027-05-01..2027-05-01 ${full}`, ...closed.map((day) => `${day}..${day} ${full - 1}`)].join(", ")
      assert.deepStrictEqual(yield* loadPushedInventories(listing), [of(1)])
      assert.deepStrictEqual(yield* loadPushedInventories(second), [of(1)])
      assert.deepStrictEqual(yield* loadPushedInventories(double), [of(3)])
      const told = (yield* channel.listingUpdates).filter((each) => each.listingId === listing)
      assert.deepStrictEqual(
        told.flatMap(({ prices = [] }) => prices.map(({ price }) => price)),
        [100, 120, 140]
      )
      assert.lengthOf(
        (yield* loadPushLines(listing)).filter((each) => each.startsWith("availability")),
        1
      )
    })
  )

  it.effect("for a day is not told any more what was due then: that is dead, and what changed since goes on", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      const { operatorId, propertyId: property, mappedListingId: listing, close } = yield* createMappedProperties
      const pushing = yield* makePushWorker
      const sql = yield* SqlClient.SqlClient
      yield* channel.setResponse(listing, unavailable)
      yield* close([property], "2027-05-01")
      yield* dispatchAndPush(pushing)
      yield* sql`
        INSERT INTO listing_comparisons (operator_id, listing_row, account_id, property_id, due_at, compared_at)
        SELECT operator_id, id, account_id, property_id, ${new Date(NOW + 3 * LISTING_PUSH_GIVE_UP_MS)}, now() FROM listings
        WHERE listing_id = ${listing}`
      yield* TestClock.setTime(NOW + LISTING_PUSH_GIVE_UP_MS - 1)
      yield* sql`UPDATE listing_lanes SET due_at = ${new Date(NOW)} WHERE operator_id = ${operatorId}`
      yield* pushAllDue(pushing)
      assert.match((yield* loadPushLines(listing)).join(), /^availability waiting after 2: .*503/)
      yield* TestClock.setTime(NOW + LISTING_PUSH_GIVE_UP_MS)
      yield* sql`UPDATE listing_lanes SET due_at = ${new Date(NOW)} WHERE operator_id = ${operatorId}`
      const said = yield* collectLogLines(pushAllDue(pushing))
      assert.match((yield* loadPushLines(listing)).join(), /^availability dead after 3: .*503/)
      assert.deepStrictEqual(
        said.filter(({ level }) => level === "Warn").map(({ message }) => String(message).includes("503")),
        [true]
      )
      assert.deepStrictEqual(yield* loadListingPartition(listing), { waiting: 0, due: "{}", said: "{}", waits: false })
      const [comparison] = yield* sql<{
        due_at: Date
      }>`SELECT due_at FROM listing_comparisons WHERE operator_id = ${operatorId}`
      assert.strictEqual(comparison?.due_at.getTime(), NOW + LISTING_PUSH_GIVE_UP_MS)
      yield* channel.setResponse(listing, Effect.void)
      yield* close([property], "2027-05-02")
      yield* dispatchAllEvents
      yield* TestClock.adjust(2 * PUSH_BACKOFF.longestMs)
      yield* pushAllDue(pushing)
      assert.deepStrictEqual(yield* loadPushedInventories(listing), ["2027-05-02..2027-05-02 0"])
    })
  )

  it.effect(
    "for a calendar alone is told what the host asked for, once that was given up, whatever changes since",
    () =>
      Effect.gen(function* () {
        const channel = yield* ScriptedChannel
        const {
          operatorId,
          token,
          propertyId: property,
          mappedListingId: listing,
          close
        } = yield* createMappedProperties
        const pushing = yield* makePushWorker
        const sql = yield* SqlClient.SqlClient
        const byAct = Effect.flatMap(channel.requests, (acts) =>
          acts.at(-1)?.startsWith("inventories") === true ? unavailable : Effect.void
        )
        yield* channel.setResponse(listing, byAct)
        yield* close([property], "2027-05-01")
        yield* dispatchAndPush(pushing)
        yield* TestClock.setTime(NOW + LISTING_PUSH_GIVE_UP_MS)
        const prices = [makeDayPrice(1)]
        yield* call(token, "update_listing_prices", { channel_type: "airbnb", listing_id: listing, prices })
        yield* sql`UPDATE listing_lanes SET due_at = ${new Date(NOW)} WHERE operator_id = ${operatorId}`
        yield* pushAllDue(pushing)
        yield* close([property], "2027-05-02")
        yield* dispatchAllEvents
        yield* TestClock.adjust(2 * PUSH_BACKOFF.longestMs)
        yield* pushAllDue(pushing)
        assert.match(
          (yield* loadPushLines(listing)).join(),
          /^availability dead after 2: .*503.*,prices pushed after 1,availability waiting after 1: .*503/
        )
      })
  )

  it.effect("or refuses holds up nothing that comes later; that nothing here reaches it is no warning", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      const { propertyId: property, mappedListingId: listing, close } = yield* createMappedProperties
      const pushing = yield* makePushWorker
      yield* channel.setResponse(listing, Effect.fail(new ChannelRefused({ reason: "no" })))
      yield* close([property], "2027-05-01")
      const refused = yield* collectLogLines(dispatchAndPush(pushing))
      assert.lengthOf(
        refused.filter(({ level }) => level === "Warn"),
        1
      )
      yield* channel.setResponse(listing, Effect.fail(new ChannelNotServed({ channelType: "airbnb" })))
      yield* close([property], "2027-05-02")
      yield* rested
      const unserved = yield* collectLogLines(dispatchAndPush(pushing))
      assert.lengthOf(
        unserved.filter(({ level }) => level === "Warn"),
        0
      )
      assert.match(
        (yield* loadPushLines(listing)).join(),
        /^availability refused after 1: no,availability refused after 1: .*connector .*airbnb/
      )
      assert.deepStrictEqual(yield* loadListingPartition(listing), { waiting: 0, due: "{}", said: "{}", waits: false })
    })
  )
})

layer(layerAvailabilityPushService)("days that are due", (it) => {
  it.effect("while others are being told are the next push, told as they are then", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      const { propertyId: property, mappedListingId: listing, close, open } = yield* createMappedProperties
      const pushing = yield* makePushWorker
      const context = yield* Effect.context<
        Effect.Services<typeof dispatchAllEvents> | Effect.Services<ReturnType<typeof close>>
      >()
      const meanwhile = Effect.andThen(open([property], "2027-05-01"), dispatchAllEvents).pipe(
        Effect.provideContext(context),
        Effect.ignore
      )
      yield* channel.setResponse(listing, meanwhile)
      yield* close([property], "2027-05-01", "2027-05-02")
      yield* dispatchAndPush(pushing)
      yield* channel.setResponse(listing, Effect.void)
      yield* rested
      yield* pushAllDue(pushing)
      assert.deepStrictEqual(yield* loadPushedInventories(listing), [
        "2027-05-01..2027-05-02 0",
        "2027-05-01..2027-05-01 1"
      ])
    })
  )

  it.effect("go before what the host asked for, and one of that between two of theirs", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      const { token, propertyId: property, mappedListingId: listing, close } = yield* createMappedProperties
      const pushing = yield* makePushWorker
      const price = (amount: number) =>
        call(token, "update_listing_prices", {
          channel_type: "airbnb",
          listing_id: listing,
          prices: [makeDayPrice(amount)]
        })
      for (const amount of [1, 2, 3]) yield* price(amount)
      const context = yield* Effect.context<
        Effect.Services<typeof dispatchAllEvents> | Effect.Services<ReturnType<typeof close>>
      >()
      let day = 1
      const more = Effect.suspend(() => close([property], addDays("2027-05-01", day++))).pipe(
        Effect.andThen(dispatchAllEvents),
        Effect.provideContext(context),
        Effect.ignore
      )
      // Each push is followed by another change.
      yield* channel.setResponse(
        listing,
        Effect.suspend(() => (day < 5 ? more : Effect.void))
      )
      yield* close([property], "2027-05-01")
      yield* dispatchAndPush(pushing)
      yield* rested
      yield* pushAllDue(pushing)
      const acts = (yield* channel.requests).filter((each) => each.endsWith(listing)).map((each) => each.split(" ")[0])
      assert.deepStrictEqual(acts, ["inventories", "prices", "inventories", "prices", "inventories", "prices"])
      assert.deepStrictEqual(yield* loadListingPartition(listing), { waiting: 0, due: "{}", said: "{}", waits: false })
    })
  )

  it.effect("are nobody's to lose: whoever dies with them leaves them to the next, with what changed since", () =>
    Effect.gen(function* () {
      const { propertyId: property, mappedListingId: listing, close } = yield* createMappedProperties
      const queue = yield* PushQueue
      const take = Effect.flatMap(DateTime.nowAsDate, (now) => queue.claim(now, 10, []))
      yield* close([property], "2027-05-01")
      yield* dispatchAllEvents
      // Dies before it draws up, and another after.
      const [first] = yield* take
      assert(first !== undefined)
      assert.deepStrictEqual(yield* take, [])
      yield* TestClock.adjust(PUSH_LEASE_MS)
      const [second] = yield* take
      assert(second !== undefined)
      const now = yield* DateTime.nowAsDate
      assert.isUndefined(yield* queue.createCalendarPush(first, now))
      const drawn = yield* queue.createCalendarPush(second, now)
      assert.deepStrictEqual(drawn?.days, [{ start_date: "2027-05-01", end_date: "2027-05-01" }])
      yield* close([property], "2027-05-02")
      yield* dispatchAllEvents
      assert.deepInclude(yield* loadListingPartition(listing), { waiting: 2, waits: true })
      yield* TestClock.adjust(PUSH_LEASE_MS)
      yield* pushAllDue(yield* makePushWorker)
      assert.deepStrictEqual(yield* loadPushedInventories(listing), ["2027-05-01..2027-05-02 0"])
      assert.deepStrictEqual(yield* loadPushLines(listing), ["availability pushed after 1"])
      assert.deepStrictEqual(yield* loadListingPartition(listing), { waiting: 0, due: "{}", said: "{}", waits: false })
    })
  )

  it.effect("are not among what a host may have waiting", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      const { token, propertyId: property, mappedListingId: listing, close } = yield* createMappedProperties
      const pushing = yield* makePushWorker
      yield* channel.setResponse(listing, unavailable)
      yield* close([property], "2027-05-01")
      yield* dispatchAndPush(pushing)
      yield* close([property], "2027-05-02")
      yield* dispatchAllEvents
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        WITH lane AS (
          UPDATE listing_lanes l SET waiting = waiting + ${QUEUED_LISTING_PUSHES_MAX - 1} FROM listings
          WHERE listings.listing_id = ${listing} AND l.operator_id = listings.operator_id AND l.listing_row = listings.id
          RETURNING l.*
        )
        INSERT INTO listing_pushes (operator_id, listing_row, kind, ranges, created_at)
        SELECT operator_id, listing_row, 'prices', ${JSON.stringify([makeDayPrice(1)])}::jsonb, now()
        FROM lane, generate_series(1, ${QUEUED_LISTING_PUSHES_MAX - 1})`
      const price = call(token, "update_listing_prices", {
        channel_type: "airbnb",
        listing_id: listing,
        prices: [makeDayPrice(2)]
      })
      assert.strictEqual((yield* price).error_code, 0)
      assert.strictEqual((yield* price).error_code, 409)
    })
  )

  it.effect("of a greedy operator and of an account that hangs hold up nobody else's", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      const greedy = yield* createMappedProperties
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO listings (operator_id, account_id, channel_type, listing_id, title, currency, shelf_status, property_id,
          created_at, updated_at)
        SELECT ${greedy.operatorId}, ${greedy.account}, 'airbnb', 'greedy' || nth, 'Many', 'EUR', 'on', ${greedy.propertyId}, now(), now()
        FROM generate_series(1, 300) nth`
      for (let nth = 1; nth <= 300; nth++) yield* channel.setResponse(`greedy${nth}`, Effect.never)
      const account = yield* insertChannelAccount(greedy.operatorId)
      const own = yield* insertListing(greedy.operatorId, account, { propertyId: greedy.propertyId })
      yield* greedy.close([greedy.propertyId], "2027-05-01")
      const scope = yield* Scope.make()
      const pushing = yield* Scope.provide(makePushWorker, scope)
      yield* dispatchAllEvents
      yield* pushing.claimDue
      const quiet = yield* createMappedProperties
      yield* quiet.close([quiet.propertyId], "2027-05-01")
      yield* dispatchAllEvents
      for (let turn = 0; turn < 5; turn++) yield* Effect.andThen(pushing.claimDue, Effect.yieldNow)
      yield* Effect.repeat(loadPushedInventories(quiet.mappedListingId), { until: (told) => told.length === 1 })
      yield* Effect.repeat(loadPushedInventories(own), { until: (told) => told.length === 1 })
      yield* Effect.repeat(
        Effect.sync(() => pushing.inProgress.size),
        { until: (size) => size <= PUSHING_ACCOUNT_SHARE }
      )
    })
  )
})

layer(layerAvailabilityPushService)("what the host says of one listing", (it) => {
  const says = (token: string, listing_id: string, inventory: number, start_date: string, end_date = start_date) =>
    call(token, "update_listing_inventories", {
      channel_type: "airbnb",
      listing_id,
      inventories: [{ start_date, end_date, inventory }]
    })

  it.effect(
    "is told, but that nights of which there is nothing to sell can be sold; until the calendar changes there",
    () =>
      Effect.gen(function* () {
        const { token, propertyId: property, mappedListingId: listing, close, open } = yield* createMappedProperties
        const pushing = yield* makePushWorker
        yield* close([property], "2027-05-02")
        yield* dispatchAndPush(pushing)
        yield* says(token, listing, 4, "2027-05-01", "2027-05-03")
        yield* pushAllDue(pushing)
        assert.deepInclude(yield* loadListingPartition(listing), { said: "{[2027-05-01,2027-05-04)}" })
        yield* close([property], "2027-05-01")
        yield* rested
        yield* dispatchAndPush(pushing)
        yield* open([property], "2027-05-02")
        yield* rested
        yield* dispatchAndPush(pushing)
        assert.deepStrictEqual(yield* loadPushedInventories(listing), [
          "2027-05-02..2027-05-02 0",
          "2027-05-01..2027-05-01 4, 2027-05-02..2027-05-02 0, 2027-05-03..2027-05-03 4",
          "2027-05-01..2027-05-01 0",
          "2027-05-02..2027-05-02 1"
        ])
        assert.deepInclude(yield* loadListingPartition(listing), { said: "{[2027-05-03,2027-05-04)}" })
      })
  )

  it.effect("before the calendar changed is not its last word, in whatever order the two are told", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      const { token, propertyId: property, mappedListingId: listing, close, open } = yield* createMappedProperties
      const pushing = yield* makePushWorker
      yield* channel.setResponse(listing, unavailable)
      yield* says(token, listing, 4, "2027-05-01", "2027-05-02")
      yield* pushAllDue(pushing)
      yield* close([property], "2027-05-01")
      yield* open([property], "2027-05-01")
      yield* dispatchAllEvents
      yield* channel.setResponse(listing, Effect.void)
      yield* TestClock.adjust(PUSH_BACKOFF.longestMs)
      yield* pushAllDue(pushing)
      assert.deepStrictEqual(yield* loadPushedInventories(listing), [
        "2027-05-01..2027-05-01 1",
        "2027-05-01..2027-05-01 1, 2027-05-02..2027-05-02 4"
      ])
    })
  )

  it.effect(
    "and its channel refuses is not said, but for days he said something of since; of an unlinked one all is his",
    () =>
      Effect.gen(function* () {
        const channel = yield* ScriptedChannel
        const { token, mappedListingId: listing, listing_id } = yield* createMappedProperties
        const pushing = yield* makePushWorker
        yield* says(token, listing, 4, "2027-05-01", "2027-05-03")
        yield* says(token, listing, 5, "2027-05-02")
        let first = true
        yield* channel.setResponse(
          listing,
          Effect.suspend(() => {
            const refuses = first
            first = false
            return refuses ? Effect.fail(new ChannelRefused({ reason: "no" })) : Effect.void
          })
        )
        yield* pushAllDue(pushing)
        assert.deepInclude(yield* loadListingPartition(listing), { said: "{[2027-05-02,2027-05-03)}" })
        assert.deepStrictEqual(yield* loadPushedInventories(listing), ["2027-05-02..2027-05-02 5"])
        yield* says(token, listing_id, 7, "2027-05-01", "2027-05-03")
        yield* pushAllDue(pushing)
        assert.deepStrictEqual(yield* loadPushedInventories(listing_id), ["2027-05-01..2027-05-03 7"])
      })
  )

  it.effect("is looked into in its turn, and not with each that goes before it: a thousand may wait", () =>
    Effect.gen(function* () {
      const { token, mappedListingId: listing } = yield* createMappedProperties
      const prices = [makeDayPrice(1)]
      yield* call(token, "update_listing_prices", { channel_type: "airbnb", listing_id: listing, prices })
      yield* says(token, listing, 4, "2027-05-01")
      const sql = yield* SqlClient.SqlClient
      // Whoever looks into it fails.
      yield* sql`UPDATE listing_pushes SET ranges = '"much"' WHERE kind = 'inventories' AND settled_at IS NULL`
      const queue = yield* PushQueue
      const taken = Effect.gen(function* () {
        const [lane] = yield* queue.claim(yield* DateTime.nowAsDate, 1, [])
        return lane ?? (yield* Effect.die(new Error("nothing is due")))
      })
      const inHand = (lane: ClaimedPush) => ({ claimedPush: lane, push_id: lane.push_id ?? 0, ranges: undefined })
      const now = yield* DateTime.nowAsDate
      const nothingMissed = { misses_prices: false, misses_stay_lengths: false }
      const [first, span] = [yield* taken, { start_date: "2027-05-01", end_date: "2027-05-01" }]
      assert.deepInclude(yield* queue.loadInventory(first, span), { linked: true, said: [span], untold: [] })
      assert.deepStrictEqual(yield* queue.fail(inHand(first), "away", now, now), {
        pushes: 0,
        of_calendar: false,
        ...nothingMissed
      })
      assert.deepStrictEqual(yield* queue.refuse(inHand(yield* taken), "no", now), nothingMissed)
    })
  )
})
