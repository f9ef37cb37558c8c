import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../../src/contract/time.ts"
import { PUSH_BACKOFF } from "../../../../src/domain/calendars/listing-calendars/push-jobs.ts"
import { deleteOldPushes } from "../../../../src/domain/calendars/listing-calendars/retention.ts"
import { CHANNEL_ACTION_TIMEOUT_MS } from "../../../../src/domain/channels/port/channel-api-errors.ts"
import {
  ChannelAccountMissing,
  ChannelDisconnected,
  type ChannelError,
  ChannelNotServed,
  ChannelRefused,
  ChannelUnavailable
} from "../../../../src/domain/channels/port/errors.ts"
import {
  CHANNEL_TEXT_LENGTH,
  LISTING_PUSH_GIVE_UP_MS,
  LISTING_PUSH_RETENTION_MS
} from "../../../../src/platform/limits.ts"
import type { Service } from "../../../../src/service/service.ts"
import {
  layerPushService,
  loadListingEvents,
  loadListingUpdates,
  loadPushedPrices,
  loadPushLines,
  makeDayPrice,
  makePushWorker,
  NOW,
  prepareListing,
  pushAllDue
} from "../../../support/domain/calendars/listing-calendars/push-service.ts"
import { call } from "../../../support/harness.ts"
import { collectLogLines } from "../../../support/log-lines.ts"
import { ScriptedChannel } from "../../../support/scripted-channel.ts"

const unavailable = Effect.fail(new ChannelUnavailable({ code: 503 }))
const disconnected = Effect.fail(new ChannelDisconnected({ channelType: "airbnb" }))

/** The reason that a log line ends with. */
const reasonIn = (message: unknown) => [message].flat().at(-1)

layer(layerPushService)("a worker tells a channel", (it) => {
  it.effect("all that was asked, in order, and subscribers of each that succeeded", () =>
    Effect.gen(function* () {
      const { operatorId, account, token, channel_type, listing_id, updatePrices: prices } = yield* prepareListing()
      const pushing = yield* makePushWorker
      yield* prices(makeDayPrice(100, "2027-05-03"), makeDayPrice(90, "2027-05-01"))
      const days = { start_date: "2027-05-01", end_date: "2027-05-09" }
      const listing = { channel_type, listing_id }
      yield* call(token, "update_listing_inventories", { ...listing, inventories: [{ ...days, inventory: 2 }] })
      yield* call(token, "update_listing_restrictions", {
        ...listing,
        restrictions: [{ ...days, min_stay_on_arrival: 3 }]
      })
      assert.deepStrictEqual(yield* loadListingEvents(operatorId), [])
      yield* pushAllDue(pushing)
      const there = { account: { operatorId, accountId: account, channelType: channel_type }, listingId: listing_id }
      assert.deepStrictEqual(yield* loadListingUpdates(listing_id), [
        { ...there, prices: [makeDayPrice(100, "2027-05-03"), makeDayPrice(90, "2027-05-01")] },
        { ...there, inventories: [{ ...days, inventory: 2 }] },
        { ...there, restrictions: [{ ...days, min_stay_on_arrival: 3 }] }
      ])
      assert.deepStrictEqual(yield* loadPushLines(listing_id), [
        "prices pushed after 1",
        "inventories pushed after 1",
        "restrictions pushed after 1"
      ])
      assert.deepStrictEqual(yield* loadListingEvents(operatorId), [
        { ...listing, start_date: "2027-05-01", end_date: "2027-05-03" },
        { ...listing, ...days },
        { ...listing, ...days }
      ])
    })
  )

  it.effect("what it refuses once: that is kept with its reason and told to nobody, and the rest goes on", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      const refusals: ReadonlyArray<readonly [ChannelError, string]> = [
        [new ChannelRefused({ reason: "too cheap" }), "too cheap"],
        [new ChannelRefused({ reason: "too cheap", field: "prices[0].price" }), "prices[0].price: too cheap"],
        [new ChannelRefused({ reason: "x".repeat(CHANNEL_TEXT_LENGTH) }), "x".repeat(CHANNEL_TEXT_LENGTH)],
        [
          new ChannelRefused({ reason: `${"x".repeat(CHANNEL_TEXT_LENGTH - 1)}\0 and a megabyte` }),
          `${"x".repeat(CHANNEL_TEXT_LENGTH - 1)}\uFFFD`
        ],
        [new ChannelAccountMissing({ channelType: "airbnb" }), "the account on airbnb no longer exists"],
        [new ChannelNotServed({ channelType: "airbnb" }), "this installation has no connector for airbnb"]
      ]
      for (const [error, reason] of refusals) {
        const { operatorId, listing_id, updatePrices: prices } = yield* prepareListing()
        const pushing = yield* makePushWorker
        yield* channel.setResponse(listing_id, Effect.fail(error))
        yield* prices(makeDayPrice(1))
        const said = yield* collectLogLines(pushAllDue(pushing))
        assert.deepStrictEqual(
          said
            .filter(({ level }) => level === "Warn")
            .map(({ message, fields }) => [reasonIn(message), fields.listing_id]),
          [[reason, listing_id]]
        )
        yield* channel.setResponse(listing_id, Effect.void)
        yield* prices(makeDayPrice(50))
        yield* pushAllDue(pushing)
        assert.deepStrictEqual(yield* loadPushLines(listing_id), [
          `prices refused after 1: ${reason}`,
          "prices pushed after 1"
        ])
        assert.lengthOf(yield* loadListingEvents(operatorId), 1)
      }
    })
  )

  it.effect("what it could not be told again and again, and nothing that came later before it", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      const { operatorId, listing_id, updatePrices: prices } = yield* prepareListing()
      const pushing = yield* makePushWorker
      yield* channel.setResponse(listing_id, unavailable)
      for (const price of [1, 2, 3]) yield* prices(makeDayPrice(price))
      const tries = Effect.map(channel.requests, (all) => all.filter((act) => act === `prices ${listing_id}`).length)
      yield* pushAllDue(pushing)
      assert.strictEqual(yield* tries, 1)
      assert.match(
        (yield* loadPushLines(listing_id)).join(),
        /^prices waiting after 1: .*503.*,prices waiting after 0,prices waiting after 0$/
      )
      // Each pause is at least three quarters of twice the one before it, and at most five.
      const { firstMs, longestMs, jitter } = PUSH_BACKOFF
      for (let nth = 1; nth <= 10; nth++) {
        const pause = Math.min(firstMs * 2 ** (nth - 1), longestMs)
        yield* TestClock.adjust(pause * (1 - jitter) - 1)
        yield* pushAllDue(pushing)
        assert.strictEqual(yield* tries, nth)
        yield* TestClock.adjust(pause * 2 * jitter + 1)
        yield* pushAllDue(pushing)
        assert.strictEqual(yield* tries, nth + 1)
      }
      assert.deepStrictEqual(yield* loadListingEvents(operatorId), [])
      yield* channel.setResponse(listing_id, Effect.void)
      yield* TestClock.adjust(2 * longestMs)
      yield* pushAllDue(pushing)
      assert.deepStrictEqual(yield* loadPushedPrices(listing_id), [1, 2, 3])
      assert.deepStrictEqual(yield* loadPushLines(listing_id), [
        "prices pushed after 12",
        "prices pushed after 1",
        "prices pushed after 1"
      ])
      assert.lengthOf(yield* loadListingEvents(operatorId), 3)
      // From then on it starts with the shortest pause again.
      yield* channel.setResponse(listing_id, disconnected)
      yield* prices(makeDayPrice(4))
      yield* pushAllDue(pushing)
      const before = yield* tries
      yield* TestClock.adjust(firstMs * (1 + jitter))
      yield* pushAllDue(pushing)
      assert.strictEqual(yield* tries, before + 1)
    })
  )

  it.effect("no more of what has waited for a day when it still cannot be told; that is dead, and said once", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      const { operatorId, listing_id, updatePrices: prices } = yield* prepareListing()
      const pushing = yield* makePushWorker
      yield* channel.setResponse(listing_id, disconnected)
      yield* prices(makeDayPrice(1))
      yield* prices(makeDayPrice(2))
      yield* TestClock.setTime(NOW + 1)
      yield* prices(makeDayPrice(3))
      yield* TestClock.setTime(NOW + LISTING_PUSH_GIVE_UP_MS - 1)
      yield* pushAllDue(pushing)
      assert.deepStrictEqual(
        (yield* loadPushLines(listing_id)).map((each) => each.split(":")[0]),
        ["prices waiting after 1", "prices waiting after 0", "prices waiting after 0"]
      )
      // Due again after the first pause, and a day is over by then for all but the last, of which a millisecond is missing.
      yield* TestClock.setTime(NOW + LISTING_PUSH_GIVE_UP_MS)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE listing_lanes SET due_at = ${new Date(NOW)} WHERE operator_id = ${operatorId}`
      const said = yield* collectLogLines(pushAllDue(pushing))
      const reason = "the account on airbnb is disconnected"
      assert.deepStrictEqual(yield* loadPushLines(listing_id), [
        `prices dead after 2: ${reason}`,
        `prices dead after 0: ${reason}`,
        "prices waiting after 0"
      ])
      assert.deepStrictEqual(
        said
          .filter(({ level }) => level === "Warn")
          .map(({ message }) => [Number.parseInt(String(message), 10), reasonIn(message)]),
        [[2, reason]]
      )
      yield* channel.setResponse(listing_id, Effect.void)
      yield* TestClock.adjust(2 * PUSH_BACKOFF.longestMs)
      yield* pushAllDue(pushing)
      assert.deepStrictEqual(yield* loadPushedPrices(listing_id), [3])
      assert.lengthOf(yield* loadListingEvents(operatorId), 1)
    })
  )

  it.effect("only of the restrictions that it honours", () =>
    Effect.gen(function* () {
      const days = { start_date: "2027-05-01", end_date: "2027-05-02" }
      const later = { start_date: "2027-06-01", end_date: "2027-06-02" }
      const restrictions = [
        { ...days, min_stay_on_arrival: 2, min_stay_through: 2 },
        { ...later, exact_stay_on_arrival: 7 }
      ]
      const pushedTo = Effect.fnUntraced(function* (channelType: string) {
        const { operatorId, token, channel_type, listing_id } = yield* prepareListing({ channelType })
        const pushing = yield* makePushWorker
        const { error_code } = yield* call(token, "update_listing_restrictions", {
          channel_type,
          listing_id,
          restrictions
        })
        assert.strictEqual(error_code, 0)
        yield* pushAllDue(pushing)
        const told = (yield* loadListingUpdates(listing_id)).map((each) => each.restrictions)
        const events = (yield* loadListingEvents(operatorId)).map((each) => JSON.stringify({ ...each }))
        return { told, events, pushes: yield* loadPushLines(listing_id) }
      })
      const booking = yield* pushedTo("booking.com")
      assert.deepStrictEqual(booking.told, [restrictions])
      const airbnb = yield* pushedTo("airbnb")
      assert.deepStrictEqual(airbnb.told, [[{ ...days, min_stay_on_arrival: 2 }]])
      assert.include(airbnb.events.join(), '"end_date":"2027-05-02"')
      // Not even asked: a channel that is told nothing can refuse nothing, and subscribers hear of no change.
      for (const channel of ["vrbo", "ctrip", "houfy"]) {
        const { pushes, ...heard } = yield* pushedTo(channel)
        assert.deepStrictEqual(heard, { told: [], events: [] })
        assert.match(pushes.join(), new RegExp(`^restrictions pushed after 1: ${channel} `))
      }
    })
  )

  it.effect(
    `within ${CHANNEL_ACTION_TIMEOUT_MS / 1000} seconds, or tries again; one that breaks has failed as one that is away`,
    () =>
      Effect.gen(function* () {
        const channel = yield* ScriptedChannel
        const { listing_id, updatePrices: prices } = yield* prepareListing()
        const pushing = yield* makePushWorker
        yield* channel.setResponse(listing_id, Effect.never)
        yield* prices(makeDayPrice(1))
        yield* pushing.claimDue
        const ended = yield* Effect.forkChild(pushing.awaitIdle, { startImmediately: true })
        yield* Effect.repeat(channel.requests, { until: (all) => all.includes(`prices ${listing_id}`) })
        yield* TestClock.adjust(CHANNEL_ACTION_TIMEOUT_MS)
        yield* Fiber.join(ended)
        assert.match((yield* loadPushLines(listing_id)).join(), /^prices waiting after 1: .*in time/)
        yield* channel.setResponse(listing_id, Effect.die(new Error("oops")))
        yield* TestClock.adjust(2 * PUSH_BACKOFF.firstMs)
        yield* pushAllDue(pushing)
        assert.match((yield* loadPushLines(listing_id)).join(), /^prices waiting after 2: .*defect/)
        yield* channel.setResponse(listing_id, Effect.fail(new ChannelRefused({ reason: `no\0${"x".repeat(5_000)}` })))
        yield* TestClock.adjust(4 * PUSH_BACKOFF.firstMs)
        yield* pushAllDue(pushing)
        assert.match((yield* loadPushLines(listing_id)).join(), /^prices refused after 3: no\uFFFDx{1997}$/)
      })
  )

  it.effect("also what is queued while it is being told, however much and whenever", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      const scene = yield* prepareListing()
      const pushing = yield* makePushWorker
      let next = 1
      const service = yield* Effect.context<Service>()
      const more = Effect.suspend(() => (next < 30 ? scene.updatePrices(makeDayPrice(++next)) : Effect.void)).pipe(
        Effect.provideContext(service)
      )
      // Two more are queued while each is under way, until there are thirty.
      yield* channel.setResponse(scene.listing_id, Effect.ignore(Effect.andThen(more, more)))
      yield* scene.updatePrices(makeDayPrice(1))
      // From here on nothing wakes anybody but what ended.
      yield* pushAllDue(pushing)
      const expected = Array.from({ length: 30 }, (_, at) => at + 1)
      assert.deepStrictEqual(yield* loadPushedPrices(scene.listing_id), expected)
      const sql = yield* SqlClient.SqlClient
      const lanes = yield* sql<{ waiting: number }>`
        SELECT waiting FROM listing_lanes WHERE operator_id = ${scene.operatorId}`
      assert.deepStrictEqual(lanes, [{ waiting: 0 }])
    })
  )
})

layer(layerPushService)("pushes that are settled", (it) => {
  it.effect("are kept for thirty days, and those that wait for as long as they do", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      const { listing_id, updatePrices: prices } = yield* prepareListing()
      const pushing = yield* makePushWorker
      yield* prices(makeDayPrice(1))
      yield* pushAllDue(pushing)
      yield* channel.setResponse(listing_id, disconnected)
      yield* prices(makeDayPrice(2, addDays("2027-05-01", 1)))
      const at = (ms: number) => deleteOldPushes(new Date(NOW + ms))
      yield* at(LISTING_PUSH_RETENTION_MS - 1)
      assert.lengthOf(yield* loadPushLines(listing_id), 2)
      yield* at(LISTING_PUSH_RETENTION_MS)
      assert.deepStrictEqual(yield* loadPushLines(listing_id), ["prices waiting after 0"])
    })
  )
})
