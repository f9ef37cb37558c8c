import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { SERVE_FLAGS } from "../../bin/flags.js"
import {
  FIRST_QUIET_POLLS,
  IDLE_POLL_MS,
  isQuiet,
  layerIdleMemory,
  MIN_GROWTH_BYTES,
  ProcessMemory,
  QUIET_POLLS,
  QUIET_SHARE,
  shouldReleaseMemory
} from "../../src/jobs/idle-memory.ts"
import { PROCESSES_MS } from "../support/time-limits.ts"

const QUIET_MS = QUIET_SHARE * IDLE_POLL_MS
const LEFT = 50_000_000

/** A process of this size, whose looks cost what is said; each time memory is given back it has LEFT. */
const makeProcess = Effect.fnUntraced(function* (bytes: number) {
  const process = { bytes, processorMs: 0, givenBack: 0 }
  const memory = ProcessMemory.of({
    processorMs: Effect.sync(() => process.processorMs),
    residentBytes: Effect.sync(() => process.bytes),
    releaseMemory: Effect.sync(() => {
      process.bytes = LEFT
      process.givenBack++
    })
  })
  yield* Layer.build(Layer.provide(layerIdleMemory, Layer.succeed(ProcessMemory, memory)))
  const looks = (count: number, processorMs: number) =>
    Effect.repeat(
      Effect.suspend(() => {
        process.processorMs += processorMs
        return TestClock.adjust(IDLE_POLL_MS)
      }),
      { times: count - 1 }
    )
  return { process, looks }
})

const GROWING = fileURLToPath(new URL("../support/jobs/memory-growth-process.ts", import.meta.url))

const Sizes = Schema.fromJsonString(Schema.Struct({ before: Schema.Int, after: Schema.Int }))

/** The sizes of a process that has grown, started with these flags. */
const sizesOf = (flags: ReadonlyArray<string>) => async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, GROWING])
  return Schema.decodeUnknownSync(Sizes)(stdout)
}

describe("the rule of giving memory back", () => {
  it("a look is quiet up to its share of a processor", () => {
    assert.deepStrictEqual([isQuiet(1_000, 10_000), isQuiet(1_001, 10_000)], [true, false])
    assert.strictEqual(isQuiet(1, -1), false)
  })

  it("it is time after enough quiet looks, and after enough growth", () => {
    const cases = [
      [QUIET_POLLS, MIN_GROWTH_BYTES],
      [QUIET_POLLS + 1, MIN_GROWTH_BYTES + 1],
      [QUIET_POLLS - 1, MIN_GROWTH_BYTES],
      [QUIET_POLLS, MIN_GROWTH_BYTES - 1]
    ] as const
    assert.deepStrictEqual(
      cases.map(([quietPolls, grown]) => shouldReleaseMemory({ quietPolls, baseBytes: LEFT }, LEFT + grown)),
      [true, true, false, false]
    )
  })

  it("the first time needs fewer quiet looks and no growth", () => {
    const atStart = (quietPolls: number) => shouldReleaseMemory({ quietPolls, baseBytes: undefined }, LEFT)
    assert.deepStrictEqual([atStart(FIRST_QUIET_POLLS), atStart(FIRST_QUIET_POLLS - 1)], [true, false])
  })
})

describe("a process", () => {
  it.effect("gives back what starting left at its first quiet look, once", () =>
    Effect.gen(function* () {
      const { process, looks } = yield* makeProcess(LEFT)
      yield* looks(2, QUIET_MS + 1)
      yield* TestClock.adjust(IDLE_POLL_MS - 1)
      assert.strictEqual(process.givenBack, 0)
      yield* TestClock.adjust(1)
      assert.strictEqual(process.givenBack, 1)
      yield* looks(3 * QUIET_POLLS, QUIET_MS)
      assert.strictEqual(process.givenBack, 1)
    })
  )

  it.effect("that works again in between begins to count anew", () =>
    Effect.gen(function* () {
      const { process, looks } = yield* makeProcess(LEFT)
      yield* looks(1, 0)
      process.bytes = LEFT + MIN_GROWTH_BYTES
      yield* looks(1, QUIET_MS + 1)
      yield* looks(QUIET_POLLS - 1, 0)
      yield* looks(1, QUIET_MS + 1)
      yield* looks(QUIET_POLLS - 1, 0)
      assert.strictEqual(process.givenBack, 1)
      yield* looks(1, 0)
      assert.strictEqual(process.givenBack, 2)
    })
  )

  it.effect("gives back again only when it has grown again", () =>
    Effect.gen(function* () {
      const { process, looks } = yield* makeProcess(LEFT)
      yield* looks(1, 0)
      for (const [grown, times] of [
        [MIN_GROWTH_BYTES - 1, 1],
        [MIN_GROWTH_BYTES, 2],
        [MIN_GROWTH_BYTES, 3]
      ] as const) {
        process.bytes = LEFT + grown
        yield* looks(1, IDLE_POLL_MS)
        yield* looks(QUIET_POLLS, 0)
        assert.strictEqual(process.givenBack, times)
      }
    })
  )

  it.effect("without the means never looks", () =>
    Effect.gen(function* () {
      const memory = {
        processorMs: Effect.die("looked"),
        residentBytes: Effect.die("looked"),
        releaseMemory: undefined
      }
      yield* Layer.build(Layer.provide(layerIdleMemory, Layer.succeed(ProcessMemory, memory)))
      yield* TestClock.adjust(2 * QUIET_POLLS * IDLE_POLL_MS)
    })
  )

  it.effect(
    "with the flags of serve becomes smaller when it gives memory back",
    () =>
      Effect.gen(function* () {
        const { before, after } = yield* Effect.promise(sizesOf(SERVE_FLAGS))
        assert.isAbove(before - after, MIN_GROWTH_BYTES)
      }),
    PROCESSES_MS
  )

  it.effect("without them has not the means", () =>
    Effect.gen(function* () {
      const { before, after } = yield* Effect.promise(sizesOf([]))
      assert.isBelow(before - after, MIN_GROWTH_BYTES)
    })
  )

  it.effect("says its processor time", () =>
    Effect.gen(function* () {
      const { processorMs } = yield* ProcessMemory
      const before = yield* processorMs
      // However long this thread must wait for its turn.
      const begun = process.threadCpuUsage()
      while (process.threadCpuUsage(begun).user < 20_000);
      assert.isAbove((yield* processorMs) - before, 10)
    }).pipe(Effect.provide(ProcessMemory.layer))
  )
})
