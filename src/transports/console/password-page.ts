import { Effect } from "effect"
import { Passwords } from "../../domain/access/sign-in/Passwords.ts"
import { Sessions, type SignInFailure } from "../../domain/access/sign-in/Sessions.ts"
import { PASSWORD_MIN } from "../../platform/limits.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import { withRetryAfter } from "../pages/secret-url-responses.ts"
import type { ActionError } from "./action-outcome.ts"
import { TEXTS } from "./console-texts.ts"
import { formTokenField } from "./form-keys.ts"
import { PASSWORD_PATH } from "./host/urls.ts"
import { redirectSeeOther, renderConsolePage } from "./page-frame.ts"
import { SUDO_FIELD, toSignInError } from "./sudo.ts"
import { ACTION_FIELD, type SignedInPage, type SignedInVisit, type SubmittedForm } from "./visit.ts"

const passwordField = (
  label: string,
  name: string,
  autocomplete: "current-password" | "new-password"
): Html => html`<label>${label}
<input type="password" name="${name}" autocomplete="${autocomplete}" required${autocomplete === "new-password" ? minLengthAttribute : nothing}></label>
`
const minLengthAttribute = html` minlength="${PASSWORD_MIN}"`

// Password managers need the hidden account name.
const passwordForm = ({
  formToken,
  session
}: SignedInVisit): Html => html`<form method="post" action="${PASSWORD_PATH}">
${formTokenField(formToken)}<input type="hidden" name="username" value="${session.email}" autocomplete="username">
${passwordField(TEXTS.password.currentPassword, SUDO_FIELD, "current-password")}${passwordField(TEXTS.password.newPassword, "new_password", "new-password")}${passwordField(TEXTS.password.repeatedPassword, "again", "new-password")}<button class="primary" name="${ACTION_FIELD}" value="change_password">${TEXTS.password.button}</button>
</form>
`

const renderPage = (visit: SignedInVisit, message: Html, status = 200) =>
  renderConsolePage(
    visit,
    {
      title: TEXTS.password.title,
      body: html`${message}<section class="narrow">
<p>${TEXTS.password.consequences}</p>
<p>${TEXTS.password.rule}</p>
${passwordForm(visit)}</section>
`
    },
    status
  )

const renderError = (visit: SignedInVisit, { status, message, retryAfter: seconds }: ActionError) => {
  const page = renderPage(
    visit,
    html`<p class="message error" role="alert">${message}</p>
`,
    status
  )
  return seconds === undefined ? page : withRetryAfter(page, seconds)
}

const makeFormError = (message: string): ActionError => ({ _tag: "Refused", status: 422, message })
const toConfirmationError = (failure: SignInFailure): ActionError => toSignInError(failure, TEXTS.sudo.wrongPassword)

/** Asks for the current password even if the user has just entered it. */
export const makePasswordPage: Effect.Effect<SignedInPage, never, Sessions | Passwords> = Effect.gen(function* () {
  const [sessions, passwords] = [yield* Sessions, yield* Passwords]

  const changePassword = Effect.fnUntraced(function* (visit: SignedInVisit, form: SubmittedForm) {
    const newPassword = form.get("new_password") ?? ""
    if (newPassword !== (form.get("again") ?? ""))
      return yield* Effect.fail(makeFormError(TEXTS.password.passwordsDiffer))
    const currentCredentials = { password: form.get(SUDO_FIELD) ?? "", address: visit.ipAddress }
    const confirmedSession = yield* Effect.mapError(
      sessions.confirmPassword(visit.cookie, currentCredentials),
      toConfirmationError
    )
    yield* Effect.mapError(
      passwords.changeOwn(confirmedSession, { password: newPassword, knownBrowserCookie: visit.knownBrowserCookie }),
      (failure) => {
        switch (failure._tag) {
          case "Busy":
            return toConfirmationError(failure)
          case "Conflict":
            return { ...makeFormError(TEXTS.password.changedMeanwhile), status: 409 as const }
          default:
            return makeFormError(failure.message)
        }
      }
    )
  })

  const passwordPage: SignedInPage = {
    path: PASSWORD_PATH,
    show: (visit) => Effect.succeed(renderVisit(visit)),
    actions: new Map([
      [
        "change_password",
        (visit, form) =>
          Effect.match(changePassword(visit, form), {
            onSuccess: () => redirectSeeOther(`${PASSWORD_PATH}?done=changed`),
            onFailure: (error) => renderError(visit, error)
          })
      ]
    ])
  }
  return passwordPage
})

const renderVisit = (visit: SignedInVisit) =>
  renderPage(
    visit,
    visit.query.get("done") === "changed"
      ? html`<p class="message done" role="status">${TEXTS.password.passwordChanged}</p>
`
      : nothing
  )
