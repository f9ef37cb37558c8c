import { Effect, Schema } from "effect"
import { type EventConsumer, list_event_consumers } from "../../../domain/webhooks/event-feed/contract.ts"
import { FEED_LAG_COUNTED } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html } from "../../docs/html.ts"
import { pageAt } from "../../http/docs-path.ts"
import { callAs, idempotencyKeyOf } from "../calling.ts"
import type { Outcome, Section } from "../outcome.ts"
import { TEXTS } from "../texts.ts"
import type { Form, SignedInVisit } from "../visit.ts"
import { explained, sectionOf, tableOf, whenOf, withdrawing } from "./parts.ts"

const WORDS = TEXTS.access.consumers

const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(list_event_consumers.successSchema))

/** Who reads the feed of events, and how far each is behind. */
export const makeConsumersSection = Effect.fnUntraced(function* () {
  const service = yield* Service

  /** Where the API refuses the account, why it does stands in the place of the list. */
  const list = Effect.fnUntraced(function* (visit: SignedInVisit) {
    const heard = yield* callAs(service, visit, "list_event_consumers", {})
    if (heard._tag === "Refused")
      return html`<p class="message note">${heard.words}</p>
`
    const { event_consumers } = yield* Effect.orDie(decode(heard.data))
    return listOf(event_consumers, visit)
  })

  const show: Section["show"] = (visit) =>
    Effect.map(list(visit), (found) =>
      sectionOf("consumers", WORDS.title, html`${explained(WORDS, pageAt("feed"))}${found}`)
    )

  const remove = (visit: SignedInVisit, form: Form): Effect.Effect<Outcome> =>
    Effect.map(
      callAs(service, visit, "delete_event_consumer", { name: form.get("name") ?? "" }, idempotencyKeyOf(form)),
      (answer) => (answer._tag === "Refused" ? answer : { _tag: "Done", done: "consumer_deleted" })
    )

  const section: Section = { show, acts: new Map([["delete_consumer", remove]]) }
  return section
})

const LABELS = [WORDS.name, WORDS.lag, WORDS.oldest, WORDS.withdraw]

const listOf = (consumers: ReadonlyArray<EventConsumer>, visit: SignedInVisit): Html =>
  consumers.length === 0
    ? html`<p>${WORDS.none}</p>
`
    : tableOf(
        WORDS.caption,
        LABELS,
        consumers.map((consumer) => cellsOf(consumer, visit))
      )

const cellsOf = (consumer: EventConsumer, visit: SignedInVisit): ReadonlyArray<Html> => [
  html`<span class="name">${consumer.name}</span>`,
  html`<span class="number">${WORDS.events(consumer.lag, FEED_LAG_COUNTED)}</span>`,
  consumer.oldest_unacknowledged_at === null
    ? html`${WORDS.upToDate}`
    : whenOf(new Date(consumer.oldest_unacknowledged_at), visit),
  withdrawing(visit, {
    act: "delete_consumer",
    field: "name",
    value: consumer.name,
    button: WORDS.withdraw,
    of: consumer.name,
    ends: WORDS.ends(consumer.name)
  })
]
