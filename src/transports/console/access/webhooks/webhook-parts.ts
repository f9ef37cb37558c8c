import { Option, Schema } from "effect"
import { formatWallClock } from "../../../../contract/time.ts"
import { EVENT_NAMES } from "../../../../jobs/events/event-statements.ts"
import { WEBHOOK_URL_LENGTH } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { TEXTS } from "../../console-texts.ts"
import { formatInstant } from "../../host/page-parts.ts"
import type { WebhookDetails } from "../../queries/Webhooks.ts"
import { ACTION_FIELD, type SubmittedForm } from "../../visit.ts"

const WEBHOOK_TEXTS = TEXTS.access.webhooks

export const WEBHOOK_PATH = "/console/access/webhooks"

export const webhookUrl = (id: number): string => `${WEBHOOK_PATH}?id=${id}`

const STATE_BADGES = { healthy: "good", failing: "wait", resting: "wait", probing: "wait", paused: "bad" } as const

export const instantWithSecondsHtml = (instant: Date, timeZone: string): Html =>
  html`<time datetime="${instant.toISOString()}">${formatInstant(instant, timeZone)}${formatWallClock(instant, timeZone).slice(16)}</time>`

const stateReason = ({ health, paused_at, paused_reason }: WebhookDetails, timeZone: string): Html | undefined => {
  const formatTime = (instant: number) => instantWithSecondsHtml(new Date(instant), timeZone)
  switch (health.state) {
    case "healthy":
      return undefined
    case "failing":
      return html`${WEBHOOK_TEXTS.failures} ${health.failures}, ${WEBHOOK_TEXTS.since} ${formatTime(health.failingSince)}.`
    case "resting":
    case "probing":
      return html`${WEBHOOK_TEXTS.failures} ${health.failures}; ${WEBHOOK_TEXTS.retriedFrom} ${formatTime(health.until)}.`
    case "paused":
      return paused_at === null
        ? undefined
        : html`${WEBHOOK_TEXTS.pausedSince} ${formatTime(paused_at.getTime())}. ${paused_reason ?? ""}`
  }
}

export const stateBadge = (webhook: WebhookDetails, timeZone: string): Html => {
  const { state } = webhook.health
  const reason = stateReason(webhook, timeZone)
  return html`<span class="badge ${STATE_BADGES[state]}">${WEBHOOK_TEXTS.states[state]}</span>${reason === undefined ? nothing : html` <span class="soft">${reason}</span>`}`
}

export const creatorLabel = ({ application, connection, account_name }: WebhookDetails): string => {
  const account = account_name ?? WEBHOOK_TEXTS.unknownCreator
  if (application === null) return account
  return `${connection ?? `${WEBHOOK_TEXTS.application} ${application}`} (${account})`
}

export const eventsText = ({ events }: WebhookDetails): string =>
  events.length === EVENT_NAMES.length ? WEBHOOK_TEXTS.allEvents : events.join(", ")

interface WebhookSettings {
  readonly url: string
  readonly events: ReadonlyArray<string>
}

export const readSubmittedSettings = (
  failedForm: SubmittedForm | undefined,
  action: string
): WebhookSettings | undefined =>
  failedForm?.get(ACTION_FIELD) === action
    ? { url: failedForm.get("url") ?? "", events: failedForm.getAll("events") }
    : undefined

export const webhookSettingsFields = ({ url, events }: WebhookSettings): Html => html`
<label>${WEBHOOK_TEXTS.url}<input type="url" name="url" value="${url}" required maxlength="${WEBHOOK_URL_LENGTH}" autocomplete="off"></label>
<fieldset><legend>${WEBHOOK_TEXTS.events}</legend>
${EVENT_NAMES.map((name) => html`<label class="choice"><input type="checkbox" name="events" value="${name}"${events.includes(name) ? CHECKED_ATTRIBUTE : nothing}><code>${name}</code></label>\n`)}</fieldset>`

const CHECKED_ATTRIBUTE: Html = { html: " checked" }

const decodeSecret = Schema.decodeUnknownOption(Schema.Struct({ secret: Schema.String }))

const secretMessage = (secret: string, text: string, continueUrl: string): Html =>
  html`<div class="message done" role="status"><p>${text}</p><code class="secret">${secret}</code>
<p>${WEBHOOK_TEXTS.reloadWarning}</p><p><a href="${continueUrl}">${WEBHOOK_TEXTS.continueLink}</a></p></div>`

/** Shown if the form is sent again, because the secret is shown only once. */
const repeatedSecretMessage: Html = html`<p class="message note" role="status">${WEBHOOK_TEXTS.repeatedSecret}</p>`

export const newSecretMessage = (data: Schema.Json, text: string, continueUrl: string): Html =>
  Option.match(decodeSecret(data), {
    onNone: () => repeatedSecretMessage,
    onSome: ({ secret }) => secretMessage(secret, text, continueUrl)
  })
