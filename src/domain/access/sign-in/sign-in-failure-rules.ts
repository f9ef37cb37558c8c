import { hash } from "node:crypto"
import { SIGN_IN_FAILURES_MAX, SIGN_IN_FIRST_WAIT_MS, SIGN_IN_LONGEST_WAIT_MS } from "../../../platform/limits.ts"

// How long it is waited after failed sign-ins. What is counted is one e-mail address tried from one place, so that nobody can
// make somebody elsewhere wait; and a browser in which the account's owner has signed in is a place of its own.

/** Milliseconds to wait after so many failures in a row. */
export const computeSignInDelayMs = (failures: number): number =>
  failures < SIGN_IN_FAILURES_MAX
    ? 0
    : Math.min(SIGN_IN_LONGEST_WAIT_MS, SIGN_IN_FIRST_WAIT_MS * 2 ** (failures - SIGN_IN_FAILURES_MAX))

/** The waits after one failure, two, and so on to the longest, which is that of all after it. */
export const SIGN_IN_DELAYS_MS: ReadonlyArray<number> = (() => {
  const delays = [computeSignInDelayMs(1)]
  while (delays.at(-1) !== SIGN_IN_LONGEST_WAIT_MS) delays.push(computeSignInDelayMs(delays.length + 1))
  return delays
})()

/** Under what an e-mail address is counted: whatever its letter case, and without keeping it. */
export const emailDigestOf = (email: string): Uint8Array =>
  hash("sha256", email.trim().toLowerCase().normalize("NFKC"), "buffer")
