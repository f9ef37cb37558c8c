import { Effect } from "effect"
import { ValidationFailed } from "../../../contract/errors.ts"

const DATA_URL_PREFIX = "data:image/jpeg;base64,"

const BASE64_PATTERN = /^[A-Za-z0-9+/]*={0,2}$/

const decodeBase64 = (text: string): Uint8Array | undefined => {
  const base64 = text.startsWith(DATA_URL_PREFIX) ? text.slice(DATA_URL_PREFIX.length) : text
  if (!BASE64_PATTERN.test(base64)) return undefined
  const bytes = Buffer.from(base64, "base64")
  // Buffer decodes leniently, so the result is compared with the canonical form.
  const canonical = bytes.toString("base64")
  return base64 === canonical || base64 === canonical.replace(/=+$/, "") ? bytes : undefined
}

/** Padding and a data URL prefix are optional. Does not check the JPEG itself. */
export const decodeJpegField = (text: string, field: string): Effect.Effect<Uint8Array, ValidationFailed> =>
  Effect.suspend(() => {
    const bytes = decodeBase64(text)
    return bytes === undefined
      ? Effect.fail(new ValidationFailed({ message: `${field}: must be base64 (RFC 4648), without line breaks.` }))
      : Effect.succeed(bytes)
  })
