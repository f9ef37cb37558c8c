import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { admit, afterFailure, afterSuccess, type Health, healthy, restOf } from "../../src/deliveries/breaker.ts"
import {
  WEBHOOK_BREAKER_FAILURES,
  WEBHOOK_BREAKER_FIRST_MS,
  WEBHOOK_BREAKER_LONGEST_MS,
  WEBHOOK_PAUSE_AFTER_MS,
  WEBHOOK_PAUSE_FAILURES,
  WEBHOOK_PROBE_MS,
  WEBHOOK_TRY_MS
} from "../../src/limits.ts"

const START = Date.parse("2031-02-03T04:05:06Z")
const fail = (health: Health, times: number, now = START): Health =>
  Array.from({ length: times }).reduce<Health>((before) => afterFailure(before, now), health)
const resting = fail(healthy, WEBHOOK_BREAKER_FAILURES)
/** The health after asking, and whether something may go out. */
const ask = (health: Health, now: number) => {
  const admission = admit(health, now)
  return {
    goes: admission.verdict === "send" || admission.verdict === "probe",
    health: admission.verdict === "probe" ? admission.health : health
  }
}

/** A life of a subscription: time passes, then a delivery is asked for, or one that went out succeeds or fails. */
const life = fc.array(
  fc.record({
    passes: fc.oneof(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: 12 * 60 * 60 * 1000 })),
    happens: fc.oneof(
      { weight: 5, arbitrary: fc.constant("failure") },
      { weight: 5, arbitrary: fc.constant("ask") },
      fc.constant("success")
    )
  }),
  { maxLength: 120 }
)
const live = (events: typeof life extends fc.Arbitrary<infer A> ? A : never, from = healthy) => {
  let now = START
  let health = from
  return events.map(({ passes, happens }) => {
    now += passes
    const before = health
    const asked = happens === "ask" ? ask(before, now) : undefined
    health = asked ? asked.health : happens === "success" ? afterSuccess(before) : afterFailure(before, now)
    return { now, happens, before, after: health, goes: asked?.goes }
  })
}

describe("a subscription's health", () => {
  it(`rests after ${WEBHOOK_BREAKER_FAILURES} failures in a row, not one sooner`, () => {
    expect(admit(fail(healthy, WEBHOOK_BREAKER_FAILURES - 1), START)).toEqual({ verdict: "send" })
    expect(admit(resting, START)).toEqual({ verdict: "wait", until: START + WEBHOOK_BREAKER_FIRST_MS })
  })

  it("counts failures in a row only", () => {
    const almost = fail(healthy, WEBHOOK_BREAKER_FAILURES - 1)
    expect(fail(afterSuccess(almost), WEBHOOK_BREAKER_FAILURES - 1).state).toBe("failing")
  })

  it("ends a rest with one probe; the next goes only when that one is long overdue", () => {
    expect(WEBHOOK_PROBE_MS).toBeGreaterThan(WEBHOOK_TRY_MS)
    const due = START + WEBHOOK_BREAKER_FIRST_MS
    expect(ask(resting, due - 1).goes).toBe(false)
    const probing = ask(resting, due)
    expect(probing.goes).toBe(true)
    expect(ask(probing.health, due).goes).toBe(false)
    expect(ask(probing.health, due + WEBHOOK_PROBE_MS - 1).goes).toBe(false)
    expect(ask(probing.health, due + WEBHOOK_PROBE_MS).goes).toBe(true)
  })

  it("does not rest longer for deliveries that were out when the rest began, and is healed by one of them", () => {
    expect(fail(resting, 3, START + 1_000)).toEqual({ ...resting, failures: WEBHOOK_BREAKER_FAILURES + 3 })
    expect(afterSuccess(resting)).toBe(healthy)
  })

  it("rests longer after each failed probe, up to the longest rest", () => {
    let health = resting
    let now = START
    const rests = Array.from({ length: 12 }, () => {
      if (health.state !== "resting") throw new Error(health.state)
      const rest = health.until - now
      now = health.until
      health = afterFailure(ask(health, now).health, now)
      return rest
    })
    expect(rests.slice(0, 3)).toEqual([1, 2, 4].map((factor) => factor * WEBHOOK_BREAKER_FIRST_MS))
    expect(rests).toEqual(rests.toSorted((a, b) => a - b))
    expect(rests.at(-1)).toBe(WEBHOOK_BREAKER_LONGEST_MS)
  })

  it("pauses at a failure five days after the first, not a millisecond sooner", () => {
    expect(afterFailure(resting, START + WEBHOOK_PAUSE_AFTER_MS - 1).state).toBe("resting")
    const paused = afterFailure(resting, START + WEBHOOK_PAUSE_AFTER_MS)
    expect(paused).toEqual({ state: "paused", failures: WEBHOOK_BREAKER_FAILURES + 1, failingSince: START })
    expect(admit(paused, START + 10 * WEBHOOK_PAUSE_AFTER_MS)).toEqual({ verdict: "paused" })
    expect(afterSuccess(paused)).toBe(paused)
    expect(afterFailure(paused, START + 2 * WEBHOOK_PAUSE_AFTER_MS)).toBe(paused)
  })

  it("does not pause a quiet subscription that failed once long ago", () => {
    const later = START + 3 * WEBHOOK_PAUSE_AFTER_MS
    expect(fail(fail(healthy, 1), WEBHOOK_PAUSE_FAILURES - 2, later).state).toBe("failing")
    expect(fail(fail(healthy, 1), WEBHOOK_PAUSE_FAILURES - 1, later).state).toBe("paused")
  })

  it("is healed by any success but one after a pause", () => {
    fc.assert(
      fc.property(life, (events) =>
        live(events).every(
          ({ happens, before, after }) =>
            happens !== "success" || (before.state === "paused" ? after === before : after.state === "healthy")
        )
      )
    )
  })

  it("lets nothing out during a rest, and exactly one delivery in the time of a probe", () => {
    fc.assert(
      fc.property(life, (events) => {
        let probedAt = Number.NEGATIVE_INFINITY
        for (const { now, happens, before, after, goes } of live(events, fail(healthy, WEBHOOK_BREAKER_FAILURES - 2))) {
          if (happens !== "ask") continue
          if (before.state === "resting") expect(goes).toBe(now >= before.until)
          if (before.state === "probing") expect(goes).toBe(now >= before.until)
          if (goes && after.state === "probing") {
            expect(now - probedAt).toBeGreaterThanOrEqual(before.state === "probing" ? WEBHOOK_PROBE_MS : 0)
            probedAt = now
          }
        }
      })
    )
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
            paused = run.length >= WEBHOOK_PAUSE_FAILURES && age >= WEBHOOK_PAUSE_AFTER_MS
          }
          expect(after.state === "paused").toBe(paused)
          if (after.state === "healthy") expect(run).toEqual([])
          else expect([after.failures, after.failingSince]).toEqual([run.length, run[0]])
        }
      }),
      { numRuns: 500 }
    )
  })

  it("is never given a rest longer than the longest", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        (rests) => restOf(rests) <= WEBHOOK_BREAKER_LONGEST_MS && restOf(rests) <= restOf(rests + 1)
      )
    )
  })
})
