import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { RateWindows } from "../../../../../src/admission/windows/RateWindows.ts"
import { layerCurrentPricePushes } from "../../../../../src/domain/calendars/base-prices/missed-price-pushes.ts"
import { ComparisonQueue } from "../../../../../src/domain/calendars/listing-calendars/ComparisonQueue.ts"
import { comparisonJobs } from "../../../../../src/domain/calendars/listing-calendars/comparison-jobs.ts"
import { markAvailabilityChangesDue } from "../../../../../src/domain/calendars/listing-calendars/due-days.ts"
import { PushQueue } from "../../../../../src/domain/calendars/listing-calendars/PushQueue.ts"
import { EventDispatcher } from "../../../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { InternalSubscribers } from "../../../../../src/jobs/events/internal-subscribers.ts"
import { makeJobRunner } from "../../../../../src/jobs/job-runner.ts"
import { insertProperty, layerService } from "../../../harness.ts"
import { insertListing } from "../../../listings.ts"
import { layerOwnDatabase } from "../../../own-database.ts"
import { loadListingUpdates, type PushWorker, prepareListing, pushAllDue } from "./push-service.ts"

// Properties with listings that follow their calendar; whoever hands out events and pushes is called by the test.

const layerEventFanOut = Layer.provide(
  EventDispatcher.layer,
  Layer.succeed(InternalSubscribers, [markAvailabilityChangesDue])
)

/** The service without rate windows, and what the workers need, over a database of its own. */
export const layerAvailabilityPushService = Layer.mergeAll(
  PushQueue.layer,
  layerCurrentPricePushes,
  ComparisonQueue.layer,
  layerEventFanOut
).pipe(Layer.provideMerge(layerService(layerOwnDatabase, RateWindows.layerUnbounded)))

/** An operator with a property that a listing sells, and one of a room type of three with another. */
export const createMappedProperties = Effect.gen(function* () {
  const host = yield* prepareListing()
  const { operatorId, account, api, as } = host
  const propertyId = yield* insertProperty(operatorId, "Harbour 1")
  const mappedListingId = yield* insertListing(operatorId, account, { propertyId })
  const roomIds: Array<number> = []
  for (const nth of [1, 2, 3]) roomIds.push(yield* insertProperty(operatorId, `Room ${nth}`))
  const { room_type_id } = yield* api.create_room_type({ title: "Double", property_ids: roomIds }).pipe(as)
  const roomTypeListingId = yield* insertListing(operatorId, account, { roomTypeId: room_type_id })
  const blockDates = (property_ids: ReadonlyArray<number>, ...dates: ReadonlyArray<string>) =>
    api.update_availabilities({ property_ids, available: false, dates }).pipe(as)
  const unblockDates = (property_ids: ReadonlyArray<number>, ...dates: ReadonlyArray<string>) =>
    api.update_availabilities({ property_ids, available: true, dates }).pipe(as)
  return {
    ...host,
    propertyId,
    mappedListingId,
    roomIds,
    room_type_id,
    double: roomTypeListingId,
    close: blockDates,
    open: unblockDates
  }
})

/** Hands out all events; answers how many lanes that gave something to do. */
export const dispatchAllEvents = Effect.gen(function* () {
  const { dispatchNext } = yield* EventDispatcher
  let partitionCount = 0
  while (true) {
    const dispatched = yield* dispatchNext(yield* DateTime.nowAsDate)
    if (dispatched.events === 0) return partitionCount
    partitionCount += dispatched.followed
  }
})

/** What happened is told to the channels as far as it can be at this time of the clock. */
export const dispatchAndPush = (worker: PushWorker) => Effect.andThen(dispatchAllEvents, pushAllDue(worker))

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
export const loadListingPartition = Effect.fnUntraced(function* (listingId: string) {
  const sql = yield* SqlClient.SqlClient
  const [partition] = yield* sql<{ waiting: number; due: string; said: string; waits: boolean }>`
    SELECT waiting, due_days::text AS due, said_days::text AS said, calendar_waits AS waits FROM listing_lanes lane
    JOIN listings l ON l.operator_id = lane.operator_id AND l.id = lane.listing_row WHERE l.listing_id = ${listingId}`
  return partition
}, Effect.orDie)

export const makeComparisonWorker = makeJobRunner(comparisonJobs)

export type ComparisonWorker = Effect.Success<typeof makeComparisonWorker>

/** Compares whatever is due at this time of the clock. */
export const compareAllDue = Effect.fnUntraced(function* (worker: ComparisonWorker) {
  let isBusy = true
  while (isBusy) {
    yield* worker.claimDue
    isBusy = worker.inProgress.size > 0
    yield* worker.awaitIdle
  }
})
