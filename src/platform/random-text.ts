import { randomFillSync, randomInt } from "node:crypto"

const POOL_BYTES = 4096

/**
 * A generator of `length` characters drawn evenly from `alphabet` (at most 256 characters, a power of two of them),
 * from the system's cryptographic randomness. Bytes are drawn in blocks because one system call a name is what
 * the name would mostly cost.
 */
export const customAlphabet = (alphabet: string, length: number): (() => string) => {
  const mask = alphabet.length - 1
  const pool = new Uint8Array(POOL_BYTES)
  let used = POOL_BYTES
  return () => {
    if (used + length > POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    let text = ""
    for (const byte of pool.subarray(used, used + length)) text += alphabet.charAt(byte & mask)
    used += length
    return text
  }
}

/** What makes an address that nobody guesses: 26 of 32 characters are 130 random bits. */
export const unguessable = customAlphabet("0123456789abcdefghjkmnpqrstvwxyz", 26)

/** So many digits, at most fourteen, from the same randomness. */
export const randomDigits = (length: number): string => String(randomInt(10 ** length)).padStart(length, "0")
