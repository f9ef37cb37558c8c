import { hash } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { RateWindows } from "../../../admission/windows/RateWindows.ts"
import { rateLimitHeaders, rateLimitMessage } from "../../../admission/windows/rate-limit-response.ts"
import { type Bucket, windowOf } from "../../../admission/windows/rate-window.ts"
import { RateLimited } from "../../../contract/errors.ts"
import { FAILED_SECRET_CHECKS_MAX } from "../../../platform/limits.ts"

/**
 * Who is counted: a partner by its client_id, for secrets and verifiers together; the public client, which is everybody's, by the
 * account of the code as well.
 */
type SecretCheckKey = string

/** Counts secrets and verifiers that were wrong (specification, Limits: the OAuth brute-force lock), across processes where there is Redis. */
export class FailedSecretChecks extends Context.Service<
  FailedSecretChecks,
  {
    /**
     * What a check came to, once it is told. A wrong one is counted and answers false; after ten in a window of ten minutes the next
     * is 429 `Too many attempts.`, and so is a right one for as long as that lasts. Counting is exact: of twenty wrong ones at once
     * ten are told so.
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

/** Of one length, whoever it is. */
const bucketOf = (checkKey: SecretCheckKey): Bucket => ({
  key: `oauth:${hash("sha256", checkKey, "base64url")}`,
  scope: "oauth",
  window: windowOf("10m"),
  max: FAILED_SECRET_CHECKS_MAX
})
