import { Effect, Option } from "effect"
import { EVENT_NAMES } from "../../../jobs/events/event-statements.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import type { AccessSection, ActionOutcome } from "../action-outcome.ts"
import { TEXTS } from "../console-texts.ts"
import { formKeyFields } from "../form-keys.ts"
import { ACCESS_PATH } from "../host/urls.ts"
import { callOperation, idempotencyKeyOf } from "../operation-call.ts"
import { type WebhookDetails, Webhooks } from "../queries/Webhooks.ts"
import { makeSudo } from "../sudo.ts"
import { ACTION_FIELD, type SignedInVisit, type SubmittedForm } from "../visit.ts"
import {
  creatorLabel,
  eventsText,
  newSecretMessage,
  readSubmittedSettings,
  stateBadge,
  webhookSettingsFields,
  webhookUrl
} from "./webhooks/webhook-parts.ts"

const WEBHOOK_TEXTS = TEXTS.access.webhooks
const ADD_ACTION = "add_webhook"

export const makeWebhooksSection = Effect.fnUntraced(function* (_publicUrl: string) {
  const [webhooks, service, sudo] = [yield* Webhooks, yield* Service, yield* makeSudo]

  const show: AccessSection["show"] = (visit, failedForm) =>
    Effect.flatMap(webhooks.list, (rows) =>
      Effect.map(sudo.renderPasswordField(visit), (passwordField) =>
        webhooksSection(visit, rows, passwordField, failedForm)
      )
    )

  const addWebhook = Effect.fnUntraced(function* (visit: SignedInVisit, form: SubmittedForm) {
    const passwordError = yield* sudo.checkPassword(visit, form)
    if (Option.isSome(passwordError)) return passwordError.value
    const fields = { url: form.get("url") ?? "", events: form.getAll("events") }
    const outcome = yield* callOperation(service, visit, "create_webhook", fields, idempotencyKeyOf(form))
    const addOutcome: ActionOutcome =
      outcome._tag === "Ok"
        ? { _tag: "Shown", html: newSecretMessage(outcome.data, WEBHOOK_TEXTS.createdMessage, ACCESS_PATH) }
        : outcome
    return addOutcome
  })

  const section: AccessSection = { show, actions: new Map([[ADD_ACTION, addWebhook]]) }
  return section
})

const OPEN_ATTRIBUTE: Html = { html: " open" }

const webhooksSection = (
  visit: SignedInVisit,
  rows: ReadonlyArray<WebhookDetails>,
  passwordField: Html,
  failedForm: SubmittedForm | undefined
): Html => {
  const submittedSettings = readSubmittedSettings(failedForm, ADD_ACTION)
  const { timeZone } = visit.session.person.caller
  return html`<section id="webhooks">
<h2>${WEBHOOK_TEXTS.title}</h2>
<p>${WEBHOOK_TEXTS.intro}${rows.length === 0 ? ` ${WEBHOOK_TEXTS.none}` : ""}</p>
${rows.length === 0 ? [] : webhooksTable(rows, timeZone)}
<details${submittedSettings === undefined ? nothing : OPEN_ATTRIBUTE}><summary>${WEBHOOK_TEXTS.add}</summary>
<form method="post" action="${ACCESS_PATH}">${formKeyFields(visit)}
${webhookSettingsFields(submittedSettings ?? { url: "", events: EVENT_NAMES })}
${passwordField}<button class="primary" name="${ACTION_FIELD}" value="${ADD_ACTION}">${WEBHOOK_TEXTS.addButton}</button>
</form></details>
</section>
`
}

const webhooksTable = (rows: ReadonlyArray<WebhookDetails>, timeZone: string): Html => {
  const { address, events, createdBy, state } = WEBHOOK_TEXTS.columns
  return html`<table class="cards"><thead><tr><th scope="col">${address}</th><th scope="col">${events}</th><th scope="col">${createdBy}</th><th scope="col">${state}</th></tr></thead><tbody>
${rows.map(
  (webhook) => html`<tr>
<td data-label="${address}"><a class="name" href="${webhookUrl(webhook.id)}">${webhook.url}</a></td>
<td data-label="${events}">${eventsText(webhook)}</td>
<td data-label="${createdBy}"><span class="name">${creatorLabel(webhook)}</span></td>
<td data-label="${state}">${stateBadge(webhook, timeZone)}</td>
</tr>
`
)}</tbody></table>`
}
