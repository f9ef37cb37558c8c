import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { type FullLimit, makeOperatorSlots } from "../../../src/admission/concurrency/OperatorSlots.ts"

const OF_OPERATOR = 2
const OF_ALL = 3

it.effect("slots are full at the limit of an operator and at that of all, and an interrupted run frees its slot", () =>
  Effect.gen(function* () {
    const runInSlot = makeOperatorSlots({ ofOperator: OF_OPERATOR, ofAll: OF_ALL })
    const begin = (operatorId: number) =>
      Effect.forkChild(
        runInSlot(operatorId, Effect.never, (limit) => Effect.succeed(limit)),
        { startImmediately: true }
      )
    const tryRun = (operatorId: number): Effect.Effect<FullLimit | "ran"> =>
      runInSlot(operatorId, Effect.succeed("ran" as const), (limit) => Effect.succeed(limit))

    const first = yield* begin(1)
    assert.strictEqual(yield* tryRun(1), "ran")
    yield* begin(1)
    assert.strictEqual(yield* tryRun(1), "ofOperator")
    assert.strictEqual(yield* tryRun(2), "ran")
    yield* begin(2)
    assert.strictEqual(yield* tryRun(2), "ofAll")
    assert.strictEqual(yield* tryRun(3), "ofAll")
    yield* Fiber.interrupt(first)
    for (const operatorId of [1, 2, 3]) assert.strictEqual(yield* tryRun(operatorId), "ran")
  })
)

it.effect("a run that fails frees its slot", () =>
  Effect.gen(function* () {
    const runInSlot = makeOperatorSlots({ ofOperator: 1, ofAll: 1 })
    const fail = runInSlot(1, Effect.fail("failed"), () => Effect.succeed("full"))
    assert.strictEqual(yield* Effect.flip(fail), "failed")
    assert.strictEqual(yield* Effect.flip(fail), "failed")
  })
)
