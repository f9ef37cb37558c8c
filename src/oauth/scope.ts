import { Result } from "effect"

// What a token may do. Words of a scope stand in any order, with any blanks between them (RFC 6749 3.3), and to write is to read too.

export type Scope = "read-only" | "writable"

const isScope = (word: string): boolean => word === "read-only" || word === "writable"

/** The scope a text names; undefined: none. Fails for a word that is no scope of ours. */
export const scopeIn = (text: string | undefined): Result.Result<Scope | undefined, "unknown word"> => {
  const words = (text ?? "").split(" ").filter((word) => word !== "")
  if (!words.every(isScope)) return Result.fail("unknown word")
  if (words.length === 0) return Result.succeed(undefined)
  return Result.succeed(words.includes("writable") ? "writable" : "read-only")
}
