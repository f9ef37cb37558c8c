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
import { formTokenField } from "../form-keys.ts"
import type { PageFrame } from "../page-frame.ts"
import { ACTION_FIELD, type SignedInVisit } from "../visit.ts"
import { type AuthorizationClient, authorizationUrl } from "./consent-request.ts"

const CONSENT_TEXTS = TEXTS.consent

export const SCOPE_FIELD = "scope"

export const CONSENT_ACTIONS = { allow: "allow", deny: "deny", otherAccount: "other_account" } as const

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

/**
 * Any application may use the public client, so its name identifies no application. The redirect target is shown
 * instead.
 */
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

/** Returns the API's error message if the account cannot grant access. */
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
 * If no scope is requested, preselects full access for a partner's client and read-only for the public client.
 * (Contract facts 11.3 define no scope.)
 */
const scopeOptions = ({ scope, isScopeNamed }: AuthorizationRequest, { client }: AuthorizationClient): Html => {
  const isWritable = scope === "writable" && (isScopeNamed || !client.isPublic)
  return html`<fieldset>
<legend>${CONSENT_TEXTS.scopeLegend}</legend>
${scopeOption("read-only", !isWritable, CONSENT_TEXTS.readOnly, CONSENT_TEXTS.readOnlyMore)}${
  isGrantableScope(scope, "writable")
    ? scopeOption("writable", isWritable, CONSENT_TEXTS.writable, CONSENT_TEXTS.writableMore)
    : nothing
}</fieldset>`
}

const errorMessage = (text: string): Html => html`<p class="message error" role="alert">${text}</p>`

const consentForm = (visit: SignedInVisit, content: Html): Html =>
  html`<form method="post" action="${authorizationUrl(visit)}">
${formTokenField(visit.formToken)}${content}
</form>`

/** Browser validation would require the password even for read-only access, which does not need it. */
const FORM_NO_VALIDATE: Html = { html: " formnovalidate" }

const denyButton = html`<button name="${ACTION_FIELD}" value="${CONSENT_ACTIONS.deny}" formnovalidate>${CONSENT_TEXTS.deny}</button>`

const otherAccountButton = html`<button class="link" name="${ACTION_FIELD}" value="${CONSENT_ACTIONS.otherAccount}">${CONSENT_TEXTS.otherAccount}</button>`

const toConsentFrame = (title: string, body: Html): PageFrame => ({
  title,
  body,
  formTargets: "anywhere"
})

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
${consentForm(visit, otherAccountButton)}
</section>
`
  )

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
${consentForm(visit, otherAccountButton)}
</section>
`
  )

export const invalidRequestPage = (text: string): PageFrame => ({
  title: CONSENT_TEXTS.invalidRequestTitle,
  body: html`${errorMessage(text)}<p>${CONSENT_TEXTS.invalidRequestDetails}</p>`
})

/** Shows a link, so that the host decides whether to return to the application. */
export const rejectedRequestPage = (
  authorizationClient: AuthorizationClient,
  text: string,
  returnUrl: string
): PageFrame => ({
  title: CONSENT_TEXTS.invalidRequestTitle,
  body: html`${errorMessage(text)}<p>${CONSENT_TEXTS.rejectedRequestDetails}</p>
<p><a href="${returnUrl}" rel="noreferrer nofollow">${CONSENT_TEXTS.goBack} ${redirectTargetText(authorizationClient)}</a></p>`
})
