import { Schema } from "effect"
import { Conflict, Forbidden, NotFound, RateLimited } from "../../../contract/errors.ts"
import { Id, RecordCode } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { pageFields } from "../../../contract/page.ts"
import { EVENT_NAMES } from "../../../jobs/events/event-statements.ts"
import { WEBHOOK_TESTS_A_MINUTE, WEBHOOK_TRIES_SHOWN } from "../../../platform/limits.ts"

// What became of the deliveries of a webhook (an extension). Subscriptions: src/domain/webhooks/subscriptions.

const InstantWithOffset = Schema.String.annotateKey({ description: "ISO 8601 with the offset `+00:00`." })

/** What a receiver answered, or why it did not. */
const ReceiverResult = {
  duration_ms: Schema.Int,
  status: Schema.NullOr(Schema.Int).annotateKey({
    description: "The HTTP status of the answer; a 2xx is a delivery. null: there was no answer."
  }),
  reason: Schema.NullOr(Schema.String).annotateKey({
    description: "Why there was no answer: `dns`, `connect`, `tls`, `timeout`, …; null with a status."
  }),
  detail: Schema.NullOr(Schema.String).annotateKey({ description: "More about the reason, in English." }),
  first_bytes: Schema.NullOr(Schema.String).annotateKey({
    description: "The beginning of the answer's body, at most 512 bytes."
  })
}

export const WebhookAttempt = Schema.Struct({
  attempt: Schema.Int.annotateKey({ description: "1 for the first; a replay counts on." }),
  started_at: InstantWithOffset,
  ...ReceiverResult
})

export const WebhookDelivery = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The `webhook-id` header of every attempt." }),
  event: Schema.Literals(EVENT_NAMES),
  record: Schema.String.annotateKey({ description: "What the event is about, such as `reservation:5-ABC`." }),
  queued_at: InstantWithOffset,
  state: Schema.Literals(["pending", "delivered", "dead_letter"]).annotateKey({
    description: "dead_letter: all attempts failed and no other follows until it is replayed."
  }),
  next_attempt_at: Schema.NullOr(Schema.String).annotateKey({
    description: "Of a pending one: not before this time, and not while the webhook is paused."
  }),
  attempts: Schema.Array(WebhookAttempt).annotateKey({
    description: `In order, at most the last ${WEBHOOK_TRIES_SHOWN}.`
  })
})
export type WebhookDelivery = typeof WebhookDelivery.Type

const operation = defineFamily({ category: "automation", since: "3.13.0", openWorld: true })

const exposure = { notATool: "the specification excludes webhooks from the tools", extension: true } as const

export const list_webhook_deliveries = operation("list_webhook_deliveries", {
  route: "GET /webhooks/{id}/deliveries",
  summary: "List what was sent to a webhook, the latest first, with each attempt and its answer",
  payload: {
    id: Id,
    before: Schema.optionalKey(RecordCode).annotateKey({
      description: "The `id` of the last delivery of the page before: those that follow it."
    }),
    limit: pageFields.limit
  },
  success: Schema.Struct({ deliveries: Schema.Array(WebhookDelivery) }),
  errors: [NotFound, Forbidden],
  exposure
})

export const test_webhook = operation("test_webhook", {
  route: "POST /webhooks/{id}/test",
  changesNothing: true,
  summary: `Send a webhook_test event once and show the receiver's answer; nothing of it is kept; ${WEBHOOK_TESTS_A_MINUTE} a minute`,
  payload: { id: Id },
  success: Schema.Struct({ sent_at: InstantWithOffset, ...ReceiverResult }),
  errors: [NotFound, Forbidden, RateLimited],
  exposure
})

export const replay_webhook_delivery = operation("replay_webhook_delivery", {
  route: "POST /webhook_deliveries/{id}/replay",
  summary: "Send a delivery again under its former id, also one that was delivered",
  payload: { id: RecordCode.annotateKey({ description: "The `id` of a delivery, such as `evt_277_1`." }) },
  success: Schema.Struct({}),
  errors: [NotFound, Conflict],
  exposure
})

export const WebhookDeliveryOperations = { list_webhook_deliveries, test_webhook, replay_webhook_delivery }
