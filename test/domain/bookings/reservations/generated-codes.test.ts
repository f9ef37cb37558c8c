import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { CODE_ATTEMPTS, createWithGeneratedId } from "../../../../src/domain/bookings/reservations/generated-codes.ts"

/** Creates an order when the first so many names are other orders' already; answers the names that were tried. */
const createdAfter = (taken: number) => {
  const names: Array<string> = []
  return Effect.map(
    Effect.exit(
      createWithGeneratedId((name) => {
        names.push(name)
        return Effect.succeed(names.length > taken ? { reservation_code: `5-${name}` } : undefined)
      })
    ),
    (exit) => ({ exit, names })
  )
}

describe("an order that its caller did not name", () => {
  it.effect("is created under the first drawn name that is no other order's, of a bounded number", () =>
    Effect.gen(function* () {
      const { exit, names } = yield* createdAfter(CODE_ATTEMPTS - 1)
      assert.strictEqual(Exit.isSuccess(exit) ? exit.value.reservation_code : "none", `5-${names.at(-1)}`)
      assert.strictEqual(new Set(names).size, CODE_ATTEMPTS)
      for (const name of names) assert.match(name, /^[0-9A-Z]{9}$/)
      const tooMany = yield* createdAfter(CODE_ATTEMPTS)
      assert.isTrue(Exit.isFailure(tooMany.exit))
      assert.lengthOf(tooMany.names, CODE_ATTEMPTS)
    })
  )
})
