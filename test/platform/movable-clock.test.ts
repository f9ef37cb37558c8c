import { assert, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { MovableClock } from "../../src/platform/MovableClock.ts"

const START = Date.parse("2030-01-01T00:00:00Z")

it.effect("runs from its start like the system clock, and jumps without ending a sleep", () =>
  Effect.flatMap(Clock.Clock, (system) =>
    Effect.gen(function* () {
      const adjust = (ms: number) => Effect.provideService(TestClock.adjust(ms), Clock.Clock, system)
      const clock = yield* MovableClock
      assert.strictEqual(yield* Clock.currentTimeMillis, START)
      yield* adjust(250)
      assert.strictEqual(yield* Clock.currentTimeMillis, START + 250)
      const sleeper = yield* Effect.forkChild(Effect.sleep(1_000))
      const measuredFrom = yield* Clock.monotonicTimeNanos
      yield* clock.stopAt(START + 1_000_000)
      yield* adjust(999)
      assert.strictEqual(yield* Clock.currentTimeMillis, START + 1_000_000, "a stopped clock stands")
      assert.isUndefined(sleeper.pollUnsafe())
      yield* clock.run
      yield* adjust(1)
      yield* Fiber.join(sleeper)
      assert.strictEqual(yield* Clock.currentTimeMillis, START + 1_000_001)
      assert.strictEqual((yield* Clock.monotonicTimeNanos) - measuredFrom, 1_000_000_000n)
    }).pipe(Effect.provide(MovableClock.layer(START)))
  )
)

it.effect("stops no earlier than it is, and is set to an earlier time", () =>
  Effect.gen(function* () {
    const clock = yield* MovableClock
    yield* clock.stopAt(START - 5)
    assert.strictEqual(yield* clock.now, START)
    yield* clock.setTo(START - 5)
    yield* clock.run
    assert.strictEqual(yield* clock.now, START - 5)
  }).pipe(Effect.provide(MovableClock.layer(START)))
)

it.effect("is the system clock unless a start is given", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* (yield* MovableClock).now, yield* Clock.currentTimeMillis)
  }).pipe(Effect.provide(MovableClock.layer()))
)
