import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeDeadline } from "../../../src/admission/concurrency/deadline.ts"

const MS = 1_000

const makeWatchedDeadline = Effect.gen(function* () {
  const deadline = yield* makeDeadline(MS)
  const expired: Array<string> = []
  return { deadline, expired, begin: (name: string) => deadline.begin(() => void expired.push(name)) }
})

describe("deadline", () => {
  it.effect("expires each wait its milliseconds after its own beginning, and not before", () =>
    Effect.gen(function* () {
      const { begin, expired } = yield* makeWatchedDeadline
      yield* begin("first")
      yield* TestClock.adjust(400)
      yield* begin("second")
      yield* TestClock.adjust(MS - 401)
      assert.deepStrictEqual(expired, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(expired, ["first"])
      yield* TestClock.adjust(399)
      assert.deepStrictEqual(expired, ["first"])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(expired, ["first", "second"])
    })
  )

  it.effect("does not expire a wait that ended, and expires the others", () =>
    Effect.gen(function* () {
      const { begin, deadline, expired } = yield* makeWatchedDeadline
      const first = yield* begin("first")
      yield* begin("second")
      deadline.end(first)
      yield* TestClock.adjust(MS)
      assert.deepStrictEqual(expired, ["second"])
    })
  )

  it.effect("expires waits again after a time without any", () =>
    Effect.gen(function* () {
      const { begin, deadline, expired } = yield* makeWatchedDeadline
      deadline.end(yield* begin("first"))
      yield* TestClock.adjust(3 * MS)
      yield* begin("second")
      yield* TestClock.adjust(MS)
      assert.deepStrictEqual(expired, ["second"])
    })
  )
})
