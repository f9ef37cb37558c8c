import type { OperatorAccount } from "../../../../domain/access/sign-in/sub-account-store.ts"
import { type Html, html } from "../../../docs/html.ts"
import type { SignedInVisit } from "../../visit.ts"
import { actionForm, disclosure } from "../form-fields.ts"
import type { HostView } from "../host-page.ts"
import { activityLogLink, badge, link, section, timeHtml } from "../page-parts.ts"
import { PEOPLE_PATH } from "../urls.ts"
import { newPasswordFields, ownPasswordField } from "./password-fields.ts"

export const accountView = (visit: SignedInVisit, account: OperatorAccount, passwordField: Html): HostView => ({
  title: account.name,
  body: html`<p>${link(PEOPLE_PATH, "Back to all people")}</p>
${section(
  "How it stands",
  html`<dl class="facts"><dt>E-mail address</dt><dd>${account.email}</dd>
<dt>Made</dt><dd>${timeHtml(account.created_at, visit)}</dd>
<dt>Stands</dt><dd>${account.disabled_at === null ? badge("works", "good") : html`${badge("disabled", "wait")} since ${timeHtml(account.disabled_at, visit)}`}</dd></dl>
${account.disabled_at === null ? disableForm(visit, account) : enableForm(visit, account, passwordField)}`
)}${section(
  "Another password",
  html`<p>It is signed out everywhere, and signs in with this one. Its tokens and connected applications go on working.</p>
${actionForm(visit, { action: "new_password", label: "Give it this password", id: account.id, fields: html`${newPasswordFields("Its new password")}${ownPasswordField(passwordField)}` })}`
)}${activityLogLink(`account:${account.id}`)}`
})

const disableForm = (visit: SignedInVisit, { id, name }: OperatorAccount): Html =>
  disclosure(
    "Disable it…",
    html`<p>It is signed out at once and cannot sign in. Its access tokens, and those of applications it connected, stop within seconds. Nothing it did is undone, and tokens work again when you enable it; an application that tried meanwhile may have to be connected once more.</p>
${actionForm(visit, { action: "disable_account", label: "Disable it", subject: name, id, kind: "danger" })}`
  )

const enableForm = (visit: SignedInVisit, { id, name }: OperatorAccount, passwordField: Html): Html =>
  html`<p>It can sign in again then, and its tokens work again.</p>
${actionForm(visit, { action: "enable_account", label: "Enable it", subject: name, id, fields: ownPasswordField(passwordField) })}`
