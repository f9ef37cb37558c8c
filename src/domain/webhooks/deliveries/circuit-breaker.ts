import { Schema } from "effect"
import { type Backoff, backoffMs } from "../../../jobs/retries.ts"
import {
  WEBHOOK_BREAKER_FAILURES_MAX,
  WEBHOOK_BREAKER_FIRST_MS,
  WEBHOOK_BREAKER_LONGEST_MS,
  WEBHOOK_PAUSE_AFTER_MS,
  WEBHOOK_PAUSE_FAILURES_MAX
} from "../../../platform/limits.ts"

// A failing receiver gets growing cooldowns. After each, a single delivery is sent as a probe. One success resets the
// health. Instants are milliseconds since 1970.

/** After this time without an outcome, another probe may follow. */
export const PROBE_TIMEOUT_MS = 30_000

const failureFields = {
  failures: Schema.Int,
  failingSince: Schema.Int
}
const cooldownFields = {
  ...failureFields,
  /** Cooldowns since the last success. */
  rests: Schema.Int,
  until: Schema.Int
}

/**
 * `resting`: no delivery is sent before `until`. `probing`: one delivery is in progress. If `until` has passed, its
 * worker may have died.
 */
export const Cooldown = Schema.Union([
  Schema.Struct({ state: Schema.Literal("resting"), ...cooldownFields }),
  Schema.Struct({ state: Schema.Literal("probing"), ...cooldownFields })
])
export type Cooldown = typeof Cooldown.Type

export const SubscriptionHealth = Schema.Union([
  Schema.Struct({ state: Schema.Literal("healthy") }),
  /** Deliveries are sent one at a time. */
  Schema.Struct({ state: Schema.Literal("failing"), ...failureFields }),
  ...Cooldown.members,
  /** Caused by five days without success, a 410, or the host. Only the host can resume the subscription. */
  Schema.Struct({ state: Schema.Literal("paused"), ...failureFields })
])
export type SubscriptionHealth = typeof SubscriptionHealth.Type

export const HEALTHY_STATE: SubscriptionHealth = { state: "healthy" }

export const makePausedHealth = (now: number): SubscriptionHealth => ({
  state: "paused",
  failures: 0,
  failingSince: now
})

/** Callers store this by compare-and-set, so that only one worker probes. */
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

export const computeCooldownMs = (rests: number): number => backoffMs(COOLDOWN_BACKOFF, rests)

/** `isGone` means that the receiver returned 410. */
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
  // A rarely used subscription may have failed only once in that time, so pausing also requires several failures.
  const isOld = now - failureCounts.failingSince >= WEBHOOK_PAUSE_AFTER_MS
  if (isOld && failureCounts.failures >= WEBHOOK_PAUSE_FAILURES_MAX) return { state: "paused", ...failureCounts }
  if (failureCounts.failures < WEBHOOK_BREAKER_FAILURES_MAX) return { state: "failing", ...failureCounts }
  switch (health.state) {
    case "healthy":
    case "failing":
      return { state: "resting", ...failureCounts, rests: 1, until: now + computeCooldownMs(1) }
    case "resting":
      // A delivery that began before the cooldown does not extend it.
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
