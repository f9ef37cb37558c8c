import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Layer, Logger } from "effect"
import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import {
  findStorageFailure,
  logStorageFailure,
  STORAGE_FAILURE_LOG_MS,
  StorageFailureLogTimes
} from "../../../src/platform/database/storage-failure.ts"

const withCode = (code: string) =>
  Cause.die(new SqlError({ reason: new UnknownError({ cause: Object.assign(new Error("no"), { code }) }) }))

describe("what a database suffers from", () => {
  it("is read from why a statement failed", () => {
    assert.strictEqual(findStorageFailure(withCode("53100")), "full")
    assert.strictEqual(findStorageFailure(withCode("57P01")), "away")
    const lost = new SqlError({ reason: new ConnectionError({ cause: new Error("ECONNREFUSED") }) })
    assert.strictEqual(findStorageFailure(Cause.die(lost)), "away")
    assert.strictEqual(findStorageFailure(Cause.fail(lost)), "away")
    assert.isUndefined(findStorageFailure(withCode("22012")))
    assert.isUndefined(findStorageFailure(Cause.die(new Error("a mistake of ours"))))
  })

  it.effect(`is told in one line in ${STORAGE_FAILURE_LOG_MS} ms, each by itself`, () => {
    const lines: Array<unknown> = []
    const layer = Logger.layer([Logger.make(({ message }) => void lines.push(message))])
    return Effect.gen(function* () {
      yield* logStorageFailure("full")
      yield* logStorageFailure("away")
      yield* TestClock.adjust(STORAGE_FAILURE_LOG_MS - 1)
      yield* logStorageFailure("full")
      assert.lengthOf(lines, 2)
      yield* TestClock.adjust(1)
      yield* logStorageFailure("full")
      assert.lengthOf(lines, 3)
    }).pipe(Effect.provide(Layer.merge(layer, Layer.succeed(StorageFailureLogTimes, new Map()))))
  })
})
