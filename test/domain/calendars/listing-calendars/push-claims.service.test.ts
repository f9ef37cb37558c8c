import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PushQueue } from "../../../../src/domain/calendars/listing-calendars/PushQueue.ts"
import type { ClaimedPush } from "../../../../src/domain/calendars/listing-calendars/push.ts"
import { layerPushJobs, PUSH_POLL_GAP_MS } from "../../../../src/domain/calendars/listing-calendars/push-jobs.ts"
import {
  PUSH_LEASE_MS,
  PUSHING_ACCOUNT_SHARE,
  PUSHING_ROOM,
  PUSHING_SHARE
} from "../../../../src/domain/calendars/listing-calendars/push-statements.ts"
import { CHANNEL_ACTION_TIMEOUT_MS } from "../../../../src/domain/channels/port/channel-api-errors.ts"
import { COMPLETION_RETRIES, COMPLETION_RETRY_MS } from "../../../../src/jobs/job-runner.ts"
import {
  createListing,
  layerPushService,
  loadListingEvents,
  loadPushedPrices,
  loadPushLines,
  makeDayPrice,
  makePushWorker,
  prepareListing,
  pushAllDue
} from "../../../support/domain/calendars/listing-calendars/push-service.ts"
import { createOperator } from "../../../support/harness.ts"
import { insertChannelAccount } from "../../../support/listings.ts"
import { ScriptedChannel } from "../../../support/scripted-channel.ts"

const claimPushes = (maxJobs: number, inProgress: ReadonlyArray<ClaimedPush> = []) =>
  Effect.flatMap(PushQueue, (queue) =>
    Effect.flatMap(DateTime.nowAsDate, (now) => queue.claim(now, maxJobs, inProgress))
  )

/** Returns a claimed push of the host as a push in progress. */
const toPushInProgress = (claimedPush: ClaimedPush) => {
  assert(claimedPush.push_id !== null)
  return { claimedPush, push_id: claimedPush.push_id, ranges: undefined }
}

/** Deletes the pushes of earlier tests. */
const emptyQueue = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`TRUNCATE listing_lanes, listing_pushes`)

const loadPartitions = (operatorId: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ waiting: number; attempts: number; failures: number }>`
      SELECT waiting, attempts, failures FROM listing_lanes WHERE operator_id = ${operatorId}`
  )

/** Inserts listings of the operator with one pending push each. */
const insertPendingPartitions = Effect.fnUntraced(function* (
  operatorId: number,
  account: number,
  count: number,
  prefix = "L"
) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.nowAsDate
  yield* sql`
    WITH made AS (
      INSERT INTO listings (operator_id, account_id, channel_type, listing_id, title, currency, shelf_status, created_at,
        updated_at)
      SELECT ${operatorId}, ${account}, 'airbnb', ${prefix} || nth, 'Many', 'EUR', 'on', ${now}, ${now}
      FROM generate_series(1, ${count}) nth RETURNING operator_id, id
    ), lane AS (
      INSERT INTO listing_lanes (operator_id, listing_row, account_id, due_at, waiting)
      SELECT operator_id, id, ${account}, ${now}, 1 FROM made
    )
    INSERT INTO listing_pushes (operator_id, listing_row, kind, ranges, created_at)
    SELECT operator_id, id, 'prices', ${JSON.stringify([makeDayPrice(1)])}::jsonb, ${now} FROM made`
})

layer(layerPushService)("a worker", (it) => {
  it.effect("claims a queue partition for longer than an attempt takes, and then another worker can claim it", () =>
    Effect.gen(function* () {
      yield* emptyQueue
      assert.isAbove(PUSH_LEASE_MS, CHANNEL_ACTION_TIMEOUT_MS + COMPLETION_RETRIES * COMPLETION_RETRY_MS)
      const { operatorId, listing_id, updatePrices: prices } = yield* prepareListing()
      const queue = yield* PushQueue
      yield* prices(makeDayPrice(1))
      const [first] = yield* claimPushes(10)
      assert(first !== undefined)
      // A push that comes meanwhile is pending until the one in progress is complete.
      yield* prices(makeDayPrice(2))
      yield* TestClock.adjust(PUSH_LEASE_MS - 1)
      assert.deepStrictEqual(yield* claimPushes(10), [])
      yield* TestClock.adjust(1)
      const [second] = yield* claimPushes(10)
      assert(second !== undefined)
      assert.deepStrictEqual(second, { ...first, attempts: 2 })

      // The first worker comes back after its lease. Its outcomes change nothing, because the second holds the claim.
      const now = yield* DateTime.nowAsDate
      const span = { start_date: "2027-05-01", end_date: "2027-05-01" }
      yield* queue.complete(toPushInProgress(first), span, now)
      yield* queue.refuse(toPushInProgress(first), "no", now)
      yield* queue.fail(toPushInProgress(first), "away", now, now)
      yield* queue.release(first, now)
      assert.deepStrictEqual(yield* loadPushLines(listing_id), ["prices waiting after 0", "prices waiting after 0"])
      assert.deepStrictEqual(yield* claimPushes(10), [])

      // A repeat after a lost response of the database.
      for (let time = 0; time < 2; time++) yield* queue.complete(toPushInProgress(second), span, now)
      assert.deepStrictEqual(yield* loadPushLines(listing_id), ["prices pushed after 1", "prices waiting after 0"])
      assert.lengthOf(yield* loadListingEvents(operatorId), 1)
      assert.deepStrictEqual(yield* loadPartitions(operatorId), [{ waiting: 1, attempts: 2, failures: 0 }])
      const [third] = yield* claimPushes(10)
      assert(third !== undefined)
      for (let time = 0; time < 2; time++) yield* queue.fail(toPushInProgress(third), "away", now, now)
      assert.deepStrictEqual(yield* loadPartitions(operatorId), [{ waiting: 1, attempts: 3, failures: 1 }])
      const [fourth] = yield* claimPushes(10)
      assert(fourth !== undefined)
      for (let time = 0; time < 2; time++) yield* queue.refuse(toPushInProgress(fourth), "no", now)
      assert.deepStrictEqual(yield* loadPartitions(operatorId), [{ waiting: 0, attempts: 4, failures: 0 }])
      assert.deepStrictEqual(yield* loadPushLines(listing_id), ["prices pushed after 1", "prices refused after 2: no"])
    })
  )

  it.effect("releases its pushes when it stops, and the next worker sends them at once", () =>
    Effect.gen(function* () {
      yield* emptyQueue
      const channel = yield* ScriptedChannel
      const { listing_id, updatePrices: prices } = yield* prepareListing()
      const began = yield* Deferred.make<void>()
      yield* channel.setResponse(listing_id, Effect.andThen(Deferred.succeed(began, undefined), Effect.never))
      yield* prices(makeDayPrice(1))
      yield* prices(makeDayPrice(2))
      const scope = yield* Scope.make()
      const pushing = yield* Scope.provide(makePushWorker, scope)
      yield* pushing.claimDue
      yield* Deferred.await(began)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(closing)
      yield* channel.setResponse(listing_id, Effect.void)
      yield* pushAllDue(yield* makePushWorker)
      assert.deepStrictEqual(yield* loadPushedPrices(listing_id), [1, 2])
      assert.deepStrictEqual(yield* loadPushLines(listing_id), ["prices pushed after 1", "prices pushed after 1"])
    })
  )

  it.effect(
    `claims at most ${PUSHING_SHARE} pushes of an operator, and serves a quiet operator beside one with 5,000`,
    () =>
      Effect.gen(function* () {
        yield* emptyQueue
        const greedy = yield* prepareListing()
        const accounts = PUSHING_SHARE / PUSHING_ACCOUNT_SHARE + 1
        for (let nth = 0; nth < accounts; nth++) {
          const account = yield* insertChannelAccount(greedy.operatorId)
          yield* insertPendingPartitions(greedy.operatorId, account, 5_000 / accounts, `G${nth}-`)
        }
        const quiet = yield* prepareListing()
        // Due later than all pushes of the busy operator.
        yield* TestClock.adjust("2 minutes")
        yield* quiet.updatePrices(makeDayPrice(7))
        const owners = (pushes: ReadonlyArray<ClaimedPush>) => pushes.map((each) => each.operator_id).toSorted()
        const first = yield* claimPushes(PUSHING_ROOM)
        assert.deepStrictEqual(
          owners(first),
          [...Array.from({ length: PUSHING_SHARE }, () => greedy.operatorId), quiet.operatorId].toSorted()
        )
        assert.lengthOf(yield* claimPushes(PUSHING_ROOM - first.length, first), 0)
        // The operator with the fewest pushes in progress gets the free slot, though pushes of the other have been due for longer.
        const another = yield* createListing(quiet)
        yield* another.updatePrices(makeDayPrice(8))
        const ofGreedy = first.filter((each) => each.operator_id === greedy.operatorId)
        const [next] = yield* claimPushes(1, ofGreedy.slice(1))
        assert.strictEqual(next?.operator_id, quiet.operatorId)
        assert.strictEqual((yield* claimPushes(1, ofGreedy.slice(1)))[0]?.operator_id, greedy.operatorId)
      })
  )

  it.effect(`claims at most ${PUSHING_ACCOUNT_SHARE} pushes of an account, so a hanging account delays no other`, () =>
    Effect.gen(function* () {
      yield* emptyQueue
      const own = yield* prepareListing()
      yield* insertPendingPartitions(own.operatorId, own.account, 50)
      yield* TestClock.adjust("2 minutes")
      const other = yield* insertChannelAccount(own.operatorId)
      yield* insertPendingPartitions(own.operatorId, other, 1, "O")
      const first = yield* claimPushes(PUSHING_ROOM)
      assert.deepStrictEqual(
        first.map((each) => each.account_id).toSorted((one, two) => one - two),
        [...Array.from({ length: PUSHING_ACCOUNT_SHARE }, () => own.account), other]
      )
      assert.lengthOf(yield* claimPushes(PUSHING_ROOM, first), 0)
      yield* insertPendingPartitions(own.operatorId, other, 1, "P")
      assert.deepStrictEqual(
        (yield* claimPushes(PUSHING_ROOM, first)).map((each) => each.account_id),
        [other]
      )
    })
  )

  it.effect(`has at most ${PUSHING_ROOM} pushes in progress`, () =>
    Effect.gen(function* () {
      yield* emptyQueue
      const channel = yield* ScriptedChannel
      const pushing = yield* makePushWorker
      const [gate, begun] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let [inProgress, mostInProgress, started] = [0, 0, 0]
      const act = Effect.gen(function* () {
        mostInProgress = Math.max(mostInProgress, ++inProgress)
        if (++started === PUSHING_ROOM) yield* Deferred.succeed(begun, undefined)
        yield* Deferred.await(gate)
        inProgress--
      })
      for (let nth = 0; nth < PUSHING_ROOM / PUSHING_ACCOUNT_SHARE + 1; nth++) {
        const { operatorId, account } = yield* prepareListing()
        yield* insertPendingPartitions(operatorId, account, PUSHING_ACCOUNT_SHARE)
      }
      for (let nth = 1; nth <= PUSHING_ACCOUNT_SHARE; nth++) yield* channel.setResponse(`L${nth}`, act)
      yield* pushing.claimDue
      yield* Deferred.await(begun)
      yield* pushing.claimDue
      yield* Deferred.succeed(gate, undefined)
      yield* pushAllDue(pushing)
      assert.deepStrictEqual([mostInProgress, started], [PUSHING_ROOM, PUSHING_ROOM + PUSHING_ACCOUNT_SHARE])
    })
  )

  it.effect("is woken by a call that adds a push", () =>
    Effect.gen(function* () {
      yield* emptyQueue
      const { operatorId, listing_id, updatePrices: prices } = yield* prepareListing()
      yield* Layer.build(layerPushJobs)
      const countSent = Effect.map(loadPushedPrices(listing_id), (all) => all.length)
      for (const price of [1, 2, 3]) {
        yield* prices(makeDayPrice(price))
        // Far less than a worker that only polls would need.
        yield* Effect.repeat(Effect.andThen(TestClock.adjust(1), countSent), { until: (count) => count === price })
        yield* TestClock.adjust(PUSH_POLL_GAP_MS)
      }
      yield* Effect.repeat(loadListingEvents(operatorId), { until: (events) => events.length === 3 })
    })
  )

  it.effect("sends all pushes that concurrent calls add while it works, in order", () =>
    Effect.gen(function* () {
      yield* emptyQueue
      const scene = yield* prepareListing()
      const other = yield* createListing(yield* createOperator())
      const [one, two] = [yield* makePushWorker, yield* makePushWorker]
      const addPushes = (price: number) =>
        Effect.all([scene.updatePrices(makeDayPrice(price)), other.updatePrices(makeDayPrice(price))])
      const prices = Array.from({ length: 40 }, (_, at) => at + 1)
      const adding = yield* Effect.forkChild(Effect.forEach(prices, addPushes, { concurrency: 8 }))
      while (adding.pollUnsafe() === undefined) {
        yield* Effect.all([one.claimDue, two.claimDue], { concurrency: 2 })
        yield* Effect.all([one.awaitIdle, two.awaitIdle])
      }
      yield* pushAllDue(one)
      for (const { listing_id } of [scene, other]) {
        const sentPrices = yield* loadPushedPrices(listing_id)
        assert.deepStrictEqual(
          sentPrices.toSorted((a, b) => a - b),
          prices
        )
        // In the order in which they were accepted.
        const sql = yield* SqlClient.SqlClient
        const kept = yield* sql<{ price: number }>`
          SELECT (p.ranges->0->>'price')::int AS price FROM listing_pushes p
          JOIN listings l ON l.operator_id = p.operator_id AND l.id = p.listing_row
          WHERE l.listing_id = ${listing_id} ORDER BY p.id`
        assert.deepStrictEqual(
          sentPrices,
          kept.map(({ price }) => price)
        )
      }
      assert.deepStrictEqual(
        (yield* loadPartitions(scene.operatorId)).map(({ waiting }) => waiting),
        [0]
      )
    })
  )
})
