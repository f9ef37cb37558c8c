import { hash } from "node:crypto"
import { SIGN_IN_FAILURES_MAX, SIGN_IN_FIRST_WAIT_MS, SIGN_IN_LONGEST_WAIT_MS } from "../../../platform/limits.ts"

// Failures are counted per e-mail address and source: a network, a known browser or a session. So an attacker cannot
// lock out the owner, who has another source.

export const computeSignInDelayMs = (failures: number): number =>
  failures < SIGN_IN_FAILURES_MAX
    ? 0
    : Math.min(SIGN_IN_LONGEST_WAIT_MS, SIGN_IN_FIRST_WAIT_MS * 2 ** (failures - SIGN_IN_FAILURES_MAX))

/** The delays after one failure, after two, and so on. The last also applies after all further failures. */
export const SIGN_IN_DELAYS_MS: ReadonlyArray<number> = (() => {
  const delays = [computeSignInDelayMs(1)]
  while (delays.at(-1) !== SIGN_IN_LONGEST_WAIT_MS) delays.push(computeSignInDelayMs(delays.length + 1))
  return delays
})()

export const emailDigestOf = (email: string): Uint8Array =>
  hash("sha256", email.trim().toLowerCase().normalize("NFKC"), "buffer")
