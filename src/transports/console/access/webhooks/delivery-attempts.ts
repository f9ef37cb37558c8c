import type { LoggedDelivery } from "../../../../domain/webhooks/deliveries/DeliveryLog.ts"
import { formatWebhookId } from "../../../../domain/webhooks/deliveries/delivery-message.ts"
import type { test_webhook } from "../../../../domain/webhooks/delivery-log/contract.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { TEXTS } from "../../console-texts.ts"
import { type FormKeys, formKeyFields } from "../../form-keys.ts"
import { badge, table } from "../../host/page-parts.ts"
import { ACTION_FIELD } from "../../visit.ts"
import { explainResult, isAccepted } from "./response-explanations.ts"
import { instantWithSecondsHtml, webhookUrl } from "./webhook-parts.ts"

const WEBHOOK_TEXTS = TEXTS.access.webhooks

type LoggedAttempt = LoggedDelivery["attempts"][number]

/** The webhook's receiver controls these texts, so `html` must escape them. */
const attemptResult = (result: Omit<LoggedAttempt, "attempt" | "started_at">): Html => {
  const { status, reason, detail, duration_ms, first_bytes } = result
  const statusText = status === null ? (reason ?? "") : String(status)
  return html`<strong>${statusText}</strong> · ${duration_ms} ${WEBHOOK_TEXTS.milliseconds} · ${explainResult(result)}${
    detail === null ? nothing : html` <code>${detail}</code>`
  }${first_bytes === null || first_bytes === "" ? nothing : html`<span class="soft"> ${WEBHOOK_TEXTS.responseStart}</span><pre>${first_bytes}</pre>`}`
}

const attemptItem = (attempt: LoggedAttempt, timeZone: string): Html =>
  html`<li>${instantWithSecondsHtml(attempt.started_at, timeZone)} · ${attemptResult(attempt)}</li>\n`

const STATE_BADGES = { waiting: "wait", delivered: "good", dead: "bad" } as const

const attemptList = ({ attempts }: LoggedDelivery, timeZone: string): Html => {
  const last = attempts.at(-1)
  if (last === undefined) return html`<span class="soft">${WEBHOOK_TEXTS.notAttempted}</span>`
  const earlier = attempts.slice(0, -1).toReversed()
  return html`<ul>${attemptItem(last, timeZone)}</ul>${
    earlier.length === 0
      ? nothing
      : html`<details><summary>${WEBHOOK_TEXTS.earlierAttempts} (${earlier.length})</summary><ul>${earlier.map((each) => attemptItem(each, timeZone))}</ul></details>`
  }`
}

const resendForm = (id: string, { state, subscription_id }: LoggedDelivery, formKeys: FormKeys): Html =>
  state === "waiting"
    ? nothing
    : html`<form method="post" action="${webhookUrl(subscription_id)}">${formKeyFields(formKeys)}<input type="hidden" name="delivery" value="${id}"><button name="${ACTION_FIELD}" value="replay_delivery" aria-label="${WEBHOOK_TEXTS.sendAgain}: ${id}">${WEBHOOK_TEXTS.sendAgain}</button></form>`

const deliveryCell = (delivery: LoggedDelivery, timeZone: string, formKeys: FormKeys): Html => {
  const { event, record, queued_at, state, due_at } = delivery
  const id = formatWebhookId(delivery)
  const nextAttempt =
    state === "waiting" ? html` ${WEBHOOK_TEXTS.nextAttempt} ${instantWithSecondsHtml(due_at, timeZone)}` : nothing
  return html`<code>${event}</code>
<div>${instantWithSecondsHtml(queued_at, timeZone)} ${badge(WEBHOOK_TEXTS.deliveryStates[state], STATE_BADGES[state])}</div>
<div class="soft">${record} · ${id}${nextAttempt}</div>
${resendForm(id, delivery, formKeys)}`
}

export const deliveriesTable = (
  deliveries: ReadonlyArray<LoggedDelivery>,
  timeZone: string,
  formKeys: FormKeys
): Html =>
  table(
    { empty: WEBHOOK_TEXTS.noDeliveries },
    [
      {
        label: WEBHOOK_TEXTS.deliveryColumns.event,
        cell: (delivery) => deliveryCell(delivery, timeZone, formKeys)
      },
      {
        label: WEBHOOK_TEXTS.deliveryColumns.attempts,
        cell: (delivery) => attemptList(delivery, timeZone),
        onPhone: "detail"
      }
    ],
    deliveries
  )

export const testEventResult = (result: typeof test_webhook.successSchema.Type, url: string): Html => {
  const wasAccepted = isAccepted(result)
  return html`<div class="message ${wasAccepted ? "done" : "error"}" role="status"><p>${WEBHOOK_TEXTS.testSent} <code>${url}</code>. <strong>${
    wasAccepted ? WEBHOOK_TEXTS.testAccepted : WEBHOOK_TEXTS.testNotAccepted
  }</strong></p><div>${attemptResult(result)}</div></div>`
}
