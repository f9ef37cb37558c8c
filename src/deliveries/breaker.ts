import {
  WEBHOOK_BREAKER_FAILURES,
  WEBHOOK_BREAKER_FIRST_MS,
  WEBHOOK_BREAKER_LONGEST_MS,
  WEBHOOK_PAUSE_AFTER_MS,
  WEBHOOK_PAUSE_FAILURES,
  WEBHOOK_PROBE_MS
} from "../limits.ts"

// The health of one subscription. A receiver that fails again and again is given rests that grow; each ends with a
// single probe. Instants are milliseconds since 1970, handed in by the caller.

interface Failing {
  /** Failures since the last success. */
  readonly failures: number
  /** When the first of them happened. */
  readonly failingSince: number
}

export type Health =
  | { readonly state: "healthy" }
  /** Failing, but too few times to rest. */
  | ({ readonly state: "failing" } & Failing)
  /** Nothing goes out before `until`; `rests` counts the rests of this failing run, this one included. */
  | ({ readonly state: "resting"; readonly rests: number; readonly until: number } & Failing)
  /** One delivery is out. A worker that dies with it leaves no answer, so from `until` on another may go. */
  | ({ readonly state: "probing"; readonly rests: number; readonly until: number } & Failing)
  /** No success for five days: nothing goes out until the host resumes it. */
  | ({ readonly state: "paused" } & Failing)

export const healthy: Health = { state: "healthy" }

export type Admission =
  | { readonly verdict: "send" }
  /** Send, after `health` was stored by compare-and-set: whoever loses that race has no probe. */
  | { readonly verdict: "probe"; readonly health: Health }
  | { readonly verdict: "wait"; readonly until: number }
  | { readonly verdict: "paused" }

/** May a delivery go out now? */
export const admit = (health: Health, now: number): Admission => {
  switch (health.state) {
    case "healthy":
    case "failing":
      return { verdict: "send" }
    case "resting":
    case "probing":
      return now < health.until
        ? { verdict: "wait", until: health.until }
        : { verdict: "probe", health: { ...health, state: "probing", until: now + WEBHOOK_PROBE_MS } }
    case "paused":
      return { verdict: "paused" }
  }
}

/** One success heals, also a late one; only a pause outlasts it, because the host was told of it and must end it. */
export const afterSuccess = (health: Health): Health => (health.state === "paused" ? health : healthy)

/** Length of the n-th rest of a failing run. */
export const restOf = (rests: number): number =>
  Math.min(WEBHOOK_BREAKER_FIRST_MS * 2 ** (rests - 1), WEBHOOK_BREAKER_LONGEST_MS)

export const afterFailure = (health: Health, now: number): Health => {
  if (health.state === "paused") return health
  const failing: Failing =
    health.state === "healthy"
      ? { failures: 1, failingSince: now }
      : { failures: health.failures + 1, failingSince: health.failingSince }
  // Age alone does not pause: a quiet subscription that failed once last week has had no chance to prove itself.
  const old = now - failing.failingSince >= WEBHOOK_PAUSE_AFTER_MS
  if (old && failing.failures >= WEBHOOK_PAUSE_FAILURES) return { state: "paused", ...failing }
  if (failing.failures < WEBHOOK_BREAKER_FAILURES) return { state: "failing", ...failing }
  switch (health.state) {
    case "healthy":
    case "failing":
      return { state: "resting", ...failing, rests: 1, until: now + restOf(1) }
    case "resting":
      // A delivery that was out when the rest began: it counts, and does not lengthen the rest.
      return { ...health, ...failing }
    case "probing":
      return { state: "resting", ...failing, rests: health.rests + 1, until: now + restOf(health.rests + 1) }
  }
}
