import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { hashPassword, PasswordCost, verifyPassword } from "../../../../src/domain/access/operators/password.ts"

const cheaply = Effect.provideService(PasswordCost, { N: 16, r: 8, p: 1 })

describe("passwords", () => {
  it.effect("are known again, and others are not", () =>
    Effect.gen(function* () {
      const hash = yield* hashPassword("correct horse")
      assert.notInclude(hash, "correct horse")
      assert.isTrue(yield* verifyPassword("correct horse", hash))
      assert.isFalse(yield* verifyPassword("correct horse ", hash))
      assert.isFalse(yield* verifyPassword("", hash))
    }).pipe(cheaply)
  )

  it.effect("are salted: the same password never has the same hash", () =>
    Effect.gen(function* () {
      assert.notStrictEqual(yield* hashPassword("correct horse"), yield* hashPassword("correct horse"))
    }).pipe(cheaply)
  )

  it.effect("are the same however a keyboard composes a letter", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* verifyPassword("cafe\u0301 com leite", yield* hashPassword("caf\u00e9 com leite")))
    }).pipe(cheaply)
  )

  it.effect("a hash keeps the cost it was made with, also when new ones cost more", () =>
    Effect.gen(function* () {
      const old = yield* cheaply(hashPassword("correct horse"))
      assert.match(old, /^scrypt\$16\$8\$1\$/)
      assert.isTrue(yield* verifyPassword("correct horse", old))
    })
  )

  it.effect("the real cost works: 32 MiB a hash", () =>
    Effect.gen(function* () {
      const hash = yield* hashPassword("correct horse")
      assert.match(hash, /^scrypt\$32768\$8\$3\$/)
      assert.isTrue(yield* verifyPassword("correct horse", hash))
    })
  )

  it.effect("without an account nothing is right; a broken hash is a defect, not a wrong password", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* verifyPassword("correct horse", undefined))
      assert.isTrue(Exit.hasDies(yield* Effect.exit(verifyPassword("correct horse", "none"))))
    }).pipe(cheaply)
  )
})
