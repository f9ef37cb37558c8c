import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type MetricsSnapshot, mergeSnapshots } from "../../../src/platform/telemetry/metrics/metrics-snapshot.ts"
import { WORKER_METRICS_TIMEOUT_MS, WorkerMetrics } from "../../../src/tools/workers/WorkerMetrics.ts"

const calls = (value: number): MetricsSnapshot => [{ kind: "counter", name: "calls", labels: {}, value }]

const total = (snapshots: ReadonlyArray<MetricsSnapshot>): number =>
  mergeSnapshots(snapshots).reduce((sum, series) => (series.kind === "counter" ? sum + series.value : sum), 0)

/** Two workers that answer when the test says so; `asked`: who was asked. */
const two = () => {
  const measured = new WorkerMetrics()
  const asked: Array<number> = []
  for (const worker of [1, 2]) measured.addWorker(worker, () => void asked.push(worker))
  return { measured, asked }
}

it.effect("who asks waits until all have answered, and who asks meanwhile asks nobody again", () =>
  Effect.gen(function* () {
    const { measured, asked } = two()
    const one = yield* Effect.forkChild(measured.all)
    const other = yield* Effect.forkChild(measured.isReady)
    yield* TestClock.adjust(0)
    measured.receiveSnapshot(1, calls(3), false)
    yield* TestClock.adjust(0)
    assert.isUndefined(one.pollUnsafe())
    measured.receiveSnapshot(2, calls(4), true)
    assert.strictEqual(total(yield* Fiber.join(one)), 7)
    assert.isTrue(yield* Fiber.join(other))
    assert.deepStrictEqual(asked, [1, 2])
  })
)

it.effect(
  `one that is silent for ${WORKER_METRICS_TIMEOUT_MS} ms is told as it was known, and no longer waited for`,
  () =>
    Effect.gen(function* () {
      const { measured } = two()
      measured.receiveSnapshot(1, calls(3), true)
      measured.receiveSnapshot(2, calls(4), true)
      const all = yield* Effect.forkChild(measured.all)
      yield* TestClock.adjust(0)
      measured.receiveSnapshot(1, calls(5), true)
      yield* TestClock.adjust(WORKER_METRICS_TIMEOUT_MS - 1)
      assert.isUndefined(all.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual(total(yield* Fiber.join(all)), 9)
    })
)

it.effect("one that ends is not waited for; what it counted stays, and it is ready no more", () =>
  Effect.gen(function* () {
    const { measured } = two()
    measured.receiveSnapshot(1, calls(3), true)
    const all = yield* Effect.forkChild(measured.all)
    yield* TestClock.adjust(0)
    measured.receiveSnapshot(2, calls(4), false)
    measured.removeWorker(1)
    assert.strictEqual(total(yield* Fiber.join(all)), 7)
    const ready = yield* Effect.forkChild(measured.isReady)
    yield* TestClock.adjust(0)
    measured.receiveSnapshot(2, calls(4), false)
    assert.isFalse(yield* Fiber.join(ready))
  })
)

it.effect("what comes of one that has ended is not told beside what it left", () =>
  Effect.gen(function* () {
    const { measured } = two()
    measured.receiveSnapshot(1, calls(3), true)
    measured.removeWorker(1)
    measured.receiveSnapshot(1, calls(3), false)
    measured.removeWorker(2)
    assert.strictEqual(total(yield* measured.all), 3)
  })
)
