import { assert, describe, it } from "@effect/vitest"
import { SECRET_KEYS_MAX } from "../../../src/platform/limits.ts"
import { generateKey, parseSecretKeys, SECRET_KEY_DESCRIPTION } from "../../../src/platform/sealing/secret-keys.ts"
import { redactSecrets } from "../../../src/platform/telemetry/secret-redaction.ts"

const keys = (count: number) => Array.from({ length: count }, generateKey)

describe("SECRET_KEY", () => {
  it("names keys, the first of which seals and all of which open", () => {
    const [one = "", two = ""] = keys(2)
    const [first, second] = [parseSecretKeys(one)?.current, parseSecretKeys(two)?.current]
    const both = parseSecretKeys(` ${two}, ${one} `)
    assert.strictEqual(both?.current?.id, second?.id)
    assert.deepStrictEqual(Array.from(both?.byId.keys() ?? []), [second?.id, first?.id])
    assert.notStrictEqual(first?.id, second?.id)
  })

  it("may say that secrets are written in the clear, and still opens those that are sealed", () => {
    const read = parseSecretKeys(`clear,${generateKey()}`)
    assert.isDefined(read)
    assert.isUndefined(read?.current)
    assert.strictEqual(read?.byId.size, 1)
  })

  it(`has at most ${SECRET_KEYS_MAX} keys`, () => {
    const most = keys(SECRET_KEYS_MAX)
    assert.isDefined(parseSecretKeys(most.join(",")))
    assert.isDefined(parseSecretKeys(["clear", ...most].join(",")))
    assert.isUndefined(parseSecretKeys([...most, generateKey()].join(",")))
    assert.include(SECRET_KEY_DESCRIPTION, String(SECRET_KEYS_MAX))
  })

  it("takes nothing that is no key, nor a key twice, nor none", () => {
    const key = generateKey()
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
    for (const text of wrong) assert.isUndefined(parseSecretKeys(text), text)
  })

  it("is told by no log line", () => {
    const key = generateKey()
    assert.notInclude(redactSecrets(`SECRET_KEY=${key}`), key.slice(10))
  })
})
