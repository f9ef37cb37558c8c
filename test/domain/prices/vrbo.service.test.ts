import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { ChannelRefused, ChannelUnavailable } from "../../../src/domain/channels/port/errors.ts"
import { vrboWritableSettings } from "../../../src/domain/channels/port/price-and-rules.ts"
import { loadAuditLines } from "../../support/changes/keyed-calls.ts"
import { loadListingRows, loadShownSettings, preparePriceListings } from "../../support/domain/prices/price-listings.ts"
import { fieldOfError } from "../../support/error-messages.ts"
import { layerTest } from "../../support/harness.ts"
import { EVERY_VRBO_SETTING } from "../../support/remote-rules.ts"

const NOTHING = Object.fromEntries(Object.keys(vrboWritableSettings).map((name) => [name, null]))
const { nightly_rate, ...REST } = EVERY_VRBO_SETTING
const flat = (price: number) => Object.fromEntries(Object.keys(nightly_rate).map((day) => [day, price]))

/** Some settings; a fee may be 0. */
const partial = fc
  .tuple(
    fc.subarray(Object.entries(REST)),
    fc.constantFrom({}, { cleaning_fee: 0 }, { base_price: 75 }, { nightly_rate })
  )
  .map(([settings, more]): Record<string, unknown> => ({ ...Object.fromEntries(settings), ...more }))

/** What a channel said of the operator's listings. */
const recorded = Effect.fnUntraced(function* (operatorId: number, settings: object) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE listings SET price_and_rules = ${JSON.stringify(settings)}::jsonb
    WHERE operator_id = ${operatorId} AND channel_type = 'vrbo'`
})

layer(layerTest)("prices and rules of a vrbo listing", (it) => {
  it.effect("are what is recorded here, and null where that is nothing; no channel is asked", () =>
    Effect.gen(function* () {
      const { vrbo, channel, operatorId } = yield* preparePriceListings
      yield* channel.setResponse(vrbo.listing_id, Effect.fail(new ChannelUnavailable({ code: 503 })))
      assert.deepStrictEqual(yield* loadShownSettings(vrbo.getSettings), NOTHING)
      yield* recorded(operatorId, { base_price: 80, cleaning_fee: 0, max_guests: "four", check_in_start_time: 16 })
      assert.deepStrictEqual(yield* loadShownSettings(vrbo.getSettings), {
        ...NOTHING,
        base_price: 80,
        nightly_rate: flat(80),
        check_in_start_time: 16
      })
    })
  )

  it.effect("can be sent back as they were read, which changes nothing here or there", () =>
    Effect.gen(function* () {
      const { vrbo, operatorId } = yield* preparePriceListings
      for (const settings of [{}, { base_price: 80 }, { nightly_rate }, ...fc.sample(partial, 15)]) {
        yield* recorded(operatorId, {})
        yield* vrbo.updateSettings(settings)
        const [read, told] = [yield* loadShownSettings(vrbo.getSettings), yield* vrbo.pushedSettings]
        assert.deepInclude(yield* vrbo.updateSettings(read), { error_code: 0, data: {} })
        assert.deepStrictEqual(yield* loadShownSettings(vrbo.getSettings), read, JSON.stringify(settings))
        // Told again of what it has, and of nothing that it has not.
        assert.deepStrictEqual(yield* vrbo.pushedSettings, told, JSON.stringify(settings))
      }
    })
  )

  it.effect("change where they are sent and nowhere else, there and then here", () =>
    Effect.gen(function* () {
      const { vrbo } = yield* preparePriceListings
      let expected: Record<string, unknown> = NOTHING
      for (const settings of fc.sample(partial, 30)) {
        assert.strictEqual((yield* vrbo.updateSettings(settings)).error_code, 0)
        assert.deepInclude(yield* vrbo.pushedSettings, settings)
        expected = { ...expected, ...settings }
        if (settings["cleaning_fee"] === 0) expected = { ...expected, cleaning_fee: null }
        if ("base_price" in settings) expected = { ...expected, nightly_rate: flat(75) }
        if ("nightly_rate" in settings) expected = { ...expected, base_price: null }
        assert.deepStrictEqual(yield* loadShownSettings(vrbo.getSettings), expected, JSON.stringify(settings))
      }
    })
  )

  it.effect("have one price for every day or one for each: the base price wins", () =>
    Effect.gen(function* () {
      const { vrbo } = yield* preparePriceListings
      yield* vrbo.updateSettings({ base_price: 100, nightly_rate })
      assert.deepInclude(yield* loadShownSettings(vrbo.getSettings), { base_price: 100, nightly_rate: flat(100) })
      assert.notProperty(yield* vrbo.pushedSettings, "nightly_rate")
      yield* vrbo.updateSettings({ nightly_rate })
      assert.deepInclude(yield* loadShownSettings(vrbo.getSettings), { base_price: null, nightly_rate })
      yield* vrbo.updateSettings({ nightly_rate: flat(70) })
      assert.deepInclude(yield* loadShownSettings(vrbo.getSettings), { base_price: 70, nightly_rate: flat(70) })
    })
  )

  it.effect("want a price of every day of the week, if of any", () =>
    Effect.gen(function* () {
      const { vrbo, operatorId } = yield* preparePriceListings
      const before = yield* loadListingRows(operatorId)
      const { sunday: _, ...six } = nightly_rate
      const unreadable = yield* vrbo.updateSettings({ nightly_rate: six })
      assert.deepStrictEqual([unreadable.error_code, fieldOfError(unreadable)], [400, "settings.nightly_rate.sunday"])
      const free = yield* vrbo.updateSettings({ nightly_rate: { ...nightly_rate, friday: 0 } })
      assert.deepStrictEqual([free.error_code, fieldOfError(free)], [422, "settings.nightly_rate.friday"])
      assert.deepStrictEqual(yield* loadListingRows(operatorId), before)
    })
  )

  it.effect("have no fee after a 0", () =>
    Effect.gen(function* () {
      const { vrbo } = yield* preparePriceListings
      const fees = { cleaning_fee: 0, extra_guest_fee: 0, security_deposit: 0 }
      yield* vrbo.updateSettings(EVERY_VRBO_SETTING)
      yield* vrbo.updateSettings(fees)
      assert.deepInclude(yield* vrbo.pushedSettings, fees)
      assert.deepStrictEqual(yield* loadShownSettings(vrbo.getSettings), {
        ...NOTHING,
        ...EVERY_VRBO_SETTING,
        cleaning_fee: null,
        extra_guest_fee: null,
        security_deposit: null
      })
    })
  )

  it.effect("are recorded only once the channel has agreed, with the time and the trail of that", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2027-04-20T10:00:00Z"))
      const { vrbo, channel, operatorId } = yield* preparePriceListings
      const before = yield* loadListingRows(operatorId)
      yield* channel.setResponse(vrbo.listing_id, Effect.fail(new ChannelRefused({ reason: "closed today" })))
      const conflict = yield* vrbo.updateSettings({ base_price: 90 })
      assert.deepStrictEqual([conflict.error_code, fieldOfError(conflict)], [409, "listing_id"])
      assert.include(conflict.error_msg, "closed today")
      assert.deepStrictEqual(yield* loadListingRows(operatorId), before)
      assert.deepStrictEqual(yield* loadAuditLines(operatorId), [])
      yield* channel.setResponse(vrbo.listing_id, Effect.void)
      assert.strictEqual((yield* vrbo.updateSettings({ base_price: 90, weekly_discount: 5 })).error_code, 0)
      assert.match(
        (yield* loadAuditLines(operatorId)).join(),
        /^update_vrbo_price_and_rules listing:\d+ base_price weekly_discount$/
      )
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ updated_at: Date }>`
        SELECT updated_at FROM listings WHERE operator_id = ${operatorId} AND channel_type = 'vrbo'`
      assert.strictEqual(row?.updated_at.toISOString(), "2027-04-20T10:00:00.000Z")
    })
  )
})
