/** Pauses in milliseconds. Each is twice the one before, up to `longestMs`. */
export interface Backoff {
  readonly firstMs: number
  readonly longestMs: number
  /** Share by which a pause varies at random, so that jobs that failed together spread out. */
  readonly jitter: number
}

/** The number `retry` counts from 1. `random` is from 0 to 1, and 0.5 means no jitter. */
export const backoffMs = ({ firstMs, longestMs, jitter }: Backoff, retry: number, random = 0.5): number => {
  const steady = Math.min(firstMs * 2 ** (retry - 1), longestMs)
  return Math.round(steady * (1 + jitter * (2 * random - 1)))
}

export interface RetryPolicy {
  readonly backoff: Backoff
  readonly maxAttempts: number
}

/** Returns undefined if the job becomes a dead letter. `minMs` is the shortest pause. */
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
