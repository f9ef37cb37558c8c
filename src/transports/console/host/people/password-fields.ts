import { PASSWORD_MAX, PASSWORD_MIN } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { TEXTS } from "../../console-texts.ts"
import type { SubmittedForm } from "../../visit.ts"
import { input } from "../form-fields.ts"

// A form may also ask for the caller's own password, so these field names differ from `password`.

const NEW_PASSWORD_FIELD = "new_password"
const REPEAT_FIELD = "again"

export const newPasswordFields = (label: string): Html => {
  const passwordInput = (name: string, fieldLabel: string) =>
    input((_name, defaultValue) => defaultValue, {
      name,
      label: fieldLabel,
      type: "password",
      isRequired: true,
      minlength: PASSWORD_MIN,
      maxlength: PASSWORD_MAX,
      autocomplete: "new-password"
    })
  return html`<p class="soft">${TEXTS.password.rule}</p>
${passwordInput(NEW_PASSWORD_FIELD, label)}${passwordInput(REPEAT_FIELD, "Repeat new password")}`
}

export const readNewPassword = (form: SubmittedForm): string | undefined => {
  const newPassword = form.get(NEW_PASSWORD_FIELD) ?? ""
  return newPassword === (form.get(REPEAT_FIELD) ?? "") ? newPassword : undefined
}

export const ownPasswordField = (passwordField: Html): Html =>
  passwordField.html === ""
    ? nothing
    : html`<p class="soft">Confirm this change with the password of the main account.</p>
${passwordField}`
