import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import {
  computeCooldownMs,
  computeHealthAfterFailure,
  HEALTHY_STATE,
  makeProbingHealth,
  PROBE_TIMEOUT_MS,
  type SubscriptionHealth
} from "../../../../src/domain/webhooks/deliveries/circuit-breaker.ts"
import {
  WEBHOOK_BREAKER_FAILURES_MAX,
  WEBHOOK_BREAKER_FIRST_MS,
  WEBHOOK_BREAKER_LONGEST_MS,
  WEBHOOK_PAUSE_AFTER_MS,
  WEBHOOK_PAUSE_FAILURES_MAX,
  WEBHOOK_TRY_MS
} from "../../../../src/platform/limits.ts"
import { PROPERTY_RUNS } from "../../../support/property-runs.ts"

const START = Date.parse("2031-02-03T04:05:06Z")
const fail = (health: SubscriptionHealth, times: number, now = START): SubscriptionHealth =>
  Array.from({ length: times }).reduce<SubscriptionHealth>((before) => computeHealthAfterFailure(before, now), health)
const resting = fail(HEALTHY_STATE, WEBHOOK_BREAKER_FAILURES_MAX)
/** The health after a poll: a probe goes out if a rest, or the probe before, is over (rests.system.test.ts asks the statements). */
const poll = (health: SubscriptionHealth, now: number): SubscriptionHealth =>
  (health.state === "resting" || health.state === "probing") && now >= health.until
    ? makeProbingHealth(health, now)
    : health
const succeed = (health: SubscriptionHealth): SubscriptionHealth => (health.state === "paused" ? health : HEALTHY_STATE)

/** A life of a subscription: time passes, then a worker polls, or a delivery that went out succeeds or fails. */
const life = fc.array(
  fc.record({
    passes: fc.oneof(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: 12 * 60 * 60 * 1000 })),
    happens: fc.oneof(
      { weight: 5, arbitrary: fc.constant("failure") },
      { weight: 5, arbitrary: fc.constant("poll") },
      fc.constant("success")
    )
  }),
  { maxLength: 120 }
)
const live = (events: typeof life extends fc.Arbitrary<infer A> ? A : never, from = HEALTHY_STATE) => {
  let now = START
  let health = from
  return events.map(({ passes, happens }) => {
    now += passes
    const before = health
    health =
      happens === "poll"
        ? poll(before, now)
        : happens === "success"
          ? succeed(before)
          : computeHealthAfterFailure(before, now)
    return { now, happens, before, after: health }
  })
}

describe("a subscription's health", () => {
  it(`rests after ${WEBHOOK_BREAKER_FAILURES_MAX} failures in a row, not one sooner`, () => {
    expect(fail(HEALTHY_STATE, WEBHOOK_BREAKER_FAILURES_MAX - 1).state).toBe("failing")
    expect(resting).toMatchObject({ state: "resting", rests: 1, until: START + WEBHOOK_BREAKER_FIRST_MS })
  })

  it("counts failures in a row only", () => {
    const almost = fail(HEALTHY_STATE, WEBHOOK_BREAKER_FAILURES_MAX - 1)
    expect(fail(succeed(almost), WEBHOOK_BREAKER_FAILURES_MAX - 1).state).toBe("failing")
  })

  it("gives a probe longer than a try takes", () => {
    expect(PROBE_TIMEOUT_MS).toBeGreaterThan(WEBHOOK_TRY_MS)
    const probe = poll(resting, START + WEBHOOK_BREAKER_FIRST_MS)
    expect(probe).toMatchObject({ state: "probing", until: START + WEBHOOK_BREAKER_FIRST_MS + PROBE_TIMEOUT_MS })
  })

  it("does not rest longer for deliveries that were out when the rest began", () => {
    expect(fail(resting, 3, START + 1_000)).toEqual({ ...resting, failures: WEBHOOK_BREAKER_FAILURES_MAX + 3 })
  })

  it("rests longer after each failed probe, up to the longest rest", () => {
    let health = resting
    let now = START
    const rests = Array.from({ length: 12 }, () => {
      if (health.state !== "resting") throw new Error(health.state)
      const rest = health.until - now
      now = health.until
      health = computeHealthAfterFailure(poll(health, now), now)
      return rest
    })
    expect(rests.slice(0, 3)).toEqual([1, 2, 4].map((factor) => factor * WEBHOOK_BREAKER_FIRST_MS))
    expect(rests).toEqual(rests.toSorted((a, b) => a - b))
    expect(rests.at(-1)).toBe(WEBHOOK_BREAKER_LONGEST_MS)
  })

  it("pauses at a failure five days after the first, not a millisecond sooner", () => {
    expect(computeHealthAfterFailure(resting, START + WEBHOOK_PAUSE_AFTER_MS - 1).state).toBe("resting")
    const paused = computeHealthAfterFailure(resting, START + WEBHOOK_PAUSE_AFTER_MS)
    expect(paused).toEqual({ state: "paused", failures: WEBHOOK_BREAKER_FAILURES_MAX + 1, failingSince: START })
    expect(computeHealthAfterFailure(paused, START + 2 * WEBHOOK_PAUSE_AFTER_MS)).toBe(paused)
  })

  it("does not pause a quiet subscription that failed once long ago", () => {
    const later = START + 3 * WEBHOOK_PAUSE_AFTER_MS
    expect(fail(fail(HEALTHY_STATE, 1), WEBHOOK_PAUSE_FAILURES_MAX - 2, later).state).toBe("failing")
    expect(fail(fail(HEALTHY_STATE, 1), WEBHOOK_PAUSE_FAILURES_MAX - 1, later).state).toBe("paused")
  })

  it("counts every failure since the last success, and pauses exactly when they are old and many enough", () => {
    fc.assert(
      fc.property(life, (events) => {
        let run: Array<number> = []
        let paused = false
        for (const { now, happens, after } of live(events)) {
          if (!paused && happens === "success") run = []
          if (!paused && happens === "failure") {
            run.push(now)
            const age = now - (run[0] ?? now)
            paused = run.length >= WEBHOOK_PAUSE_FAILURES_MAX && age >= WEBHOOK_PAUSE_AFTER_MS
          }
          expect(after.state === "paused").toBe(paused)
          if (after.state === "healthy") expect(run).toEqual([])
          else expect([after.failures, after.failingSince]).toEqual([run.length, run[0]])
        }
      }),
      { numRuns: PROPERTY_RUNS }
    )
  })

  it("is never given a rest longer than the longest", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        (rests) =>
          computeCooldownMs(rests) <= WEBHOOK_BREAKER_LONGEST_MS &&
          computeCooldownMs(rests) <= computeCooldownMs(rests + 1)
      )
    )
  })
})
