import { PASSWORD_MAX, PASSWORD_MIN } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { TEXTS } from "../../texts.ts"
import type { Form } from "../../visit.ts"
import { input } from "../fields.ts"

// A password that is given to somebody else's account. Its field has not the name of the one that asks for one's own (sudo.ts).

const FIELD = "new_password"
const AGAIN = "again"

export const newPassword = (label: string): Html => {
  const field = (name: string, words: string) =>
    input((_name, otherwise) => otherwise, {
      name,
      label: words,
      type: "password",
      required: true,
      minlength: PASSWORD_MIN,
      maxlength: PASSWORD_MAX,
      autocomplete: "new-password"
    })
  return html`<p class="soft">${TEXTS.password.rule}</p>
${field(FIELD, label)}${field(AGAIN, "The same once more")}`
}

/** Undefined: it was not the same both times. */
export const passwordIn = (form: Form): string | undefined => {
  const given = form.get(FIELD) ?? ""
  return given === (form.get(AGAIN) ?? "") ? given : undefined
}

/** Says which of the passwords is one's own, where it is asked for. */
export const sudoPart = (field: Html): Html =>
  field.html === ""
    ? nothing
    : html`<p class="soft">Accounts are made and changed by who knows the password of the main account.</p>
${field}`
