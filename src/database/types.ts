import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

const INT8_BYTES = 8

const refuse = (message: string) => Result.fail(new PgTypes.CodecError({ message }))

const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value

/**
 * `int8` as a number: identifiers, counts and sums are far below 2^53. A value beyond it stays a `bigint`, which no
 * number schema accepts, so the one caller that reads it dies. Failing here instead would close the connection under
 * every other statement that shares it.
 */
const int8: PgTypes.Codec<number | bigint> = {
  decode: (bytes) => {
    if (bytes.byteLength !== INT8_BYTES) return refuse(`Expected ${INT8_BYTES} bytes for int8`)
    const value = new DataView(bytes.buffer, bytes.byteOffset, INT8_BYTES).getBigInt64(0)
    const number = Number(value)
    return Result.succeed(Number.isSafeInteger(number) ? number : value)
  },
  encode: (value) => {
    if (typeof value === "number" && !Number.isSafeInteger(value)) return refuse(`${value} is not a safe integer`)
    const integer = BigInt(value)
    if (!isInt64(integer)) return refuse(`${integer} does not fit int8`)
    const bytes = new Uint8Array(INT8_BYTES)
    new DataView(bytes.buffer).setBigInt64(0, integer)
    return Result.succeed(bytes)
  }
}

/**
 * How columns arrive, the same from a server and from the embedded database: `int8` as number, `numeric` as decimal
 * string, `date` as `YYYY-MM-DD` string, `timestamptz` as `Date` with milliseconds (decode with
 * `Schema.DateTimeUtcFromDate`), `jsonb` parsed. Only `int8` differs from the client's own codecs.
 */
export const types: PgTypes.Registry = PgTypes.makeRegistry()
types.register(PgTypes.OID.int8, int8, { arrayOid: PgTypes.OID.int8Array })
