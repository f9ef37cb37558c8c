import { Effect, Schema } from "effect"
import { type EventConsumer, list_event_consumers } from "../../../domain/webhooks/event-feed/contract.ts"
import { FEED_LAG_COUNTED } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html } from "../../docs/html.ts"
import { docsPagePath } from "../../http/paths.ts"
import type { AccessSection, ActionOutcome } from "../action-outcome.ts"
import { TEXTS } from "../console-texts.ts"
import { section, table, timeHtml } from "../host/page-parts.ts"
import { callOperation, idempotencyKeyOf } from "../operation-call.ts"
import type { SignedInVisit, SubmittedForm } from "../visit.ts"
import { explanation, revocationForm } from "./access-parts.ts"

const CONSUMER_TEXTS = TEXTS.access.consumers

const decodeConsumers = Schema.decodeUnknownEffect(Schema.toCodecJson(list_event_consumers.successSchema))

export const makeConsumersSection = Effect.fnUntraced(function* () {
  const service = yield* Service

  const renderList = Effect.fnUntraced(function* (visit: SignedInVisit) {
    const outcome = yield* callOperation(service, visit, "list_event_consumers", {})
    if (outcome._tag === "Refused")
      return html`<p class="message note">${outcome.message}</p>
`
    const { event_consumers } = yield* Effect.orDie(decodeConsumers(outcome.data))
    return consumersTable(visit, event_consumers)
  })

  const show: AccessSection["show"] = (visit) =>
    Effect.map(renderList(visit), (listHtml) =>
      section(CONSUMER_TEXTS.title, html`${explanation(CONSUMER_TEXTS, docsPagePath("feed"))}${listHtml}`, "consumers")
    )

  const deleteConsumer = (visit: SignedInVisit, form: SubmittedForm): Effect.Effect<ActionOutcome> =>
    Effect.map(
      callOperation(service, visit, "delete_event_consumer", { name: form.get("name") ?? "" }, idempotencyKeyOf(form)),
      (outcome) => (outcome._tag === "Refused" ? outcome : { _tag: "Done", messageKey: "consumer_deleted" })
    )

  const consumersSection: AccessSection = { show, actions: new Map([["delete_consumer", deleteConsumer]]) }
  return consumersSection
})

const consumersTable = (visit: SignedInVisit, consumers: ReadonlyArray<EventConsumer>): Html =>
  table(
    { caption: CONSUMER_TEXTS.caption, empty: CONSUMER_TEXTS.none },
    [
      { label: CONSUMER_TEXTS.name, cell: ({ name }) => html`<span class="name">${name}</span>` },
      {
        label: CONSUMER_TEXTS.lag,
        cell: ({ lag }) => html`<span class="whole">${CONSUMER_TEXTS.events(lag, FEED_LAG_COUNTED)}</span>`,
        isNumeric: true,
        onPhone: "side"
      },
      {
        label: CONSUMER_TEXTS.oldestUnreadEvent,
        cell: ({ oldest_unacknowledged_at: instant }) =>
          instant === null ? CONSUMER_TEXTS.upToDate : timeHtml(instant, visit)
      },
      {
        label: CONSUMER_TEXTS.withdraw,
        cell: ({ name }) =>
          revocationForm(visit, {
            action: "delete_consumer",
            field: "name",
            value: name,
            label: CONSUMER_TEXTS.withdraw,
            subject: name,
            consequence: CONSUMER_TEXTS.revocationConsequence(name)
          }),
        onPhone: "actions"
      }
    ],
    consumers
  )
