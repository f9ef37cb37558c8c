import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import type { AirbnbPriceAndRules } from "../../../src/domain/channels/port/price-and-rules.ts"
import { loadAuditLines } from "../../support/changes/keyed-calls.ts"
import { loadListingRows, loadShownSettings, preparePriceListings } from "../../support/domain/prices/price-listings.ts"
import { fieldOfError } from "../../support/error-messages.ts"
import { layerTest } from "../../support/harness.ts"
import {
  ALLOWED_CANCELLATION_POLICIES,
  EVERY_AIRBNB_SETTING,
  INITIAL_AIRBNB_SETTINGS
} from "../../support/remote-rules.ts"

const OTHERS: Readonly<Record<string, unknown>> = EVERY_AIRBNB_SETTING
const AT_FIRST: Readonly<Record<string, unknown>> = INITIAL_AIRBNB_SETTINGS
const NAMES = Object.keys(INITIAL_AIRBNB_SETTINGS)
const PET_FEES = ["pet_fee", "pet_fee_obj"]

/** How a listing may stand: each setting as at first or as it may be sent. */
const standing: fc.Arbitrary<AirbnbPriceAndRules> = fc.subarray(NAMES).map((names) => ({
  ...INITIAL_AIRBNB_SETTINGS,
  ...Object.fromEntries(names.map((name) => [name, OTHERS[name]]))
}))

/** Some settings, of the two kinds of pet fee one at most. */
const partial = fc
  .tuple(fc.subarray(NAMES), fc.boolean())
  .map(([names, first]) =>
    Object.fromEntries(
      names
        .filter((name) => name !== (first ? "pet_fee" : "pet_fee_obj"))
        .map((name) => [name, (first ? OTHERS : AT_FIRST)[name]])
    )
  )

layer(layerTest)("prices and rules of an airbnb listing", (it) => {
  it.effect("are read as they are there now, every setting beside what the policy may be", () =>
    Effect.gen(function* () {
      const { airbnb, channel } = yield* preparePriceListings
      assert.deepStrictEqual(yield* loadShownSettings(airbnb.getSettings), {
        ...AT_FIRST,
        eligible_cancellation_policies: ALLOWED_CANCELLATION_POLICIES
      })
      yield* channel.rules.setAirbnbSettings(airbnb.accountId, airbnb.listing_id, {
        ...INITIAL_AIRBNB_SETTINGS,
        base_price: 99.5
      })
      assert.deepInclude(yield* loadShownSettings(airbnb.getSettings), { base_price: 99.5 })
    })
  )

  it.effect("can be sent back as they were read, which changes nothing here or there", () =>
    Effect.gen(function* () {
      const { airbnb, channel } = yield* preparePriceListings
      for (const settings of fc.sample(standing, 25)) {
        const told = JSON.stringify(settings)
        yield* channel.rules.setAirbnbSettings(airbnb.accountId, airbnb.listing_id, settings)
        const before = yield* airbnb.getSettings
        const [was, read] = [yield* airbnb.remoteSettings, yield* loadShownSettings(airbnb.getSettings)]
        assert.deepInclude(yield* airbnb.updateSettings(read), { error_code: 0, data: {} }, told)
        assert.deepStrictEqual((yield* airbnb.getSettings).data, before.data, told)
        if (settings.pet_fee === null || settings.pet_fee_obj === null) {
          assert.deepStrictEqual(yield* airbnb.remoteSettings, was, told)
        }
      }
    })
  )

  it.effect("change where they are sent and nowhere else", () =>
    Effect.gen(function* () {
      const { airbnb } = yield* preparePriceListings
      for (const settings of fc.sample(partial, 40)) {
        const before: Readonly<Record<string, unknown>> = yield* airbnb.remoteSettings
        assert.strictEqual((yield* airbnb.updateSettings(settings)).error_code, 0, JSON.stringify(settings))
        const after: Readonly<Record<string, unknown>> = yield* airbnb.remoteSettings
        for (const name of NAMES.filter((each) => !PET_FEES.includes(each))) {
          const isSent = name in settings
          // What was never set and is sent as null stays as it is.
          const isLeft = !isSent || (settings[name] === null && NEVER_REMOVED.includes(name))
          assert.deepStrictEqual(
            after[name],
            isLeft ? before[name] : settings[name],
            `${name} ${JSON.stringify(settings)}`
          )
        }
        assert.isTrue(after["pet_fee"] === null || after["pet_fee_obj"] === null)
      }
    })
  )

  it.effect("have one kind of pet fee: the one ends the other, and both at once are refused", () =>
    Effect.gen(function* () {
      const { airbnb } = yield* preparePriceListings
      const { pet_fee_obj } = EVERY_AIRBNB_SETTING
      yield* airbnb.updateSettings({ pet_fee_obj })
      assert.deepInclude(yield* loadShownSettings(airbnb.getSettings), { pet_fee: null, pet_fee_obj })
      const both = yield* airbnb.updateSettings({ pet_fee: 3, pet_fee_obj, base_price: 1 })
      assert.deepStrictEqual([both.error_code, fieldOfError(both)], [400, "settings.pet_fee"])
      assert.include(both.error_msg, "pet_fee_obj")
      assert.deepInclude(yield* loadShownSettings(airbnb.getSettings), { pet_fee: null, pet_fee_obj, base_price: 120 })
      const short = yield* airbnb.updateSettings({ minimum_stay: 8, maximum_stay: 7, base_price: 1 })
      assert.deepStrictEqual([short.error_code, fieldOfError(short)], [422, "settings.maximum_stay"])
      assert.include(short.error_msg, "minimum_stay")
      assert.deepInclude(yield* loadShownSettings(airbnb.getSettings), { base_price: 120 })
      assert.deepInclude(yield* airbnb.updateSettings({ minimum_stay: 7, maximum_stay: 7 }), { error_code: 0 })
      yield* airbnb.updateSettings({ pet_fee: 3 })
      assert.deepInclude(yield* loadShownSettings(airbnb.getSettings), { pet_fee: 3, pet_fee_obj: null })
      yield* airbnb.updateSettings({ pet_fee: null })
      assert.deepInclude(yield* loadShownSettings(airbnb.getSettings), { pet_fee: null, pet_fee_obj: null })
    })
  )

  it.effect("take one discount for a list of it", () =>
    Effect.gen(function* () {
      const { airbnb } = yield* preparePriceListings
      yield* airbnb.updateSettings({ early_bird_discount: { discount: 12.5, days: 30 }, last_minute_discount: [] })
      assert.deepInclude(yield* loadShownSettings(airbnb.getSettings), {
        early_bird_discount: [{ discount: 12.5, days: 30 }],
        last_minute_discount: []
      })
    })
  )

  it.effect("refuse a cancellation policy that the listing may not have, and then nothing is changed", () =>
    Effect.gen(function* () {
      const { airbnb, operatorId } = yield* preparePriceListings
      const { error_code, error_msg } = yield* airbnb.updateSettings({ cancellation_policy: "free", base_price: 1 })
      assert.strictEqual(error_code, 422)
      assert.match(error_msg, /^settings\.cancellation_policy: the channel refused: free is not for this listing\.$/)
      assert.deepStrictEqual(yield* airbnb.remoteSettings, INITIAL_AIRBNB_SETTINGS)
      assert.deepStrictEqual(yield* loadAuditLines(operatorId), [])
      assert.strictEqual((yield* airbnb.updateSettings({ cancellation_policy: "strict" })).error_code, 0)
      assert.deepInclude(yield* airbnb.remoteSettings, { cancellation_policy: "strict" })
    })
  )

  it.effect("leave in the trail what was sent, and nothing where there was nothing to send", () =>
    Effect.gen(function* () {
      const { airbnb, channel, operatorId } = yield* preparePriceListings
      const before = yield* loadListingRows(operatorId)
      for (const nothing of [{}, { unknown: 1 }, { base_price: null }, { eligible_cancellation_policies: ["free"] }]) {
        assert.strictEqual((yield* airbnb.updateSettings(nothing)).error_code, 0)
      }
      const heard = (yield* channel.requests).filter((each) => each.endsWith(airbnb.listing_id))
      assert.deepStrictEqual(heard, [], "the channel hears nothing of nothing")
      assert.deepStrictEqual(yield* loadAuditLines(operatorId), [])
      yield* airbnb.updateSettings({ base_price: 130, minimum_stay: 3 })
      const [id] = /\d+/.exec((yield* loadAuditLines(operatorId))[0] ?? "") ?? []
      assert.deepStrictEqual(yield* loadAuditLines(operatorId), [
        `update_airbnb_price_and_rules listing:${id} base_price minimum_stay`
      ])
      assert.deepStrictEqual(yield* loadListingRows(operatorId), before, "nothing of it is recorded here")
    })
  )
})

/** Shown as null until it is set; null takes none of them away. */
const NEVER_REMOVED = ["weekend_price", "extra_guest_fee", "advance_notice"]
