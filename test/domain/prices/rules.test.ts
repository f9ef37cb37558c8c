import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, Struct } from "effect"
import fc from "fast-check"
import { type VrboPriceAndRules, vrboWritableSettings } from "../../../src/domain/channels/port/price-and-rules.ts"
import { update_airbnb_price_and_rules, type VrboSettings } from "../../../src/domain/prices/contract.ts"
import {
  toAirbnbPriceAndRules,
  toAirbnbUpdate,
  toVrboPriceAndRules,
  toVrboSnapshot,
  toVrboUpdate
} from "../../../src/domain/prices/rules.ts"
import { EVERY_AIRBNB_SETTING, INITIAL_AIRBNB_SETTINGS } from "../../support/remote-rules.ts"

const price = fc.oneof(fc.constantFrom(80, 90), fc.integer({ min: 1, max: 500 }))
const fee = fc.oneof(fc.constant(0), price)
const nightly = fc.record({
  sunday: price,
  monday: price,
  tuesday: price,
  wednesday: price,
  thursday: price,
  friday: price,
  saturday: price
})
const flat = price.map((each) => ({
  sunday: each,
  monday: each,
  tuesday: each,
  wednesday: each,
  thursday: each,
  friday: each,
  saturday: each
}))

/** Some of the settings that can be sent. */
const sent: fc.Arbitrary<VrboSettings> = fc.record(
  {
    base_price: price,
    nightly_rate: fc.oneof(nightly, flat),
    weekly_discount: fc.nat(99),
    cleaning_fee: fee,
    extra_guest_fee: fee,
    security_deposit: fee,
    minimum_stay: fc.integer({ min: 1, max: 30 }),
    check_in_start_time: fc.constantFrom(16, "16:00"),
    instant_booking: fc.boolean()
  },
  { requiredKeys: [] }
)

/** What was recorded by channel and host in turn. */
const recorded: fc.Arbitrary<Partial<VrboPriceAndRules>> = fc
  .array(sent, { maxLength: 4 })
  .map((all) => Object.assign({}, ...all.map(toVrboSnapshot)))

/** What a client sends that sends back what it read: null is not sent. */
const sentBack = (shown: VrboPriceAndRules): VrboSettings =>
  Schema.decodeUnknownSync(Schema.Struct(Struct.map(vrboWritableSettings, Schema.optionalKey)))(
    Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null))
  )

describe("the snapshot of a vrbo listing", () => {
  it("is recorded as it is shown, when it is sent back", () => {
    fc.assert(
      fc.property(recorded, (before) => {
        const shown = toVrboPriceAndRules(before)
        assert.deepStrictEqual(
          toVrboPriceAndRules({ ...before, ...toVrboSnapshot(toVrboUpdate(sentBack(shown))) }),
          shown
        )
      })
    )
  })

  it("shows what was sent and keeps what was not", () => {
    fc.assert(
      fc.property(recorded, sent, (before, settings) => {
        const told = toVrboUpdate(settings)
        const [was, is] = [toVrboPriceAndRules(before), toVrboPriceAndRules({ ...before, ...toVrboSnapshot(told) })]
        const prices = "base_price" in told || "nightly_rate" in told ? ["base_price", "nightly_rate"] : []
        const changed = new Set([...Object.keys(told), ...prices])
        for (const name of Struct.keys(was)) if (!changed.has(name)) assert.deepStrictEqual(is[name], was[name], name)
        for (const name of Struct.keys(told)) {
          const cleared = /fee$|deposit$/.test(name) && told[name] === 0
          if (name !== "base_price" && name !== "nightly_rate")
            assert.deepStrictEqual(is[name], cleared ? null : told[name], name)
        }
        if (told.base_price !== undefined) assert.strictEqual(is.base_price, told.base_price)
        else if (told.nightly_rate !== undefined) assert.deepStrictEqual(is.nightly_rate, told.nightly_rate)
      })
    )
  })

  it("has a base price where every weekday costs the same, and only there", () => {
    fc.assert(
      fc.property(recorded, (before) => {
        const { base_price, nightly_rate } = toVrboPriceAndRules(before)
        const prices = new Set(Object.values(nightly_rate ?? {}))
        assert.strictEqual(base_price, prices.size === 1 ? nightly_rate?.sunday : null)
      })
    )
  })

  it("is null where a channel has brought what is no such setting, whatever it is", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.dictionary(fc.constantFrom(...Object.keys(vrboWritableSettings)), fc.jsonValue()),
        (...all) => {
          for (const each of all) {
            const shown = toVrboPriceAndRules(Schema.decodeUnknownSync(Schema.Json)(each))
            assert.sameMembers(Object.keys(shown), Object.keys(vrboWritableSettings))
            assert.deepStrictEqual(toVrboPriceAndRules(toVrboSnapshot(toVrboUpdate(sentBack(shown)))), shown)
          }
        }
      )
    )
    assert.deepInclude(toVrboPriceAndRules({ base_price: "free", max_guests: 4, another: 1 }), {
      base_price: null,
      max_guests: 4
    })
  })
})

const read = Schema.decodeUnknownSync(update_airbnb_price_and_rules.payloadSchema.fields.settings)

describe("the settings of an airbnb listing", () => {
  it("have one kind of pet fee, and the one ends the other", () => {
    const pet_fee_obj = EVERY_AIRBNB_SETTING.pet_fee_obj
    const told = (settings: object) => Result.getOrThrow(toAirbnbUpdate(read(settings)))
    assert.deepStrictEqual(told({ pet_fee: 5 }), { pet_fee: 5, pet_fee_obj: null })
    assert.deepStrictEqual(told({ pet_fee_obj }), { pet_fee_obj, pet_fee: null })
    assert.deepStrictEqual(told({ pet_fee: null }), { pet_fee: null })
    assert.deepStrictEqual(told({ pet_fee: 0, pet_fee_obj: null }), { pet_fee: 0, pet_fee_obj: null })
    assert.isTrue(Result.isFailure(toAirbnbUpdate(read({ pet_fee: 0, pet_fee_obj }))))
  })

  it("can be sent back though the channel should have both", () => {
    const shown = toAirbnbPriceAndRules({
      ...INITIAL_AIRBNB_SETTINGS,
      pet_fee: 5,
      pet_fee_obj: EVERY_AIRBNB_SETTING.pet_fee_obj
    })
    assert.isNull(shown.pet_fee)
    assert.strictEqual(toAirbnbPriceAndRules(INITIAL_AIRBNB_SETTINGS).pet_fee, 15)
  })

  it("take one discount for a list of it", () => {
    const one = { discount: 10, days: 60 }
    for (const name of ["early_bird_discount", "last_minute_discount", "long_term_discount"]) {
      assert.deepStrictEqual(Result.getOrThrow(toAirbnbUpdate(read({ [name]: one }))), { [name]: [one] })
      assert.deepStrictEqual(Result.getOrThrow(toAirbnbUpdate(read({ [name]: [] }))), { [name]: [] })
    }
  })
})
