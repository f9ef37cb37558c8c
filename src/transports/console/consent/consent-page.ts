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

const CONSENT_TEXTS = TEXTS.consent

/** The field that says what is given. */
export const SCOPE_FIELD = "scope"

/** A form's names, by the words on its buttons. */
export const CONSENT_ACTIONS = { allow: "allow", deny: "deny", otherAccount: "other_account" } as const

/** Where the browser goes, as far as it says something to a person; of a program's address all up to its query. */
const redirectTargetText = ({
  redirectTarget: target,
  redirectUri
}: Pick<AuthorizationClient, "redirectTarget" | "redirectUri">): string => {
  switch (target._tag) {
    case "Program":
      return `${CONSENT_TEXTS.appOfScheme} (${redirectUri.split("?", 1).join()})`
    case "Loopback":
      return `${CONSENT_TEXTS.appHere} (${target.origin})`
    case "Site":
      return target.origin
  }
}

/** The public client is everybody's, so its name says nothing: who asks is where the code goes to. */
export const applicationName = ({ client, redirectTarget: target }: AuthorizationClient): string => {
  if (!client.isPublic) return client.name
  switch (target._tag) {
    case "Program":
      return `${CONSENT_TEXTS.appOfScheme} (${target.scheme})`
    case "Loopback":
      return CONSENT_TEXTS.appHere
    case "Site":
      return `${CONSENT_TEXTS.appOfSite} ${target.host}`
  }
}

/** Why the account may give nothing, in the words of an answer; none: it may. */
export const accountProblemOf = ({ person }: Session, now: DateTime.DateTime): Option.Option<string> =>
  Option.map(
    accessError({ ...person.caller, ...person }, { isRead: true, now: DateTime.toEpochMillis(now) }),
    ({ message }) => message
  )

const requestFacts = (authorizationClient: AuthorizationClient, { session }: SignedInVisit): Html => {
  const { caller } = session.person
  const subAccountNote = caller.role === "sub" ? html` <small>(${CONSENT_TEXTS.subAccount})</small>` : nothing
  return html`<p class="asks"><strong>${applicationName(authorizationClient)}</strong> ${CONSENT_TEXTS.requestsAccess}</p>
<dl class="facts">
<dt>${CONSENT_TEXTS.app}</dt><dd>${applicationName(authorizationClient)}</dd>
<dt>${CONSENT_TEXTS.redirectTarget}</dt><dd>${redirectTargetText(authorizationClient)}</dd>
<dt>${CONSENT_TEXTS.account}</dt><dd>${session.operatorName}, ${session.email}${subAccountNote}</dd>
</dl>
${authorizationClient.client.isPublic ? html`<p class="soft">${CONSENT_TEXTS.unverifiedClientWarning}</p>` : nothing}`
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
<legend>${CONSENT_TEXTS.scopeLegend}</legend>
${scopeOption("read-only", !isWritable, CONSENT_TEXTS.readOnly, CONSENT_TEXTS.readOnlyMore)}${
  isGrantableScope(scope, "writable")
    ? scopeOption("writable", isWritable, CONSENT_TEXTS.writable, CONSENT_TEXTS.writableMore)
    : html`<p class="soft">${CONSENT_TEXTS.onlyReadOnly}</p>`
}</fieldset>`
}

const errorMessage = (text: string): Html => html`<p class="message error" role="alert">${text}</p>`

const consentForm = (visit: SignedInVisit, content: Html): Html =>
  html`<form method="post" action="${authorizationUrl(visit)}">
${formTokenField(visit.formToken)}${content}
</form>`

/** A browser would ask for the password whatever is given: the service says what is missing. */
const FORM_NO_VALIDATE: Html = { html: " formnovalidate" }

const denyButton = html`<button name="${ACTION_FIELD}" value="${CONSENT_ACTIONS.deny}" formnovalidate>${CONSENT_TEXTS.deny}</button>`

const otherAccountButton = html`<button name="${ACTION_FIELD}" value="${CONSENT_ACTIONS.otherAccount}">${CONSENT_TEXTS.otherAccount}</button>`

const toConsentFrame = (title: string, body: Html): PageFrame => ({
  title,
  body,
  // A browser applies the rule to every redirect that follows the form, also to those of the application, which may lead anywhere.
  formTargets: "anywhere"
})

/** Who asks, for what, and which account gives it. `errorText`: why it was not taken; `passwordField`: the field for the password, where it is asked for. */
export const consentPage = (
  visit: SignedInVisit,
  {
    authorizationClient,
    authorizationRequest
  }: { readonly authorizationClient: AuthorizationClient; readonly authorizationRequest: AuthorizationRequest },
  { errorText, passwordField }: { readonly errorText: string | undefined; readonly passwordField: Html }
): PageFrame =>
  toConsentFrame(
    CONSENT_TEXTS.title,
    html`<section class="narrow">
${errorText === undefined ? nothing : errorMessage(errorText)}${requestFacts(authorizationClient, visit)}
${consentForm(
  visit,
  html`${scopeOptions(authorizationRequest, authorizationClient)}
${passwordField}
<div class="acts"><button class="primary" name="${ACTION_FIELD}" value="${CONSENT_ACTIONS.allow}"${FORM_NO_VALIDATE}>${CONSENT_TEXTS.allow}</button> ${denyButton}</div>
<p class="soft">${CONSENT_TEXTS.revocationNote}</p>`
)}
</section>
${consentForm(visit, otherAccountButton)}`
  )

/** Of an account that may give nothing: why, and the way back. */
export const noAccessPage = (
  visit: SignedInVisit,
  authorizationClient: AuthorizationClient,
  reason: string
): PageFrame =>
  toConsentFrame(
    CONSENT_TEXTS.noAccess,
    html`<section class="narrow">
${errorMessage(`${reason}.`)}${requestFacts(authorizationClient, visit)}
${consentForm(visit, html`<div class="acts">${denyButton}</div>`)}
</section>
${consentForm(visit, otherAccountButton)}`
  )

/** Of a request that leads nowhere. */
export const invalidRequestPage = (text: string): PageFrame => ({
  title: CONSENT_TEXTS.invalidRequestTitle,
  body: html`${errorMessage(text)}<p>${CONSENT_TEXTS.invalidRequestDetails}</p>`
})

/** Of a request that is refused, where it is for the host to go back. */
export const rejectedRequestPage = (
  authorizationClient: AuthorizationClient,
  text: string,
  returnUrl: string
): PageFrame => ({
  title: CONSENT_TEXTS.invalidRequestTitle,
  body: html`${errorMessage(text)}<p>${CONSENT_TEXTS.rejectedRequestDetails}</p>
<p><a href="${returnUrl}" rel="noreferrer nofollow">${CONSENT_TEXTS.goBack} ${redirectTargetText(authorizationClient)}</a></p>`
})
