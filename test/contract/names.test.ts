import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { toSortedUniqueIds } from "../../src/contract/id-list.ts"
import { nameKeyOf, nameUpTo, trimName } from "../../src/contract/names.ts"
import { defaultTagColor, TAG_COLORS } from "../../src/contract/tag-color.ts"

const isName = Schema.is(nameUpTo(15))

describe("names", () => {
  it("are one line of 1 to n characters, spaces around it not counted", () => {
    for (const name of ["A", "x".repeat(15), "ü".repeat(15), "😀".repeat(15), `  ${"x".repeat(15)}  `, "Sea view"]) {
      assert.isTrue(isName(name), name)
    }
    for (const none of [
      "",
      "   ",
      "\t\n",
      "x".repeat(16),
      "😀".repeat(16),
      "a\u0000b",
      "a\nb",
      "a\u2028b",
      "\ud800a"
    ]) {
      assert.isFalse(isName(none), JSON.stringify(none))
    }
  })

  it("are kept as a name that is kept as itself", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        fc.pre(isName(text))
        const kept = trimName(text)
        assert.isTrue(isName(kept))
        assert.strictEqual(trimName(kept), kept)
        assert.isAtMost(Array.from(kept).length, 15)
      })
    )
  })

  it("have the same key in any case and Unicode form", () => {
    for (const [one, other] of [
      ["Caf\u00e9", "CAFE\u0301"],
      ["Stra\u00dfe", "STRASSE"],
      ["Stra\u00dfe", "STRA\u1e9eE"],
      ["\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c2"],
      [" Sea view ", "SEA VIEW"]
    ] as const) {
      assert.strictEqual(nameKeyOf(one), nameKeyOf(other))
    }
    assert.notStrictEqual(nameKeyOf("Cafe"), nameKeyOf("Caf\u00e9"))
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const key = nameKeyOf(text)
        assert.strictEqual(nameKeyOf(text.normalize("NFD")), key)
        assert.strictEqual(nameKeyOf(key), key)
      })
    )
  })
})

describe("lists of ids", () => {
  it("hold each id once, ascending", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1 })), (ids) => {
        const list = toSortedUniqueIds(ids)
        assert.deepStrictEqual(new Set(list), new Set(ids))
        for (const [index, id] of list.entries()) assert.isTrue(index === 0 || (list[index - 1] ?? id) < id)
      })
    )
  })
})

describe("the colour of a name", () => {
  it("is of the palette and always the same", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        assert.include(TAG_COLORS, defaultTagColor(name))
        assert.strictEqual(defaultTagColor(name), defaultTagColor(name))
      })
    )
  })

  it("is every colour of the palette for some name", () => {
    assert.deepStrictEqual(new Set(Array.from("ABCDEFG", defaultTagColor)), new Set(TAG_COLORS))
  })
})
