import { hash } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { RateWindows } from "../../../admission/windows/RateWindows.ts"
import { rateLimitHeaders, rateLimitMessage } from "../../../admission/windows/rate-limit-response.ts"
import { type Bucket, windowOf } from "../../../admission/windows/rate-window.ts"
import { RateLimited } from "../../../contract/errors.ts"
import { FAILED_SECRET_CHECKS_MAX } from "../../../platform/limits.ts"

/** A client_id. For the public client, also the id of the account that granted the code. */
type SecretCheckKey = string

/** Counts wrong secrets and verifiers (specification, Limits: the OAuth brute-force lock). */
export class FailedSecretChecks extends Context.Service<
  FailedSecretChecks,
  {
    /**
     * Returns `isRight`. After ten wrong checks of a key within ten minutes, all its checks fail with 429, even right
     * ones.
     */
    readonly recordResult: (key: SecretCheckKey, isRight: boolean) => Effect.Effect<boolean, RateLimited>
  }
>()("latchkey/domain/access/oauth/FailedSecretChecks") {
  static readonly layer = Layer.effect(
    FailedSecretChecks,
    Effect.map(RateWindows, (windows) => ({
      recordResult: (key, isRight) => {
        const buckets = [bucketOf(key)]
        return Effect.flatMap(isRight ? windows.admit([], buckets) : windows.admit(buckets, []), (admission) =>
          admission._tag === "Admitted"
            ? Effect.succeed(isRight)
            : Effect.fail(
                new RateLimited({ message: rateLimitMessage(admission), headers: rateLimitHeaders(admission) })
              )
        )
      }
    }))
  )
}

const bucketOf = (checkKey: SecretCheckKey): Bucket => ({
  key: `oauth:${hash("sha256", checkKey, "base64url")}`,
  scope: "oauth",
  window: windowOf("10m"),
  max: FAILED_SECRET_CHECKS_MAX
})
