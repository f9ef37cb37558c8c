import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import type { Envelope } from "../../../src/contract/envelope.ts"
import { ChannelGateway } from "../../../src/domain/channels/port/ChannelGateway.ts"
import { CHANNEL_ACTION_TIMEOUT_MS } from "../../../src/domain/channels/port/channel-api-errors.ts"
import { Connectors } from "../../../src/domain/channels/port/connector.ts"
import {
  ChannelAccountMissing,
  ChannelDisconnected,
  type ChannelError,
  ChannelNotServed,
  ChannelRefused,
  ChannelUnavailable
} from "../../../src/domain/channels/port/errors.ts"
import { CHANNEL_REASON_LENGTH, ELIGIBLE_POLICIES_MAX } from "../../../src/platform/limits.ts"
import { loadListingRows, preparePriceListings } from "../../support/domain/prices/price-listings.ts"
import { call, layerService, layerTest } from "../../support/harness.ts"
import { EVERY_AIRBNB_SETTING, EVERY_VRBO_SETTING, INITIAL_AIRBNB_SETTINGS } from "../../support/remote-rules.ts"
import { ScriptedChannel } from "../../support/scripted-channel.ts"
import { layerTestDatabase } from "../../support/test-database.ts"

const summary = ({ error_code, error_msg }: Envelope) => `${error_code} ${error_msg}`
const price = { base_price: 99 }

/** What each channel's error is called to the caller. */
const ERRORS: ReadonlyArray<readonly [ChannelError, RegExp]> = [
  [new ChannelAccountMissing({ channelType: "airbnb" }), /^404 listing_id: .*airbnb/],
  [new ChannelDisconnected({ channelType: "airbnb" }), /^400 listing_id: .*airbnb/],
  [new ChannelRefused({ reason: "asleep" }), /^409 listing_id: .*asleep/],
  [new ChannelRefused({ reason: "too dear", field: "settings.base_price" }), /^422 settings\.base_price: .*too dear/],
  [new ChannelNotServed({ channelType: "airbnb" }), /^501 .*airbnb/],
  [new ChannelUnavailable({ code: 502 }), /^502 .*channel/],
  [new ChannelUnavailable({ code: 503 }), /^503 .*channel/],
  [new ChannelUnavailable({ code: 504 }), /^504 .*channel/]
]

/** Values that are not taken, each with the nearest that are; of lists and texts test/refusals.test.ts tries the ends. */
const EDGES = {
  airbnb: {
    base_price: [[0, -1], [0.01]],
    weekend_price: [[-1], [0]],
    check_in_start_time: [
      [7, 27, "flexible", 9.5],
      [8, 26, "FLEXIBLE", "15"]
    ],
    check_in_end_time: [
      [8, 27],
      [9, 26, "FLEXIBLE"]
    ],
    check_out_before: [
      [-1, 24],
      [0, 23]
    ],
    early_bird_discount: [
      [{ discount: 101, days: 1 }, [{ discount: -1, days: 1 }], { discount: 5 }],
      [{ discount: 0, days: 0 }, [{ discount: 100, days: 1 }]]
    ],
    days_of_week_check_in: [
      [[7], [-1]],
      [[0, 6], []]
    ],
    max_guests: [[0], [1]],
    minimum_stay: [[0], [1]],
    non_refundable_price_factor: [
      [-1, 101],
      [0, 100, null]
    ],
    listing_currency: [["EURO", "eur"], ["USD"]],
    pet_fee_obj: [[{ amount: 1 }], [EVERY_AIRBNB_SETTING.pet_fee_obj, null]],
    long_term_cancellation_policy: [
      [-1, ""],
      [0, "monthly", null]
    ],
    instant_booking: [
      ["yes", 1],
      [true, false]
    ]
  },
  vrbo: {
    base_price: [[0], [0.01]],
    weekly_discount: [
      [-1, 100],
      [0, 99]
    ],
    monthly_discount: [
      [-1, 100],
      [0, 99]
    ],
    cleaning_fee: [[-1], [0]],
    extra_guest_number: [[-1], [0]],
    check_in_start_time: [
      [-1, 27, true],
      [0, 26, "16:00"]
    ],
    nightly_rate: [[{}, 5], [EVERY_VRBO_SETTING.nightly_rate]]
  }
} as const

layer(layerTest)("a call about prices and rules", (it) => {
  for (const channel of ["airbnb", "vrbo"] as const) {
    it.effect(`of ${channel} finds its operator's listings of that channel and no others`, () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* preparePriceListings, yield* preparePriceListings]
        const before = [yield* loadListingRows(mine.operatorId), yield* loadListingRows(theirs.operatorId)]
        const elsewhere = channel === "airbnb" ? mine.vrbo : mine.airbnb
        for (const listing_id of ["nowhere", theirs[channel].listing_id, elsewhere.listing_id]) {
          const read = yield* call(mine.token, `get_${channel}_price_and_rules`, { listing_id })
          const fields = { listing_id, settings: price }
          const written = yield* call(mine.token, `update_${channel}_price_and_rules`, fields)
          const nothing = yield* call(mine.token, `update_${channel}_price_and_rules`, { listing_id, settings: {} })
          for (const each of [read, written, nothing]) {
            assert.match(summary(each), /^404 listing_id: /)
          }
          assert.notInclude((yield* mine.channel.requests).join(), `write_rules ${listing_id}`)
        }
        assert.deepStrictEqual(
          [yield* loadListingRows(mine.operatorId), yield* loadListingRows(theirs.operatorId)],
          before
        )
      })
    )

    it.effect(`of ${channel} takes no setting beyond its ends`, () =>
      Effect.gen(function* () {
        const { [channel]: listing } = yield* preparePriceListings
        for (const [name, [refused, taken]] of Object.entries(EDGES[channel])) {
          for (const value of refused) {
            const envelope = yield* listing.updateSettings({ [name]: value })
            assert.include([400, 422], envelope.error_code, `${name} ${JSON.stringify(value)}`)
            assert.match(envelope.error_msg, new RegExp(`^settings\\.${name}\\b`))
          }
          for (const value of taken) {
            const envelope = yield* listing.updateSettings({ [name]: value })
            assert.strictEqual(envelope.error_code, 0, `${name} ${JSON.stringify(value)} ${envelope.error_msg}`)
          }
        }
      })
    )
  }

  it.effect("says which hours there are", () =>
    Effect.gen(function* () {
      const { airbnb } = yield* preparePriceListings
      const said = "settings.check_in_start_time: must be a whole hour from 8 to 26 or FLEXIBLE."
      assert.strictEqual(summary(yield* airbnb.updateSettings({ check_in_start_time: 27 })), `422 ${said}`)
      assert.strictEqual(summary(yield* airbnb.updateSettings({ check_in_start_time: "noon" })), `422 ${said}`)
      assert.strictEqual(summary(yield* airbnb.updateSettings({ check_in_start_time: true })), `400 ${said}`)
    })
  )

  it.effect("is told what its channel says, and nothing is written down", () =>
    Effect.gen(function* () {
      const { airbnb, vrbo, channel, operatorId } = yield* preparePriceListings
      const before = yield* loadListingRows(operatorId)
      for (const [error, expected] of ERRORS) {
        for (const { listing_id } of [airbnb, vrbo]) yield* channel.setResponse(listing_id, Effect.fail(error))
        for (const each of [
          yield* airbnb.getSettings,
          yield* airbnb.updateSettings(price),
          yield* vrbo.updateSettings(price)
        ]) {
          assert.match(summary(each), expected)
        }
      }
      assert.deepStrictEqual(yield* loadListingRows(operatorId), before)
      assert.deepStrictEqual(yield* airbnb.remoteSettings, INITIAL_AIRBNB_SETTINGS)
    })
  )

  it.effect(`repeats ${CHANNEL_REASON_LENGTH} characters of a channel's words and no more`, () =>
    Effect.gen(function* () {
      const { airbnb, channel } = yield* preparePriceListings
      const refusedBy = Effect.fnUntraced(function* (reason: string) {
        yield* channel.setResponse(airbnb.listing_id, Effect.fail(new ChannelRefused({ reason })))
        return (yield* airbnb.updateSettings(price)).error_msg
      })
      const most = "😀".repeat(CHANNEL_REASON_LENGTH)
      assert.isTrue((yield* refusedBy(most)).endsWith(`: ${most}.`))
      assert.isTrue((yield* refusedBy(`${most}a`)).endsWith(`: ${most}….`))
    })
  )

  it.effect("says 502 where a channel answers what cannot be", () =>
    Effect.gen(function* () {
      const { airbnb, channel } = yield* preparePriceListings
      yield* channel.rules.setAirbnbSettings(airbnb.accountId, airbnb.listing_id, {
        ...INITIAL_AIRBNB_SETTINGS,
        max_guests: -3
      })
      assert.match(summary(yield* airbnb.getSettings), /^502 .*channel/)
    })
  )

  it.effect(`waits ${CHANNEL_ACTION_TIMEOUT_MS} ms for a channel that never answers`, () =>
    Effect.gen(function* () {
      const { airbnb, vrbo, channel, operatorId } = yield* preparePriceListings
      const before = yield* loadListingRows(operatorId)
      for (const { listing_id } of [airbnb, vrbo]) yield* channel.setResponse(listing_id, Effect.never)
      const calls = [airbnb.getSettings, airbnb.updateSettings(price), vrbo.updateSettings(price)]
      const fibers = yield* Effect.forEach(calls, (each) => Effect.forkChild(each, { startImmediately: true }))
      const heardBy = Effect.map(
        channel.requests,
        (heard) => heard.filter((each) => [airbnb, vrbo].some(({ listing_id }) => each.endsWith(listing_id))).length
      )
      while ((yield* heardBy) < calls.length) yield* Effect.yieldNow
      yield* TestClock.adjust(CHANNEL_ACTION_TIMEOUT_MS - 1)
      assert.deepStrictEqual(
        fibers.map((fiber) => fiber.pollUnsafe()),
        [undefined, undefined, undefined]
      )
      yield* TestClock.adjust(1)
      for (const fiber of fibers) assert.strictEqual((yield* Fiber.join(fiber)).error_code, 504)
      assert.deepStrictEqual(yield* loadListingRows(operatorId), before)
    })
  )

  it.effect(`shows ${ELIGIBLE_POLICIES_MAX} policies and no more`, () =>
    Effect.gen(function* () {
      const { airbnb, channel } = yield* preparePriceListings
      const of = (count: number) => Array.from({ length: count }, (_, at) => `policy ${at}`)
      yield* channel.rules.setAllowedPolicies(airbnb.accountId, airbnb.listing_id, of(ELIGIBLE_POLICIES_MAX))
      assert.strictEqual((yield* airbnb.getSettings).error_code, 0)
      yield* channel.rules.setAllowedPolicies(airbnb.accountId, airbnb.listing_id, of(ELIGIBLE_POLICIES_MAX + 1))
      assert.strictEqual((yield* airbnb.getSettings).error_code, 502)
    })
  )

  for (const [what, which] of [
    ["the live read", ({ airbnb }) => airbnb.getSettings],
    ["what is sent to airbnb", ({ airbnb }) => airbnb.updateSettings({})],
    ["what is sent to vrbo", ({ vrbo }) => vrbo.updateSettings({})]
  ] satisfies ReadonlyArray<
    readonly [string, (of: Effect.Success<typeof preparePriceListings>) => Effect.Effect<Envelope, never, unknown>]
  >) {
    it.effect(`about ${what} is answered 120 times in a minute, and one about what is recorded more often`, () =>
      Effect.gen(function* () {
        const of = yield* preparePriceListings
        const codes = yield* Effect.forEach(Array.from({ length: 121 }), () =>
          Effect.map(which(of), (each) => each.error_code)
        )
        assert.deepStrictEqual(codes, [...Array.from({ length: 120 }, () => 0), 429])
        assert.strictEqual((yield* of.vrbo.getSettings).error_code, 0)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* which(of)).error_code, 0)
      })
    )
  }
})

const layerUnconnected = layerService(
  layerTestDatabase,
  RateWindows.layerUnbounded,
  Layer.merge(
    ScriptedChannel.layer,
    ChannelGateway.layer.pipe(Layer.provide([Connectors.layerNone, Layer.orDie(layerTestDatabase)]))
  )
)

layer(layerUnconnected)("without a connector", (it) => {
  it.effect("what needs the channel is 501, and the snapshot is shown", () =>
    Effect.gen(function* () {
      const { airbnb, vrbo } = yield* preparePriceListings
      assert.match(summary(yield* airbnb.getSettings), /^501 .*airbnb/)
      assert.match(summary(yield* airbnb.updateSettings(price)), /^501 .*airbnb/)
      assert.match(summary(yield* vrbo.updateSettings(price)), /^501 .*vrbo/)
      assert.strictEqual((yield* vrbo.getSettings).error_code, 0)
    })
  )
})
