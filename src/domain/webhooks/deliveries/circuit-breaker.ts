import { Schema } from "effect"
import { type Backoff, backoffMs } from "../../../jobs/retries.ts"
import {
  WEBHOOK_BREAKER_FAILURES_MAX,
  WEBHOOK_BREAKER_FIRST_MS,
  WEBHOOK_BREAKER_LONGEST_MS,
  WEBHOOK_PAUSE_AFTER_MS,
  WEBHOOK_PAUSE_FAILURES_MAX
} from "../../../platform/limits.ts"

// The health of one subscription. A receiver that keeps failing gets cooldowns that grow, and each ends with a single probe. The claim
// statements (claim-statements.ts) read the health, and one success resets it (subscription-statements.ts). Instants are milliseconds
// since 1970, passed by the caller.

/** Milliseconds after which an unanswered probe may be followed by another. */
export const PROBE_TIMEOUT_MS = 30_000

const failureFields = {
  /** Failures since the last success. */
  failures: Schema.Int,
  /** When the first of them happened. */
  failingSince: Schema.Int
}
const cooldownFields = {
  ...failureFields,
  /** Cooldowns since the last success, this one included. */
  rests: Schema.Int,
  until: Schema.Int
}

/** `resting`: nothing is sent before `until`. `probing`: one delivery is in progress, whose worker may have died. */
export const Cooldown = Schema.Union([
  Schema.Struct({ state: Schema.Literal("resting"), ...cooldownFields }),
  Schema.Struct({ state: Schema.Literal("probing"), ...cooldownFields })
])
export type Cooldown = typeof Cooldown.Type

export const SubscriptionHealth = Schema.Union([
  Schema.Struct({ state: Schema.Literal("healthy") }),
  /** Failing, but too few times for a cooldown: one delivery at a time. */
  Schema.Struct({ state: Schema.Literal("failing"), ...failureFields }),
  ...Cooldown.members,
  /** No success for five days, a 410 from the receiver, or a pause by the host: nothing is sent until the webhook is resumed. */
  Schema.Struct({ state: Schema.Literal("paused"), ...failureFields })
])
export type SubscriptionHealth = typeof SubscriptionHealth.Type

export const HEALTHY_STATE: SubscriptionHealth = { state: "healthy" }

/** Returns the health of a subscription that its host has paused, without a failure. */
export const makePausedHealth = (now: number): SubscriptionHealth => ({
  state: "paused",
  failures: 0,
  failingSince: now
})

/** Returns the health during a probe. Store it by compare-and-set: a worker that loses the race has no probe. */
export const makeProbingHealth = (cooldown: Cooldown, now: number): SubscriptionHealth => ({
  ...cooldown,
  state: "probing",
  until: now + PROBE_TIMEOUT_MS
})

const COOLDOWN_BACKOFF: Backoff = {
  firstMs: WEBHOOK_BREAKER_FIRST_MS,
  longestMs: WEBHOOK_BREAKER_LONGEST_MS,
  jitter: 0
}

/** Returns the milliseconds of the n-th cooldown since the last success. */
export const computeCooldownMs = (rests: number): number => backoffMs(COOLDOWN_BACKOFF, rests)

/** Returns the health after one more failure. `isGone`: the receiver returned 410, which pauses the subscription at once. */
export const computeHealthAfterFailure = (
  health: SubscriptionHealth,
  now: number,
  isGone = false
): SubscriptionHealth => {
  if (health.state === "paused") return health
  const failureCounts =
    health.state === "healthy"
      ? { failures: 1, failingSince: now }
      : { failures: health.failures + 1, failingSince: health.failingSince }
  if (isGone) return { state: "paused", ...failureCounts }
  // Age alone does not pause: a quiet subscription that failed once last week has had no chance to prove itself.
  const isOld = now - failureCounts.failingSince >= WEBHOOK_PAUSE_AFTER_MS
  if (isOld && failureCounts.failures >= WEBHOOK_PAUSE_FAILURES_MAX) return { state: "paused", ...failureCounts }
  if (failureCounts.failures < WEBHOOK_BREAKER_FAILURES_MAX) return { state: "failing", ...failureCounts }
  switch (health.state) {
    case "healthy":
    case "failing":
      return { state: "resting", ...failureCounts, rests: 1, until: now + computeCooldownMs(1) }
    case "resting":
      // A delivery that was in progress when the cooldown began: it counts and does not extend the cooldown.
      return { ...health, ...failureCounts }
    case "probing":
      return {
        state: "resting",
        ...failureCounts,
        rests: health.rests + 1,
        until: now + computeCooldownMs(health.rests + 1)
      }
  }
}
