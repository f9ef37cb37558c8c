import { Effect, Option } from "effect"
import { EVENT_NAMES } from "../../../jobs/events/event-statements.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html } from "../../docs/html.ts"
import type { AccessSection, ActionOutcome } from "../action-outcome.ts"
import { TEXTS } from "../console-texts.ts"
import { formKeyFields } from "../form-keys.ts"
import { disclosure } from "../host/form-fields.ts"
import { section, table } from "../host/page-parts.ts"
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

  const accessSection: AccessSection = { show, actions: new Map([[ADD_ACTION, addWebhook]]) }
  return accessSection
})

const webhooksSection = (
  visit: SignedInVisit,
  rows: ReadonlyArray<WebhookDetails>,
  passwordField: Html,
  failedForm: SubmittedForm | undefined
): Html => {
  const submittedSettings = readSubmittedSettings(failedForm, ADD_ACTION)
  const { timeZone } = visit.session.person.caller
  const addForm = html`<form method="post" action="${ACCESS_PATH}">${formKeyFields(visit)}
${webhookSettingsFields(submittedSettings ?? { url: "", events: EVENT_NAMES })}
${passwordField}<button class="primary" name="${ACTION_FIELD}" value="${ADD_ACTION}">${WEBHOOK_TEXTS.addButton}</button>
</form>`
  return section(
    WEBHOOK_TEXTS.title,
    html`<p>${WEBHOOK_TEXTS.intro}</p>
${webhooksTable(rows, timeZone)}${disclosure(WEBHOOK_TEXTS.add, addForm, submittedSettings !== undefined)}`,
    "webhooks"
  )
}

const webhooksTable = (rows: ReadonlyArray<WebhookDetails>, timeZone: string): Html => {
  const { columns, none } = WEBHOOK_TEXTS
  return table<WebhookDetails>(
    { empty: none },
    [
      { label: columns.address, cell: ({ id, url }) => html`<a class="name" href="${webhookUrl(id)}">${url}</a>` },
      { label: columns.events, cell: eventsText },
      {
        label: columns.createdBy,
        cell: (webhook) => html`<span class="name">${creatorLabel(webhook)}</span>`
      },
      { label: columns.state, cell: (webhook) => stateBadge(webhook, timeZone), onPhone: "detail" }
    ],
    rows
  )
}
