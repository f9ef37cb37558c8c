import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeDeadline } from "../../../src/admission/concurrency/deadline.ts"

const MS = 1_000

const watched = Effect.gen(function* () {
  const deadline = yield* makeDeadline(MS)
  const late: Array<string> = []
  return { deadline, late, begin: (name: string) => deadline.begin(() => void late.push(name)) }
})

describe("deadline", () => {
  it.effect("ends a wait after its milliseconds and not before, each by its own beginning", () =>
    Effect.gen(function* () {
      const { begin, late } = yield* watched
      yield* begin("first")
      yield* TestClock.adjust(400)
      yield* begin("second")
      yield* TestClock.adjust(MS - 401)
      assert.deepStrictEqual(late, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(late, ["first"])
      yield* TestClock.adjust(399)
      assert.deepStrictEqual(late, ["first"])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(late, ["first", "second"])
    })
  )

  it.effect("says nothing of a wait that ended, and goes on with those that did not", () =>
    Effect.gen(function* () {
      const { begin, deadline, late } = yield* watched
      const first = yield* begin("first")
      yield* begin("second")
      deadline.end(first)
      yield* TestClock.adjust(MS)
      assert.deepStrictEqual(late, ["second"])
    })
  )

  it.effect("begins anew after nobody waited", () =>
    Effect.gen(function* () {
      const { begin, deadline, late } = yield* watched
      deadline.end(yield* begin("first"))
      yield* TestClock.adjust(3 * MS)
      yield* begin("second")
      yield* TestClock.adjust(MS)
      assert.deepStrictEqual(late, ["second"])
    })
  )
})
