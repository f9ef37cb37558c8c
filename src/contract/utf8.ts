import { Result } from "effect"

const decoder = new TextDecoder("utf-8", { fatal: true })

/** The error text completes the sentence "The body …". A lenient decoder would replace invalid bytes. */
export const decodeUtf8 = (bytes: Uint8Array): Result.Result<string, string> =>
  Result.try({ try: () => decoder.decode(bytes), catch: () => "is not UTF-8" })
