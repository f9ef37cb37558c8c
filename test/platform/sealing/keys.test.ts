import { assert, describe, it } from "@effect/vitest"
import { SECRET_KEYS } from "../../../src/platform/limits.ts"
import { newKey, readKeys, SECRET_KEY } from "../../../src/platform/sealing/keys.ts"
import { withoutSecrets } from "../../../src/platform/telemetry/secrets.ts"

const keys = (count: number) => Array.from({ length: count }, newKey)

describe("SECRET_KEY", () => {
  it("names keys, the first of which seals and all of which open", () => {
    const [one = "", two = ""] = keys(2)
    const [first, second] = [readKeys(one)?.first, readKeys(two)?.first]
    const both = readKeys(` ${two}, ${one} `)
    assert.strictEqual(both?.first?.id, second?.id)
    assert.deepStrictEqual(Array.from(both?.all.keys() ?? []), [second?.id, first?.id])
    assert.notStrictEqual(first?.id, second?.id)
  })

  it("may say that secrets are written in the clear, and still opens those that are sealed", () => {
    const read = readKeys(`clear,${newKey()}`)
    assert.isDefined(read)
    assert.isUndefined(read?.first)
    assert.strictEqual(read?.all.size, 1)
  })

  it(`has at most ${SECRET_KEYS} keys`, () => {
    const most = keys(SECRET_KEYS)
    assert.isDefined(readKeys(most.join(",")))
    assert.isDefined(readKeys(["clear", ...most].join(",")))
    assert.isUndefined(readKeys([...most, newKey()].join(",")))
    assert.include(SECRET_KEY, String(SECRET_KEYS))
  })

  it("takes nothing that is no key, nor a key twice, nor none", () => {
    const key = newKey()
    const wrong = [
      "",
      "clear",
      ",",
      "hunter2",
      `${key},`,
      `${key},${key}`,
      `${key},clear`,
      `clear,clear,${key}`,
      key.slice(0, -1),
      `${key}A`,
      key.replace("lksecret_", "lk_"),
      key.toUpperCase(),
      // Ends with signs of which a part is nobody's: the same bytes said in another way.
      `lksecret_${"A".repeat(42)}B`
    ]
    for (const text of wrong) assert.isUndefined(readKeys(text), text)
  })

  it("is told by no log line", () => {
    const key = newKey()
    assert.notInclude(withoutSecrets(`SECRET_KEY=${key}`), key.slice(10))
  })
})
