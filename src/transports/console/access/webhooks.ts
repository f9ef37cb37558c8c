import { Effect, Option } from "effect"
import { type HostWebhook, HostWebhooks } from "../../../domain/webhooks/subscriptions/HostWebhooks.ts"
import { EVENT_NAMES } from "../../../jobs/events/events.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { callAs, idempotencyKeyOf } from "../calling.ts"
import { ACCESS_PATH, hiddenOnce } from "../frame.ts"
import type { Outcome, Section } from "../outcome.ts"
import { makeSudo } from "../sudo.ts"
import { TEXTS } from "../texts.ts"
import { ACT_FIELD, type Form, type SignedInVisit } from "../visit.ts"
import { eventsOf, filledIn, makerOf, secretIn, settingsFields, stateOf, webhookAddress } from "./webhooks/shown.ts"

const WORDS = TEXTS.access.webhooks
const ADD = "add_webhook"

/** The webhooks that who is signed in may see, and a form for another. Each has a page of its own. */
export const makeWebhooksSection = Effect.fnUntraced(function* (_publicUrl: string) {
  const [webhooks, service, sudo] = [yield* HostWebhooks, yield* Service, yield* makeSudo]

  const show: Section["show"] = (visit, refused) =>
    Effect.flatMap(webhooks.list(visit.session.person.caller), (rows) =>
      Effect.map(sudo.field(visit), (password) => sectionOf(visit, rows, password, refused))
    )

  const add = Effect.fnUntraced(function* (visit: SignedInVisit, form: Form) {
    const unproven = yield* sudo.check(visit, form)
    if (Option.isSome(unproven)) return unproven.value
    const fields = { url: form.get("url") ?? "", events: form.getAll("events") }
    const answer = yield* callAs(service, visit, "create_webhook", fields, idempotencyKeyOf(form))
    const outcome: Outcome = answer._tag === "Ok" ? { _tag: "Shown", html: secretIn(answer.data, WORDS.made) } : answer
    return outcome
  })

  const section: Section = { show, acts: new Map([[ADD, add]]) }
  return section
})

const open: Html = { html: " open" }

const sectionOf = (
  visit: SignedInVisit,
  rows: ReadonlyArray<HostWebhook>,
  password: Html,
  refused: Form | undefined
): Html => {
  const given = filledIn(refused, ADD)
  const { timeZone } = visit.session.person.caller
  return html`<section id="webhooks">
<h2>${WORDS.title}</h2>
<p>${WORDS.intro}${rows.length === 0 ? ` ${WORDS.none}` : ""}</p>
${rows.length === 0 ? [] : tableOf(rows, timeZone)}
<details${given === undefined ? nothing : open}><summary>${WORDS.add}</summary>
<form method="post" action="${ACCESS_PATH}">${hiddenOnce(visit)}
${settingsFields(given ?? { url: "", events: EVENT_NAMES })}
${password}<button class="primary" name="${ACT_FIELD}" value="${ADD}">${WORDS.addButton}</button>
</form></details>
</section>
`
}

const tableOf = (rows: ReadonlyArray<HostWebhook>, timeZone: string): Html => {
  const { address, events, madeBy, state } = WORDS.columns
  return html`<table class="cards"><thead><tr><th scope="col">${address}</th><th scope="col">${events}</th><th scope="col">${madeBy}</th><th scope="col">${state}</th></tr></thead><tbody>
${rows.map(
  (webhook) => html`<tr>
<td data-label="${address}"><a class="name" href="${webhookAddress(webhook.id)}">${webhook.url}</a></td>
<td data-label="${events}">${eventsOf(webhook)}</td>
<td data-label="${madeBy}"><span class="name">${makerOf(webhook)}</span></td>
<td data-label="${state}">${stateOf(webhook, timeZone)}</td>
</tr>
`
)}</tbody></table>`
}
