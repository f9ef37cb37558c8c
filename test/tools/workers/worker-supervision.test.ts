import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { WORKER_END_TIMEOUT_MS } from "../../../src/tools/workers/worker-lifecycle.ts"
import {
  computeRestartPauseMs,
  FIRST_RESTART_PAUSE_MS,
  MAX_RESTART_PAUSE_MS,
  STABLE_MS,
  superviseWorkers,
  WORKER_START_TIMEOUT_MS
} from "../../../src/tools/workers/worker-supervision.ts"
import { type FakeWorker, makeFakeWorkers } from "../../support/tools/workers/fake-workers.ts"

/** So many workers at work, all serving. */
const atWork = Effect.fnUntraced(function* (workers: number, drainSeconds = 0) {
  const fakes = makeFakeWorkers()
  const scope = yield* Scope.make()
  const starting = yield* Effect.forkChild(
    superviseWorkers(workers, drainSeconds).pipe(Effect.provide(fakes.layer), Effect.provideService(Scope.Scope, scope))
  )
  yield* TestClock.adjust(0)
  yield* nth(fakes.startedWorkers, 1).becomeReady
  const supervised = yield* Fiber.join(starting)
  yield* Effect.forEach(fakes.startedWorkers, ({ becomeReady: serves }) => serves)
  yield* TestClock.adjust(0)
  const stop = Effect.forkChild(Scope.close(scope, Exit.void))
  return { ...fakes, ...supervised, stop }
})

const nth = (started: ReadonlyArray<FakeWorker>, number: number): FakeWorker => {
  const worker = started[number - 1]
  assert.isDefined(worker)
  return worker
}

it.effect("the first starts alone, and nobody else before it serves", () =>
  Effect.gen(function* () {
    const fakes = makeFakeWorkers()
    const starting = yield* Effect.forkChild(Effect.provide(superviseWorkers(3, 0), fakes.layer))
    yield* TestClock.adjust(60_000)
    assert.strictEqual(fakes.startedWorkers.length, 1)
    yield* nth(fakes.startedWorkers, 1).becomeReady
    const { startMessage: greeting } = yield* Fiber.join(starting)
    assert.strictEqual(greeting, "greeting of 1")
    assert.strictEqual(fakes.startedWorkers.length, 3)
  })
)

it.effect("where the first ends before it serves nobody starts, and its end is told", () =>
  Effect.gen(function* () {
    const fakes = makeFakeWorkers()
    const starting = yield* Effect.forkChild(Effect.flip(Effect.provide(superviseWorkers(3, 0), fakes.layer)))
    yield* TestClock.adjust(0)
    yield* nth(fakes.startedWorkers, 1).end({ code: 7 })
    assert.strictEqual((yield* Fiber.join(starting)).end.code, 7)
    assert.strictEqual(fakes.startedWorkers.length, 1)
  })
)

it.effect("one that lived long is started anew at once, one that did not after a pause", () =>
  Effect.gen(function* () {
    const { startedWorkers: started } = yield* atWork(2)
    yield* TestClock.adjust(STABLE_MS)
    yield* nth(started, 2).end({ code: null, signal: "SIGKILL" })
    yield* TestClock.adjust(0)
    assert.strictEqual(started.length, 3)
    yield* TestClock.adjust(STABLE_MS - 1)
    yield* nth(started, 3).end({ code: 1 })
    yield* TestClock.adjust(FIRST_RESTART_PAUSE_MS - 1)
    assert.strictEqual(started.length, 3)
    yield* TestClock.adjust(1)
    assert.strictEqual(started.length, 4)
    assert.deepStrictEqual(nth(started, 1).commands, [])
  })
)

it("pauses double up to the longest, and begin anew after a life that was long enough", () =>
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 2 * STABLE_MS }), { minLength: 1, maxLength: 30 }), (lives) => {
      let pause = 0
      let short = 0
      for (const lived of lives) {
        short = lived >= STABLE_MS ? 0 : short + 1
        pause = computeRestartPauseMs(lived, pause)
        assert.strictEqual(
          pause,
          short === 0 ? 0 : Math.min(MAX_RESTART_PAUSE_MS, FIRST_RESTART_PAUSE_MS * 2 ** (short - 1))
        )
      }
    })
  ))

it.effect("a rolling restart: the new one first, then the old one retires, one place after the other", () =>
  Effect.gen(function* () {
    const { startedWorkers: started, restartWorkers: roll } = yield* atWork(2)
    const rolled = yield* Effect.forkChild(roll)
    yield* TestClock.adjust(0)
    assert.strictEqual(started.length, 3)
    assert.deepStrictEqual(nth(started, 1).commands, [])
    yield* nth(started, 3).becomeReady
    yield* TestClock.adjust(0)
    assert.deepStrictEqual(nth(started, 1).commands, ["retire"])
    assert.deepStrictEqual(nth(started, 2).commands, [])
    yield* nth(started, 4).becomeReady
    yield* Fiber.join(rolled)
    assert.deepStrictEqual(nth(started, 2).commands, ["retire"])
    yield* TestClock.adjust(STABLE_MS)
    assert.strictEqual(started.length, 4)
  })
)

it.effect("where the new one does not come to serve, all stay as they are", () =>
  Effect.gen(function* () {
    const { startedWorkers: started, restartWorkers: roll } = yield* atWork(2)
    const rolled = yield* Effect.forkChild(roll)
    yield* TestClock.adjust(0)
    yield* nth(started, 3).end({ code: 1 })
    yield* Fiber.join(rolled)
    const again = yield* Effect.forkChild(roll)
    yield* TestClock.adjust(WORKER_START_TIMEOUT_MS)
    yield* Fiber.join(again)
    assert.deepStrictEqual(nth(started, 4).commands, ["kill"])
    assert.deepStrictEqual([nth(started, 1).commands, nth(started, 2).commands], [[], []])
    assert.strictEqual(started.length, 4)
  })
)

it.effect("one that dies while its place is rolled is replaced once", () =>
  Effect.gen(function* () {
    const { startedWorkers: started, restartWorkers: roll } = yield* atWork(1)
    yield* TestClock.adjust(STABLE_MS)
    const rolled = yield* Effect.forkChild(roll)
    yield* TestClock.adjust(0)
    yield* nth(started, 1).end({ code: null, signal: "SIGKILL" })
    yield* TestClock.adjust(0)
    yield* nth(started, 2).becomeReady
    yield* Fiber.join(rolled)
    yield* TestClock.adjust(STABLE_MS)
    assert.strictEqual(started.length, 2)
  })
)

it.effect("a stop asks all, and waits until they have ended", () =>
  Effect.gen(function* () {
    const { startedWorkers: started, stop } = yield* atWork(3)
    yield* Fiber.join(yield* stop)
    assert.deepStrictEqual(
      started.map(({ commands: asked }) => asked),
      [["stop"], ["stop"], ["stop"]]
    )
  })
)

it.effect("one that does not end is ended, when its drain and its time are over and no sooner", () =>
  Effect.gen(function* () {
    const drainSeconds = 20
    const { startedWorkers: started, stop, refuseToEnd } = yield* atWork(1, drainSeconds)
    refuseToEnd()
    const stopped = yield* stop
    yield* TestClock.adjust(WORKER_END_TIMEOUT_MS + drainSeconds * 1_000 - 1)
    assert.deepStrictEqual(nth(started, 1).commands, ["stop"])
    yield* TestClock.adjust(1)
    yield* Fiber.join(stopped)
    assert.deepStrictEqual(nth(started, 1).commands, ["stop", "kill"])
  })
)
