import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../../src/contract/time.ts"
import {
  ACCOUNT_COMPARISONS_MAX,
  COMPARING_LEASE_MS,
  ComparisonQueue
} from "../../../../src/domain/calendars/listing-calendars/ComparisonQueue.ts"
import {
  COMPARING_BACKOFF,
  COMPARING_GAP_MS,
  COMPARING_POLL_MS,
  COMPARISON_SYNC_MS,
  layerComparisonJobs,
  SUSPECTED_RECHECK_MS,
  syncAllComparisons
} from "../../../../src/domain/calendars/listing-calendars/comparison-jobs.ts"
import { CHANNEL_ACTION_TIMEOUT_MS } from "../../../../src/domain/channels/port/channel-api-errors.ts"
import { ChannelNotServed, ChannelUnavailable } from "../../../../src/domain/channels/port/errors.ts"
import {
  compareAllDue,
  createMappedProperties,
  dispatchAllEvents,
  dispatchAndPush,
  layerAvailabilityPushService,
  loadListingPartition,
  loadPushedInventories,
  makeComparisonWorker
} from "../../../support/domain/calendars/listing-calendars/availability-push-service.ts"
import { makePushWorker, NOW, pushAllDue } from "../../../support/domain/calendars/listing-calendars/push-service.ts"
import { call } from "../../../support/harness.ts"
import { insertChannelAccount, insertListing } from "../../../support/listings.ts"
import { collectLogLines } from "../../../support/log-lines.ts"
import { ScriptedChannel } from "../../../support/scripted-channel.ts"

const DAY_MS = 24 * 60 * 60 * 1000

const now = DateTime.nowAsDate

const following = Effect.flatMap(now, syncAllComparisons)

/** Nothing of the tests before is compared any more. */
const emptied = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    WITH forgotten AS (DELETE FROM listing_comparisons)
    UPDATE listings SET shelf_status = 'deleted'`
)

const days = (inventory: number, start_date: string, end_date = start_date) => ({ start_date, end_date, inventory })

/** How often a listing's calendar was read. */
const looksAt = (listingId: string) =>
  Effect.flatMap(ScriptedChannel, ({ requests: heard }) =>
    Effect.map(heard, (all) => all.filter((act) => act === `calendar ${listingId}`).length)
  )

const warned = (said: ReadonlyArray<{ readonly level: string; readonly message: unknown }>) =>
  said.filter(({ level }) => level === "Warn" || level === "Error").map(({ message }) => message)

layer(layerAvailabilityPushService)("the calendar of a listing", (it) => {
  it.effect("is compared once it is linked, and again where the link is another; not without one", () =>
    Effect.gen(function* () {
      yield* emptied
      const {
        propertyId: property,
        mappedListingId: listing,
        listing_id,
        roomIds: rooms,
        double
      } = yield* createMappedProperties
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO calendar_days (operator_id, property_id, day, closed)
        SELECT operator_id, id, '2027-05-03', true FROM properties WHERE id = ANY (${[property, rooms[0] ?? 0]}::bigint[])`
      const channel = yield* ScriptedChannel
      yield* channel.setInventory(double, days(3, "2027-04-20", addDays("2027-04-20", 1_096)))
      const comparing = yield* makeComparisonWorker
      const pushing = yield* makePushWorker
      yield* following
      const said = yield* collectLogLines(Effect.andThen(compareAllDue(comparing), pushAllDue(pushing)))
      assert.deepStrictEqual(yield* loadPushedInventories(listing), ["2027-05-03..2027-05-03 0"])
      assert.deepStrictEqual(yield* loadPushedInventories(double), ["2027-05-03..2027-05-03 2"])
      assert.strictEqual(yield* looksAt(listing_id), 0)
      assert.deepStrictEqual(warned(said), [])
      const found = said.find(({ fields }) => fields["listing_id"] === listing)
      assert.deepInclude(found?.fields, {
        days: 1,
        days_above_availability: 1,
        first_day: "2027-05-03",
        last_day: "2027-05-03"
      })

      yield* following
      yield* compareAllDue(comparing)
      assert.strictEqual(yield* looksAt(listing), 1)
      yield* sql`UPDATE listings SET property_id = ${rooms[1] ?? 0} WHERE listing_id = ${listing}`
      yield* following
      yield* compareAllDue(comparing)
      // Sold as the other: what is closed in the first is open there, at the second look.
      yield* TestClock.adjust(SUSPECTED_RECHECK_MS)
      yield* compareAllDue(comparing)
      yield* TestClock.adjust("1 second")
      yield* pushAllDue(pushing)
      assert.deepStrictEqual((yield* loadPushedInventories(listing)).slice(1), ["2027-05-03..2027-05-03 1"])
      yield* sql`UPDATE listings SET property_id = NULL WHERE listing_id = ${listing}`
      yield* following
      yield* TestClock.adjust(2 * DAY_MS)
      const before = yield* looksAt(listing)
      yield* compareAllDue(comparing)
      assert.strictEqual(yield* looksAt(listing), before)
    })
  )

  it.effect("is mended at once where more is sold than there is, and after a second look where it is less", () =>
    Effect.gen(function* () {
      yield* emptied
      const { propertyId: property, mappedListingId: listing, close } = yield* createMappedProperties
      const channel = yield* ScriptedChannel
      const comparing = yield* makeComparisonWorker
      const pushing = yield* makePushWorker
      yield* following
      yield* compareAllDue(comparing)
      yield* close([property], "2027-05-01", "2027-05-02")
      yield* dispatchAndPush(pushing)
      yield* TestClock.adjust("1 second")
      // Lost there, whatever lost it.
      yield* channel.setInventory(
        listing,
        days(1, "2027-05-02"),
        days(2, "2027-05-03"),
        days(0, "2027-05-04", "2027-05-05")
      )
      yield* TestClock.adjust(DAY_MS)
      const first = yield* collectLogLines(Effect.andThen(compareAllDue(comparing), pushAllDue(pushing)))
      assert.deepStrictEqual((yield* loadPushedInventories(listing)).slice(1), [
        "2027-05-02..2027-05-02 0, 2027-05-03..2027-05-03 1"
      ])
      assert.lengthOf(warned(first), 1)
      // The order of one of the two comes in meanwhile.
      yield* close([property], "2027-05-04")
      yield* dispatchAllEvents
      yield* TestClock.adjust(SUSPECTED_RECHECK_MS - 1)
      yield* compareAllDue(comparing)
      assert.strictEqual(yield* looksAt(listing), 2)
      yield* TestClock.adjust(1)
      const second = yield* collectLogLines(compareAllDue(comparing))
      assert.strictEqual(yield* looksAt(listing), 3)
      yield* pushAllDue(pushing)
      assert.deepStrictEqual((yield* loadPushedInventories(listing)).slice(2), [
        "2027-05-04..2027-05-04 0, 2027-05-05..2027-05-05 1"
      ])
      assert.deepStrictEqual(warned(second), [])
      // The next is the next night's, and says nothing where there is nothing to say.
      yield* TestClock.adjust(DAY_MS + 2 * 60 * 60 * 1000)
      assert.deepStrictEqual(yield* collectLogLines(compareAllDue(comparing)), [])
      assert.strictEqual(yield* looksAt(listing), 4)
    })
  )

  it.effect(
    "is left alone where the host said otherwise, unless it sells what is sold; and where it is being told",
    () =>
      Effect.gen(function* () {
        yield* emptied
        const { token, propertyId: property, mappedListingId: listing, close } = yield* createMappedProperties
        const channel = yield* ScriptedChannel
        const comparing = yield* makeComparisonWorker
        const pushing = yield* makePushWorker
        yield* following
        yield* call(token, "update_listing_inventories", {
          channel_type: "airbnb",
          listing_id: listing,
          inventories: [days(0, "2027-05-01"), days(4, "2027-05-02")]
        })
        yield* pushAllDue(pushing)
        // Due, and not told yet.
        yield* close([property], "2027-05-05")
        yield* dispatchAllEvents
        yield* compareAllDue(comparing)
        assert.deepInclude(yield* loadListingPartition(listing), {
          due: "{[2027-05-05,2027-05-06)}",
          said: "{[2027-05-01,2027-05-03)}"
        })
        yield* pushAllDue(pushing)
        const sql = yield* SqlClient.SqlClient
        // Taken without a word to anybody: a calendar that was restored.
        yield* sql`
        INSERT INTO calendar_days (operator_id, property_id, day, closed)
        SELECT operator_id, id, '2027-05-02', true FROM properties WHERE id = ${property}`
        yield* TestClock.adjust(2 * DAY_MS)
        yield* compareAllDue(comparing)
        yield* pushAllDue(pushing)
        assert.deepStrictEqual(yield* loadPushedInventories(listing), [
          "2027-05-01..2027-05-01 0, 2027-05-02..2027-05-02 4",
          "2027-05-05..2027-05-05 0",
          "2027-05-02..2027-05-02 0"
        ])
        assert.strictEqual((yield* channel.requests).filter((act) => act === `inventories ${listing}`).length, 3)
      })
  )

  for (const [how, meanwhile] of [
    ["of another property", []],
    ["of another property, after it was of none", [null]]
  ] as const) {
    it.effect(`${how} is what that one has to sell: what the host said of it was of the one before`, () =>
      Effect.gen(function* () {
        yield* emptied
        const {
          token,
          propertyId: property,
          roomIds: rooms,
          mappedListingId: listing,
          close
        } = yield* createMappedProperties
        const comparing = yield* makeComparisonWorker
        const pushing = yield* makePushWorker
        const sql = yield* SqlClient.SqlClient
        yield* close([property], "2027-05-01")
        yield* dispatchAndPush(pushing)
        yield* following
        yield* compareAllDue(comparing)
        yield* call(token, "update_listing_inventories", {
          channel_type: "airbnb",
          listing_id: listing,
          inventories: [days(5, "2027-05-01", "2027-05-02")]
        })
        yield* TestClock.adjust("1 second")
        yield* pushAllDue(pushing)
        for (const link of [...meanwhile, rooms[1] ?? 0]) {
          yield* sql`UPDATE listings SET property_id = ${link} WHERE listing_id = ${listing}`
          yield* following
        }
        assert.deepInclude(yield* loadListingPartition(listing), { said: "{}" })
        for (const wait of [0, SUSPECTED_RECHECK_MS]) {
          yield* TestClock.adjust(wait + 1_000)
          yield* compareAllDue(comparing)
          yield* pushAllDue(pushing)
        }
        assert.deepStrictEqual((yield* loadPushedInventories(listing)).slice(1), [
          "2027-05-01..2027-05-01 0, 2027-05-02..2027-05-02 5",
          "2027-05-02..2027-05-02 1",
          "2027-05-01..2027-05-01 1"
        ])
      })
    )
  }

  it.effect("is told the day that comes into reach each night, and nobody is warned of it", () =>
    Effect.gen(function* () {
      yield* emptied
      const { propertyId: property, mappedListingId: listing } = yield* createMappedProperties
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE properties SET deactivated_at = now() WHERE id = ${property}`
      const comparing = yield* makeComparisonWorker
      const pushing = yield* makePushWorker
      yield* following
      yield* Effect.andThen(compareAllDue(comparing), pushAllDue(pushing))
      yield* TestClock.adjust(DAY_MS)
      const said = yield* collectLogLines(Effect.andThen(compareAllDue(comparing), pushAllDue(pushing)))
      const last = addDays("2027-04-21", 1_096)
      assert.deepStrictEqual((yield* loadPushedInventories(listing)).slice(1), [`${last}..${last} 0`])
      assert.deepStrictEqual(warned(said), [])
      const found = said.find(({ fields }) => fields["listing_id"] === listing)
      assert.deepInclude(found?.fields, { days: 1, days_above_availability: 1, first_day: last })
    })
  )

  it.effect("is looked at again after pauses that double where its channel is away, without a word", () =>
    Effect.gen(function* () {
      yield* emptied
      const { mappedListingId: listing, double } = yield* createMappedProperties
      const channel = yield* ScriptedChannel
      const comparing = yield* makeComparisonWorker
      yield* channel.setResponse(listing, Effect.fail(new ChannelUnavailable({ code: 503 })))
      yield* channel.setResponse(double, Effect.fail(new ChannelNotServed({ channelType: "airbnb" })))
      yield* following
      const { firstMs, longestMs, jitter } = COMPARING_BACKOFF
      for (let nth = 1; nth <= 8; nth++) {
        const pause = Math.min(firstMs * 2 ** (nth - 1), longestMs)
        assert.deepStrictEqual(yield* collectLogLines(compareAllDue(comparing)), [])
        assert.strictEqual(yield* looksAt(listing), nth)
        yield* TestClock.adjust(pause * (1 - jitter) - 1)
        yield* compareAllDue(comparing)
        assert.strictEqual(yield* looksAt(listing), nth)
        yield* TestClock.adjust(pause * 2 * jitter + 1)
      }
      // What nothing here reaches is asked the next night.
      assert.strictEqual(yield* looksAt(double), 1)
      yield* TestClock.adjust(DAY_MS)
      yield* compareAllDue(comparing)
      assert.strictEqual(yield* looksAt(double), 2)
      // Away in another way: it breaks, or never answers.
      yield* channel.setResponse(listing, Effect.die(new Error("oops")))
      yield* TestClock.adjust(2 * longestMs)
      const before = yield* looksAt(listing)
      yield* compareAllDue(comparing)
      yield* channel.setResponse(listing, Effect.never)
      yield* TestClock.adjust(2 * longestMs)
      yield* comparing.claimDue
      const ended = yield* Effect.forkChild(comparing.awaitIdle, { startImmediately: true })
      yield* Effect.repeat(looksAt(listing), { until: (looks) => looks === before + 2 })
      yield* TestClock.adjust(CHANNEL_ACTION_TIMEOUT_MS)
      yield* Fiber.join(ended)
    })
  )

  it.effect("of a disconnected account is not asked for, and due when it is back", () =>
    Effect.gen(function* () {
      yield* emptied
      const { account, mappedListingId: listing } = yield* createMappedProperties
      const sql = yield* SqlClient.SqlClient
      const comparing = yield* makeComparisonWorker
      yield* following
      yield* sql`UPDATE channel_accounts SET auth_status = 'disconnected' WHERE id = ${account}`
      yield* compareAllDue(comparing)
      assert.strictEqual(yield* looksAt(listing), 0)
      yield* sql`UPDATE channel_accounts SET auth_status = 'active' WHERE id = ${account}`
      yield* compareAllDue(comparing)
      assert.strictEqual(yield* looksAt(listing), 1)
    })
  )

  it.effect("is compared when the clock was set back, and not only when it has come so far again", () =>
    Effect.gen(function* () {
      yield* emptied
      const { mappedListingId: listing } = yield* createMappedProperties
      const comparing = yield* makeComparisonWorker
      yield* TestClock.adjust("30 days")
      yield* following
      yield* compareAllDue(comparing)
      yield* TestClock.setTime(NOW)
      yield* following
      yield* compareAllDue(comparing)
      assert.strictEqual(yield* looksAt(listing), 2)
      yield* following
      yield* compareAllDue(comparing)
      assert.strictEqual(yield* looksAt(listing), 2)
    })
  )

  it.effect("is nobody's but who has taken it, and another's when the lease is over", () =>
    Effect.gen(function* () {
      yield* emptied
      const { mappedListingId: listing } = yield* createMappedProperties
      const comparisons = yield* ComparisonQueue
      yield* following
      const take = Effect.flatMap(now, (at) => comparisons.claim(at, 10, []))
      const [first] = (yield* take).filter((each) => each.listing_id === listing)
      assert(first !== undefined)
      assert.deepStrictEqual(yield* take, [])
      yield* TestClock.adjust(COMPARING_LEASE_MS - 1)
      assert.deepStrictEqual(yield* take, [])
      yield* TestClock.adjust(1)
      const [second] = (yield* take).filter((each) => each.listing_id === listing)
      assert.deepStrictEqual(second, { ...first, attempts: first.attempts + 1 })
      // The first comes back: nothing of what it says counts.
      const at = yield* now
      const found = { driftedDays: ["2027-05-01"], suspectedDays: ["2027-05-02"], nextDueAt: at }
      assert.isFalse(yield* comparisons.complete(first, found, at))
      yield* comparisons.postpone(first, at)
      yield* comparisons.release(first, at)
      assert.deepStrictEqual(yield* take, [])
      assert.isUndefined(yield* loadListingPartition(listing))
      assert(second !== undefined)
      assert.isTrue(yield* comparisons.complete(second, found, at))
      assert.deepInclude(yield* loadListingPartition(listing), { waiting: 1, due: "{[2027-05-01,2027-05-02)}" })
    })
  )

  it.effect("of an account that hangs holds up no other's, of the same host or another", () =>
    Effect.gen(function* () {
      yield* emptied
      const greedy = yield* createMappedProperties
      const channel = yield* ScriptedChannel
      const hanging = yield* insertChannelAccount(greedy.operatorId)
      for (let nth = 0; nth < 20; nth++) {
        const listing = yield* insertListing(greedy.operatorId, hanging, { propertyId: greedy.propertyId })
        yield* channel.setResponse(listing, Effect.never)
      }
      yield* following
      const scope = yield* Scope.make()
      const comparing = yield* Scope.provide(makeComparisonWorker, scope)
      yield* comparing.claimDue
      const quiet = yield* createMappedProperties
      yield* following
      for (let turn = 0; turn < 5; turn++) yield* Effect.andThen(comparing.claimDue, Effect.yieldNow)
      for (const each of [greedy.mappedListingId, quiet.mappedListingId, quiet.double])
        yield* Effect.repeat(looksAt(each), { until: (looks) => looks === 1 })
      yield* Effect.repeat(
        Effect.sync(() => comparing.inProgress.size),
        { until: (size) => size <= ACCOUNT_COMPARISONS_MAX }
      )
    })
  )

  it.effect("is compared within a minute after it was linked, by a worker that nobody calls", () =>
    Effect.gen(function* () {
      yield* emptied
      const { mappedListingId: listing } = yield* createMappedProperties
      yield* Effect.forkScoped(Layer.launch(layerComparisonJobs), { startImmediately: true })
      assert.isAtMost(COMPARISON_SYNC_MS + COMPARING_POLL_MS, 60_000)
      yield* TestClock.adjust(COMPARISON_SYNC_MS - 1)
      assert.strictEqual(yield* looksAt(listing), 0)
      yield* TestClock.adjust(1)
      const soon = Effect.andThen(TestClock.adjust(COMPARING_GAP_MS), looksAt(listing))
      yield* Effect.repeat(soon, { until: (looks) => looks === 1 })
    })
  )
})
