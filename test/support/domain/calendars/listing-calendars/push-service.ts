import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { layerCurrentPricePushes } from "../../../../../src/domain/calendars/base-prices/missed-price-pushes.ts"
import { PushQueue } from "../../../../../src/domain/calendars/listing-calendars/PushQueue.ts"
import { pushJobs } from "../../../../../src/domain/calendars/listing-calendars/push-jobs.ts"
import { makeJobRunner } from "../../../../../src/jobs/job-runner.ts"
import { call, createOperator, layerService, type TestOperator, typedClient, withToken } from "../../../harness.ts"
import { type ChannelAccountOptions, insertChannelAccount, insertListing } from "../../../listings.ts"
import { layerOwnDatabase } from "../../../own-database.ts"
import { ScriptedChannel } from "../../../scripted-channel.ts"

// Listings at a scripted channel, and a worker whose every look is called by the test.

export const TODAY = "2027-04-20"
export const NOW = Date.parse(`${TODAY}T10:00:00Z`)

/** The service and what a worker needs, over a database of its own: a worker would take what other files' tests queue. */
export const layerPushService = Layer.provideMerge(
  Layer.merge(PushQueue.layer, layerCurrentPricePushes),
  layerService(layerOwnDatabase)
)

/** An operator with a listing, on a day in April. */
export const prepareListing = Effect.fnUntraced(function* (options: ChannelAccountOptions = {}) {
  yield* TestClock.setTime(NOW)
  const operator = yield* createOperator()
  return {
    ...(yield* createListing(operator, options)),
    ...operator,
    as: withToken(operator.token),
    api: yield* typedClient
  }
})

/** A listing of the operator at an account of its own. */
export const createListing = Effect.fnUntraced(function* (operator: TestOperator, options: ChannelAccountOptions = {}) {
  const channel_type = options.channelType ?? "airbnb"
  const account = yield* insertChannelAccount(operator.operatorId, options)
  const listing_id = yield* insertListing(operator.operatorId, account, { channelType: channel_type })
  const updatePrices = (...prices: ReadonlyArray<object>) =>
    call(operator.token, "update_listing_prices", { channel_type, listing_id, prices })
  return { channel_type, listing_id, account, updatePrices }
})

/** A price for a day of May. */
export const makeDayPrice = (price: number, day = "2027-05-01") => ({ start_date: day, end_date: day, price })

export const makePushWorker = makeJobRunner(pushJobs)

export type PushWorker = Effect.Success<typeof makePushWorker>

/** Pushes until nothing more goes at this time of the clock. */
export const pushAllDue = Effect.fnUntraced(function* (worker: PushWorker) {
  const channel = yield* ScriptedChannel
  let before = -1
  while (true) {
    yield* worker.claimDue
    yield* worker.awaitIdle
    const progress = (yield* channel.requests).length + (yield* countAttempts)
    if (progress === before) return
    before = progress
  }
})

/** How many tries have been written down. */
const countAttempts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ tries: number }>`SELECT coalesce(sum(attempts), 0)::int AS tries FROM listing_pushes`
  return row?.tries ?? 0
}).pipe(Effect.orDie)

/** The pushes of a listing, oldest first: `prices pushed after 1`. */
export const loadPushLines = Effect.fnUntraced(function* (listingId: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ kind: string; state: string; attempts: number; reason: string | null }>`
    SELECT p.kind, p.state, p.attempts, p.reason FROM listing_pushes p
    JOIN listings l ON l.operator_id = p.operator_id AND l.id = p.listing_row
    WHERE l.listing_id = ${listingId} ORDER BY p.id`
  return rows.map(
    ({ kind, state, attempts, reason }) => `${kind} ${state} after ${attempts}${reason === null ? "" : `: ${reason}`}`
  )
}, Effect.orDie)

/** What a listing was told that it took, oldest first. */
export const loadListingUpdates = (listingId: string) =>
  Effect.flatMap(ScriptedChannel, ({ listingUpdates: told }) =>
    Effect.map(told, (all) => all.filter((each) => each.listingId === listingId))
  )

/** The prices that a listing was told, each range one, oldest first. */
export const loadPushedPrices = (listingId: string) =>
  Effect.map(loadListingUpdates(listingId), (all) => all.flatMap(({ prices = [] }) => prices.map(({ price }) => price)))

/** The events of an operator about listings, oldest first. */
export const loadListingEvents = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ payload: object }>`
    SELECT payload FROM events WHERE operator_id = ${operatorId} AND event = 'listing_calendar_updated' ORDER BY id`
  return rows.map(({ payload }) => payload)
}, Effect.orDie)
