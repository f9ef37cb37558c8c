import { Schema } from "effect"
import { type Backoff, backoffMs } from "../../../jobs/retries.ts"
import {
  WEBHOOK_BREAKER_FAILURES_MAX,
  WEBHOOK_BREAKER_FIRST_MS,
  WEBHOOK_BREAKER_LONGEST_MS,
  WEBHOOK_PAUSE_AFTER_MS,
  WEBHOOK_PAUSE_FAILURES_MAX
} from "../../../platform/limits.ts"

// The health of one subscription. A receiver that fails again and again is given rests that grow; each ends with a
// single probe. Whether something may go out now is asked by the statements that take it (taking.ts); one success heals
// (subscriptions.ts). Instants are milliseconds since 1970, handed in by the caller.

/** Milliseconds a probe may stay unanswered before another may go. */
export const PROBE_TIMEOUT_MS = 30_000

const failureFields = {
  /** Failures since the last success. */
  failures: Schema.Int,
  /** When the first of them happened. */
  failingSince: Schema.Int
}
const cooldownFields = {
  ...failureFields,
  /** The rests of this failing run, this one included. */
  rests: Schema.Int,
  until: Schema.Int
}

/** Nothing goes out before `until`; probing, one delivery is out, and its worker may have died with it. */
export const Cooldown = Schema.Union([
  Schema.Struct({ state: Schema.Literal("resting"), ...cooldownFields }),
  Schema.Struct({ state: Schema.Literal("probing"), ...cooldownFields })
])
export type Cooldown = typeof Cooldown.Type

export const SubscriptionHealth = Schema.Union([
  Schema.Struct({ state: Schema.Literal("healthy") }),
  /** Failing, but too few times to rest: one delivery at a time. */
  Schema.Struct({ state: Schema.Literal("failing"), ...failureFields }),
  ...Cooldown.members,
  /** No success for five days, a 410 from the receiver, or a pause by the host: nothing is sent until the webhook is resumed. */
  Schema.Struct({ state: Schema.Literal("paused"), ...failureFields })
])
export type SubscriptionHealth = typeof SubscriptionHealth.Type

export const HEALTHY_STATE: SubscriptionHealth = { state: "healthy" }

/** The health of what its host has paused: no failure led to it. */
export const makePausedHealth = (now: number): SubscriptionHealth => ({
  state: "paused",
  failures: 0,
  failingSince: now
})

/** The health while a probe is out, to be stored by compare-and-set: whoever loses that race has no probe. */
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

/** Length of the n-th rest of a failing run. */
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
      // A delivery that was out when the rest began: it counts, and does not lengthen the rest.
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
