import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeLineWriter } from "../../../src/platform/telemetry/line-writer.ts"

const turnOfTheLoop = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const recorder = () => {
  const writes: Array<string> = []
  const write = makeLineWriter({
    write: (text: string | Uint8Array) => {
      writes.push(String(text))
      return true
    }
  })
  return { writes, write }
}

describe("line writer", () => {
  it.effect("writes the lines of a turn at once, in order, and the next turn's after them", () =>
    Effect.gen(function* () {
      const { writes, write } = recorder()
      write("one")
      write("two")
      assert.deepStrictEqual(writes, [])
      yield* turnOfTheLoop
      write("three")
      yield* turnOfTheLoop
      assert.deepStrictEqual(writes, ["one\ntwo\n", "three\n"])
    })
  )

  it.effect("loses nothing when the process ends in the middle of a turn", () =>
    Effect.sync(() => {
      const before = process.listeners("exit")
      const { writes, write } = recorder()
      write("last words")
      for (const listener of process.listeners("exit").filter((each) => !before.includes(each))) listener(0)
      assert.deepStrictEqual(writes, ["last words\n"])
    })
  )
})
