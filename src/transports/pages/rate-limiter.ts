import { Effect, Option } from "effect"
import { RateWindows } from "../../admission/windows/RateWindows.ts"
import type { Bucket } from "../../admission/windows/rate-window.ts"

/**
 * Counts one more in a bucket; when there were too many in its window, the whole seconds until the next. Who has a secret
 * address needs no account, so what it may cost is counted by address. Addresses that open nothing are never counted: they
 * cost one look at an index, and would fill the memory of the windows.
 */
export const makeRateLimiter = Effect.map(
  RateWindows,
  (windows) =>
    (bucket: Bucket): Effect.Effect<Option.Option<number>> =>
      Effect.map(windows.admit([bucket], []), (admission) =>
        admission._tag === "Refused" ? Option.some(admission.retryAfterSeconds) : Option.none()
      )
)
