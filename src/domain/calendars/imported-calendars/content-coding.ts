import { promisify } from "node:util"
import zlib from "node:zlib"
import { Effect } from "effect"
import { errorCodeOf } from "../../../platform/database/error-reason.ts"
import { CALENDAR_FEED_BYTES } from "../../../platform/limits.ts"

// Requests ask for an uncompressed feed, but some servers compress it. Accept-Encoding is only a preference (RFC 9110,
// 12.5.3).

type Decompress = (bytes: Buffer) => Promise<Buffer>

const decompressionOptions = { maxOutputLength: CALENDAR_FEED_BYTES }

const [gunzip, inflate, inflateRaw, brotliDecompress] = [
  promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.inflate),
  promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.inflateRaw),
  promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress)
]

/** Low four bits of the first byte of a zlib stream. Some servers send `deflate` without zlib's header. */
const ZLIB_METHOD = 8

const DECOMPRESSORS: Readonly<Record<string, Decompress>> = {
  gzip: (bytes) => gunzip(bytes, decompressionOptions),
  "x-gzip": (bytes) => gunzip(bytes, decompressionOptions),
  deflate: (bytes) => (((bytes[0] ?? 0) & 0x0f) === ZLIB_METHOD ? inflate : inflateRaw)(bytes, decompressionOptions),
  br: (bytes) => brotliDecompress(bytes, decompressionOptions)
}

const CODING_NAME_LENGTH = 40

export const TOO_LARGE_REASON = `it is larger than ${CALENDAR_FEED_BYTES / 1024 / 1024} MiB`

const isTooLarge = (error: unknown): boolean => errorCodeOf(error) === "ERR_BUFFER_TOO_LARGE"

/** The failure is a clause such as `its host sent it compressed more than once`. */
export const decodeBody = (bytes: Buffer, contentEncoding: string | undefined): Effect.Effect<Buffer, string> => {
  const codings = (contentEncoding ?? "")
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity")
  const [coding, ...others] = codings
  if (coding === undefined) return Effect.succeed(bytes)
  if (others.length > 0) return Effect.fail("its host sent it compressed more than once")
  const decompress = Object.hasOwn(DECOMPRESSORS, coding) ? DECOMPRESSORS[coding] : undefined
  if (decompress === undefined) {
    return Effect.fail(`its host sent it in an unknown Content-Encoding: ${coding.slice(0, CODING_NAME_LENGTH)}`)
  }
  return Effect.tryPromise({
    try: () => decompress(bytes),
    catch: (error) =>
      isTooLarge(error) ? TOO_LARGE_REASON : `its host sent it as ${coding}, and it cannot be decompressed`
  })
}
