import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { LoggedDelivery } from "../../../../domain/webhooks/deliveries/DeliveryLog.ts"
import { WEBHOOK_DELIVERIES_SHOWN } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { type ActionOutcome, toShownOutcome } from "../../action-outcome.ts"
import { TEXTS } from "../../console-texts.ts"
import { formKeyFields } from "../../form-keys.ts"
import { section, timeZoneNote } from "../../host/page-parts.ts"
import { ACCESS_PATH } from "../../host/urls.ts"
import { runSubmission } from "../../operation-call.ts"
import { redirectSeeOther, renderConsolePage } from "../../page-frame.ts"
import { type WebhookDetails, Webhooks } from "../../queries/Webhooks.ts"
import { makeSudo } from "../../sudo.ts"
import {
  ACTION_FIELD,
  parseRecordId,
  type SignedInPage,
  type SignedInPageResponse,
  type SignedInVisit,
  type SubmittedForm
} from "../../visit.ts"
import { formatAccessError } from "../access-parts.ts"
import { deliveriesTable } from "./delivery-attempts.ts"
import { CHANGE_WEBHOOK_ACTION, makeWebhookActions } from "./webhook-actions.ts"
import {
  creatorLabel,
  instantWithSecondsHtml,
  readSubmittedSettings,
  stateBadge,
  WEBHOOK_PATH,
  webhookSettingsFields,
  webhookUrl
} from "./webhook-parts.ts"

const WEBHOOK_TEXTS = TEXTS.access.webhooks

const readIdParam = (query: URLSearchParams, name: string): number | undefined => parseRecordId(query.get(name))

const doneUrl = (id: number, messageKey: string): string =>
  messageKey === "webhook_deleted" ? `${ACCESS_PATH}?done=${messageKey}` : `${webhookUrl(id)}&done=${messageKey}`

const setRetryAfter =
  (seconds: number | undefined) =>
  (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
    seconds === undefined ? response : HttpServerResponse.setHeader(response, "retry-after", String(seconds))

export const makeWebhookPage = Effect.gen(function* () {
  const [webhooks, sudo, actions] = [yield* Webhooks, yield* makeSudo, yield* makeWebhookActions]

  const renderPage = Effect.fnUntraced(function* (
    visit: SignedInVisit,
    webhook: WebhookDetails,
    message: Html,
    status = 200,
    failedForm?: SubmittedForm
  ) {
    const beforeEventId = readIdParam(visit.query, "before")
    const deliveries = yield* webhooks.deliveries({ id: webhook.id, beforeEventId }, WEBHOOK_DELIVERIES_SHOWN + 1)
    const passwordField = yield* sudo.renderPasswordField(visit)
    const body = html`<p><a href="${ACCESS_PATH}#webhooks">${WEBHOOK_TEXTS.back}</a></p>
${message}${statusSection(visit, webhook)}${testSection(visit, webhook)}${deliveriesSection(visit, webhook, deliveries)}${settingsSection(visit, webhook, passwordField, failedForm)}${dangerSection(visit, webhook, passwordField)}`
    return renderConsolePage(visit, { title: WEBHOOK_TEXTS.webhookTitle, body }, status)
  })

  const withWebhook = (
    visit: SignedInVisit,
    render: (webhook: WebhookDetails) => SignedInPageResponse
  ): SignedInPageResponse => {
    const id = readIdParam(visit.query, "id")
    if (id === undefined && !visit.query.has("id")) return Effect.succeed(redirectSeeOther(ACCESS_PATH))
    const webhookLookup = id === undefined ? Effect.undefined : webhooks.find(id)
    return Effect.flatMap(webhookLookup, (webhook) =>
      webhook === undefined ? Effect.succeed(notFoundPage(visit)) : render(webhook)
    )
  }

  const renderAgain = (visit: SignedInVisit, message: Html, status = 200, failedForm?: SubmittedForm) =>
    withWebhook(visit, (webhook) => renderPage(visit, webhook, message, status, failedForm))

  const toPageResponse = (
    visit: SignedInVisit,
    { id }: WebhookDetails,
    form: SubmittedForm,
    outcome: ActionOutcome
  ): SignedInPageResponse => {
    switch (outcome._tag) {
      case "Done":
        return Effect.succeed(redirectSeeOther(doneUrl(id, outcome.messageKey)))
      case "Shown":
        return renderAgain(visit, outcome.html)
      case "Refused": {
        const message = html`<p class="message error" role="alert">${formatAccessError(outcome)}</p>`
        return Effect.map(renderAgain(visit, message, outcome.status, form), setRetryAfter(outcome.retryAfter))
      }
    }
  }

  const webhookPage: SignedInPage = {
    path: WEBHOOK_PATH,
    show: (visit) => withWebhook(visit, (webhook) => renderPage(visit, webhook, doneMessageOf(visit))),
    actions: new Map(
      Array.from(actions, ([name, action]) => [
        name,
        (visit, form) =>
          withWebhook(visit, (webhook) =>
            Effect.flatMap(runSubmission(action(visit, form, webhook)), (submission) =>
              toPageResponse(visit, webhook, form, toShownOutcome(submission))
            )
          )
      ])
    )
  }
  return webhookPage
})

const isDoneMessage = (name: string): name is keyof typeof TEXTS.access.done => Object.hasOwn(TEXTS.access.done, name)

const doneMessageOf = ({ query }: SignedInVisit): Html => {
  const done = query.get("done") ?? ""
  return isDoneMessage(done) ? html`<p class="message done" role="status">${TEXTS.access.done[done]}</p>` : nothing
}

const notFoundPage = (visit: SignedInVisit) =>
  renderConsolePage(
    visit,
    {
      title: WEBHOOK_TEXTS.webhookTitle,
      body: html`<p>${WEBHOOK_TEXTS.noSuch}</p><p><a href="${ACCESS_PATH}#webhooks">${WEBHOOK_TEXTS.back}</a></p>`
    },
    404
  )

const webhookForm = (
  visit: SignedInVisit,
  { id }: WebhookDetails,
  action: string,
  buttonHtml: Html,
  fields: Html = nothing
): Html =>
  html`<form method="post" action="${webhookUrl(id)}">${formKeyFields(visit)}${fields}
<button name="${ACTION_FIELD}" value="${action}"${buttonHtml}</button></form>`

const plainButton = (label: string): Html => html`>${label}`
const primaryButton = (label: string): Html => html` class="primary">${label}`
const dangerButton = (label: string): Html => html` class="danger">${label}`

const statusSection = (visit: SignedInVisit, webhook: WebhookDetails): Html => {
  const { timeZone } = visit.session.person.caller
  const isPaused = webhook.paused_at !== null
  return section(
    WEBHOOK_TEXTS.columns.state,
    html`<dl class="facts">
<dt>${WEBHOOK_TEXTS.columns.address}</dt><dd><code>${webhook.url}</code></dd>
<dt>${WEBHOOK_TEXTS.columns.state}</dt><dd>${stateBadge(webhook, timeZone)}</dd>
<dt>${WEBHOOK_TEXTS.columns.createdBy}</dt><dd>${creatorLabel(webhook)}</dd>
<dt>${WEBHOOK_TEXTS.createdAt}</dt><dd>${instantWithSecondsHtml(webhook.created_at, timeZone)}</dd>
</dl>
${timeZoneNote(visit)}${isPaused ? nothing : html`<p class="soft">${WEBHOOK_TEXTS.pauseExplanation}</p>`}
${
  isPaused
    ? webhookForm(visit, webhook, "resume_webhook", primaryButton(WEBHOOK_TEXTS.resume))
    : webhookForm(visit, webhook, "pause_webhook", plainButton(WEBHOOK_TEXTS.pause))
}
`
  )
}

const settingsSection = (
  visit: SignedInVisit,
  webhook: WebhookDetails,
  passwordField: Html,
  failedForm: SubmittedForm | undefined
): Html =>
  section(
    WEBHOOK_TEXTS.settings,
    html`<p class="soft">${WEBHOOK_TEXTS.changeResumes}</p>
${webhookForm(visit, webhook, CHANGE_WEBHOOK_ACTION, primaryButton(WEBHOOK_TEXTS.change), html`${webhookSettingsFields(readSubmittedSettings(failedForm, CHANGE_WEBHOOK_ACTION) ?? webhook)}${passwordField}`)}
`
  )

const testSection = (visit: SignedInVisit, webhook: WebhookDetails): Html =>
  section(
    WEBHOOK_TEXTS.test,
    html`<p class="soft">${WEBHOOK_TEXTS.testExplanation}</p>
${webhookForm(visit, webhook, "test_webhook", plainButton(WEBHOOK_TEXTS.test))}
`
  )

const deliveriesSection = (
  visit: SignedInVisit,
  { id }: WebhookDetails,
  loggedDeliveries: ReadonlyArray<LoggedDelivery>
): Html => {
  const deliveries = loggedDeliveries.slice(0, WEBHOOK_DELIVERIES_SHOWN)
  const last = deliveries.at(-1)
  const hasMore = loggedDeliveries.length > deliveries.length && last !== undefined
  const isFirstPage = !visit.query.has("before")
  return section(
    WEBHOOK_TEXTS.deliveries,
    html`<p class="soft">${WEBHOOK_TEXTS.deliveriesExplanation}</p>
${deliveriesTable(deliveries, visit.session.person.caller.timeZone, visit)}${
  isFirstPage && !hasMore
    ? nothing
    : html`<nav class="pages" aria-label="${WEBHOOK_TEXTS.deliveries}">
${isFirstPage ? nothing : html`<a href="${webhookUrl(id)}#deliveries">${WEBHOOK_TEXTS.newest}</a>`}
${hasMore ? html`<a href="${webhookUrl(id)}&before=${last.event_id}#deliveries">${WEBHOOK_TEXTS.older}</a>` : nothing}
</nav>`
}
`,
    "deliveries"
  )
}

const dangerSection = (visit: SignedInVisit, webhook: WebhookDetails, passwordField: Html): Html => {
  const rotateForm = webhookForm(
    visit,
    webhook,
    "rotate_webhook_secret",
    plainButton(WEBHOOK_TEXTS.rotate),
    passwordField
  )
  const removeForm = webhookForm(
    visit,
    webhook,
    "delete_webhook",
    dangerButton(WEBHOOK_TEXTS.remove),
    html`<label class="choice"><input type="checkbox" name="sure" value="yes" required>${WEBHOOK_TEXTS.confirmRemoval}</label>`
  )
  return html`${section(
    WEBHOOK_TEXTS.rotate,
    html`<p class="soft">${WEBHOOK_TEXTS.rotateExplanation}</p>
${rotateForm}
`
  )}${section(
    WEBHOOK_TEXTS.remove,
    html`<p class="soft">${WEBHOOK_TEXTS.removeExplanation}</p>
${removeForm}
`
  )}`
}
