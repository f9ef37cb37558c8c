import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { toVersionOutcome } from "../../../src/domain/channels/port/event-handling.ts"
import { findOversizedField, parseListingMapping, toPricingRatio } from "../../../src/domain/listings/rules.ts"
import { LISTING_JSON_LENGTH } from "../../../src/platform/limits.ts"

const id = fc.integer({ min: 1 })

describe("a link", () => {
  it("is the one record that is named", () => {
    fc.assert(
      fc.property(id, (each) => {
        assert.deepStrictEqual(
          parseListingMapping({ property_id: each }),
          Result.succeed({ type: "property", id: each })
        )
        assert.deepStrictEqual(
          parseListingMapping({ room_type_id: each }),
          Result.succeed({ type: "room_type", id: each })
        )
      })
    )
  })

  it("is none where both or neither are named, which names both fields", () => {
    fc.assert(
      fc.property(fc.option(fc.tuple(id, id), { nil: undefined }), (both) => {
        const named = both === undefined ? {} : { property_id: both[0], room_type_id: both[1] }
        const link = parseListingMapping(named)
        assert.isTrue(Result.isFailure(link) && /^property_id, room_type_id: /.test(link.failure.message))
      })
    )
  })
})

describe("a ratio", () => {
  it("is shown as it is, or as -1 where it is read-only", () => {
    fc.assert(
      fc.property(id, fc.boolean(), (ratio, readonly) => {
        assert.deepStrictEqual(toPricingRatio(ratio, readonly), { ratio: readonly ? -1 : ratio, readonly })
      })
    )
  })
})

describe("what a channel passes along", () => {
  it("is too large by its length as JSON, and the field is named", () => {
    const settings = fc.dictionary(
      fc.string(),
      fc.oneof(fc.string({ maxLength: 2 * LISTING_JSON_LENGTH }), fc.double())
    )
    fc.assert(
      fc.property(settings, fc.constantFrom("metadata" as const, "price_and_rules" as const), (value, field) => {
        const isLarge = JSON.stringify(value).length > LISTING_JSON_LENGTH
        assert.strictEqual(findOversizedField({ [field]: value }), isLarge ? field : undefined)
      })
    )
    assert.isUndefined(findOversizedField({}))
    assert.isUndefined(findOversizedField({ metadata: null, price_and_rules: null }))
  })
})

describe("a version", () => {
  it("is applied when it is later than all before, and each is one of the three", () => {
    fc.assert(
      fc.property(id, id, (last, version) => {
        const heard = toVersionOutcome(last, version)
        assert.strictEqual(heard === "applied", version > last)
        assert.strictEqual(heard === "known", version === last)
        assert.strictEqual(heard === "late", version < last)
      })
    )
  })
})
