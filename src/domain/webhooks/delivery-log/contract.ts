import { Schema } from "effect"
import { Conflict, Forbidden, NotFound, RateLimited } from "../../../contract/errors.ts"
import { Id, RecordCode } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { pageFields } from "../../../contract/page.ts"
import { EVENT_NAMES } from "../../../jobs/events/event-statements.ts"
import { WEBHOOK_RESPONSE_STORED_BYTES, WEBHOOK_TESTS_A_MINUTE, WEBHOOK_TRIES_SHOWN } from "../../../platform/limits.ts"

// The delivery log is an extension of the specification.

const ReceiverResult = {
  duration_ms: Schema.Int.annotateKey({ documentation: "Duration of the attempt in milliseconds." }),
  status: Schema.NullOr(Schema.Int).annotateKey({
    documentation: "HTTP status of the receiver's response; 2xx is a success. Null without a response."
  }),
  reason: Schema.NullOr(Schema.String).annotateKey({
    documentation:
      "Why there was no response: `refused_address`, `refused_url`, `dns`, `connect`, `tls`, `closed`, `protocol` or `timeout`. Null with a status."
  }),
  detail: Schema.NullOr(Schema.String).annotateKey({
    documentation: "More about the reason, in English. Null with a status."
  }),
  first_bytes: Schema.NullOr(Schema.String).annotateKey({
    documentation: `First ${WEBHOOK_RESPONSE_STORED_BYTES} bytes of the response body. Null without a response.`
  })
}

export const WebhookAttempt = Schema.Struct({
  attempt: Schema.Int.annotateKey({
    documentation: "Number of the attempt, from 1. A replay continues the numbers."
  }),
  started_at: Schema.String.annotateKey({
    documentation: "Start of the attempt, ISO 8601 with the offset `+00:00`."
  }),
  ...ReceiverResult
})

export const WebhookDelivery = Schema.Struct({
  id: Schema.String.annotateKey({
    documentation: "Id of the delivery, the `webhook-id` header of every attempt."
  }),
  event: Schema.Literals(EVENT_NAMES).annotateKey({ documentation: "Name of the event." }),
  record: Schema.String.annotateKey({
    documentation: "Record that the event is about, in the form `kind:id`, such as `reservation:5-ABC`."
  }),
  queued_at: Schema.String.annotateKey({
    documentation: "Time at which the event was queued, ISO 8601 with the offset `+00:00`."
  }),
  state: Schema.Literals(["pending", "delivered", "dead_letter"]).annotateKey({
    documentation:
      "`pending`: another attempt follows. `delivered`: an attempt succeeded. `dead_letter`: all attempts failed, and none follows until a replay."
  }),
  next_attempt_at: Schema.NullOr(Schema.String).annotateKey({
    documentation:
      "Earliest time of the next attempt of a pending delivery, ISO 8601 with the offset `+00:00`. A paused webhook gets no attempt. Otherwise null."
  }),
  attempts: Schema.Array(WebhookAttempt).annotateKey({
    documentation: `The last ${WEBHOOK_TRIES_SHOWN} attempts at most, oldest first.`
  })
})
export type WebhookDelivery = typeof WebhookDelivery.Type

const operation = defineFamily({ category: "automation", since: "3.13.0", openWorld: true })

const exposure = { notATool: "the specification excludes webhooks from the tools", extension: true } as const

const WebhookId = Id.annotateKey({ description: "Id of the webhook, from list_webhooks." })

const VISIBLE_ONLY =
  "Tokens of the main account reach all webhooks, tokens of a sub-account those that it made, and a connected application its own; others return 403."

export const list_webhook_deliveries = operation("list_webhook_deliveries", {
  route: "GET /webhooks/{id}/deliveries",
  summary: "List the deliveries of a webhook with their attempts, latest first",
  details: `Deliveries and attempts are kept for 7 days, dead letters for 30. ${VISIBLE_ONLY}`,
  payload: {
    id: WebhookId,
    before: Schema.optionalKey(RecordCode).annotateKey({
      description:
        "`id` of the last delivery of the former page, to read the older ones. A delivery of another webhook returns 404."
    }),
    limit: pageFields.limit
  },
  success: Schema.Struct({
    deliveries: Schema.Array(WebhookDelivery).annotateKey({ documentation: "Deliveries of the page, latest first." })
  }),
  errors: [NotFound, Forbidden],
  exposure
})

export const test_webhook = operation("test_webhook", {
  route: "POST /webhooks/{id}/test",
  changesNothing: true,
  summary: "Send a test event to a webhook and show the receiver's response",
  details: `The event \`webhook_test\` has the fields \`event\`, \`webhook_id\` and \`timestamp\`. It is signed like any event and has a \`webhook-id\` such as \`test_12_1795191358123\`. It is sent once, also to a paused webhook, and is in no list and no feed. Receivers may ignore it.

An operator sends at most ${WEBHOOK_TESTS_A_MINUTE} test events a minute, and two at once. More return 429 with \`Retry-After\`. ${VISIBLE_ONLY}`,
  payload: { id: WebhookId },
  success: Schema.Struct({
    sent_at: Schema.String.annotateKey({
      documentation: "Time at which the event was sent, ISO 8601 with the offset `+00:00`."
    }),
    ...ReceiverResult
  }),
  errors: [NotFound, Forbidden, RateLimited],
  exposure
})

export const replay_webhook_delivery = operation("replay_webhook_delivery", {
  route: "POST /webhook_deliveries/{id}/replay",
  summary: "Send a delivery again under its former id",
  details:
    "A delivered event and a dead letter can be replayed. The call returns before the event is sent. A pending delivery returns 409, because the service sends it anyway. The replay to a paused webhook waits until the webhook is resumed. An unknown delivery returns 404, as does a delivery that the caller may not see.",
  payload: {
    id: RecordCode.annotateKey({
      description: "`id` of the delivery, from list_webhook_deliveries, such as `evt_277_1`."
    })
  },
  success: Schema.Struct({}),
  errors: [NotFound, Conflict],
  exposure
})

export const WebhookDeliveryOperations = { list_webhook_deliveries, test_webhook, replay_webhook_delivery }
