import { Effect, Option } from "effect"
import { RateWindows } from "../../admission/windows/RateWindows.ts"
import type { Bucket } from "../../admission/windows/rate-window.ts"

/**
 * Counts a request, and returns the seconds to wait if the limit is exceeded. Each secret URL has its own limit,
 * because it has no account. Unknown URLs are not counted, because they would fill the memory of the windows.
 */
export const makeRateLimiter = Effect.map(
  RateWindows,
  (windows) =>
    (bucket: Bucket): Effect.Effect<Option.Option<number>> =>
      Effect.map(windows.admit([bucket], []), (admission) =>
        admission._tag === "Refused" ? Option.some(admission.retryAfterSeconds) : Option.none()
      )
)
