import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DUE_POLL_MS, makeTimedWorker } from "../../src/jobs/timed-work.ts"
import { WakeUp } from "../../src/jobs/WakeUp.ts"
import { runWorkerWhenWoken } from "../../src/jobs/woken-worker.ts"

const GAP_MS = 100

it.effect("work that nobody wakes is looked for as often as it polls", () =>
  Effect.gen(function* () {
    let looks = 0
    const take = () =>
      Effect.sync(() => {
        looks += 1
        return []
      })
    const worker = yield* makeTimedWorker({ name: "test", maxInProgress: 1, claim: take, run: () => Effect.void })
    yield* runWorkerWhenWoken("test", worker, GAP_MS)
    yield* TestClock.adjust(DUE_POLL_MS / 2)
    assert.strictEqual(looks, 1)
    yield* TestClock.adjust(10 * DUE_POLL_MS)
    assert.strictEqual(looks, 11)
  }).pipe(Effect.scoped, Effect.provide(WakeUp.layerProcess))
)

it.effect("work that is woken is looked for at once, then once in a while however often it is woken", () =>
  Effect.gen(function* () {
    const looks: Array<number> = []
    const take = (now: Date) =>
      Effect.sync(() => {
        looks.push(now.getTime())
        return []
      })
    const worker = yield* makeTimedWorker({
      name: "test",
      maxInProgress: 1,
      claim: take,
      run: () => Effect.void,
      pollMs: 10 * DUE_POLL_MS
    })
    yield* runWorkerWhenWoken("test", worker, GAP_MS)
    const { wake } = yield* WakeUp
    // It looks once when it begins.
    yield* TestClock.adjust(DUE_POLL_MS / 2)
    const before = looks.length
    const wokenFor = (ms: number) => Effect.repeat(Effect.andThen(wake, TestClock.adjust(1)), { times: ms - 1 })
    yield* wokenFor(20)
    assert.strictEqual(looks.length, before + 1)
    yield* wokenFor(GAP_MS - 30)
    assert.strictEqual(looks.length, before + 1)
    yield* wokenFor(50)
    assert.strictEqual(looks.length, before + 2)
  }).pipe(Effect.scoped, Effect.provide(WakeUp.layerProcess))
)
