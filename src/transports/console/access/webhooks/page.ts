import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { DeliveryLog, type LoggedDelivery } from "../../../../domain/webhooks/deliveries/DeliveryLog.ts"
import { type HostWebhook, HostWebhooks } from "../../../../domain/webhooks/subscriptions/HostWebhooks.ts"
import { WEBHOOK_DELIVERIES_SHOWN } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { ACCESS_PATH, framed, hiddenOnce, seeOther } from "../../frame.ts"
import { idOf } from "../../id.ts"
import type { Outcome } from "../../outcome.ts"
import { makeSudo } from "../../sudo.ts"
import { TEXTS } from "../../texts.ts"
import { ACT_FIELD, type Answered, type Form, type SignedInPage, type SignedInVisit } from "../../visit.ts"
import { CHANGE_ACT, makeActs } from "./acts.ts"
import { deliveriesTable } from "./answers.ts"
import {
  filledIn,
  instantOf,
  makerOf,
  settingsFields,
  stateOf,
  WEBHOOK_PATH,
  webhookAddress,
  zoneSaid
} from "./shown.ts"

const WORDS = TEXTS.access.webhooks

/** The number a query names; undefined: it names none. */
const numberIn = (query: URLSearchParams, name: string): number | undefined => idOf(query.get(name))

/** The page of one webhook: how it stands, what can be done with it, and what became of its deliveries. */
export const makeWebhookPage = Effect.gen(function* () {
  const [webhooks, log, sudo, acts] = [yield* HostWebhooks, yield* DeliveryLog, yield* makeSudo, yield* makeActs]

  const page = Effect.fnUntraced(function* (
    visit: SignedInVisit,
    webhook: HostWebhook,
    said: Html,
    status = 200,
    refused?: Form
  ) {
    const before = numberIn(visit.query, "before")
    const wanted = { operatorId: visit.session.person.caller.operatorId, subscriptionId: webhook.id, before }
    const deliveries = yield* log.list(wanted, WEBHOOK_DELIVERIES_SHOWN + 1)
    const field = yield* sudo.field(visit)
    const body = html`<p><a href="${ACCESS_PATH}#webhooks">${WORDS.back}</a></p>
${said}${standing(visit, webhook)}${trying(visit, webhook)}${recent(visit, webhook, deliveries)}${settings(visit, webhook, field, refused)}${weighty(visit, webhook, field)}`
    return framed(visit, { title: WORDS.one, body }, status)
  })

  /** The webhook of the page's address, if who is signed in may see it. */
  const found = (visit: SignedInVisit, then: (webhook: HostWebhook) => Answered): Answered => {
    const id = numberIn(visit.query, "id")
    if (id === undefined && !visit.query.has("id")) return Effect.succeed(seeOther(ACCESS_PATH))
    const one = id === undefined ? Effect.undefined : webhooks.find(visit.session.person.caller, id)
    return Effect.flatMap(one, (webhook) => (webhook === undefined ? Effect.succeed(noSuch(visit)) : then(webhook)))
  }

  /** The page once more as it is then, after a form of it. */
  const again = (visit: SignedInVisit, said: Html, status = 200, refused?: Form) =>
    found(visit, (webhook) => page(visit, webhook, said, status, refused))

  const answerOf = (visit: SignedInVisit, { id }: HostWebhook, form: Form, outcome: Outcome): Answered => {
    switch (outcome._tag) {
      case "Done":
        return Effect.succeed(
          seeOther(
            outcome.done === "webhook_deleted"
              ? `${ACCESS_PATH}?done=${outcome.done}`
              : `${webhookAddress(id)}&done=${outcome.done}`
          )
        )
      case "Shown":
        return again(visit, outcome.html)
      case "Refused": {
        const said = html`<p class="message error" role="alert">${outcome.words}</p>`
        return Effect.map(again(visit, said, outcome.status, form), (response) =>
          outcome.retryAfter === undefined
            ? response
            : HttpServerResponse.setHeader(response, "retry-after", String(outcome.retryAfter))
        )
      }
    }
  }

  const made: SignedInPage = {
    path: WEBHOOK_PATH,
    show: (visit) => found(visit, (webhook) => page(visit, webhook, wordsOf(visit))),
    acts: new Map(
      Array.from(acts, ([name, act]) => [
        name,
        (visit, form) =>
          found(visit, (webhook) =>
            Effect.flatMap(act(visit, form, webhook), (outcome) => answerOf(visit, webhook, form, outcome))
          )
      ])
    )
  }
  return made
})

const isDone = (name: string): name is keyof typeof TEXTS.access.done => Object.hasOwn(TEXTS.access.done, name)

/** What the last form came to, in words. */
const wordsOf = ({ query }: SignedInVisit): Html => {
  const done = query.get("done") ?? ""
  return isDone(done) ? html`<p class="message done" role="status">${TEXTS.access.done[done]}</p>` : nothing
}

const noSuch = (visit: SignedInVisit) =>
  framed(
    visit,
    {
      title: WORDS.one,
      body: html`<p>${WORDS.noSuch}</p><p><a href="${ACCESS_PATH}#webhooks">${WORDS.back}</a></p>`
    },
    404
  )

/** A form of the page, with a button for what it does. */
const formOf = (visit: SignedInVisit, { id }: HostWebhook, act: string, button: Html, fields: Html = nothing): Html =>
  html`<form method="post" action="${webhookAddress(id)}">${hiddenOnce(visit)}${fields}
<button name="${ACT_FIELD}" value="${act}"${button}</button></form>`

const plain = (words: string): Html => html`>${words}`
const primary = (words: string): Html => html` class="primary">${words}`
const danger = (words: string): Html => html` class="danger">${words}`

const standing = (visit: SignedInVisit, webhook: HostWebhook): Html => {
  const { timeZone } = visit.session.person.caller
  const isPaused = webhook.paused_at !== null
  return html`<section>
<h2>${WORDS.columns.state}</h2>
<dl class="facts">
<dt>${WORDS.columns.address}</dt><dd><code>${webhook.url}</code></dd>
<dt>${WORDS.columns.state}</dt><dd>${stateOf(webhook, timeZone)}</dd>
<dt>${WORDS.columns.madeBy}</dt><dd>${makerOf(webhook)}</dd>
<dt>${WORDS.madeAt}</dt><dd>${instantOf(webhook.created_at, timeZone)}</dd>
</dl>
${zoneSaid(timeZone)}
${isPaused ? nothing : html`<p class="soft">${WORDS.pauseWords}</p>`}
${
  isPaused
    ? formOf(visit, webhook, "resume_webhook", primary(WORDS.resume))
    : formOf(visit, webhook, "pause_webhook", plain(WORDS.pause))
}
</section>
`
}

const settings = (
  visit: SignedInVisit,
  webhook: HostWebhook,
  password: Html,
  refused: Form | undefined
): Html => html`<section>
<h2>${WORDS.settings}</h2>
<p class="soft">${WORDS.changeResumes}</p>
${formOf(visit, webhook, CHANGE_ACT, primary(WORDS.change), html`${settingsFields(filledIn(refused, CHANGE_ACT) ?? webhook)}${password}`)}
</section>
`

const trying = (visit: SignedInVisit, webhook: HostWebhook): Html => html`<section>
<h2>${WORDS.test}</h2>
<p class="soft">${WORDS.testWords}</p>
${formOf(visit, webhook, "test_webhook", plain(WORDS.test))}
</section>
`

const recent = (visit: SignedInVisit, { id }: HostWebhook, found: ReadonlyArray<LoggedDelivery>): Html => {
  const deliveries = found.slice(0, WEBHOOK_DELIVERIES_SHOWN)
  const last = deliveries.at(-1)
  const isMore = found.length > deliveries.length && last !== undefined
  const isFirst = !visit.query.has("before")
  return html`<section id="deliveries">
<h2>${WORDS.deliveries}</h2>
<p class="soft">${WORDS.deliveriesWords}</p>
${deliveries.length === 0 ? html`<p>${WORDS.noDeliveries}</p>` : deliveriesTable(deliveries, visit.session.person.caller.timeZone, visit)}
${
  isFirst && !isMore
    ? nothing
    : html`<nav class="pages" aria-label="${WORDS.deliveries}">
${isFirst ? nothing : html`<a href="${webhookAddress(id)}#deliveries">${WORDS.newest}</a>`}
${isMore ? html`<a href="${webhookAddress(id)}&before=${last.event_id}#deliveries">${WORDS.older}</a>` : nothing}
</nav>`
}
</section>
`
}

const weighty = (visit: SignedInVisit, webhook: HostWebhook, password: Html): Html => html`<section>
<h2>${WORDS.rotate}</h2>
<p class="soft">${WORDS.rotateWords}</p>
${formOf(visit, webhook, "rotate_webhook_secret", plain(WORDS.rotate), password)}
</section>
<section>
<h2>${WORDS.remove}</h2>
<p class="soft">${WORDS.removeWords}</p>
${formOf(
  visit,
  webhook,
  "delete_webhook",
  danger(WORDS.remove),
  html`<label class="choice"><input type="checkbox" name="sure" value="yes" required>${WORDS.removeSure}</label>`
)}
</section>
`
