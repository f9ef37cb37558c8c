import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import {
  needsReseal,
  openStoredText,
  type SecretBinding,
  toStoredText,
  type UnsealFailed
} from "../../../src/platform/sealing/sealed-text.ts"
import {
  generateKey,
  noSecretKeys,
  parseSecretKeys,
  type SecretKeys
} from "../../../src/platform/sealing/secret-keys.ts"
import { PROPERTY_RUNS } from "../../support/property-runs.ts"

const keysOf = (text: string): SecretKeys => parseSecretKeys(text) ?? noSecretKeys
const [ONE, OTHER] = [generateKey(), generateKey()]
const [one, other, both] = [keysOf(ONE), keysOf(OTHER), keysOf(`${OTHER},${ONE}`)]

const text = FastCheck.string({ unit: "grapheme", maxLength: 300 })
const place: FastCheck.Arbitrary<SecretBinding> = FastCheck.record({
  secretKind: FastCheck.string(),
  owner: FastCheck.array(FastCheck.oneof(FastCheck.integer(), FastCheck.string()), { maxLength: 3 })
})
const HERE: SecretBinding = { secretKind: "secret", owner: [7, 1] }

const holds = <A>(arbitrary: FastCheck.Arbitrary<A>, property: (value: A) => void, runs = PROPERTY_RUNS) =>
  FastCheck.assert(FastCheck.property(arbitrary, property), { numRuns: runs })

const reason = (result: Result.Result<string, UnsealFailed>) =>
  Result.match(result, { onSuccess: () => "it opened", onFailure: ({ problem: because }) => because })

describe("a sealed text", () => {
  it("opens as what it was, for the row it was sealed for, also once another key is the first", () => {
    holds(FastCheck.tuple(place, text), ([where, secret]) => {
      const sealed = toStoredText(one, where, secret)
      assert.match(sealed, /^sealed:1:[0-9a-f]{12}:/)
      if (secret.length > 8) assert.notInclude(sealed, secret)
      assert.strictEqual(Result.getOrThrow(openStoredText(one, where, sealed)), secret)
      assert.strictEqual(Result.getOrThrow(openStoredText(both, where, sealed)), secret)
    })
  })

  it("is another each time", () => {
    const times = 200
    assert.strictEqual(new Set(Array.from({ length: times }, () => toStoredText(one, HERE, "whsec_same"))).size, times)
  })

  it("opens for no other row, operator or kind of secret", () => {
    holds(FastCheck.tuple(place, place, text), ([where, elsewhere, secret]) => {
      const same = JSON.stringify([where.secretKind, ...where.owner.map(String)])
      FastCheck.pre(same !== JSON.stringify([elsewhere.secretKind, ...elsewhere.owner.map(String)]))
      assert.strictEqual(reason(openStoredText(one, elsewhere, toStoredText(one, where, secret))), "text was changed")
    })
  })

  it("with any one character changed, taken away or added does not open", () => {
    const sealed = toStoredText(one, HERE, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    const signs = "Aa0-_:=+/ "
    for (let at = 0; at < sealed.length; at++) {
      for (const sign of signs) {
        const [before, after] = [sealed.slice(0, at), sealed.slice(at + 1)]
        for (const changed of [
          `${before}${sign}${after}`,
          `${before}${sign}${sealed.slice(at)}`,
          `${before}${after}`
        ]) {
          // What does not begin as a sealed text is one in the clear, and what is named is another key.
          if (changed === sealed || !changed.startsWith("sealed:")) continue
          assert.notStrictEqual(reason(openStoredText(one, HERE, changed)), "it opened", changed)
        }
      }
    }
    assert.strictEqual(reason(openStoredText(one, HERE, `${sealed}=`)), "text was changed")
  })

  it("names the key that is missing, and nothing of what is sealed", () => {
    const failed = Result.getOrThrow(Result.flip(openStoredText(other, HERE, toStoredText(one, HERE, "whsec_hunter2"))))
    assert.match(failed.message, new RegExp(`^SECRET_KEY: .*\\b${one.current?.id}\\b.*\\bsecret$`))
    assert.notInclude(`${failed.message} ${JSON.stringify(failed)}`, "hunter2")
    assert.strictEqual(reason(openStoredText(noSecretKeys, HERE, toStoredText(one, HERE, "x"))), "key is unknown")
  })

  it("that nobody sealed opens as nothing", () => {
    holds(text, (rest) => {
      assert.notStrictEqual(reason(openStoredText(one, HERE, `sealed:1:${rest}`)), "it opened")
    })
  })
})

describe("a text in the clear", () => {
  it("is what it says, with keys and without, whatever it begins with", () => {
    holds(
      FastCheck.tuple(FastCheck.constantFrom("", "sealed:", "sealed:1:", "sealed:0:", "https://"), text),
      (parts) => {
        const secret = parts.join("")
        for (const keys of [noSecretKeys, keysOf(`clear,${ONE}`)]) {
          const clear = toStoredText(keys, HERE, secret)
          assert.isFalse(clear.startsWith("sealed:1:"))
          if (!secret.startsWith("sealed:")) assert.strictEqual(clear, secret)
          assert.strictEqual(Result.getOrThrow(openStoredText(keys, HERE, clear)), secret)
          assert.strictEqual(Result.getOrThrow(openStoredText(one, HERE, clear)), secret)
        }
      }
    )
  })
})

it("what is not as it would be written now is to be written anew", () => {
  const clear = keysOf(`clear,${ONE}`)
  const sealed = toStoredText(one, HERE, "x")
  assert.deepStrictEqual(
    [one, both, clear, noSecretKeys].map((keys) => needsReseal(keys, sealed)),
    [false, true, true, true]
  )
  assert.deepStrictEqual(
    [one, clear, noSecretKeys].map((keys) => needsReseal(keys, "x")),
    [true, false, false]
  )
})
