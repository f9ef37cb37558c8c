import { Result } from "effect"

const decoder = new TextDecoder("utf-8", { fatal: true })

/**
 * The text that bytes are, or why they are none, as the end of "The body …". Read leniently, what is not UTF-8 would become
 * another text than was sent.
 */
export const decodeUtf8 = (bytes: Uint8Array): Result.Result<string, string> =>
  Result.try({ try: () => decoder.decode(bytes), catch: () => "is not UTF-8" })
