import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Effect, Layer, Result, type Scope } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { DUE_POLL_MS } from "../../src/jobs/job-worker.ts"
import { ROUNDS_PER_INSTANT_MAX, SteeredWork } from "../../src/jobs/SteeredWork.ts"
import { WakeUp } from "../../src/jobs/WakeUp.ts"
import { repeatPeriodically, scheduleWork } from "../../src/jobs/WorkSchedule.ts"
import { MovableClock } from "../../src/platform/MovableClock.ts"
import { PROPERTY_RUNS } from "../support/property-runs.ts"

const START = Date.parse("2026-12-01T10:00:00Z")
const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

const layerSteering = SteeredWork.layer.pipe(
  Layer.provideMerge(Layer.merge(WakeUp.layerProcess, MovableClock.layer(START)))
)

/** Moves the system clock below the movable one. */
type Adjust = (ms: number) => Effect.Effect<void>

const withSteering = <A, E>(
  run: (adjust: Adjust) => Effect.Effect<A, E, SteeredWork | MovableClock | WakeUp | Scope.Scope>
) =>
  Effect.flatMap(Clock.Clock, (system) =>
    run((ms) => Effect.provideService(TestClock.adjust(ms), Clock.Clock, system)).pipe(
      Effect.scoped,
      Effect.provide(layerSteering)
    )
  )

const standingClock: Clock.Clock = Object.assign(Object.create(Clock.Clock.defaultValue()), {
  currentTimeMillisUnsafe: () => 0
})

interface Timer {
  readonly name: string
  at: number
  /** Milliseconds after which it is due again, and how often. Zero is at once. */
  readonly again: ReadonlyArray<number>
}

/** Records each run of a timer with its time. Every timer is a work of its own. */
const startTimers = Effect.fnUntraced(function* (timers: ReadonlyArray<Timer>, runs: Array<string>) {
  for (const timer of timers) {
    const left = [...timer.again]
    let dueAt: number | undefined = timer.at
    yield* scheduleWork({
      name: timer.name,
      iteration: Effect.never,
      runDue: Effect.map(DateTime.nowAsDate, (now) => {
        runs.push(`${timer.name} ${now.toISOString()}`)
        const pause = left.shift()
        dueAt = pause === undefined ? undefined : now.getTime() + pause
      }),
      findNextDue: (until) =>
        Effect.sync(() =>
          dueAt !== undefined && dueAt <= until.getTime() ? { at: new Date(dueAt), count: left.length } : undefined
        )
    })
  }
})

const runTimers = (timers: ReadonlyArray<Timer>, steps: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const runs: Array<string> = []
    yield* startTimers(timers, runs)
    const { advance } = yield* SteeredWork
    let end = START
    for (const step of steps) end = yield* advance(step)
    return { runs, end }
  }).pipe(Effect.scoped, Effect.provide(layerSteering))

const timer = (name: string, hours: number, again: ReadonlyArray<number> = []): Timer => ({
  name,
  at: START + hours * HOUR_MS,
  again
})

const anyTimers = fc.array(
  fc.record({
    hours: fc.integer({ min: 0, max: 30 * 24 }),
    again: fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 10 * DAY_MS })), { maxLength: 6 })
  }),
  { maxLength: 8 }
)
const anySteps = fc.array(fc.integer({ min: 0, max: 10 * DAY_MS }), { minLength: 1, maxLength: 8 })

describe("advancing", () => {
  it.effect("runs due work in the order of its due times, each at its time", () =>
    Effect.gen(function* () {
      const { runs, end } = yield* runTimers(
        [timer("late", 5), timer("early", 2, [2 * HOUR_MS]), timer("never", 50)],
        [DAY_MS]
      )
      assert.deepStrictEqual(runs, [
        "early 2026-12-01T12:00:00.000Z",
        "early 2026-12-01T14:00:00.000Z",
        "late 2026-12-01T15:00:00.000Z"
      ])
      assert.strictEqual(end, START + DAY_MS)
    })
  )

  it.effect("in any steps gives the same runs as one jump", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(anyTimers, anySteps, async (given, steps) => {
          const timers = given.map(({ hours, again }, index) => timer(`timer ${index}`, hours, again))
          const total = steps.reduce((sum, step) => sum + step, 0)
          const [inSteps, atOnce] = await Effect.runPromise(
            Effect.provideService(
              Effect.all([runTimers(timers, steps), runTimers(timers, [total])]),
              Clock.Clock,
              standingClock
            )
          )
          assert.deepStrictEqual(inSteps, atOnce)
        }),
        { numRuns: PROPERTY_RUNS }
      )
    )
  )

  it.effect("runs work without a due time once a day, at midnight UTC", () =>
    Effect.gen(function* () {
      const runs: Array<string> = []
      yield* repeatPeriodically("retention", 1, (now) => Effect.sync(() => runs.push(now.toISOString())))
      yield* (yield* SteeredWork).advance(3 * DAY_MS)
      assert.deepStrictEqual(runs, ["2026-12-02T00:00:00.000Z", "2026-12-03T00:00:00.000Z", "2026-12-04T00:00:00.000Z"])
    }).pipe(Effect.provide(layerSteering))
  )

  it.effect("passes over due work that cannot run yet, and tries it again", () =>
    Effect.gen(function* () {
      const runs: Array<string> = []
      yield* startTimers([timer("other", 3)], runs)
      let blockedRuns = 0
      yield* scheduleWork({
        name: "blocked",
        iteration: Effect.never,
        runDue: Effect.sync(() => blockedRuns++),
        findNextDue: () => Effect.succeed({ at: new Date(START), count: 1 })
      })
      const end = yield* (yield* SteeredWork).advance(30 * DAY_MS)
      assert.strictEqual(end, START + 30 * DAY_MS)
      assert.deepStrictEqual(runs, ["other 2026-12-01T13:00:00.000Z"])
      // At least once an hour, and not once a second.
      assert.isAtLeast(blockedRuns, 30 * 24)
      assert.isAtMost(blockedRuns, 2 * 30 * 24)
    }).pipe(Effect.provide(layerSteering))
  )

  for (const { rounds, ends } of [
    { rounds: ROUNDS_PER_INSTANT_MAX, ends: true },
    { rounds: ROUNDS_PER_INSTANT_MAX + 1, ends: false }
  ]) {
    it.effect(`${ends ? "ends" : "fails"} after ${rounds} rounds at one instant`, () =>
      withSteering((adjust) =>
        Effect.gen(function* () {
          yield* startTimers([timer("endless", 1, Array<number>(rounds - 1).fill(0))], [])
          const result = yield* Effect.result((yield* SteeredWork).advance(DAY_MS))
          assert.strictEqual(Result.isSuccess(result), ends)
          if (Result.isFailure(result)) assert.include(result.failure.message, "endless")
          // The clock runs on in any case.
          const before = yield* (yield* MovableClock).now
          yield* adjust(5)
          assert.strictEqual((yield* (yield* MovableClock).now) - before, 5)
        })
      )
    )
  }
})

it.effect("without advancing, work runs when it is woken and when it is due", () =>
  withSteering((adjust) =>
    Effect.gen(function* () {
      const runs: Array<string> = []
      yield* startTimers([{ name: "soon", at: START + DUE_POLL_MS, again: [] }], runs)
      yield* adjust(DUE_POLL_MS - 1)
      assert.deepStrictEqual(runs, [])
      yield* adjust(1)
      assert.deepStrictEqual(runs, ["soon 2026-12-01T10:00:01.000Z"])
      yield* startTimers([{ name: "woken", at: START, again: [] }], runs)
      yield* (yield* WakeUp).wake
      yield* adjust(0)
      assert.strictEqual(runs.length, 2)
    })
  )
)

it.effect("pausing keeps background work from running", () =>
  withSteering((adjust) =>
    Effect.gen(function* () {
      const runs: Array<string> = []
      yield* startTimers([{ name: "due", at: START + 1, again: [] }], runs)
      const { pauseFor } = yield* SteeredWork
      yield* pauseFor(
        Effect.andThen(
          adjust(10 * DUE_POLL_MS),
          Effect.sync(() => assert.deepStrictEqual(runs, []))
        )
      )
      yield* adjust(DUE_POLL_MS)
      assert.strictEqual(runs.length, 1)
    })
  )
)
