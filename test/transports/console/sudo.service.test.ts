import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { PasswordCost } from "../../../src/domain/access/operators/password.ts"
import { Sessions, SUDO_MS } from "../../../src/domain/access/sign-in/Sessions.ts"
import { SIGN_IN_FAILURES_MAX } from "../../../src/platform/limits.ts"
import { TEXTS } from "../../../src/transports/console/console-texts.ts"
import { makeSudo, SUDO_FIELD } from "../../../src/transports/console/sudo.ts"
import { deriveFormToken, type SignedInVisit } from "../../../src/transports/console/visit.ts"
import {
  CHEAP_PASSWORD_COST,
  createSignInAccount,
  PASSWORD
} from "../../support/domain/access/sign-in/sign-in-accounts.ts"
import { asSystemActor, layerTest } from "../../support/harness.ts"

const START = Date.parse("2027-03-01T10:00:00Z")
const layerSudo = Layer.provideMerge(
  Layer.provideMerge(Sessions.layer, layerTest),
  Layer.succeed(PasswordCost, CHEAP_PASSWORD_COST)
)

const address = `2001:db8:${randomBytes(2).toString("hex")}:${randomBytes(2).toString("hex")}::1`

const ready = Effect.gen(function* () {
  yield* TestClock.setTime(START)
  const { email } = yield* createSignInAccount()
  const sessions = yield* Sessions
  const cookie = yield* sessions.signIn({ email, password: PASSWORD, address }).pipe(asSystemActor)
  const sudo = yield* makeSudo
  const visit = Effect.map(sessions.find(cookie), (session): SignedInVisit => {
    if (session === undefined) return assert.fail("nobody is signed in")
    const where = { target: "/console/access", path: "/console/access", query: new URLSearchParams() }
    return { ...where, cookie, formToken: deriveFormToken(cookie), formKey: "", session, ipAddress: address }
  })
  const field = Effect.flatMap(visit, (each) => Effect.map(sudo.renderPasswordField(each), ({ html }) => html))
  const check = (fields: Readonly<Record<string, string>>) =>
    Effect.flatMap(visit, (each) =>
      Effect.map(asSystemActor(sudo.checkPassword(each, new URLSearchParams(fields))), Option.getOrUndefined)
    )
  return { field, check }
})

layer(layerSudo, { excludeTestServices: false })("what is weighty", (it) => {
  it.effect("asks for the password when that was given more than fifteen minutes ago", () =>
    Effect.gen(function* () {
      const { field, check } = yield* ready
      yield* TestClock.setTime(START + SUDO_MS)
      assert.strictEqual(yield* field, "")
      assert.isUndefined(yield* check({}))
      yield* TestClock.setTime(START + SUDO_MS + 1)
      assert.include(yield* field, `name="${SUDO_FIELD}"`)
      for (const fields of [{}, { [SUDO_FIELD]: "" }]) {
        assert.deepStrictEqual(yield* check(fields), {
          _tag: "Refused",
          status: 403,
          message: TEXTS.sudo.missingPassword
        })
      }
      assert.isUndefined(yield* check({ [SUDO_FIELD]: PASSWORD }))
      assert.strictEqual(yield* field, "")
      assert.isUndefined(yield* check({}))
    })
  )

  it.effect("takes no wrong one, and after the fifth none until it was waited", () =>
    Effect.gen(function* () {
      const { field, check } = yield* ready
      yield* TestClock.setTime(START + SUDO_MS + 1)
      for (let failed = 0; failed < SIGN_IN_FAILURES_MAX; failed += 1) {
        assert.deepStrictEqual(yield* check({ [SUDO_FIELD]: "wrong" }), {
          ...{ _tag: "Refused", status: 401, message: TEXTS.sudo.wrongPassword }
        })
      }
      assert.deepStrictEqual(yield* check({ [SUDO_FIELD]: PASSWORD }), {
        ...{ _tag: "Refused", status: 429, message: TEXTS.signIn.tooManyAttempts(1), retryAfter: 1 }
      })
      assert.include(yield* field, `name="${SUDO_FIELD}"`)
      yield* TestClock.adjust(1_000)
      assert.isUndefined(yield* check({ [SUDO_FIELD]: PASSWORD }))
    })
  )
})
