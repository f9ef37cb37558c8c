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
  body: html`<p>${link(PEOPLE_PATH, "Back to team")}</p>
${section(
  "Account",
  html`<dl class="facts"><dt>E-mail address</dt><dd>${account.email}</dd>
<dt>Added</dt><dd>${timeHtml(account.created_at, visit)}</dd>
<dt>Status</dt><dd>${account.disabled_at === null ? badge("Active", "good") : html`${badge("Disabled", "wait")} since ${timeHtml(account.disabled_at, visit)}`}</dd></dl>
${account.disabled_at === null ? disableForm(visit, account) : enableForm(visit, account, passwordField)}`
)}${section(
  "New password",
  html`<p class="soft">The account is signed out everywhere. Its tokens and connected applications keep working.</p>
${actionForm(visit, { action: "new_password", label: "Set password", id: account.id, fields: html`${newPasswordFields("New password")}${ownPasswordField(passwordField)}` })}`
)}${activityLogLink(`account:${account.id}`)}`
})

const disableForm = (visit: SignedInVisit, { id, name }: OperatorAccount): Html =>
  disclosure(
    "Disable…",
    html`<p>The account is signed out and can no longer sign in. Its access tokens and connected applications stop working within seconds. You can enable it again.</p>
${actionForm(visit, { action: "disable_account", label: "Disable", subject: name, id, kind: "danger" })}`
  )

const enableForm = (visit: SignedInVisit, { id, name }: OperatorAccount, passwordField: Html): Html =>
  html`<p>The account can sign in again, and its tokens work again.</p>
${actionForm(visit, { action: "enable_account", label: "Enable", subject: name, id, fields: ownPasswordField(passwordField) })}`
