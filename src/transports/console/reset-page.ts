import { Effect, Option } from "effect"
import { windowOf } from "../../admission/windows/rate-window.ts"
import { networkOf } from "../../contract/caller-address.ts"
import { LINK_PATHS, TOKEN_PARAMETER } from "../../domain/access/sign-in/mailed-links/link-url.ts"
import { MailedLinks } from "../../domain/access/sign-in/mailed-links/MailedLinks.ts"
import { Passwords } from "../../domain/access/sign-in/Passwords.ts"
import { EMAIL_LENGTH, PASSWORD_MIN, RESET_REQUESTS_OF_NETWORK_AN_HOUR } from "../../platform/limits.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import { makeRateLimiter } from "../pages/rate-limiter.ts"
import { withRetryAfter } from "../pages/secret-url-responses.ts"
import type { ActionError } from "./action-outcome.ts"
import { TEXTS } from "./console-texts.ts"
import { formTokenField } from "./form-keys.ts"
import { SIGN_IN_PATH } from "./host/urls.ts"
import { redirectSeeOther, renderConsolePage } from "./page-frame.ts"
import { PASSWORD_RESET_DONE } from "./sign-in-page.ts"
import { toSignInError } from "./sudo.ts"
import { ACTION_FIELD, type PublicPage, type SubmittedForm, type Visit } from "./visit.ts"

const RESET_PATH = LINK_PATHS.reset_password
const { reset: texts } = TEXTS
const HOUR = windowOf("1h")

const requestForm = ({ formToken }: Visit): Html => html`<p>${texts.explanation}</p>
<form method="post" action="${RESET_PATH}">
${formTokenField(formToken)}<label>${texts.email}
<input type="email" name="email" autocomplete="username" maxlength="${EMAIL_LENGTH}" required></label>
<button class="primary" name="${ACTION_FIELD}" value="request_reset">${texts.requestButton}</button>
</form>
`

const passwordInput = (label: string, name: string): Html => html`<label>${label}
<input type="password" name="${name}" autocomplete="new-password" minlength="${PASSWORD_MIN}" required></label>
`

// Password managers read the account name from the hidden field.
const passwordForm = ({ formToken }: Visit, token: string, email: string): Html => html`<p>${texts.consequences}</p>
<p>${TEXTS.password.rule}</p>
<form method="post" action="${RESET_PATH}">
${formTokenField(formToken)}<input type="hidden" name="${TOKEN_PARAMETER}" value="${token}"><input type="hidden" name="username" value="${email}" autocomplete="username">
${passwordInput(texts.newPassword, "new_password")}${passwordInput(texts.repeatedPassword, "again")}<button class="primary" name="${ACTION_FIELD}" value="reset_password">${texts.button}</button>
</form>
`

const messageHtml = (kind: "done" | "error", text: string): Html =>
  html`<p class="message ${kind}" role="${kind === "done" ? "status" : "alert"}">${text}</p>
`

const renderPage = (visit: Visit, body: Html, status = 200) =>
  renderConsolePage(
    visit,
    {
      title: texts.title,
      body: html`<section class="narrow">
${body}<p class="soft"><a href="${SIGN_IN_PATH}">${texts.backToSignIn}</a></p>
</section>
`,
      hasSecretUrl: true
    },
    status
  )

const unusableLinkPage = (visit: Visit) =>
  renderPage(visit, html`${messageHtml("error", texts.unusableLink)}${requestForm(visit)}`, 404)

const makeFormError = (status: ActionError["status"], text: string): ActionError => ({
  _tag: "Refused",
  status,
  message: text
})

export const makeResetPage = Effect.gen(function* () {
  const [links, passwords, checkRateLimit] = [yield* MailedLinks, yield* Passwords, yield* makeRateLimiter]

  /** Beyond the limit of the network, sends nothing and shows the same page, so that the page reveals nothing. */
  const requestReset = Effect.fnUntraced(function* (visit: Visit, form: SubmittedForm) {
    const wait = yield* checkRateLimit({
      key: `{reset:${networkOf(visit.ipAddress)}}`,
      scope: "console",
      window: HOUR,
      max: RESET_REQUESTS_OF_NETWORK_AN_HOUR
    })
    if (Option.isNone(wait)) yield* links.requestReset((form.get("email") ?? "").trim())
    return renderPage(visit, messageHtml("done", texts.requested))
  })

  const changePassword = Effect.fnUntraced(function* (visit: Visit, token: string, form: SubmittedForm) {
    const password = form.get("new_password") ?? ""
    if (password !== (form.get("again") ?? ""))
      return yield* Effect.fail(makeFormError(422, TEXTS.password.passwordsDiffer))
    yield* Effect.mapError(passwords.changeByLink(token, { password, address: visit.ipAddress }), (failure) => {
      switch (failure._tag) {
        case "Busy":
          return toSignInError(failure, "")
        case "NotFound":
          return makeFormError(404, texts.unusableLink)
        default:
          return makeFormError(422, failure.message)
      }
    })
  })

  const renderPasswordForm = Effect.fnUntraced(function* (visit: Visit, token: string, error?: ActionError) {
    const owner = yield* links.findOwner("reset_password", token)
    if (owner === undefined) return unusableLinkPage(visit)
    const errorMessage = error === undefined ? nothing : messageHtml("error", error.message)
    const page = renderPage(visit, html`${errorMessage}${passwordForm(visit, token, owner.email)}`, error?.status)
    return error?.retryAfter === undefined ? page : withRetryAfter(page, error.retryAfter)
  })

  const resetPassword = (visit: Visit, form: SubmittedForm) => {
    const token = form.get(TOKEN_PARAMETER) ?? ""
    return Effect.matchEffect(changePassword(visit, token, form), {
      onSuccess: () => Effect.succeed(redirectSeeOther(`${SIGN_IN_PATH}?done=${PASSWORD_RESET_DONE}`)),
      onFailure: (error) => renderPasswordForm(visit, token, error)
    })
  }

  const page: PublicPage = {
    path: RESET_PATH,
    isPublic: true,
    show: (visit) => {
      const token = visit.query.get(TOKEN_PARAMETER)
      return token === null ? Effect.succeed(renderPage(visit, requestForm(visit))) : renderPasswordForm(visit, token)
    },
    actions: new Map([
      ["request_reset", requestReset],
      ["reset_password", resetPassword]
    ])
  }
  return page
})
