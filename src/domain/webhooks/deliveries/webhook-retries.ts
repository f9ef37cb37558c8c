import type { RetryPolicy } from "../../../jobs/retries.ts"
import {
  WEBHOOK_ATTEMPTS,
  WEBHOOK_FIRST_RETRY_MS,
  WEBHOOK_LONGEST_RETRY_MS,
  WEBHOOK_RETRY_JITTER
} from "../../../platform/limits.ts"

/** Of one delivery: 30 s, doubling up to 6 h, each a quarter shorter or longer; together about three days. */
export const WEBHOOK_RETRIES: RetryPolicy = {
  backoff: {
    firstMs: WEBHOOK_FIRST_RETRY_MS,
    longestMs: WEBHOOK_LONGEST_RETRY_MS,
    jitter: WEBHOOK_RETRY_JITTER
  },
  maxAttempts: WEBHOOK_ATTEMPTS
}
