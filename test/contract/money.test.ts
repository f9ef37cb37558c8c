import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import fc from "fast-check"
import { ExactAmount, formatMinorUnits, splitByWeights, toExactNumber, toMinorUnits } from "../../src/contract/money.ts"
import { PROPERTY_RUNS } from "../support/property-runs.ts"

const units = fc.bigInt({ min: 0n, max: 10n ** 15n })
const weights = fc.array(fc.bigInt({ min: 0n, max: 10n ** 12n }), { minLength: 1, maxLength: 30 })
const sum = (parts: ReadonlyArray<bigint>) => parts.reduce((total, part) => total + part, 0n)

describe("splitByWeights", () => {
  it("loses and invents nothing", () => {
    fc.assert(fc.property(units, weights, (whole, by) => sum(splitByWeights(whole, by)) === whole))
  })

  it("gives every part its exact share to within one smallest unit", () => {
    fc.assert(
      fc.property(units, weights, (whole, by) => {
        const total = sum(by)
        fc.pre(total > 0n)
        return splitByWeights(whole, by).every((part, index) => {
          const difference = part * total - whole * (by[index] ?? 0n)
          return difference > -total && difference < total
        })
      })
    )
  })

  it("gives nothing to a room without revenue, as long as another has some", () => {
    fc.assert(
      fc.property(units, weights, (whole, by) => {
        fc.pre(sum(by) > 0n)
        return splitByWeights(whole, by).every((part, index) => by[index] !== 0n || part === 0n)
      })
    )
  })

  it("never gives more to the room that earned less", () => {
    fc.assert(
      fc.property(units, weights, (whole, by) => {
        const parts = splitByWeights(whole, by)
        return by.every((one, i) => by.every((other, j) => one <= other || (parts[i] ?? 0n) >= (parts[j] ?? 0n)))
      })
    )
  })

  it("splits evenly when no room earned anything", () => {
    assert.deepStrictEqual(splitByWeights(100n, [0n, 0n, 0n]), [34n, 33n, 33n])
  })
})

describe("minorUnits", () => {
  const cases: ReadonlyArray<readonly [number, string, bigint | undefined]> = [
    [35.5, "EUR", 3550n],
    [0.01, "EUR", 1n],
    [0.001, "EUR", undefined],
    [0.1 + 0.2, "EUR", undefined],
    [100, "JPY", 100n],
    [100.5, "JPY", undefined],
    [1.234, "KWD", 1234n],
    [1.2345, "KWD", undefined],
    [1e-7, "EUR", undefined],
    [999_999_999_999.99, "EUR", 99_999_999_999_999n]
  ]
  for (const [amount, currency, expected] of cases) {
    it(`reads ${amount} ${currency} as ${expected ?? "too fine"}`, () => {
      assert.deepStrictEqual(toMinorUnits(amount, currency), Option.fromUndefinedOr(expected))
    })
  }

  it("comes back as the number it was", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 14n }), fc.constantFrom("EUR", "JPY", "KWD"), (whole, currency) => {
        const text = formatMinorUnits(whole, currency)
        return Option.contains(toMinorUnits(Number(text), currency), whole)
      })
    )
  })
})

describe("an amount that is a sum", () => {
  const decoded = Schema.decodeUnknownSync(Schema.toCodecJson(ExactAmount))
  const encoded = Schema.encodeUnknownSync(Schema.toCodecJson(Schema.Struct({ amount: ExactAmount })))

  it("is written with all its digits, whatever its size", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
        fc.integer({ min: 1, max: 4 }),
        (units, decimals) => {
          const text = JSON.stringify(encoded({ amount: toExactNumber(units, decimals) }))
          const [, sign = "", whole = "", fraction = ""] = /^{"amount":(-?)(\d+)(?:\.(\d*[1-9]))?}$/.exec(text) ?? []
          const read = BigInt(whole + fraction.padEnd(decimals, "0"))
          assert.strictEqual(sign === "-" ? -read : read, units, text)
        }
      ),
      { numRuns: PROPERTY_RUNS }
    )
  })

  it("is a plain number as long as that says it all", () => {
    assert.strictEqual(toExactNumber(420_5000n, 4), 420.5)
    assert.strictEqual(toExactNumber(0n, 4), 0)
    assert.strictEqual(decoded(420.5), 420.5)
    assert.throws(() => decoded("x"))
  })
})
