import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { defineJobs, runJob, startWhenWoken } from "../../src/jobs/job-runner.ts"
import { DUE_POLL_MS, makeJobWorker } from "../../src/jobs/job-worker.ts"
import { WakeUp } from "../../src/jobs/WakeUp.ts"

const GAP_MS = 100

it.effect("work that nobody wakes is looked for as often as it polls", () =>
  Effect.gen(function* () {
    let looks = 0
    const take = () =>
      Effect.sync(() => {
        looks += 1
        return []
      })
    const worker = yield* makeJobWorker({ name: "test", maxInProgress: 1, claim: take, run: () => Effect.void })
    yield* startWhenWoken(worker, { name: "test", gapMs: GAP_MS })
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
    const worker = yield* makeJobWorker({
      name: "test",
      maxInProgress: 1,
      claim: take,
      run: () => Effect.void,
      pollMs: 10 * DUE_POLL_MS
    })
    yield* startWhenWoken(worker, { name: "test", gapMs: GAP_MS })
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

const BACKOFF = { firstMs: 1_000, longestMs: 1_000, jitter: 0 }

it.effect("a defect of an attempt is logged as such, and the job waits for the end of its lease", () => {
  const logged: Array<string> = []
  let [completed, released] = [0, 0]
  const queue = { claim: () => Effect.succeed([]), release: () => Effect.asVoid(Effect.sync(() => released++)) }
  const kind = defineJobs({
    name: "testing",
    maxInProgress: 1,
    backoff: BACKOFF,
    queue: Effect.succeed(queue),
    attempt: (_job: { readonly failures: number }) => Effect.die(new Error("broken")),
    complete: () => Effect.sync(() => completed++),
    toRootSpan: () => ({ name: "test", kind: "internal", attributes: () => ({}) }),
    notStoredMessage: "the outcome of a test could not be saved",
    backlog: []
  })
  return Effect.gen(function* () {
    yield* runJob(kind, { failures: 0 })
    assert.deepStrictEqual(logged, ["testing: an attempt failed with a defect"])
    assert.deepStrictEqual([completed, released], [0, 0])
  }).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => logged.push(String([message].flat()[0])))])))
})
