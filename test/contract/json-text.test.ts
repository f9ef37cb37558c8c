import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { NOT_JSON, parseJson } from "../../src/contract/json-text.ts"
import { BODY_BYTES, JSON_DEPTH_MAX, JSON_PARTS_MAX } from "../../src/platform/limits.ts"

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels)
const objects = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`
const list = (elements: number): string => `[${Array.from({ length: elements }, () => "0").join(",")}]`
const fields = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"${index}":0`).join(",")}}`

const refusalOf = (text: string) => Result.getOrUndefined(Result.flip(parseJson(text)))

describe("a JSON body", () => {
  it("is the value it stands for", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        assert.deepStrictEqual(Result.getOrThrow(parseJson(JSON.stringify(value))), JSON.parse(JSON.stringify(value)))
        assert.deepStrictEqual(
          Result.getOrThrow(parseJson(JSON.stringify(value, null, 2))),
          JSON.parse(JSON.stringify(value))
        )
      })
    )
  })

  it("may be nested so deep and no deeper, however deep it goes", () => {
    for (const form of [nested, objects]) {
      assert.isUndefined(refusalOf(form(JSON_DEPTH_MAX)))
      for (const levels of [JSON_DEPTH_MAX + 1, BODY_BYTES / 8]) {
        assert.match(refusalOf(form(levels)) ?? "", new RegExp(`${JSON_DEPTH_MAX} levels`))
      }
    }
    assert.isUndefined(refusalOf(`[${Array.from({ length: 50 }, () => nested(JSON_DEPTH_MAX - 1)).join(",")}]`))
  })

  it("may have so many fields and elements and no more", () => {
    for (const form of [list, fields]) {
      assert.isUndefined(refusalOf(form(JSON_PARTS_MAX)))
      assert.match(refusalOf(form(JSON_PARTS_MAX + 1)) ?? "", new RegExp(`${JSON_PARTS_MAX} fields`))
    }
    // The list is a field of its object.
    assert.isUndefined(refusalOf(`{"ids":${list(JSON_PARTS_MAX - 1)}}`))
    assert.isDefined(refusalOf(`{"ids":${list(JSON_PARTS_MAX)}}`))
  })

  it("may say in a text what it likes", () => {
    for (const text of [
      "[".repeat(40),
      ",".repeat(JSON_PARTS_MAX),
      `\\`,
      `"[\\"`,
      `\\"${"[,".repeat(JSON_PARTS_MAX)}`
    ]) {
      assert.deepStrictEqual(Result.getOrThrow(parseJson(JSON.stringify({ text }))), { text })
    }
  })

  it("is none when it breaks off or is something else", () => {
    for (const text of ['{"a":"', '"\\', '{"a":"\\"', "[", "]", "{,}", "NaN", "", '"a" "b"']) {
      assert.strictEqual(refusalOf(text), NOT_JSON)
    }
  })
})
