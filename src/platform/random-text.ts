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
  let usedBytes = POOL_BYTES
  return () => {
    if (usedBytes + length > POOL_BYTES) {
      randomFillSync(pool)
      usedBytes = 0
    }
    let text = ""
    for (const byte of pool.subarray(usedBytes, usedBytes + length)) text += alphabet.charAt(byte & mask)
    usedBytes += length
    return text
  }
}

/** What makes an address that nobody guesses: 26 of 32 characters are 130 random bits. */
export const randomAddressToken = customAlphabet("0123456789abcdefghjkmnpqrstvwxyz", 26)

/** So many digits, at most fourteen, from the same randomness. */
export const randomDigits = (length: number): string => String(randomInt(10 ** length)).padStart(length, "0")
