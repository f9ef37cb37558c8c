import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { makeRunLimiter, type RunLimits } from "../../../src/admission/concurrency/run-limit.ts"

const PER_OPERATOR = 2
const TOTAL = 3

it.effect("runs are limited per operator and in total, and an interrupted run counts no longer", () =>
  Effect.gen(function* () {
    const runWithinLimits = makeRunLimiter({ perOperator: PER_OPERATOR, total: TOTAL })
    const begin = (operatorId: number) =>
      Effect.forkChild(
        runWithinLimits(operatorId, Effect.never, (limit) => Effect.succeed(limit)),
        { startImmediately: true }
      )
    const tryRun = (operatorId: number): Effect.Effect<keyof RunLimits | "ran"> =>
      runWithinLimits(operatorId, Effect.succeed("ran" as const), (limit) => Effect.succeed(limit))

    const first = yield* begin(1)
    assert.strictEqual(yield* tryRun(1), "ran")
    yield* begin(1)
    assert.strictEqual(yield* tryRun(1), "perOperator")
    assert.strictEqual(yield* tryRun(2), "ran")
    yield* begin(2)
    assert.strictEqual(yield* tryRun(2), "total")
    assert.strictEqual(yield* tryRun(3), "total")
    yield* Fiber.interrupt(first)
    for (const operatorId of [1, 2, 3]) assert.strictEqual(yield* tryRun(operatorId), "ran")
  })
)

it.effect("a run that fails counts no longer", () =>
  Effect.gen(function* () {
    const runWithinLimits = makeRunLimiter({ perOperator: 1, total: 1 })
    const fail = runWithinLimits(1, Effect.fail("failed"), () => Effect.succeed("limited"))
    assert.strictEqual(yield* Effect.flip(fail), "failed")
    assert.strictEqual(yield* Effect.flip(fail), "failed")
  })
)
