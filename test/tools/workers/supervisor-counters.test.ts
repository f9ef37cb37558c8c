import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import { type Bucket, windowOf } from "../../../src/admission/windows/rate-window.ts"
import { SUPERVISOR_TIMEOUT_MS } from "../../../src/tools/workers/supervisor-counters.ts"
import { makeFakeSupervisor } from "../../support/tools/workers/fake-supervisor.ts"

const bucket: Bucket = { key: "{op:1}:user:a", scope: "user", window: windowOf("1m"), max: 2 }

const windowsOf = ({ worker }: ReturnType<typeof makeFakeSupervisor>) =>
  Effect.map(Layer.build(RateWindows.layerShared(worker)), Context.get(RateWindows))

const warnings: Array<unknown> = []
const hearing = Logger.layer([Logger.make(({ message }) => void warnings.push(message))])

/** Lets the message of this turn of the event loop go. */
const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

const admitted = (windows: RateWindows["Service"]) =>
  Effect.gen(function* () {
    const answer = yield* Effect.forkChild(windows.admit([bucket], []))
    yield* turn
    return (yield* Fiber.join(answer))._tag
  })

it.effect("two workers of a parent count together: the third call is refused, whichever has it", () =>
  Effect.gen(function* () {
    const parent = makeFakeSupervisor()
    const [one, other] = [yield* windowsOf(parent), yield* windowsOf(parent)]
    assert.deepStrictEqual(
      [yield* admitted(one), yield* admitted(other), yield* admitted(one), yield* admitted(other)],
      ["Admitted", "Admitted", "Refused", "Refused"]
    )
  })
)

it.effect("what one counted the other gives back", () =>
  Effect.gen(function* () {
    const parent = makeFakeSupervisor()
    const [one, other] = [yield* windowsOf(parent), yield* windowsOf(parent)]
    yield* admitted(one)
    yield* admitted(one)
    yield* Effect.forkChild(other.giveBack([bucket], 0))
    yield* turn
    assert.strictEqual(yield* admitted(one), "Admitted")
    assert.strictEqual(yield* admitted(one), "Refused")
  })
)

it.effect("calls of one turn of the event loop go in one message, in their order", () =>
  Effect.gen(function* () {
    const windows = yield* windowsOf(makeFakeSupervisor())
    const answers = yield* Effect.forkChild(
      Effect.forEach([1, 2, 3], () => windows.admit([bucket], []), { concurrency: 3 })
    )
    yield* turn
    assert.deepStrictEqual(
      (yield* Fiber.join(answers)).map(({ _tag }) => _tag),
      ["Admitted", "Admitted", "Refused"]
    )
  })
)

it.effect("a parent that stands still costs one wait, then each worker counts alone, until it goes on", () =>
  Effect.gen(function* () {
    const parent = makeFakeSupervisor()
    const windows = yield* windowsOf(parent)
    parent.stopAnswering()
    const waiting = yield* Effect.forkChild(windows.admit([bucket], []))
    yield* turn
    yield* TestClock.adjust(SUPERVISOR_TIMEOUT_MS)
    assert.isUndefined(waiting.pollUnsafe())
    yield* TestClock.adjust(SUPERVISOR_TIMEOUT_MS / 4)
    assert.strictEqual((yield* Fiber.join(waiting))._tag, "Admitted")
    const asked = parent.countSteps()
    assert.strictEqual((yield* windows.admit([bucket], []))._tag, "Admitted")
    assert.strictEqual((yield* windows.admit([bucket], []))._tag, "Refused")
    assert.strictEqual(parent.countSteps(), asked)
    assert.strictEqual(warnings.length, 1)
    parent.resumeAnswering()
    // It has counted the one that waited.
    assert.strictEqual(yield* admitted(windows), "Admitted")
    assert.strictEqual(yield* admitted(windows), "Refused")
    assert.isAbove(parent.countSteps(), asked)
  }).pipe(Effect.provide(hearing))
)

it.effect("who goes away while it waits is not waited for", () =>
  Effect.gen(function* () {
    const parent = makeFakeSupervisor()
    const windows = yield* windowsOf(parent)
    parent.stopAnswering()
    const gone = yield* Effect.forkChild(windows.admit([bucket], []))
    yield* turn
    yield* Fiber.interrupt(gone)
    yield* TestClock.adjust(2 * SUPERVISOR_TIMEOUT_MS)
    parent.resumeAnswering()
    assert.strictEqual(yield* admitted(windows), "Admitted")
  })
)
