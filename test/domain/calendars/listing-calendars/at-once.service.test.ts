import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Random } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../../src/contract/time.ts"
import { PushQueue } from "../../../../src/domain/calendars/listing-calendars/PushQueue.ts"
import { EventDispatcher } from "../../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import {
  createMappedProperties,
  dispatchAllEvents,
  layerAvailabilityPushService,
  loadListingPartition
} from "../../../support/domain/calendars/listing-calendars/availability-push-service.ts"
import { makePushWorker } from "../../../support/domain/calendars/listing-calendars/push-service.ts"
import { call } from "../../../support/harness.ts"
import { insertListing } from "../../../support/listings.ts"
import { canOverlap } from "../../../support/overlapping-transactions.ts"
import { ScriptedChannel } from "../../../support/scripted-channel.ts"

// Whatever works at once: changes, who hands out their events, and workers of several processes. Here they are fibers with
// connections of their own.

const ROUNDS = canOverlap ? 40 : 15

layer(layerAvailabilityPushService)("what happens at once", (it) => {
  it.effect("leaves every channel with what there is, and nothing waiting", () =>
    Effect.gen(function* () {
      const {
        token,
        operatorId,
        account,
        propertyId: property,
        roomIds: rooms,
        double,
        mappedListingId: listing,
        open,
        close
      } = yield* createMappedProperties
      const channel = yield* ScriptedChannel
      const more = yield* Effect.forEach(Array.from({ length: 6 }), () =>
        insertListing(operatorId, account, { propertyId: property })
      )
      const listings = [listing, double, ...more]
      const all = [property, ...rooms]
      const { dispatchNext: next } = yield* EventDispatcher
      const queue = yield* PushQueue
      const days = Array.from({ length: 12 }, (_, at) => addDays("2027-06-01", at))
      const some = Effect.gen(function* () {
        const first = yield* Random.nextIntBetween(0, 11)
        const chosen = days.slice(first, first + (yield* Random.nextIntBetween(1, 5)))
        const which = all[yield* Random.nextIntBetween(0, all.length)] ?? property
        yield* ((yield* Random.nextBoolean) ? open : close)([which], ...chosen)
      })
      const says = Effect.forEach(listings, (listing_id) =>
        call(token, "update_listing_prices", {
          channel_type: "airbnb",
          listing_id,
          prices: [{ start_date: "2027-06-01", end_date: "2027-06-02", price: 100 }]
        })
      )
      const handing = Effect.flatMap(DateTime.nowAsDate, next)
      // A worker that dies with what it took, its lease over at once.
      const dying = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const now = yield* DateTime.nowAsDate
        const [lane] = yield* queue.claim(now, 1, [])
        if (lane === undefined) return
        if (lane.push_id === null) yield* queue.createCalendarPush(lane, now)
        yield* sql`UPDATE listing_lanes SET due_at = ${now} WHERE listing_row = ${lane.listing_row} AND attempts = ${lane.attempts}`
      })
      const workers = yield* Effect.all([makePushWorker, makePushWorker, makePushWorker])
      const working = (worker: (typeof workers)[0]) => Effect.andThen(worker.claimDue, worker.awaitIdle)
      const again = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.repeat(work, { times: ROUNDS })
      yield* Effect.all(
        [
          again(some),
          again(some),
          again(some),
          again(says),
          again(handing),
          again(handing),
          // Less than a lease in all: what somebody has in hand is nobody else's.
          again(TestClock.adjust("1 second")),
          again(dying),
          ...workers.map((each) => again(working(each)))
        ],
        { concurrency: "unbounded" }
      )
      const sql = yield* SqlClient.SqlClient
      yield* dispatchAllEvents
      for (let turn = 0; turn < 1_000; turn++) {
        yield* sql`UPDATE listing_lanes SET due_at = ${yield* DateTime.nowAsDate} WHERE waiting > 0`
        yield* working(workers[0])
        const [left] = yield* sql<{ waiting: number }>`SELECT sum(waiting)::int AS waiting FROM listing_lanes`
        if (left?.waiting === 0) break
      }
      const taken = yield* sql<{ day: string; properties: ReadonlyArray<number> }>`
        SELECT day, array_agg(property_id) AS properties FROM calendar_days WHERE operator_id = ${operatorId} AND closed GROUP BY day`
      const closed = (day: string, which: ReadonlyArray<number>) =>
        which.filter((id) => taken.some((each) => each.day === day && each.properties.map(Number).includes(id))).length
      for (const each of listings) {
        assert.deepStrictEqual(yield* loadListingPartition(each), { waiting: 0, due: "{}", said: "{}", waits: false })
        const sells = new Map<string, number>()
        for (const { inventories = [], listingId } of yield* channel.listingUpdates) {
          if (listingId !== each) continue
          for (const { start_date, end_date, inventory } of inventories)
            for (const day of days) if (start_date <= day && day <= end_date) sells.set(day, inventory)
        }
        for (const day of days) {
          const free = each === double ? 3 - closed(day, rooms) : 1 - closed(day, [property])
          assert.strictEqual(sells.get(day) ?? (each === double ? 3 : 1), free, `${each} ${day}`)
        }
      }
    })
  )
})
