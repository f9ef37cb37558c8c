import { PgTypes } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { columnTypes } from "../../../src/platform/database/column-types.ts"
import { PROPERTY_RUNS } from "../../support/property-runs.ts"

const BINARY = 1
const { int8 } = PgTypes.OID

const encode = (value: unknown) => Result.getOrThrow(PgTypes.encode(value, int8, columnTypes))
const decode = (bytes: Uint8Array) => Result.getOrThrow(PgTypes.decode(bytes, int8, BINARY, columnTypes))

/** Where halves and what a number carries begin and end. */
const EDGES = [0n, 1n, 2n ** 31n, 2n ** 32n, 2n ** 33n, 2n ** 52n, 2n ** 53n, 2n ** 54n, 2n ** 63n]
const edges = EDGES.flatMap((edge) => [-edge - 1n, -edge, -edge + 1n, edge - 1n, edge, edge + 1n])

const integer = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.maxSafeInteger().map(BigInt),
  fc.constantFrom(...edges.filter((edge) => BigInt.asIntN(64, edge) === edge))
)

const bytesOf = (value: bigint): Uint8Array => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, value)
  return bytes
}

describe("int8", () => {
  it("is a number as far as one carries it, and else a bigint, wherever it lies", () => {
    fc.assert(
      fc.property(integer, fc.nat({ max: 5 }), (value, before) => {
        const expected = Number.isSafeInteger(Number(value)) ? Number(value) : value
        assert.strictEqual(decode(bytesOf(value)), expected)
        const among = new Uint8Array([...new Array<number>(before).fill(7), ...bytesOf(value), 9])
        const reader = Result.getOrThrow(PgTypes.makeFieldReader([{ dataTypeOid: int8, format: BINARY }], columnTypes))
        assert.strictEqual(reader(among, before, 8, 0), expected)
      }),
      { numRuns: PROPERTY_RUNS }
    )
  })

  it("is written as it is read", () => {
    fc.assert(
      fc.property(integer, (value) => {
        assert.deepStrictEqual(encode(value), bytesOf(value))
        const number = Number(value)
        if (Number.isSafeInteger(number)) assert.deepStrictEqual(encode(number), bytesOf(value))
      })
    )
  })

  it("is refused where it is none", () => {
    for (const value of [1.5, 2 ** 53, Number.NaN, 2n ** 63n, -(2n ** 63n) - 1n]) {
      assert.isTrue(Result.isFailure(PgTypes.encode(value, int8, columnTypes)), String(value))
    }
    assert.isTrue(Result.isFailure(PgTypes.decode(new Uint8Array(7), int8, BINARY, columnTypes)))
  })
})
