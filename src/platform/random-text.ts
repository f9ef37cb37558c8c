import { randomFillSync, randomInt } from "node:crypto"

const POOL_BYTES = 4096

/**
 * Uses the system's cryptographic randomness. The alphabet's size must be a power of two, at most 256, so that
 * characters are uniform.
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

/** 26 of 32 characters are 130 random bits. */
export const randomAddressToken = customAlphabet("0123456789abcdefghjkmnpqrstvwxyz", 26)

/** `length` is at most 14. */
export const randomDigits = (length: number): string => String(randomInt(10 ** length)).padStart(length, "0")
