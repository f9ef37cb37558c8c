import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { Conflict } from "../../../src/contract/errors.ts"
import { newKnownBrowserCookie, newSessionCookie } from "../../../src/domain/access/sign-in/cookies.ts"
import { type OwnPasswordInput, Passwords } from "../../../src/domain/access/sign-in/Passwords.ts"
import { type PasswordConfirmation, Sessions } from "../../../src/domain/access/sign-in/Sessions.ts"
import { toSignedInAccount } from "../../../src/domain/access/sign-in/session-store.ts"
import { BUSY_RETRY_SECONDS } from "../../../src/platform/limits.ts"
import { TEXTS } from "../../../src/transports/console/console-texts.ts"
import { PASSWORD_PATH } from "../../../src/transports/console/host/urls.ts"
import { makePasswordPage } from "../../../src/transports/console/password-page.ts"
import { deriveFormToken, type SignedInVisit } from "../../../src/transports/console/visit.ts"
import { asCaller } from "../../support/console-caller.ts"
import { PASSWORD, toPasswordConfirmation } from "../../support/domain/access/sign-in/sign-in-accounts.ts"
import { asSystemActor } from "../../support/harness.ts"
import { findAlert } from "../../support/transports/console/form-browser.ts"

// What the page says of a password that was confirmed and then could not be replaced.

const person = toSignedInAccount({
  ...{ operatorId: 1, accountId: 7, accountName: "Harbour Stays", role: "main", edition: "pro", status: "active" },
  ...{ timeZone: "Europe/Lisbon", currency: "EUR", subscriptionUntil: null, passwordAt: new Date(0) },
  ...{ email: "host@example.test", operatorName: "Harbour Stays", passwordHash: "" }
})
const cookie = newSessionCookie()
const visit: SignedInVisit = {
  ...{ target: PASSWORD_PATH, path: PASSWORD_PATH, query: new URLSearchParams(), ipAddress: "192.0.2.1" },
  ...{ cookie, knownBrowserCookie: newKnownBrowserCookie(), formToken: deriveFormToken(cookie), formKey: "" },
  session: { email: "host@example.test", operatorName: "Harbour Stays", passwordAt: 0, person }
}

const form = new URLSearchParams({ password: PASSWORD, new_password: "another password", again: "another password" })

/** The answer to the form, where the change comes to this. */
const changed = (outcome: ReturnType<Passwords["Service"]["changeOwn"]>) =>
  Effect.gen(function* () {
    const given: Array<readonly [PasswordConfirmation, OwnPasswordInput]> = []
    const { actions: acts } = yield* makePasswordPage.pipe(
      Effect.provide(
        Layer.mergeAll(
          Layer.mock(Sessions, { confirmPassword: (of) => Effect.succeed(toPasswordConfirmation(of, 7)) }),
          Layer.mock(Passwords, {
            changeOwn: (...own) =>
              Effect.andThen(
                Effect.sync(() => given.push(own)),
                outcome
              )
          })
        )
      )
    )
    const response = yield* acts.get("change_password")?.(visit, form) ?? Effect.die("there is no such form")
    assert.deepStrictEqual(given, [
      [
        toPasswordConfirmation(cookie, 7),
        { password: "another password", knownBrowserCookie: visit.knownBrowserCookie }
      ]
    ])
    return response
  }).pipe(asSystemActor, asCaller(person.caller))

const said = (response: Parameters<typeof HttpServerResponse.toWeb>[0]) =>
  Effect.promise(async () => findAlert(await HttpServerResponse.toWeb(response).text()))

it.effect("a password that was changed meanwhile is not changed, and that is said", () =>
  Effect.gen(function* () {
    const response = yield* changed(new Conflict({ message: "" }))
    assert.deepStrictEqual([response.status, yield* said(response)], [409, TEXTS.password.changedMeanwhile])
  })
)

it.effect("a new password for which there is no room is to be sent again", () =>
  Effect.gen(function* () {
    const response = yield* changed(Effect.fail({ _tag: "Busy" }))
    assert.deepStrictEqual([response.status, yield* said(response)], [503, TEXTS.requestErrors.overloaded])
    assert.strictEqual(response.headers["retry-after"], String(BUSY_RETRY_SECONDS))
  })
)

it.effect("a new password is told by where it leads", () =>
  Effect.gen(function* () {
    const response = yield* changed(Effect.succeed({ account_id: 7, sessions_ended: 0 }))
    assert.deepStrictEqual([response.status, response.headers["location"]], [303, "/console/password?done=changed"])
  })
)
