import { Effect } from "effect"
import { ValidationFailed } from "../../../contract/errors.ts"

/** What a program that has a data URL sends as it is. */
const DATA_URL_PREFIX = "data:image/jpeg;base64,"

const BASE64_PATTERN = /^[A-Za-z0-9+/]*={0,2}$/

const decodeBase64 = (text: string): Uint8Array | undefined => {
  const base64 = text.startsWith(DATA_URL_PREFIX) ? text.slice(DATA_URL_PREFIX.length) : text
  if (!BASE64_PATTERN.test(base64)) return undefined
  const bytes = Buffer.from(base64, "base64")
  // Read leniently, so it is what was meant only if it is written so again.
  const canonical = bytes.toString("base64")
  return base64 === canonical || base64 === canonical.replace(/=+$/, "") ? bytes : undefined
}

/**
 * The bytes of a field that is base64 (RFC 4648, section 4; padded or not, also behind `data:image/jpeg;base64,`). Whether
 * they are a JPEG is for {@link findJpegFault} to say.
 */
export const decodeJpegField = (text: string, field: string): Effect.Effect<Uint8Array, ValidationFailed> =>
  Effect.suspend(() => {
    const bytes = decodeBase64(text)
    return bytes === undefined
      ? Effect.fail(new ValidationFailed({ message: `${field}: must be base64 (RFC 4648), without line breaks.` }))
      : Effect.succeed(bytes)
  })
