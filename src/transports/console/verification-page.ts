import { Effect } from "effect"
import { CurrentActor } from "../../contract/actor.ts"
import { LINK_PATHS, TOKEN_PARAMETER } from "../../domain/access/sign-in/mailed-links/link-url.ts"
import { MailedLinks } from "../../domain/access/sign-in/mailed-links/MailedLinks.ts"
import { NotificationStore } from "../../domain/notifications/store.ts"
import { type Html, html } from "../docs/html.ts"
import { TEXTS } from "./console-texts.ts"
import { formTokenField } from "./form-keys.ts"
import { EMAIL_VERIFIED_DONE } from "./host/notifications-page.ts"
import { NOTIFICATIONS_PATH } from "./host/urls.ts"
import { redirectSeeOther, renderConsolePage } from "./page-frame.ts"
import { ACTION_FIELD, type PublicPage, type SubmittedForm, type Visit } from "./visit.ts"

const VERIFICATION_PATH = LINK_PATHS.verify_email
const { verification: texts } = TEXTS

// Mail scanners open links, so only the button confirms.
const confirmForm = (
  { formToken }: Visit,
  token: string,
  email: string
): Html => html`<p>${texts.explanation(email)}</p>
<form method="post" action="${VERIFICATION_PATH}">
${formTokenField(formToken)}<input type="hidden" name="${TOKEN_PARAMETER}" value="${token}">
<button class="primary" name="${ACTION_FIELD}" value="verify_email">${texts.button}</button>
</form>
`

const renderPage = (visit: Visit, body: Html, status = 200) =>
  renderConsolePage(
    visit,
    {
      title: texts.title,
      body: html`<section class="narrow">
${body}</section>
`,
      hasSecretUrl: true
    },
    status
  )

const unusableLinkPage = (visit: Visit) =>
  renderPage(
    visit,
    html`<p class="message error" role="alert">${texts.unusableLink}</p>
<p><a href="${NOTIFICATIONS_PATH}">${texts.toNotifications}</a></p>
`,
    404
  )

export const makeVerificationPage = Effect.gen(function* () {
  const [links, store] = [yield* MailedLinks, yield* NotificationStore]

  const show = Effect.fnUntraced(function* (visit: Visit) {
    const token = visit.query.get(TOKEN_PARAMETER) ?? ""
    const owner = yield* links.findOwner("verify_email", token)
    return owner === undefined ? unusableLinkPage(visit) : renderPage(visit, confirmForm(visit, token, owner.email))
  })

  const verifyEmail = Effect.fnUntraced(function* (visit: Visit, form: SubmittedForm) {
    const token = form.get(TOKEN_PARAMETER) ?? ""
    const owner = yield* links.findOwner("verify_email", token)
    if (owner === undefined) return unusableLinkPage(visit)
    const accountId = owner.account_id
    const isVerified = yield* Effect.updateService(store.verifyEmail(token), CurrentActor, (actor) => ({
      ...actor,
      accountId
    }))
    return isVerified ? redirectSeeOther(`${NOTIFICATIONS_PATH}?done=${EMAIL_VERIFIED_DONE}`) : unusableLinkPage(visit)
  })

  const page: PublicPage = {
    path: VERIFICATION_PATH,
    isPublic: true,
    show,
    actions: new Map([["verify_email", verifyEmail]])
  }
  return page
})
