import { Schema } from "effect"
import { Conflict, Forbidden, NotFound, Unauthenticated } from "../../../contract/errors.ts"
import { Id, narrowingField, textUpTo } from "../../../contract/fields.ts"
import { editPayloadFields } from "../../../contract/immutable-fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { EVENT_NAMES } from "../../../jobs/events/event-statements.ts"
import { WEBHOOK_ATTEMPTS, WEBHOOK_URL_LENGTH } from "../../../platform/limits.ts"

// Specification, Events; contract facts 11.1.

const Url = textUpTo(WEBHOOK_URL_LENGTH)

const Events = Schema.Array(Schema.Literals(EVENT_NAMES)).check(
  Schema.isMinLength(1, { expected: "a list of at least one event" }),
  Schema.isMaxLength(EVENT_NAMES.length, { expected: `a list of at most ${EVENT_NAMES.length} events` })
)

export const Webhook = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the webhook." }),
  url: Schema.String.annotateKey({ documentation: "Address that receives the events." }),
  events: Schema.Array(Schema.Literals(EVENT_NAMES)).annotateKey({
    documentation: "Names of the events that it gets."
  }),
  manageable: Schema.Boolean.annotateKey({
    documentation:
      "Whether the caller may change and delete the webhook. A connected application may change its own webhooks; every access token of the operator may change all. The connections of one partner share their webhooks; each connection of an MCP client has its own."
  }),
  status: Schema.Literals(["active", "paused"]).annotateKey({
    documentation:
      "A `paused` webhook gets nothing until update_webhook resumes it. The service pauses it after five days without a success, or at once after 410 Gone; the host pauses it in the console."
  }),
  paused_at: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Time at which it was paused, ISO 8601 with the offset `+00:00`. Null while it is active."
  }),
  paused_reason: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Why it is paused, in English. `Paused by the host.` if the host paused it. Null while it is active."
  }),
  created_at: Schema.String.annotateKey({ documentation: "Time of creation, ISO 8601 with the offset `+00:00`." })
})
export type Webhook = typeof Webhook.Type

const secretFields = {
  secret: Schema.optionalKey(Schema.String).annotateKey({
    documentation:
      "Signing secret, `whsec_` and base64, with which the receiver verifies signatures. Shown in this response only."
  }),
  secret_note: Schema.optionalKey(Schema.String).annotateKey({
    documentation:
      "Replaces `secret` in the response to a repeated call. If the first response was lost, rotate the secret with a new call."
  })
}

const webhookResult = Webhook.annotateKey({ documentation: "The webhook." })

const WebhookId = Id.annotateKey({ description: "Id of the webhook, from list_webhooks." })

const URL_RULES = `Absolute https URL of at most ${WEBHOOK_URL_LENGTH} characters, without user name or password. Its host must be public: a private, loopback or link-local address returns 422. A name that resolves to one gets no deliveries.`

const OWNER_ERRORS =
  "A connected application may change only its own webhooks; others return 403. An unknown webhook returns 404."

const operation = defineFamily({ category: "automation", since: "3.4.0", openWorld: true })

const exposure = { notATool: "the specification excludes webhooks from the tools" }

const consoleReason =
  "programs change a webhook with PATCH, which also resumes it; only a person pauses one or replaces its secret while it is paused"

export const list_webhooks = operation("list_webhooks", {
  route: "GET /webhooks",
  summary: "List webhooks",
  details: "Every caller of the operator sees all its webhooks. The signing secrets are not shown.",
  payload: {},
  success: Schema.Struct({
    webhooks: Schema.Array(Webhook).annotateKey({ documentation: "All webhooks of the operator, oldest first." })
  }),
  exposure
})

export const create_webhook = operation("create_webhook", {
  route: "POST /webhooks",
  summary: "Create a webhook; the response shows its signing secret once",
  details: `The webhook gets the events that are committed after its creation. A webhook of a connected application ends with the connection.

An operator has at most 200 webhooks. One more returns 422 and names \`webhook_limit\`.

Deliveries:

- A delivery is sent at least once. Every attempt and replay has the same \`webhook-id\` header.
- Events of one record arrive in order. After three failed attempts the later events of the record pass the failing one.
- The receiver must return 2xx within 10 seconds. A redirect is a failure.
- A failed delivery gets ${WEBHOOK_ATTEMPTS} attempts in about three days, then becomes a dead letter. \`Retry-After\` with 429 or 503 postpones the next attempt, by six hours at most.
- After 20 failures in a row the webhook has a cooldown of 30 seconds, which doubles up to 30 minutes.
- A cooldown or a pause uses up no attempts. Deliveries that wait for three days become dead letters.`,
  payload: {
    url: Url.annotateKey({ description: URL_RULES }),
    events: narrowingField(Events).annotateKey({ description: "Names of the events to send. Omitted: all ten." })
  },
  success: Schema.Struct({ webhook: webhookResult, ...secretFields }),
  errors: [Unauthenticated],
  exposure
})

export const update_webhook = operation("update_webhook", {
  route: "PATCH /webhooks/{id}",
  summary: "Change a webhook; any call resumes a paused one",
  details: `Every call resumes a paused webhook, also one without a field. ${OWNER_ERRORS}`,
  payload: editPayloadFields(Webhook, {
    id: WebhookId,
    url: Schema.optionalKey(Url).annotateKey({ description: URL_RULES }),
    events: Schema.optionalKey(Events).annotateKey({
      description: "Names of the events to send. Replaces the whole list."
    }),
    rotate_secret: Schema.optionalKey(Schema.Boolean).annotateKey({
      description:
        "true replaces the signing secret, and the response shows the new one. For 24 hours deliveries carry signatures of both secrets; a second rotation within that time ends the oldest secret at once."
    })
  }),
  success: Schema.Struct({ webhook: webhookResult, ...secretFields }),
  errors: [NotFound, Forbidden, Unauthenticated],
  exposure
})

export const delete_webhook = operation("delete_webhook", {
  route: "DELETE /webhooks/{id}",
  summary: "Delete a webhook; its pending deliveries are not sent",
  details: OWNER_ERRORS,
  payload: { id: WebhookId },
  success: Schema.Struct({}),
  errors: [NotFound, Forbidden, Unauthenticated],
  exposure
})

export const pause_webhook = operation("pause_webhook", {
  summary: "Pause a webhook until it is resumed; its deliveries wait",
  payload: { id: WebhookId },
  success: Schema.Struct({ webhook: webhookResult }),
  errors: [NotFound, Forbidden, Conflict],
  exposure: { consoleOnly: consoleReason, worksWhenSuspended: true }
})

export const rotate_webhook_secret = operation("rotate_webhook_secret", {
  summary: "Replace the signing secret of a webhook; a pause stays",
  payload: { id: WebhookId },
  success: Schema.Struct({ webhook: webhookResult, ...secretFields }),
  errors: [NotFound, Forbidden],
  exposure: { consoleOnly: consoleReason }
})

export const WebhookOperations = {
  list_webhooks,
  create_webhook,
  update_webhook,
  delete_webhook,
  pause_webhook,
  rotate_webhook_secret
}
