import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DeadlockError, SerializationError, SqlError, UniqueViolation } from "effect/sql/SqlError"
import { MAX_STATEMENT_RETRIES, retryOnLockConflict } from "../../../src/platform/database/statement-retry.ts"

const failing = (times: number, reason: SqlError["reason"]) => {
  let runs = 0
  return {
    statement: Effect.suspend(() => {
      runs += 1
      return runs <= times ? Effect.fail(new SqlError({ reason })) : Effect.succeed("done")
    }),
    runs: () => runs
  }
}

describe("a statement the database gave up", () => {
  const reasons = [new DeadlockError({ cause: "40P01" }), new SerializationError({ cause: "40001" })]

  it.effect("is run again, a bounded number of times", () =>
    Effect.gen(function* () {
      for (const reason of reasons) {
        const enough = failing(MAX_STATEMENT_RETRIES, reason)
        assert.strictEqual(yield* retryOnLockConflict(enough.statement), "done")
        assert.strictEqual(enough.runs(), MAX_STATEMENT_RETRIES + 1)
        const tooMany = failing(MAX_STATEMENT_RETRIES + 1, reason)
        const error = yield* Effect.flip(retryOnLockConflict(tooMany.statement))
        assert.strictEqual(error.reason._tag, reason._tag)
        assert.strictEqual(tooMany.runs(), MAX_STATEMENT_RETRIES + 1)
      }
    })
  )

  it.effect("but not one that was refused", () =>
    Effect.gen(function* () {
      const refused = failing(1, new UniqueViolation({ cause: "23505", constraint: "one_holder_a_night" }))
      yield* Effect.flip(retryOnLockConflict(refused.statement))
      assert.strictEqual(refused.runs(), 1)
    })
  )
})
