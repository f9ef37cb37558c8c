import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Layer, Logger } from "effect"
import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import { TROUBLE_TOLD_MS, TroubleTold, tellTrouble, troubleOf } from "../../../src/platform/database/trouble.ts"

const withCode = (code: string) =>
  Cause.die(new SqlError({ reason: new UnknownError({ cause: Object.assign(new Error("no"), { code }) }) }))

describe("what a database suffers from", () => {
  it("is read from why a statement failed", () => {
    assert.strictEqual(troubleOf(withCode("53100")), "full")
    assert.strictEqual(troubleOf(withCode("57P01")), "away")
    const lost = new SqlError({ reason: new ConnectionError({ cause: new Error("ECONNREFUSED") }) })
    assert.strictEqual(troubleOf(Cause.die(lost)), "away")
    assert.strictEqual(troubleOf(Cause.fail(lost)), "away")
    assert.isUndefined(troubleOf(withCode("22012")))
    assert.isUndefined(troubleOf(Cause.die(new Error("a mistake of ours"))))
  })

  it.effect(`is told in one line in ${TROUBLE_TOLD_MS} ms, each by itself`, () => {
    const lines: Array<unknown> = []
    const layer = Logger.layer([Logger.make(({ message }) => void lines.push(message))])
    return Effect.gen(function* () {
      yield* tellTrouble("full")
      yield* tellTrouble("away")
      yield* TestClock.adjust(TROUBLE_TOLD_MS - 1)
      yield* tellTrouble("full")
      assert.lengthOf(lines, 2)
      yield* TestClock.adjust(1)
      yield* tellTrouble("full")
      assert.lengthOf(lines, 3)
    }).pipe(Effect.provide(Layer.merge(layer, Layer.succeed(TroubleTold, new Map()))))
  })
})
