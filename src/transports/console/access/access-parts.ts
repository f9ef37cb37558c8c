import { Effect } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import type { OperationName } from "../../../service/Api.ts"
import type { Service } from "../../../service/service.ts"
import { type Html, html } from "../../docs/html.ts"
import type { ActionDone, ActionError, ActionOutcome, FormAction } from "../action-outcome.ts"
import { TEXTS } from "../console-texts.ts"
import { formKeyFields } from "../form-keys.ts"
import { makeVoidMutation } from "../host/api-operations.ts"
import { formatActionError } from "../host/field-errors.ts"
import { dayHtml, timeHtml } from "../host/page-parts.ts"
import { ACCESS_PATH } from "../host/urls.ts"
import { ACTION_FIELD, parseRecordId, type SignedInVisit, type SubmittedForm } from "../visit.ts"

/** On other pages `url` is the address of a calendar. */
export const formatAccessError = (error: ActionError): string =>
  formatActionError({ ...error, message: error.message.replaceAll(/(?<![a-z_])url: /g, "address: ") })

/** The day of an instant in the caller's time zone. */
export const dayOfInstant = (instant: Date, { session }: SignedInVisit): Html =>
  dayHtml(dateInZone(instant, session.person.caller.timeZone))

export const lastUsedHtml = (instant: Date | null, visit: SignedInVisit): Html =>
  instant === null ? html`${TEXTS.access.never}` : timeHtml(instant, visit)

export const scopeLabel = (scope: keyof typeof TEXTS.access.scopes): string => TEXTS.access.scopes[scope]

interface RevocationOptions {
  readonly action: string
  readonly field: string
  readonly value: string
  readonly label: string
  readonly subject: string
  readonly consequence: string
}

/** An irreversible action takes two steps: the user must first open the `<details>` element. */
export const revocationForm = (
  visit: SignedInVisit,
  { action, field, value, label, subject, consequence }: RevocationOptions
): Html =>
  html`<details class="withdraw"><summary aria-label="${label} ${subject}">${label}…</summary>
<form method="post" action="${ACCESS_PATH}">
${formKeyFields(visit)}<input type="hidden" name="${field}" value="${value}">
<p>${consequence}</p>
<button class="primary danger" name="${ACTION_FIELD}" value="${action}" aria-label="${label} ${subject}">${label}</button>
</form>
</details>`

export const makeRevocation = (
  service: Service["Service"],
  operation: OperationName,
  messageKey: ActionDone["messageKey"],
  notFoundText: string
): FormAction => {
  const mutate = makeVoidMutation(service)
  const notFoundOutcome: ActionOutcome = { _tag: "Refused", status: 404, message: notFoundText }
  return (visit: SignedInVisit, form: SubmittedForm) => {
    const id = parseRecordId(form.get("id"))
    if (id === undefined) return Effect.succeed(notFoundOutcome)
    return Effect.match(mutate(visit, form, operation, { id }), {
      onSuccess: (): ActionOutcome => ({ _tag: "Done", messageKey }),
      onFailure: (error) => (error.status === 404 ? notFoundOutcome : error)
    })
  }
}

export const explanation = ({ text, linkText }: Explanation, docsUrl: string): Html =>
  html`<p>${text} <a href="${docsUrl}">${linkText}</a></p>
`

interface Explanation {
  readonly text: string
  readonly linkText: string
}
