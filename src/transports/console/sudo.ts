import { Clock, Effect, Option } from "effect"
import type { Acting } from "../../contract/acting.ts"
import { type NotSignedIn, Sessions, SUDO_MS } from "../../domain/access/sign-in/Sessions.ts"
import { BUSY_RETRY_SECONDS } from "../../platform/limits.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import type { Refused } from "./outcome.ts"
import { TEXTS } from "./texts.ts"
import type { Form, SignedInVisit } from "./visit.ts"

/** What is weighty asks for the password when the last time is long ago (src/domain/access/sign-in/Sessions.ts). */
export interface Sudo {
  /** For a weighty form: a field for the password, where it will be asked for. */
  readonly field: (visit: SignedInVisit) => Effect.Effect<Html>
  /** Why the form is not taken; none: the password was given lately, or is right. */
  readonly check: (visit: SignedInVisit, form: Form) => Effect.Effect<Option.Option<Refused>, never, Acting>
  /** Fails with the refusal that {@link check} returns, if there is one. */
  readonly demand: (visit: SignedInVisit, form: Form) => Effect.Effect<void, Refused, Acting>
}

/** The name of the field. */
export const SUDO_FIELD = "password"

/** Why a password was not taken, as a page says it. */
export const refusedFor = (why: NotSignedIn, wrong: string): Refused => {
  switch (why._tag) {
    case "WrongPassword":
      return { _tag: "Refused", status: 401, words: wrong }
    case "MustWait":
      return { _tag: "Refused", status: 429, words: TEXTS.signIn.wait(why.seconds), retryAfter: why.seconds }
    case "Busy":
      return { _tag: "Refused", status: 503, words: TEXTS.refused.busy, retryAfter: BUSY_RETRY_SECONDS }
  }
}

const isAsked = ({ session }: SignedInVisit): Effect.Effect<boolean> =>
  Effect.map(Clock.currentTimeMillis, (now) => now - session.passwordAt > SUDO_MS)

const field = html`<label>${TEXTS.sudo.label}
<input type="password" name="${SUDO_FIELD}" autocomplete="current-password" required></label>
`

const missing: Refused = { _tag: "Refused", status: 403, words: TEXTS.sudo.missing }

export const makeSudo: Effect.Effect<Sudo, never, Sessions> = Effect.map(Sessions, (sessions) => {
  const demand: Sudo["demand"] = Effect.fnUntraced(function* (visit, form) {
    if (!(yield* isAsked(visit))) return
    const password = form.get(SUDO_FIELD) ?? ""
    if (password === "") return yield* Effect.fail(missing)
    yield* Effect.mapError(sessions.confirm(visit.cookie, { password, address: visit.address }), (why) =>
      refusedFor(why, TEXTS.sudo.wrong)
    )
  })
  return {
    field: (visit) => Effect.map(isAsked(visit), (asked) => (asked ? field : nothing)),
    check: (visit, form) =>
      Effect.match(demand(visit, form), { onSuccess: () => Option.none(), onFailure: (why) => Option.some(why) }),
    demand
  }
})
