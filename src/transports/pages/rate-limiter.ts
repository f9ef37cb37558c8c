import { Effect, Option } from "effect"
import { RateWindows } from "../../admission/windows/RateWindows.ts"
import type { Bucket } from "../../admission/windows/rate-window.ts"

/**
 * Counts a request, and returns the seconds to wait if the limit of `bucket` is exceeded. Callers give each known
 * secret URL its own bucket. Buckets of unknown URLs would fill the memory.
 */
export const makeRateLimiter = Effect.map(
  RateWindows,
  (windows) =>
    (bucket: Bucket): Effect.Effect<Option.Option<number>> =>
      Effect.map(windows.admit([bucket], []), (admission) =>
        admission._tag === "Refused" ? Option.some(admission.retryAfterSeconds) : Option.none()
      )
)
