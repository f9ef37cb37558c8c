import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Effect, Layer, Random, Result, type Scope } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { DUE_POLL_MS } from "../../src/jobs/job-worker.ts"
import { OrderedWork, RUNS_PER_INSTANT_MAX } from "../../src/jobs/OrderedWork.ts"
import { WakeUp } from "../../src/jobs/WakeUp.ts"
import { repeatPeriodically, scheduleWork } from "../../src/jobs/WorkSchedule.ts"
import { MovableClock } from "../../src/platform/MovableClock.ts"
import { PROPERTY_RUNS } from "../support/property-runs.ts"

const START = Date.parse("2026-12-01T10:00:00Z")
const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

const layerTestRoutes = OrderedWork.layer.pipe(
  Layer.provideMerge(Layer.merge(WakeUp.layerProcess, MovableClock.layer(START)))
)

/** Moves the system clock below the movable one. */
type Adjust = (ms: number) => Effect.Effect<void>

const withOrderedWork = <A, E>(
  run: (adjust: Adjust) => Effect.Effect<A, E, OrderedWork | MovableClock | WakeUp | Scope.Scope>
) =>
  Effect.flatMap(Clock.Clock, (system) =>
    run((ms) => Effect.provideService(TestClock.adjust(ms), Clock.Clock, system)).pipe(
      Effect.scoped,
      Effect.provide(layerTestRoutes)
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
    const { advance } = yield* OrderedWork
    let end = START
    for (const step of steps) end = yield* advance(step)
    return { runs, end }
  }).pipe(Effect.scoped, Effect.provide(layerTestRoutes))

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
      yield* (yield* OrderedWork).advance(3 * DAY_MS)
      assert.deepStrictEqual(runs, ["2026-12-02T00:00:00.000Z", "2026-12-03T00:00:00.000Z", "2026-12-04T00:00:00.000Z"])
    }).pipe(Effect.provide(layerTestRoutes))
  )

  it.effect("runs all jobs of one due time at that time, although each is due again the next day", () =>
    Effect.gen(function* () {
      const jobs = Array.from({ length: 5 }, () => START + HOUR_MS)
      const runs: Array<string> = []
      const findDueJobs = (until: number) => jobs.filter((at) => at <= until).toSorted((one, other) => one - other)
      yield* scheduleWork({
        name: "one job at a time",
        iteration: Effect.never,
        runDue: Effect.map(DateTime.nowAsDate, (now) => {
          runs.push(now.toISOString())
          jobs.splice(
            jobs.findIndex((at) => at <= now.getTime()),
            1,
            now.getTime() + DAY_MS
          )
        }),
        findNextDue: (until) =>
          Effect.sync(() => {
            const due = findDueJobs(until.getTime())
            return due[0] === undefined ? undefined : { at: new Date(due[0]), count: due.length }
          })
      })
      yield* (yield* OrderedWork).advance(2 * DAY_MS)
      assert.deepStrictEqual(runs, [
        ...Array<string>(5).fill("2026-12-01T11:00:00.000Z"),
        ...Array<string>(5).fill("2026-12-02T11:00:00.000Z")
      ])
    }).pipe(Effect.provide(layerTestRoutes))
  )

  it.effect("finds work that a caller makes due while the clock stands", () =>
    Effect.gen(function* () {
      const runs: Array<string> = []
      const { wake } = yield* WakeUp
      let dueAt: number | undefined
      let hasCalled = false
      yield* scheduleWork({
        name: "called",
        iteration: Effect.never,
        runDue: Effect.map(DateTime.nowAsDate, (now) => {
          runs.push(now.toISOString())
          dueAt = undefined
        }),
        findNextDue: () =>
          Effect.gen(function* () {
            if (hasCalled) return dueAt === undefined ? undefined : { at: new Date(dueAt), count: 1 }
            hasCalled = true
            // The caller's change comes just after the search has read this work.
            dueAt = START + HOUR_MS
            yield* wake
            return undefined
          })
      })
      yield* (yield* OrderedWork).advance(DAY_MS)
      assert.deepStrictEqual(runs, ["2026-12-01T11:00:00.000Z"])
    }).pipe(Effect.provide(layerTestRoutes))
  )

  it.effect("searches all works once for each due time, and gives jobs no jitter", () =>
    Effect.gen(function* () {
      const runs: Array<string> = []
      yield* startTimers([timer("first", 1), timer("second", 2)], runs)
      let searches = 0
      yield* scheduleWork({
        name: "idle",
        iteration: Effect.never,
        runDue: Effect.void,
        findNextDue: () =>
          Effect.sync(() => {
            searches++
            return undefined
          })
      })
      const jitters: Array<number> = []
      yield* repeatPeriodically("daily", 1, () => Effect.map(Random.next, (jitter) => jitters.push(jitter)))
      yield* (yield* OrderedWork).advance(DAY_MS)
      assert.strictEqual(runs.length, 2)
      // One before the first due time and one after each.
      assert.strictEqual(searches, 4)
      assert.deepStrictEqual(jitters, [0.5])
    }).pipe(Effect.provide(layerTestRoutes))
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
      const end = yield* (yield* OrderedWork).advance(30 * DAY_MS)
      assert.strictEqual(end, START + 30 * DAY_MS)
      assert.deepStrictEqual(runs, ["other 2026-12-01T13:00:00.000Z"])
      // At least once an hour, and not once a second.
      assert.isAtLeast(blockedRuns, 30 * 24)
      assert.isAtMost(blockedRuns, 2 * 30 * 24)
    }).pipe(Effect.provide(layerTestRoutes))
  )

  for (const { rounds, ends } of [
    { rounds: RUNS_PER_INSTANT_MAX, ends: true },
    { rounds: RUNS_PER_INSTANT_MAX + 1, ends: false }
  ]) {
    it.effect(`${ends ? "ends" : "fails"} after ${rounds} rounds at one instant`, () =>
      withOrderedWork((adjust) =>
        Effect.gen(function* () {
          yield* startTimers([timer("endless", 1, Array<number>(rounds - 1).fill(0))], [])
          const result = yield* Effect.result((yield* OrderedWork).advance(DAY_MS))
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
  withOrderedWork((adjust) =>
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
  withOrderedWork((adjust) =>
    Effect.gen(function* () {
      const runs: Array<string> = []
      yield* startTimers([{ name: "due", at: START + 1, again: [] }], runs)
      const { pauseFor } = yield* OrderedWork
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
