import { Effect, Schema } from "effect"
import { type EventConsumer, list_event_consumers } from "../../../domain/webhooks/event-feed/contract.ts"
import { FEED_LAG_COUNTED } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html } from "../../docs/html.ts"
import { docsPagePath } from "../../http/paths.ts"
import type { AccessSection, ActionOutcome } from "../action-outcome.ts"
import { TEXTS } from "../console-texts.ts"
import { callOperation, idempotencyKeyOf } from "../operation-call.ts"
import type { SignedInVisit, SubmittedForm } from "../visit.ts"
import { accessSection, accessTable, explanation, instantHtml, revocationForm } from "./access-parts.ts"

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
    return consumerList(event_consumers, visit)
  })

  const show: AccessSection["show"] = (visit) =>
    Effect.map(renderList(visit), (listHtml) =>
      accessSection(
        "consumers",
        CONSUMER_TEXTS.title,
        html`${explanation(CONSUMER_TEXTS, docsPagePath("feed"))}${listHtml}`
      )
    )

  const deleteConsumer = (visit: SignedInVisit, form: SubmittedForm): Effect.Effect<ActionOutcome> =>
    Effect.map(
      callOperation(service, visit, "delete_event_consumer", { name: form.get("name") ?? "" }, idempotencyKeyOf(form)),
      (outcome) => (outcome._tag === "Refused" ? outcome : { _tag: "Done", messageKey: "consumer_deleted" })
    )

  const section: AccessSection = { show, actions: new Map([["delete_consumer", deleteConsumer]]) }
  return section
})

const COLUMN_LABELS = [
  CONSUMER_TEXTS.name,
  CONSUMER_TEXTS.lag,
  CONSUMER_TEXTS.oldestUnreadEvent,
  CONSUMER_TEXTS.withdraw
]

const consumerList = (consumers: ReadonlyArray<EventConsumer>, visit: SignedInVisit): Html =>
  consumers.length === 0
    ? html`<p>${CONSUMER_TEXTS.none}</p>
`
    : accessTable(
        CONSUMER_TEXTS.caption,
        COLUMN_LABELS,
        consumers.map((consumer) => consumerCells(consumer, visit))
      )

const consumerCells = (consumer: EventConsumer, visit: SignedInVisit): ReadonlyArray<Html> => [
  html`<span class="name">${consumer.name}</span>`,
  html`<span class="number">${CONSUMER_TEXTS.events(consumer.lag, FEED_LAG_COUNTED)}</span>`,
  consumer.oldest_unacknowledged_at === null
    ? html`${CONSUMER_TEXTS.upToDate}`
    : instantHtml(new Date(consumer.oldest_unacknowledged_at), visit),
  revocationForm(visit, {
    action: "delete_consumer",
    field: "name",
    value: consumer.name,
    label: CONSUMER_TEXTS.withdraw,
    subject: consumer.name,
    consequence: CONSUMER_TEXTS.revocationConsequence(consumer.name)
  })
]
