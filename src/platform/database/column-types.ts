import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

const INT8_BYTES = 8

const failCodec = (message: string) => Result.fail(new PgTypes.CodecError({ message }))

const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value

const HALF = 2 ** 32

/** The high 32 bits of a safe integer are at least `-SAFE_HIGH` and below `SAFE_HIGH`. */
const SAFE_HIGH = 2 ** 21

const int32At = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)

const readInt8 = (bytes: Uint8Array, offset: number, size: number) => {
  if (size !== INT8_BYTES) return failCodec(`Expected ${INT8_BYTES} bytes for int8`)
  const high = int32At(bytes, offset)
  const low = int32At(bytes, offset + 4) >>> 0
  if (high >= -SAFE_HIGH && high < SAFE_HIGH) {
    const number = high * HALF + low
    if (Number.isSafeInteger(number)) return Result.succeed(number)
  }
  return Result.succeed((BigInt(high) << 32n) | BigInt(low))
}

/**
 * A value beyond 2^53 stays a `bigint`. No number schema accepts a `bigint`, so only the read of this value fails. An
 * error here would close the connection under all statements that share it.
 */
const int8: PgTypes.Codec<number | bigint> = {
  decode: (bytes) => readInt8(bytes, 0, bytes.byteLength),
  read: readInt8,
  encode: (value) => {
    if (typeof value === "number" && !Number.isSafeInteger(value)) return failCodec(`${value} is not a safe integer`)
    const integer = BigInt(value)
    if (!isInt64(integer)) return failCodec(`${integer} does not fit int8`)
    const bytes = new Uint8Array(INT8_BYTES)
    new DataView(bytes.buffer).setBigInt64(0, integer)
    return Result.succeed(bytes)
  },
  write: (sink, value) => {
    if (typeof value === "number" && !Number.isSafeInteger(value)) return failCodec(`${value} is not a safe integer`)
    if (typeof value === "bigint" && !isInt64(value)) return failCodec(`${value} does not fit int8`)
    const high = typeof value === "number" ? Math.floor(value / HALF) : Number(value >> 32n)
    sink.int32(high)
    sink.int32(typeof value === "number" ? value - high * HALF : Number(BigInt.asUintN(32, value)))
    return Result.void
  }
}

/**
 * Column types of a server and of the embedded database: `int8` as number, `numeric` as decimal string, `date` as
 * `YYYY-MM-DD`, `timestamptz` as `Date`, `jsonb` parsed.
 */
export const columnTypes: PgTypes.Registry = PgTypes.makeRegistry()
columnTypes.register(PgTypes.OID.int8, int8, { arrayOid: PgTypes.OID.int8Array })
