import { DateTime, Option } from "effect"
import { refusalOf } from "../../../admission/gate/entitlement.ts"
import { type Asked, mayBeGiven, type Scope } from "../../../domain/access/oauth/authorization-request.ts"
import type { Session } from "../../../domain/access/sign-in/Sessions.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { type Framed, hidden } from "../frame.ts"
import { TEXTS } from "../texts.ts"
import { ACT_FIELD, type SignedInVisit } from "../visit.ts"
import { addressOf, type Leading } from "./request.ts"

const WORDS = TEXTS.consent

/** The field that says what is given. */
export const SCOPE_FIELD = "scope"

/** A form's names, by the words on its buttons. */
export const ACTS = { allow: "allow", deny: "deny", otherAccount: "other_account" } as const

/** Where the browser goes, as far as it says something to a person; of a program's address all up to its query. */
export const whereOf = ({ place, redirectUri }: Pick<Leading, "place" | "redirectUri">): string => {
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
export const whoOf = ({ client, place }: Leading): string => {
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
export const whyNot = ({ person }: Session, now: DateTime.DateTime): Option.Option<string> =>
  Option.map(
    refusalOf({ ...person.caller, ...person }, { read: true, now: DateTime.toEpochMillis(now) }),
    ({ message }) => message
  )

const facts = (leading: Leading, { session }: SignedInVisit): Html => {
  const { caller } = session.person
  const isSub = caller.role === "sub" ? html` <small>(${WORDS.subAccount})</small>` : nothing
  return html`<p class="asks"><strong>${whoOf(leading)}</strong> ${WORDS.asks}</p>
<dl class="facts">
<dt>${WORDS.app}</dt><dd>${whoOf(leading)}</dd>
<dt>${WORDS.ledBack}</dt><dd>${whereOf(leading)}</dd>
<dt>${WORDS.account}</dt><dd>${session.operatorName}, ${session.email}${isSub}</dd>
</dl>
${leading.client.isPublic ? html`<p class="soft">${WORDS.unproven}</p>` : nothing}`
}

const choice = (scope: Scope, isChosen: boolean, words: string, more: string): Html =>
  html`<label class="choice"><input type="radio" name="${SCOPE_FIELD}" value="${scope}" required${isChosen ? { html: " checked" } : nothing}>
<span>${words}<br><small class="soft">${more}</small></span></label>
`

/**
 * What is asked for is chosen already. Where nothing is named a partner, which who runs the service knows, asks for all (contract
 * facts 11.3 have no scope), and for the public client it is the least.
 */
const choices = ({ scope, isScopeNamed }: Asked, { client }: Leading): Html => {
  const isWritable = scope === "writable" && (isScopeNamed || !client.isPublic)
  return html`<fieldset>
<legend>${WORDS.mayDo}</legend>
${choice("read-only", !isWritable, WORDS.readOnly, WORDS.readOnlyMore)}${
  mayBeGiven(scope, "writable")
    ? choice("writable", isWritable, WORDS.writable, WORDS.writableMore)
    : html`<p class="soft">${WORDS.onlyReadOnly}</p>`
}</fieldset>`
}

const error = (words: string): Html => html`<p class="message error" role="alert">${words}</p>`

const form = (visit: SignedInVisit, inside: Html): Html =>
  html`<form method="post" action="${addressOf(visit)}">
${hidden(visit.formToken)}${inside}
</form>`

/** A browser would ask for the password whatever is given: the service says what is missing. */
const unchecked: Html = { html: " formnovalidate" }

const denying = html`<button name="${ACT_FIELD}" value="${ACTS.deny}" formnovalidate>${WORDS.deny}</button>`

const otherAccount = html`<button name="${ACT_FIELD}" value="${ACTS.otherAccount}">${WORDS.otherAccount}</button>`

const consentFrame = (title: string, body: Html): Framed => ({
  title,
  body,
  // A browser applies the rule to every redirect that follows the form, also to those of the application, which may lead anywhere.
  formsLead: "anywhere"
})

/** Who asks, for what, and which account gives it. `said`: why it was not taken; `password`: the field for it, where it is asked for. */
export const consentPage = (
  visit: SignedInVisit,
  { leading, asked }: { readonly leading: Leading; readonly asked: Asked },
  { said, password }: { readonly said: string | undefined; readonly password: Html }
): Framed =>
  consentFrame(
    WORDS.title,
    html`<section class="narrow">
${said === undefined ? nothing : error(said)}${facts(leading, visit)}
${form(
  visit,
  html`${choices(asked, leading)}
${password}
<div class="acts"><button class="primary" name="${ACT_FIELD}" value="${ACTS.allow}"${unchecked}>${WORDS.allow}</button> ${denying}</div>
<p class="soft">${WORDS.ends}</p>`
)}
</section>
${form(visit, otherAccount)}`
  )

/** Of an account that may give nothing: why, and the way back. */
export const noAccessPage = (visit: SignedInVisit, leading: Leading, why: string): Framed =>
  consentFrame(
    WORDS.noAccess,
    html`<section class="narrow">
${error(`${why}.`)}${facts(leading, visit)}
${form(visit, html`<div class="acts">${denying}</div>`)}
</section>
${form(visit, otherAccount)}`
  )

/** Of a request that leads nowhere. */
export const wrongPage = (words: string): Framed => ({
  title: WORDS.notAsked,
  body: html`${error(words)}<p>${WORDS.wrongMore}</p>`
})

/** Of a request that is refused, where it is for the host to go back. */
export const refusedPage = (leading: Leading, words: string, address: string): Framed => ({
  title: WORDS.notAsked,
  body: html`${error(words)}<p>${WORDS.refusedMore}</p>
<p><a href="${address}" rel="noreferrer nofollow">${WORDS.goBack} ${whereOf(leading)}</a></p>`
})
