import { Effect } from "effect"
import { newKnownBrowserCookie, newSessionCookie } from "../../domain/access/sign-in/cookies.ts"
import { LINK_PATHS } from "../../domain/access/sign-in/mailed-links/link-url.ts"
import { Sessions, type SignInAttempt } from "../../domain/access/sign-in/Sessions.ts"
import { EMAIL_LENGTH, KNOWN_BROWSER_MS } from "../../platform/limits.ts"
import { MailEnabled } from "../../platform/mail/Mailer.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import { withRetryAfter } from "../pages/secret-url-responses.ts"
import type { ActionError } from "./action-outcome.ts"
import { TEXTS } from "./console-texts.ts"
import { formTokenField } from "./form-keys.ts"
import { CALENDAR_PATH, SIGN_IN_PATH } from "./host/urls.ts"
import { redirectSeeOther, renderConsolePage } from "./page-frame.ts"
import { toLocalUrl } from "./return-url.ts"
import { toSignInError } from "./sudo.ts"
import {
  ACTION_FIELD,
  knownBrowserCookieName,
  type PublicPage,
  type SubmittedForm,
  sessionCookieName,
  type Visit,
  withCookie
} from "./visit.ts"

interface SignInFormValues {
  readonly email: string
  readonly next: string
}

const signInForm = (
  { formToken }: Visit,
  { email, next }: SignInFormValues
): Html => html`<form method="post" action="${SIGN_IN_PATH}">
${formTokenField(formToken)}<input type="hidden" name="next" value="${next}">
<label>${TEXTS.signIn.email}
<input type="email" name="email" value="${email}" autocomplete="username" maxlength="${EMAIL_LENGTH}" required></label>
<label>${TEXTS.signIn.password}
<input type="password" name="password" autocomplete="current-password" required></label>
<button class="primary" name="${ACTION_FIELD}" value="sign_in">${TEXTS.signIn.button}</button>
</form>
`

/** The query parameter `done` of the redirect after a password reset. */
export const PASSWORD_RESET_DONE = "password_reset"

const doneMessage = ({ query }: Visit): Html =>
  query.get("done") === PASSWORD_RESET_DONE
    ? html`<p class="message done" role="status">${TEXTS.signIn.passwordReset}</p>
`
    : nothing

const makeRenderPage =
  (passwordHelp: Html | string) => (visit: Visit, values: SignInFormValues, error?: ActionError) => {
    const message =
      error === undefined
        ? doneMessage(visit)
        : html`<p class="message error" role="alert">${error.message}</p>
`
    const body = html`<section class="narrow">
${message}${signInForm(visit, values)}<p class="soft">${passwordHelp}</p>
</section>
`
    const response = renderConsolePage(visit, { title: TEXTS.signIn.title, body }, error?.status)
    return error?.retryAfter === undefined ? response : withRetryAfter(response, error.retryAfter)
  }

export const makeSignInPage = (publicUrl: string): Effect.Effect<PublicPage, never, Sessions> =>
  Effect.map(Effect.all([Sessions, MailEnabled]), ([sessions, isMailEnabled]) => {
    const renderPage = makeRenderPage(
      isMailEnabled
        ? html`<a href="${LINK_PATHS.reset_password}">${TEXTS.signIn.forgottenPasswordLink}</a>`
        : TEXTS.signIn.forgottenPasswordHint
    )
    const [sessionName, knownBrowserName] = [sessionCookieName(publicUrl), knownBrowserCookieName(publicUrl)]

    const signIn = (visit: Visit, form: SubmittedForm) => {
      const [email, password] = [(form.get("email") ?? "").trim(), form.get("password") ?? ""]
      const next = toLocalUrl(form.get("next"), CALENDAR_PATH)
      // For a known browser, failed attempts of other browsers at the same IP address do not count.
      const knownBrowserCookie = visit.knownBrowserCookie ?? newKnownBrowserCookie()
      const attempt: SignInAttempt = {
        email,
        password,
        address: visit.ipAddress,
        previousCookie: visit.cookie,
        knownBrowserCookie
      }
      return Effect.match(sessions.signIn(attempt), {
        onSuccess: (cookie) =>
          redirectSeeOther(next).pipe(
            withCookie(sessionName, cookie),
            withCookie(knownBrowserName, knownBrowserCookie, KNOWN_BROWSER_MS)
          ),
        onFailure: (failure) =>
          renderPage(
            visit,
            { email: email.slice(0, EMAIL_LENGTH), next },
            toSignInError(failure, TEXTS.signIn.wrongCredentials)
          )
      })
    }

    const signOut = ({ cookie }: Visit) =>
      Effect.as(sessions.signOut(cookie), withCookie(sessionName, newSessionCookie())(redirectSeeOther(SIGN_IN_PATH)))

    const show = (visit: Visit) => {
      const next = toLocalUrl(visit.query.get("next"), CALENDAR_PATH)
      return Effect.succeed(
        visit.session === undefined ? renderPage(visit, { email: "", next }) : redirectSeeOther(next)
      )
    }

    return {
      path: SIGN_IN_PATH,
      isPublic: true,
      show,
      actions: new Map([
        ["sign_in", signIn],
        ["sign_out", signOut]
      ])
    }
  })
