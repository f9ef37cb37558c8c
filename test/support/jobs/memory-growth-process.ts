import { Effect } from "effect"
import { ProcessMemory } from "../../../src/jobs/idle-memory.ts"

// Grows by 256 MB that nobody needs any more, gives memory back, and prints its size before and after as JSON.

const allocateMemory = (): number => Array.from({ length: 32 }, () => Array.from({ length: 2 ** 20 }, () => 1.5)).length

const measureReleasedMemory = Effect.gen(function* () {
  const { releaseMemory = Effect.void, residentBytes } = yield* ProcessMemory
  allocateMemory()
  const before = yield* residentBytes
  yield* releaseMemory
  return { before, after: yield* residentBytes }
})

console.log(JSON.stringify(await Effect.runPromise(Effect.provide(measureReleasedMemory, ProcessMemory.layer))))
