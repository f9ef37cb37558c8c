import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { RateWindows } from "../../../../../src/admission/windows/RateWindows.ts"
import { Comparisons } from "../../../../../src/domain/calendars/listing-calendars/Comparisons.ts"
import type { makeComparisonWorker } from "../../../../../src/domain/calendars/listing-calendars/comparison-worker.ts"
import { markAvailabilityChangesDue } from "../../../../../src/domain/calendars/listing-calendars/due-days.ts"
import { PushQueue } from "../../../../../src/domain/calendars/listing-calendars/PushQueue.ts"
import { FanOut } from "../../../../../src/domain/webhooks/deliveries/FanOut.ts"
import { InternalSubscribers } from "../../../../../src/jobs/events/internal-subscribers.ts"
import { insertProperty, layerService } from "../../../harness.ts"
import { insertListing } from "../../../listings.ts"
import { layerOwnDatabase } from "../../../own-database.ts"
import { loadListingUpdates, type PushWorker, prepareListing, pushAllDue } from "./push-service.ts"

// Properties with listings that follow their calendar; whoever hands out events and pushes is called by the test.

const layerFollowed = Layer.provide(FanOut.layer, Layer.succeed(InternalSubscribers, [markAvailabilityChangesDue]))

/** The service without rate windows, and what the workers need, over a database of its own. */
export const layerPushWorkers = Layer.mergeAll(PushQueue.layer, Comparisons.layer, layerFollowed).pipe(
  Layer.provideMerge(layerService(layerOwnDatabase, RateWindows.layerUnbounded))
)

/** An operator with a property that a listing sells, and one of a room type of three with another. */
export const createMappedProperties = Effect.gen(function* () {
  const scene = yield* prepareListing()
  const { operatorId, account, api, as } = scene
  const property = yield* insertProperty(operatorId, "Harbour 1")
  const listing = yield* insertListing(operatorId, account, { propertyId: property })
  const rooms: Array<number> = []
  for (const nth of [1, 2, 3]) rooms.push(yield* insertProperty(operatorId, `Room ${nth}`))
  const { room_type_id } = yield* api.create_room_type({ title: "Double", property_ids: rooms }).pipe(as)
  const double = yield* insertListing(operatorId, account, { roomTypeId: room_type_id })
  const close = (property_ids: ReadonlyArray<number>, ...dates: ReadonlyArray<string>) =>
    api.update_availabilities({ property_ids, available: false, dates }).pipe(as)
  const open = (property_ids: ReadonlyArray<number>, ...dates: ReadonlyArray<string>) =>
    api.update_availabilities({ property_ids, available: true, dates }).pipe(as)
  return { ...scene, property, listing, rooms, room_type_id, double, close, open }
})

/** Hands out all events; answers how many lanes that gave something to do. */
export const dispatchAllEvents = Effect.gen(function* () {
  const { dispatchNext } = yield* FanOut
  let followed = 0
  while (true) {
    const handed = yield* dispatchNext(yield* DateTime.nowAsDate)
    if (handed.events === 0) return followed
    followed += handed.followed
  }
})

/** What happened is told to the channels as far as it can be at this time of the clock. */
export const dispatchAndPush = (pushing: PushWorker) => Effect.andThen(dispatchAllEvents, pushAllDue(pushing))

/** The inventories that a listing was told, each call one line: `2027-05-01..2027-05-03 0, …`. */
export const loadPushedInventories = (listingId: string) =>
  Effect.map(loadListingUpdates(listingId), (all) =>
    all.flatMap(({ inventories }) =>
      inventories === undefined
        ? []
        : [
            inventories
              .map(({ start_date, end_date, inventory }) => `${start_date}..${end_date} ${inventory}`)
              .join(", ")
          ]
    )
  )

/** The lane of a listing. */
export const loadLane = Effect.fnUntraced(function* (listingId: string) {
  const sql = yield* SqlClient.SqlClient
  const [lane] = yield* sql<{ waiting: number; due: string; said: string; waits: boolean }>`
    SELECT waiting, due_days::text AS due, said_days::text AS said, calendar_waits AS waits FROM listing_lanes lane
    JOIN listings l ON l.operator_id = lane.operator_id AND l.id = lane.listing_row WHERE l.listing_id = ${listingId}`
  return lane
}, Effect.orDie)

export type ComparisonWorker = Effect.Success<typeof makeComparisonWorker>

/** Compares whatever is due at this time of the clock. */
export const compareAllDue = Effect.fnUntraced(function* (comparing: ComparisonWorker) {
  let underWay = true
  while (underWay) {
    yield* comparing.claimDue
    underWay = comparing.inProgress.size > 0
    yield* comparing.awaitIdle
  }
})
