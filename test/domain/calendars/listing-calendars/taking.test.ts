import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PUSH_LEASE_MS, PushQueue } from "../../../../src/domain/calendars/listing-calendars/PushQueue.ts"
import type { ClaimedPush } from "../../../../src/domain/calendars/listing-calendars/push.ts"
import {
  layerPushWorker,
  makePushWorker,
  PUSH_POLL_GAP_MS
} from "../../../../src/domain/calendars/listing-calendars/push-worker.ts"
import {
  PUSHING_ACCOUNT_SHARE,
  PUSHING_ROOM,
  PUSHING_SHARE
} from "../../../../src/domain/calendars/listing-calendars/taking.ts"
import { CHANNEL_ACTION_TIMEOUT_MS } from "../../../../src/domain/channels/port/channel-api-errors.ts"
import { COMPLETION_RETRIES, COMPLETION_RETRY_MS } from "../../../../src/jobs/timed-work.ts"
import {
  createListing,
  layerPushService,
  loadListingEvents,
  loadPushedPrices,
  loadPushLines,
  makeDayPrice,
  prepareListing,
  pushAllDue
} from "../../../support/domain/calendars/listing-calendars/push-service.ts"
import { createOperator } from "../../../support/harness.ts"
import { insertChannelAccount } from "../../../support/listings.ts"
import { ScriptedChannel } from "../../../support/scripted-channel.ts"

const take = (most: number, underWay: ReadonlyArray<ClaimedPush> = []) =>
  Effect.flatMap(PushQueue, (queue) => Effect.flatMap(DateTime.nowAsDate, (now) => queue.take(now, most, underWay)))

/** A push of the host's in a worker's hands. */
const held = (claimedPush: ClaimedPush) => {
  assert(claimedPush.push_id !== null)
  return { claimedPush, push_id: claimedPush.push_id, ranges: undefined }
}

/** Nothing of the tests before waits any more. */
const emptied = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`TRUNCATE listing_lanes, listing_pushes`)

const lanesOf = (operatorId: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ waiting: number; attempts: number; failures: number }>`
      SELECT waiting, attempts, failures FROM listing_lanes WHERE operator_id = ${operatorId}`
  )

/** So many listings of the operator's that something waits for, as of now. */
const waitingLanes = Effect.fnUntraced(function* (operatorId: number, account: number, count: number, prefix = "L") {
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
  it.effect("has a lane to itself for longer than it may take, and then another has it", () =>
    Effect.gen(function* () {
      yield* emptied
      assert.isAbove(PUSH_LEASE_MS, CHANNEL_ACTION_TIMEOUT_MS + COMPLETION_RETRIES * COMPLETION_RETRY_MS)
      const { operatorId, listing_id, updatePrices: prices } = yield* prepareListing()
      const queue = yield* PushQueue
      yield* prices(makeDayPrice(1))
      const [first] = yield* take(10)
      assert(first !== undefined)
      // What comes meanwhile waits for what is under way.
      yield* prices(makeDayPrice(2))
      yield* TestClock.adjust(PUSH_LEASE_MS - 1)
      assert.deepStrictEqual(yield* take(10), [])
      yield* TestClock.adjust(1)
      const [second] = yield* take(10)
      assert(second !== undefined)
      assert.deepStrictEqual(second, { ...first, attempts: 2 })

      // The first comes back: whatever it says, the second is at it, and the push is not lost.
      const now = yield* DateTime.nowAsDate
      const span = { start_date: "2027-05-01", end_date: "2027-05-01" }
      yield* queue.complete(held(first), span, now)
      yield* queue.refuse(held(first), "no", now)
      yield* queue.fail(held(first), "away", now, now)
      yield* queue.release(first, now)
      assert.deepStrictEqual(yield* loadPushLines(listing_id), ["prices waiting after 0", "prices waiting after 0"])
      assert.deepStrictEqual(yield* take(10), [])

      // Nobody heard the database's answer, and says it again.
      for (let time = 0; time < 2; time++) yield* queue.complete(held(second), span, now)
      assert.deepStrictEqual(yield* loadPushLines(listing_id), ["prices pushed after 1", "prices waiting after 0"])
      assert.lengthOf(yield* loadListingEvents(operatorId), 1)
      assert.deepStrictEqual(yield* lanesOf(operatorId), [{ waiting: 1, attempts: 2, failures: 0 }])
      const [third] = yield* take(10)
      assert(third !== undefined)
      for (let time = 0; time < 2; time++) yield* queue.fail(held(third), "away", now, now)
      assert.deepStrictEqual(yield* lanesOf(operatorId), [{ waiting: 1, attempts: 3, failures: 1 }])
      const [fourth] = yield* take(10)
      assert(fourth !== undefined)
      for (let time = 0; time < 2; time++) yield* queue.refuse(held(fourth), "no", now)
      assert.deepStrictEqual(yield* lanesOf(operatorId), [{ waiting: 0, attempts: 4, failures: 0 }])
      assert.deepStrictEqual(yield* loadPushLines(listing_id), ["prices pushed after 1", "prices refused after 2: no"])
    })
  )

  it.effect("that is stopped hands back what it has under way, to be told at once by the next", () =>
    Effect.gen(function* () {
      yield* emptied
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

  it.effect(`takes ${PUSHING_SHARE} of an operator at most, and a quiet one's beside 5,000 of a greedy one`, () =>
    Effect.gen(function* () {
      yield* emptied
      const greedy = yield* prepareListing()
      const accounts = PUSHING_SHARE / PUSHING_ACCOUNT_SHARE + 1
      for (let nth = 0; nth < accounts; nth++) {
        const account = yield* insertChannelAccount(greedy.operatorId)
        yield* waitingLanes(greedy.operatorId, account, 5_000 / accounts, `G${nth}-`)
      }
      const quiet = yield* prepareListing()
      // Due later than all of the greedy one's.
      yield* TestClock.adjust("2 minutes")
      yield* quiet.updatePrices(makeDayPrice(7))
      const owners = (taken: ReadonlyArray<ClaimedPush>) => taken.map((each) => each.operator_id).toSorted()
      const first = yield* take(PUSHING_ROOM)
      assert.deepStrictEqual(
        owners(first),
        [...Array.from({ length: PUSHING_SHARE }, () => greedy.operatorId), quiet.operatorId].toSorted()
      )
      assert.lengthOf(yield* take(PUSHING_ROOM - first.length, first), 0)
      // One place is free, and the one who has fewest under way gets it, though the other's have been due for longer.
      const another = yield* createListing(quiet)
      yield* another.updatePrices(makeDayPrice(8))
      const ofGreedy = first.filter((each) => each.operator_id === greedy.operatorId)
      const [next] = yield* take(1, ofGreedy.slice(1))
      assert.strictEqual(next?.operator_id, quiet.operatorId)
      assert.strictEqual((yield* take(1, ofGreedy.slice(1)))[0]?.operator_id, greedy.operatorId)
    })
  )

  it.effect(`takes ${PUSHING_ACCOUNT_SHARE} of an account at most: one that hangs holds up no other`, () =>
    Effect.gen(function* () {
      yield* emptied
      const own = yield* prepareListing()
      yield* waitingLanes(own.operatorId, own.account, 50)
      yield* TestClock.adjust("2 minutes")
      const other = yield* insertChannelAccount(own.operatorId)
      yield* waitingLanes(own.operatorId, other, 1, "O")
      const first = yield* take(PUSHING_ROOM)
      assert.deepStrictEqual(
        first.map((each) => each.account_id).toSorted((one, two) => one - two),
        [...Array.from({ length: PUSHING_ACCOUNT_SHARE }, () => own.account), other]
      )
      assert.lengthOf(yield* take(PUSHING_ROOM, first), 0)
      yield* waitingLanes(own.operatorId, other, 1, "P")
      assert.deepStrictEqual(
        (yield* take(PUSHING_ROOM, first)).map((each) => each.account_id),
        [other]
      )
    })
  )

  it.effect(`has ${PUSHING_ROOM} under way at most`, () =>
    Effect.gen(function* () {
      yield* emptied
      const channel = yield* ScriptedChannel
      const pushing = yield* makePushWorker
      const [gate, begun] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let [underWay, most, started] = [0, 0, 0]
      const act = Effect.gen(function* () {
        most = Math.max(most, ++underWay)
        if (++started === PUSHING_ROOM) yield* Deferred.succeed(begun, undefined)
        yield* Deferred.await(gate)
        underWay--
      })
      for (let nth = 0; nth < PUSHING_ROOM / PUSHING_ACCOUNT_SHARE + 1; nth++) {
        const { operatorId, account } = yield* prepareListing()
        yield* waitingLanes(operatorId, account, PUSHING_ACCOUNT_SHARE)
      }
      for (let nth = 1; nth <= PUSHING_ACCOUNT_SHARE; nth++) yield* channel.setResponse(`L${nth}`, act)
      yield* pushing.claimDue
      yield* Deferred.await(begun)
      yield* pushing.claimDue
      yield* Deferred.succeed(gate, undefined)
      yield* pushAllDue(pushing)
      assert.deepStrictEqual([most, started], [PUSHING_ROOM, PUSHING_ROOM + PUSHING_ACCOUNT_SHARE])
    })
  )

  it.effect("is woken by the call", () =>
    Effect.gen(function* () {
      yield* emptied
      const { operatorId, listing_id, updatePrices: prices } = yield* prepareListing()
      yield* Layer.build(layerPushWorker)
      const told = Effect.map(loadPushedPrices(listing_id), (all) => all.length)
      for (const price of [1, 2, 3]) {
        yield* prices(makeDayPrice(price))
        // Far less than a worker that only polls would need.
        yield* Effect.repeat(Effect.andThen(TestClock.adjust(1), told), { until: (count) => count === price })
        yield* TestClock.adjust(PUSH_POLL_GAP_MS)
      }
      yield* Effect.repeat(loadListingEvents(operatorId), { until: (events) => events.length === 3 })
    })
  )

  it.effect("misses nothing of what many put there at once while it is at work", () =>
    Effect.gen(function* () {
      yield* emptied
      const scene = yield* prepareListing()
      const other = yield* createListing(yield* createOperator())
      const [one, two] = [yield* makePushWorker, yield* makePushWorker]
      const put = (price: number) =>
        Effect.all([scene.updatePrices(makeDayPrice(price)), other.updatePrices(makeDayPrice(price))])
      const prices = Array.from({ length: 40 }, (_, at) => at + 1)
      const putting = yield* Effect.forkChild(Effect.forEach(prices, put, { concurrency: 8 }))
      while (putting.pollUnsafe() === undefined) {
        yield* Effect.all([one.claimDue, two.claimDue], { concurrency: 2 })
        yield* Effect.all([one.awaitIdle, two.awaitIdle])
      }
      yield* pushAllDue(one)
      for (const { listing_id } of [scene, other]) {
        const told = yield* loadPushedPrices(listing_id)
        assert.deepStrictEqual(
          told.toSorted((a, b) => a - b),
          prices
        )
        // In the order in which they were accepted.
        const sql = yield* SqlClient.SqlClient
        const kept = yield* sql<{ price: number }>`
          SELECT (p.ranges->0->>'price')::int AS price FROM listing_pushes p
          JOIN listings l ON l.operator_id = p.operator_id AND l.id = p.listing_row
          WHERE l.listing_id = ${listing_id} ORDER BY p.id`
        assert.deepStrictEqual(
          told,
          kept.map(({ price }) => price)
        )
      }
      assert.deepStrictEqual(
        (yield* lanesOf(scene.operatorId)).map(({ waiting }) => waiting),
        [0]
      )
    })
  )
})
