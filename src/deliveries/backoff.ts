import { Duration } from "effect"
import { WEBHOOK_ATTEMPTS, WEBHOOK_FIRST_RETRY_MS, WEBHOOK_LONGEST_RETRY_MS, WEBHOOK_RETRY_JITTER } from "../limits.ts"

/** Tries of one event before it is a dead letter; their pauses add up to about three days. */
export const maxAttempts = WEBHOOK_ATTEMPTS

/**
 * The pause after the `attempt`-th failed try (1 upwards): 30 s, doubling up to 6 h, and by `random` (0 to 1) up to a
 * quarter shorter or longer, so that receivers that went down together are not called back together.
 */
export const delayOf = (attempt: number, random: number): Duration.Duration => {
  const steady = Math.min(WEBHOOK_FIRST_RETRY_MS * 2 ** (attempt - 1), WEBHOOK_LONGEST_RETRY_MS)
  return Duration.millis(Math.round(steady * (1 + WEBHOOK_RETRY_JITTER * (2 * random - 1))))
}
