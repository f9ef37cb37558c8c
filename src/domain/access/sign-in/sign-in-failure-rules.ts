import { hash } from "node:crypto"
import { SIGN_IN_FAILURES_MAX, SIGN_IN_FIRST_WAIT_MS, SIGN_IN_LONGEST_WAIT_MS } from "../../../platform/limits.ts"

// Failures count per e-mail address and source, so nobody can lock out the owner elsewhere. The owner's known browsers
// are sources of their own.

export const computeSignInDelayMs = (failures: number): number =>
  failures < SIGN_IN_FAILURES_MAX
    ? 0
    : Math.min(SIGN_IN_LONGEST_WAIT_MS, SIGN_IN_FIRST_WAIT_MS * 2 ** (failures - SIGN_IN_FAILURES_MAX))

/** The delays after one failure, two, and so on. The last one also applies later. */
export const SIGN_IN_DELAYS_MS: ReadonlyArray<number> = (() => {
  const delays = [computeSignInDelayMs(1)]
  while (delays.at(-1) !== SIGN_IN_LONGEST_WAIT_MS) delays.push(computeSignInDelayMs(delays.length + 1))
  return delays
})()

/** Ignores letter case. */
export const emailDigestOf = (email: string): Uint8Array =>
  hash("sha256", email.trim().toLowerCase().normalize("NFKC"), "buffer")
