import { Clock, Effect, Option } from "effect"
import type { CurrentActor } from "../../contract/actor.ts"
import { Sessions, type SignInFailure, SUDO_MS } from "../../domain/access/sign-in/Sessions.ts"
import { BUSY_RETRY_SECONDS } from "../../platform/limits.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import type { ActionError } from "./action-outcome.ts"
import { TEXTS } from "./console-texts.ts"
import type { SignedInVisit, SubmittedForm } from "./visit.ts"

/**
 * Sensitive actions require the password again if the user entered it some time ago
 * (src/domain/access/sign-in/Sessions.ts).
 */
export interface Sudo {
  /** Renders nothing if the password is not needed. */
  readonly renderPasswordField: (visit: SignedInVisit) => Effect.Effect<Html>
  readonly checkPassword: (
    visit: SignedInVisit,
    form: SubmittedForm
  ) => Effect.Effect<Option.Option<ActionError>, never, CurrentActor>
  readonly requirePassword: (
    visit: SignedInVisit,
    form: SubmittedForm
  ) => Effect.Effect<void, ActionError, CurrentActor>
}

export const SUDO_FIELD = "password"

export const toSignInError = (failure: SignInFailure, wrongPasswordText: string): ActionError => {
  switch (failure._tag) {
    case "WrongPassword":
      return { _tag: "Refused", status: 401, message: wrongPasswordText }
    case "MustWait":
      return {
        _tag: "Refused",
        status: 429,
        message: TEXTS.signIn.tooManyAttempts(failure.seconds),
        retryAfter: failure.seconds
      }
    case "Busy":
      return { _tag: "Refused", status: 503, message: TEXTS.requestErrors.overloaded, retryAfter: BUSY_RETRY_SECONDS }
  }
}

const isPasswordRequired = ({ session }: SignedInVisit): Effect.Effect<boolean> =>
  Effect.map(Clock.currentTimeMillis, (now) => now - session.passwordAt > SUDO_MS)

const passwordField = html`<label>${TEXTS.sudo.label}
<input type="password" name="${SUDO_FIELD}" autocomplete="current-password" required></label>
`

const missingPasswordError: ActionError = { _tag: "Refused", status: 403, message: TEXTS.sudo.missingPassword }

export const makeSudo: Effect.Effect<Sudo, never, Sessions> = Effect.map(Sessions, (sessions) => {
  const requirePassword: Sudo["requirePassword"] = Effect.fnUntraced(function* (visit, form) {
    if (!(yield* isPasswordRequired(visit))) return
    const password = form.get(SUDO_FIELD) ?? ""
    if (password === "") return yield* Effect.fail(missingPasswordError)
    yield* Effect.mapError(sessions.confirmPassword(visit.cookie, { password, address: visit.ipAddress }), (failure) =>
      toSignInError(failure, TEXTS.sudo.wrongPassword)
    )
  })
  return {
    renderPasswordField: (visit) =>
      Effect.map(isPasswordRequired(visit), (isRequired) => (isRequired ? passwordField : nothing)),
    checkPassword: (visit, form) =>
      Effect.match(requirePassword(visit, form), {
        onSuccess: () => Option.none(),
        onFailure: (failure) => Option.some(failure)
      }),
    requirePassword
  }
})
