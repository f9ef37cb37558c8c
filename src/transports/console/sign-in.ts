import { Effect } from "effect"
import { newCookie, newKnownCookie } from "../../domain/access/sign-in/cookie.ts"
import { type Attempt, Sessions } from "../../domain/access/sign-in/Sessions.ts"
import { EMAIL, KNOWN_BROWSER_MS } from "../../platform/limits.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import { retryAfter } from "../pages/secret-address.ts"
import { framed, hidden, SIGN_IN_PATH, seeOther } from "./frame.ts"
import { OVERVIEW_PATH } from "./host/addresses.ts"
import type { Refused } from "./outcome.ts"
import { refusedFor } from "./sudo.ts"
import { localTarget } from "./target.ts"
import { TEXTS } from "./texts.ts"
import { ACT_FIELD, cookieName, type Form, knownName, type OpenPage, type Visit, withCookie } from "./visit.ts"

/** What the form is shown with again. */
interface Given {
  readonly email: string
  readonly next: string
}

const formOf = (
  { formToken }: Visit,
  { email, next }: Given
): Html => html`<form method="post" action="${SIGN_IN_PATH}">
${hidden(formToken)}<input type="hidden" name="next" value="${next}">
<label>${TEXTS.signIn.email}
<input type="email" name="email" value="${email}" autocomplete="username" maxlength="${EMAIL}" required></label>
<label>${TEXTS.signIn.password}
<input type="password" name="password" autocomplete="current-password" required></label>
<button class="primary" name="${ACT_FIELD}" value="sign_in">${TEXTS.signIn.button}</button>
</form>
`

const page = (visit: Visit, given: Given, refused?: Refused) => {
  const said =
    refused === undefined
      ? nothing
      : html`<p class="message error" role="alert">${refused.words}</p>
`
  const body = html`<section class="narrow">
${said}${formOf(visit, given)}<p class="soft">${TEXTS.signIn.forgotten}</p>
</section>
`
  const shown = framed(visit, { title: TEXTS.signIn.title, body }, refused?.status)
  return refused?.retryAfter === undefined ? shown : retryAfter(shown, refused.retryAfter)
}

/** Signing in and out. */
export const makeSignInPage = (publicUrl: string): Effect.Effect<OpenPage, never, Sessions> =>
  Effect.map(Sessions, (sessions) => {
    const [name, known] = [cookieName(publicUrl), knownName(publicUrl)]

    const signIn = (visit: Visit, form: Form) => {
      const [email, password] = [(form.get("email") ?? "").trim(), form.get("password") ?? ""]
      const next = localTarget(form.get("next"), OVERVIEW_PATH)
      // Known from the first time on, so that what somebody else does from the same address is not counted against it.
      const browser = visit.known ?? newKnownCookie()
      const attempt: Attempt = { email, password, address: visit.address, before: visit.cookie, known: browser }
      return Effect.match(sessions.signIn(attempt), {
        onSuccess: (cookie) =>
          seeOther(next).pipe(withCookie(name, cookie), withCookie(known, browser, KNOWN_BROWSER_MS)),
        onFailure: (why) => page(visit, { email: email.slice(0, EMAIL), next }, refusedFor(why, TEXTS.signIn.wrong))
      })
    }

    const signOut = ({ cookie }: Visit) =>
      Effect.as(sessions.signOut(cookie), withCookie(name, newCookie())(seeOther(SIGN_IN_PATH)))

    const show = (visit: Visit) => {
      const next = localTarget(visit.query.get("next"), OVERVIEW_PATH)
      return Effect.succeed(visit.session === undefined ? page(visit, { email: "", next }) : seeOther(next))
    }

    return {
      path: SIGN_IN_PATH,
      open: true,
      show,
      acts: new Map([
        ["sign_in", signIn],
        ["sign_out", signOut]
      ])
    }
  })
