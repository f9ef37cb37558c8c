import { DateTime, Option } from "effect"
import { accessError } from "../../../admission/gate/token-access.ts"
import {
  type AuthorizationRequest,
  isGrantableScope,
  type RequestedScope
} from "../../../domain/access/oauth/authorization-request.ts"
import type { Session } from "../../../domain/access/sign-in/Sessions.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { TEXTS } from "../console-texts.ts"
import { formTokenField, type PageFrame } from "../page-frame.ts"
import { ACTION_FIELD, type SignedInVisit } from "../visit.ts"
import { type AuthorizationClient, authorizationUrl } from "./consent-request.ts"

const WORDS = TEXTS.consent

/** The field that says what is given. */
export const SCOPE_FIELD = "scope"

/** A form's names, by the words on its buttons. */
export const CONSENT_ACTIONS = { allow: "allow", deny: "deny", otherAccount: "other_account" } as const

/** Where the browser goes, as far as it says something to a person; of a program's address all up to its query. */
export const redirectTargetText = ({
  redirectTarget: place,
  redirectUri
}: Pick<AuthorizationClient, "redirectTarget" | "redirectUri">): string => {
  switch (place._tag) {
    case "Program":
      return `${WORDS.appOfScheme} (${redirectUri.split("?", 1).join()})`
    case "Loopback":
      return `${WORDS.appHere} (${place.origin})`
    case "Site":
      return place.origin
  }
}

/** The public client is everybody's, so its name says nothing: who asks is where the code goes to. */
export const applicationName = ({ client, redirectTarget: place }: AuthorizationClient): string => {
  if (!client.isPublic) return client.name
  switch (place._tag) {
    case "Program":
      return `${WORDS.appOfScheme} (${place.scheme})`
    case "Loopback":
      return WORDS.appHere
    case "Site":
      return `${WORDS.appOfSite} ${place.host}`
  }
}

/** Why the account may give nothing, in the words of an answer; none: it may. */
export const accountProblemOf = ({ person }: Session, now: DateTime.DateTime): Option.Option<string> =>
  Option.map(
    accessError({ ...person.caller, ...person }, { isRead: true, now: DateTime.toEpochMillis(now) }),
    ({ message }) => message
  )

const requestFacts = (leading: AuthorizationClient, { session }: SignedInVisit): Html => {
  const { caller } = session.person
  const subAccountNote = caller.role === "sub" ? html` <small>(${WORDS.subAccount})</small>` : nothing
  return html`<p class="asks"><strong>${applicationName(leading)}</strong> ${WORDS.asks}</p>
<dl class="facts">
<dt>${WORDS.app}</dt><dd>${applicationName(leading)}</dd>
<dt>${WORDS.ledBack}</dt><dd>${redirectTargetText(leading)}</dd>
<dt>${WORDS.account}</dt><dd>${session.operatorName}, ${session.email}${subAccountNote}</dd>
</dl>
${leading.client.isPublic ? html`<p class="soft">${WORDS.unproven}</p>` : nothing}`
}

const scopeOption = (scope: RequestedScope, isChosen: boolean, label: string, description: string): Html =>
  html`<label class="choice"><input type="radio" name="${SCOPE_FIELD}" value="${scope}" required${isChosen ? { html: " checked" } : nothing}>
<span>${label}<br><small class="soft">${description}</small></span></label>
`

/**
 * What is asked for is chosen already. Where nothing is named a partner, which who runs the service knows, asks for all (contract
 * facts 11.3 have no scope), and for the public client it is the least.
 */
const scopeOptions = ({ scope, isScopeNamed }: AuthorizationRequest, { client }: AuthorizationClient): Html => {
  const isWritable = scope === "writable" && (isScopeNamed || !client.isPublic)
  return html`<fieldset>
<legend>${WORDS.mayDo}</legend>
${scopeOption("read-only", !isWritable, WORDS.readOnly, WORDS.readOnlyMore)}${
  isGrantableScope(scope, "writable")
    ? scopeOption("writable", isWritable, WORDS.writable, WORDS.writableMore)
    : html`<p class="soft">${WORDS.onlyReadOnly}</p>`
}</fieldset>`
}

const errorMessage = (text: string): Html => html`<p class="message error" role="alert">${text}</p>`

const consentForm = (visit: SignedInVisit, content: Html): Html =>
  html`<form method="post" action="${authorizationUrl(visit)}">
${formTokenField(visit.formToken)}${content}
</form>`

/** A browser would ask for the password whatever is given: the service says what is missing. */
const FORM_NO_VALIDATE: Html = { html: " formnovalidate" }

const denyButton = html`<button name="${ACTION_FIELD}" value="${CONSENT_ACTIONS.deny}" formnovalidate>${WORDS.deny}</button>`

const otherAccountButton = html`<button name="${ACTION_FIELD}" value="${CONSENT_ACTIONS.otherAccount}">${WORDS.otherAccount}</button>`

const toConsentFrame = (title: string, body: Html): PageFrame => ({
  title,
  body,
  // A browser applies the rule to every redirect that follows the form, also to those of the application, which may lead anywhere.
  formTargets: "anywhere"
})

/** Who asks, for what, and which account gives it. `said`: why it was not taken; `password`: the field for it, where it is asked for. */
export const consentPage = (
  visit: SignedInVisit,
  { leading, asked }: { readonly leading: AuthorizationClient; readonly asked: AuthorizationRequest },
  { said, password }: { readonly said: string | undefined; readonly password: Html }
): PageFrame =>
  toConsentFrame(
    WORDS.title,
    html`<section class="narrow">
${said === undefined ? nothing : errorMessage(said)}${requestFacts(leading, visit)}
${consentForm(
  visit,
  html`${scopeOptions(asked, leading)}
${password}
<div class="acts"><button class="primary" name="${ACTION_FIELD}" value="${CONSENT_ACTIONS.allow}"${FORM_NO_VALIDATE}>${WORDS.allow}</button> ${denyButton}</div>
<p class="soft">${WORDS.ends}</p>`
)}
</section>
${consentForm(visit, otherAccountButton)}`
  )

/** Of an account that may give nothing: why, and the way back. */
export const noAccessPage = (visit: SignedInVisit, leading: AuthorizationClient, reason: string): PageFrame =>
  toConsentFrame(
    WORDS.noAccess,
    html`<section class="narrow">
${errorMessage(`${reason}.`)}${requestFacts(leading, visit)}
${consentForm(visit, html`<div class="acts">${denyButton}</div>`)}
</section>
${consentForm(visit, otherAccountButton)}`
  )

/** Of a request that leads nowhere. */
export const invalidRequestPage = (text: string): PageFrame => ({
  title: WORDS.notAsked,
  body: html`${errorMessage(text)}<p>${WORDS.wrongMore}</p>`
})

/** Of a request that is refused, where it is for the host to go back. */
export const rejectedRequestPage = (leading: AuthorizationClient, text: string, returnUrl: string): PageFrame => ({
  title: WORDS.notAsked,
  body: html`${errorMessage(text)}<p>${WORDS.refusedMore}</p>
<p><a href="${returnUrl}" rel="noreferrer nofollow">${WORDS.goBack} ${redirectTargetText(leading)}</a></p>`
})
