import type { LoggedDelivery } from "../../../../domain/webhooks/deliveries/DeliveryLog.ts"
import type { Tried } from "../../../../domain/webhooks/deliveries/delivery.ts"
import { webhookIdOf } from "../../../../domain/webhooks/deliveries/message.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { hiddenOnce, type OwnForm } from "../../frame.ts"
import { TEXTS } from "../../texts.ts"
import { ACT_FIELD } from "../../visit.ts"
import { isTaken, whyOf } from "./reasons.ts"
import { instantOf, webhookAddress } from "./shown.ts"

// What receivers answered, in words, with what they said.

const WORDS = TEXTS.access.webhooks

type LoggedTry = LoggedDelivery["attempts"][number]

/** Status, why, how long it took, and what was said: nothing of it is ours, so all of it is escaped on its way. */
const answered = (ended: Omit<LoggedTry, "attempt" | "started_at">): Html => {
  const { status, reason, detail, duration_ms, first_bytes } = ended
  const what = status === null ? (reason ?? "") : String(status)
  return html`<strong>${what}</strong> · ${duration_ms} ${WORDS.milliseconds} · ${whyOf(ended)}${
    detail === null ? nothing : html` <code>${detail}</code>`
  }${first_bytes === null || first_bytes === "" ? nothing : html`<span class="soft"> ${WORDS.answer}</span><pre>${first_bytes}</pre>`}`
}

const tryShown = (each: LoggedTry, timeZone: string): Html =>
  html`<li>${instantOf(each.started_at, timeZone)} · ${answered(each)}</li>\n`

const BADGES = { waiting: "wait", delivered: "good", dead: "bad" } as const

const triesOf = ({ attempts }: LoggedDelivery, timeZone: string): Html => {
  const last = attempts.at(-1)
  if (last === undefined) return html`<span class="soft">${WORDS.notTried}</span>`
  const earlier = attempts.slice(0, -1).toReversed()
  return html`<ul>${tryShown(last, timeZone)}</ul>${
    earlier.length === 0
      ? nothing
      : html`<details><summary>${WORDS.earlierTries} (${earlier.length})</summary><ul>${earlier.map((each) => tryShown(each, timeZone))}</ul></details>`
  }`
}

/** What sends it again; one that waits goes by itself. */
const againForm = (id: string, { state, subscription_id }: LoggedDelivery, own: OwnForm): Html =>
  state === "waiting"
    ? nothing
    : html`<form method="post" action="${webhookAddress(subscription_id)}">${hiddenOnce(own)}<input type="hidden" name="delivery" value="${id}"><button name="${ACT_FIELD}" value="replay_delivery" aria-label="${WORDS.sendAgain}: ${id}">${WORDS.sendAgain}</button></form>`

const rowOf = (delivery: LoggedDelivery, timeZone: string, own: OwnForm): Html => {
  const { event, record, queued_at, state, due_at } = delivery
  const id = webhookIdOf(delivery)
  const next = state === "waiting" ? html` ${WORDS.nextTry} ${instantOf(due_at, timeZone)}` : nothing
  return html`<tr>
<td data-label="${WORDS.deliveryColumns.event}"><code>${event}</code>
<div>${instantOf(queued_at, timeZone)} <span class="badge ${BADGES[state]}">${WORDS.deliveryStates[state]}</span></div>
<div class="soft">${record} · ${id}${next}</div>
${againForm(id, delivery, own)}</td>
<td data-label="${WORDS.deliveryColumns.tries}">${triesOf(delivery, timeZone)}</td>
</tr>
`
}

/** The deliveries of a page, the latest first. */
export const deliveriesTable = (deliveries: ReadonlyArray<LoggedDelivery>, timeZone: string, own: OwnForm): Html => {
  const { event, tries } = WORDS.deliveryColumns
  return html`<table class="cards"><thead><tr><th scope="col">${event}</th><th scope="col">${tries}</th></tr></thead><tbody>
${deliveries.map((each) => rowOf(each, timeZone, own))}</tbody></table>`
}

/** What became of a test event. */
export const testShown = ({ attempt }: Tried, url: string): Html => {
  const ended =
    attempt.outcome === "answered"
      ? { status: attempt.status, reason: null, detail: null, first_bytes: attempt.firstBytes }
      : { status: null, reason: attempt.reason, detail: attempt.detail, first_bytes: null }
  const taken = isTaken(ended)
  return html`<div class="message ${taken ? "done" : "error"}" role="status"><p>${WORDS.testSent} <code>${url}</code>. <strong>${
    taken ? WORDS.testTaken : WORDS.testNotTaken
  }</strong></p><div>${answered({ ...ended, duration_ms: attempt.durationMs })}</div></div>`
}
