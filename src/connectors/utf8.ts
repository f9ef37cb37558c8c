import { Result } from "effect"

/** The text that bytes are, or why they are none, as the end of "The body …". */
export const textOf = (bytes: Uint8Array): Result.Result<string, string> =>
  Result.try({ try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes), catch: () => "is not UTF-8" })
