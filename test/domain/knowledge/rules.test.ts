import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { ChannelType } from "../../../src/domain/channels/port/channel-type.ts"
import { toChannelTypes } from "../../../src/domain/channels/port/channel-types-parameter.ts"
import { normalizeChannelScope, normalizePropertyScope } from "../../../src/domain/knowledge/rules.ts"

const ids = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 })
const channels = fc.array(fc.constantFrom(...ChannelType.literals), { minLength: 1 })
const type = fc.constantFrom("by_property" as const, "by_group" as const, "by_room_type" as const)

const refusalOf = (scope: Result.Result<unknown, { readonly message: string }>) =>
  Result.match(scope, { onSuccess: () => "", onFailure: ({ message }) => message })

describe("a scope of properties", () => {
  it("that names some has each once, ascending, and is its own form", () => {
    fc.assert(
      fc.property(type, ids, (type, ids) => {
        const scope = Result.getOrThrow(normalizePropertyScope({ type, ids }))
        assert.strictEqual(scope.type, type)
        assert.sameMembers([...scope.ids], [...new Set(ids)])
        assert.deepStrictEqual(
          [...scope.ids],
          scope.ids.toSorted((one, other) => one - other)
        )
        assert.deepStrictEqual(Result.getOrThrow(normalizePropertyScope(scope)), scope)
      })
    )
  })

  it("that names some and all is refused, wherever all stands among them", () => {
    fc.assert(
      fc.property(type, ids, fc.nat(), (type, ids, place) => {
        assert.match(
          refusalOf(normalizePropertyScope({ type, ids: ids.toSpliced(place, 0, -1) })),
          /^scope_property\.ids: /
        )
        assert.match(refusalOf(normalizePropertyScope({ type: "all", ids })), /^scope_property\.ids: /)
        assert.match(refusalOf(normalizePropertyScope({ type: "all", ids: [-1, ...ids] })), /^scope_property\.ids: /)
      })
    )
  })

  it("for all is [-1], however it is said, and one of a kind names at least one", () => {
    for (const ids of [[], [-1], [-1, -1]]) {
      assert.deepStrictEqual(Result.getOrThrow(normalizePropertyScope({ type: "all", ids })), {
        type: "all",
        ids: [-1]
      })
    }
    assert.deepStrictEqual(Result.getOrThrow(normalizePropertyScope({ type: "all" })), { type: "all", ids: [-1] })
    assert.match(refusalOf(normalizePropertyScope({ type: "by_room_type" })), /^scope_property\.ids: .*room type/)
  })
})

describe("a scope of channels", () => {
  it("that names some has each once, and is its own form", () => {
    fc.assert(
      fc.property(channels, (channels) => {
        const scope = Result.getOrThrow(normalizeChannelScope({ type: "by_channel", channels }))
        assert.sameMembers([...scope.channels], [...new Set(channels)])
        assert.deepStrictEqual(Result.getOrThrow(normalizeChannelScope(scope)), scope)
        assert.match(refusalOf(normalizeChannelScope({ type: "all", channels })), /^scope_channel\.channels: /)
        assert.match(
          refusalOf(normalizeChannelScope({ type: "by_channel", channels: [...channels, "unlimited"] })),
          /^scope_channel\.channels: /
        )
      })
    )
  })

  it('for all is ["unlimited"], however it is said', () => {
    const all = { type: "all", channels: ["unlimited"] } as const
    for (const scope of [all, { type: "all", channels: [] } as const, { type: "all" } as const]) {
      assert.deepStrictEqual(Result.getOrThrow(normalizeChannelScope(scope)), all)
    }
    assert.match(refusalOf(normalizeChannelScope({ type: "by_channel" })), /^scope_channel\.channels: /)
  })
})

it("channel types are the same as a list and as a text", () => {
  fc.assert(
    fc.property(channels, fc.constantFrom(",", ", ", " ,"), (channels, comma) => {
      assert.deepStrictEqual(toChannelTypes(channels.join(comma)), channels)
      assert.deepStrictEqual(toChannelTypes(channels), channels)
    })
  )
})
