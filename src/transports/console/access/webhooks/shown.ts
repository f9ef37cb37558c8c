import { Option, Schema } from "effect"
import { wallClockText } from "../../../../contract/time.ts"
import type { HostWebhook } from "../../../../domain/webhooks/subscriptions/HostWebhooks.ts"
import { EVENT_NAMES } from "../../../../jobs/events/events.ts"
import { WEBHOOK_URL } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { ACCESS_PATH } from "../../frame.ts"
import { TEXTS } from "../../texts.ts"
import { ACT_FIELD, type Form } from "../../visit.ts"

const WORDS = TEXTS.access.webhooks

/** Where the page of one webhook is. */
export const WEBHOOK_PATH = "/console/access/webhooks"

export const webhookAddress = (id: number): string => `${WEBHOOK_PATH}?id=${id}`

const BADGES = { healthy: "good", failing: "wait", resting: "wait", probing: "wait", paused: "bad" } as const

/** An instant on the operator's clock, to the second. */
export const instantOf = (instant: Date, timeZone: string): Html =>
  html`<time datetime="${instant.toISOString()}">${wallClockText(instant, timeZone)}</time>`

/** Undefined: there is nothing to say. */
const whyOf = ({ health, paused_at, paused_reason }: HostWebhook, timeZone: string): Html | undefined => {
  const at = (instant: number) => instantOf(new Date(instant), timeZone)
  switch (health.state) {
    case "healthy":
      return undefined
    case "failing":
      return html`${WORDS.failures} ${health.failures}, ${WORDS.since} ${at(health.failingSince)}.`
    case "resting":
    case "probing":
      return html`${WORDS.failures} ${health.failures}; ${WORDS.restingUntil} ${at(health.until)}.`
    case "paused":
      return paused_at === null
        ? undefined
        : html`${WORDS.pausedSince} ${at(paused_at.getTime())}. ${paused_reason ?? ""}`
  }
}

/** How it stands, and why. */
export const stateOf = (webhook: HostWebhook, timeZone: string): Html => {
  const { state } = webhook.health
  const why = whyOf(webhook, timeZone)
  return html`<span class="badge ${BADGES[state]}">${WORDS.states[state]}</span>${why === undefined ? nothing : html` <span class="soft">${why}</span>`}`
}

/** Who made it: an application by the name its host knows, and the account behind it. */
export const makerOf = ({ application, connection, account_name }: HostWebhook): string => {
  const account = account_name ?? WORDS.unknownMaker
  if (application === null) return account
  return `${connection ?? `${WORDS.application} ${application}`} (${account})`
}

export const eventsOf = ({ events }: HostWebhook): string =>
  events.length === EVENT_NAMES.length ? WORDS.allEvents : events.join(", ")

interface Settings {
  readonly url: string
  readonly events: ReadonlyArray<string>
}

/** What was filled in, where it is the form of that button that was just not taken. */
export const filledIn = (refused: Form | undefined, act: string): Settings | undefined =>
  refused?.get(ACT_FIELD) === act ? { url: refused.get("url") ?? "", events: refused.getAll("events") } : undefined

/** The fields of a webhook's settings, as they are or as they were filled in. */
export const settingsFields = ({ url, events }: Settings): Html => html`
<label>${WORDS.url}<input type="url" name="url" value="${url}" required maxlength="${WEBHOOK_URL}" autocomplete="off"></label>
<fieldset><legend>${WORDS.events}</legend>
${EVENT_NAMES.map((name) => html`<label class="choice"><input type="checkbox" name="events" value="${name}"${events.includes(name) ? checked : nothing}><code>${name}</code></label>\n`)}</fieldset>`

const checked: Html = { html: " checked" }

const readSecret = Schema.decodeUnknownOption(Schema.Struct({ secret: Schema.String }))

/** Renders a secret, which is shown only once. `next`: the address of the page to continue with. */
export const secretShown = (secret: string, words: string, next: string): Html =>
  html`<div class="message done" role="status"><p>${words}</p><code class="secret">${secret}</code>
<p>${WORDS.madeAgain}</p><p><a href="${next}">${WORDS.madeOn}</a></p></div>`

/** The message for a form that is sent again, whose secret was shown the first time. */
export const repeatedSecretMessage: Html = html`<p class="message note" role="status">${WORDS.repeatedSecret}</p>`

/** The secret of a webhook that a call has made. */
export const secretIn = (data: Schema.Json, words: string): Html =>
  Option.match(readSecret(data), {
    onNone: () => repeatedSecretMessage,
    onSome: ({ secret }) => secretShown(secret, words, ACCESS_PATH)
  })

/** In which zone the times of a page are. */
export const zoneSaid = (timeZone: string): Html => html`<p class="soft">${WORDS.zone} ${timeZone}.</p>`
