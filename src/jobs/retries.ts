/** Pauses between tries: each twice as long as the one before it, up to the longest (milliseconds). */
export interface Backoff {
  readonly firstMs: number
  readonly longestMs: number
  /** The share by which a pause is shorter or longer at random, so that what failed together is not tried together. */
  readonly jitter: number
}

/** The pause before retry number `retry` (1 upwards), in milliseconds; `random` is from 0 to 1, and a half gives the pause itself. */
export const backoffMs = ({ firstMs, longestMs, jitter }: Backoff, retry: number, random = 0.5): number => {
  const steady = Math.min(firstMs * 2 ** (retry - 1), longestMs)
  return Math.round(steady * (1 + jitter * (2 * random - 1)))
}

export interface RetryPolicy {
  readonly backoff: Backoff
  /** Tries in all. */
  readonly maxAttempts: number
}

/**
 * When work is due again that has failed `failures` times by `now`. Undefined: it has had all its tries and is a dead
 * letter, which is kept to be looked at and goes again only when somebody says so. `minMs`: the shortest pause, in
 * milliseconds.
 */
export const nextAttemptAt = (
  policy: RetryPolicy,
  failures: number,
  now: number,
  random: number,
  minMs = 0
): Date | undefined =>
  failures < policy.maxAttempts
    ? new Date(now + Math.max(backoffMs(policy.backoff, failures, random), minMs))
    : undefined
