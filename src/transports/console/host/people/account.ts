import type { Account } from "../../../../domain/access/sign-in/sub-account-store.ts"
import { type Html, html } from "../../../docs/html.ts"
import type { SignedInVisit } from "../../visit.ts"
import { PEOPLE_PATH } from "../addresses.ts"
import { behind, formOf } from "../fields.ts"
import type { HostView } from "../page.ts"
import { badge, historyLink, link, section, timeOf } from "../parts.ts"
import { newPassword, sudoPart } from "./passwords.ts"

/** One sub-account, with what can be done to it. */
export const accountView = (visit: SignedInVisit, account: Account, sudo: Html): HostView => ({
  title: account.name,
  body: html`<p>${link(PEOPLE_PATH, "Back to all people")}</p>
${section(
  "How it stands",
  html`<dl class="facts"><dt>E-mail address</dt><dd>${account.email}</dd>
<dt>Made</dt><dd>${timeOf(account.created_at, visit)}</dd>
<dt>Stands</dt><dd>${account.disabled_at === null ? badge("works", "good") : html`${badge("disabled", "wait")} since ${timeOf(account.disabled_at, visit)}`}</dd></dl>
${account.disabled_at === null ? disabling(visit, account) : enabling(visit, account, sudo)}`
)}${section(
  "Another password",
  html`<p>It is signed out everywhere, and signs in with this one. Its tokens and connected applications go on working.</p>
${formOf(visit, { act: "new_password", button: "Give it this password", id: account.id, fields: html`${newPassword("Its new password")}${sudoPart(sudo)}` })}`
)}${historyLink(`account:${account.id}`)}`
})

const disabling = (visit: SignedInVisit, { id, name }: Account): Html =>
  behind(
    "Disable it…",
    html`<p>It is signed out at once and cannot sign in. Its access tokens, and those of applications it connected, stop within seconds. Nothing it did is undone, and tokens work again when you enable it; an application that tried meanwhile may have to be connected once more.</p>
${formOf(visit, { act: "disable_account", button: "Disable it", of: name, id, kind: "danger" })}`
  )

const enabling = (visit: SignedInVisit, { id, name }: Account, sudo: Html): Html =>
  html`<p>It can sign in again then, and its tokens work again.</p>
${formOf(visit, { act: "enable_account", button: "Enable it", of: name, id, fields: sudoPart(sudo) })}`
