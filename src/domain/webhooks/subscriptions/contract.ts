import { Schema } from "effect"
import { Conflict, Forbidden, NotFound, Unauthenticated } from "../../../contract/errors.ts"
import { Id, narrowingField, textUpTo } from "../../../contract/fields.ts"
import { editPayloadFields } from "../../../contract/immutable-fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { EVENT_NAMES } from "../../../jobs/events/event-statements.ts"
import { WEBHOOK_URL_LENGTH } from "../../../platform/limits.ts"

// Webhook subscriptions (specification, Events; contract facts 11.1). What is delivered:
// src/domain/webhooks/deliveries; what became of it: src/domain/webhooks/delivery-log.

const Url = textUpTo(WEBHOOK_URL_LENGTH)

const Events = Schema.Array(Schema.Literals(EVENT_NAMES)).check(
  Schema.isMinLength(1, { expected: "a list of at least one event" }),
  Schema.isMaxLength(EVENT_NAMES.length, { expected: `a list of at most ${EVENT_NAMES.length} events` })
)

export const Webhook = Schema.Struct({
  id: Id,
  url: Schema.String,
  events: Schema.Array(Schema.Literals(EVENT_NAMES)).annotateKey({ description: "In the order of the specification." }),
  manageable: Schema.Boolean.annotateKey({
    description:
      "Whether PATCH and DELETE are allowed. A connected application may change the webhooks that it created. Every access token of the operator, also of a sub-account, may change all."
  }),
  status: Schema.Literals(["active", "paused"]).annotateKey({
    description:
      "paused: its receiver failed for five days or answered 410 Gone, or the host wants it so; nothing is sent until a PATCH resumes it. `paused_reason` says which."
  }),
  paused_at: Schema.NullOr(Schema.String),
  paused_reason: Schema.NullOr(Schema.String),
  created_at: Schema.String.annotateKey({ description: "ISO 8601 with the offset `+00:00`, as paused_at." })
})
export type Webhook = typeof Webhook.Type

const secretFields = {
  secret: Schema.optionalKey(Schema.String).annotateKey({
    description:
      "`whsec_` and base64: what the receiver checks signatures with. Shown in this one answer and never again."
  }),
  secret_note: Schema.optionalKey(Schema.String).annotateKey({
    description: "In the answer of a repeated call (`Idempotency-Key`), in place of a secret that the first one showed."
  })
}

const operation = defineFamily({ category: "automation", since: "3.4.0", openWorld: true })

const exposure = { notATool: "the specification excludes webhooks from the tools" }

const consoleReason =
  "programs change a webhook with PATCH, which also resumes it; only a person pauses one or replaces its secret while it is paused"

export const list_webhooks = operation("list_webhooks", {
  route: "GET /webhooks",
  summary: "List webhook subscriptions",
  payload: {},
  success: Schema.Struct({ webhooks: Schema.Array(Webhook) }),
  exposure
})

export const create_webhook = operation("create_webhook", {
  route: "POST /webhooks",
  summary: "Subscribe a URL to events; the answer shows the signing secret, this once",
  payload: {
    url: Url.annotateKey({ description: "https." }),
    events: narrowingField(Events).annotateKey({ description: "Omitted: all ten." })
  },
  success: Schema.Struct({ webhook: Webhook, ...secretFields }),
  errors: [Unauthenticated],
  exposure
})

export const update_webhook = operation("update_webhook", {
  route: "PATCH /webhooks/{id}",
  summary: "Change a subscription; any change, also an empty one, resumes one that is paused",
  payload: editPayloadFields(Webhook, {
    id: Id,
    url: Schema.optionalKey(Url),
    events: Schema.optionalKey(Events),
    rotate_secret: Schema.optionalKey(Schema.Boolean).annotateKey({
      description: "true: a new signing secret is made; for 24 hours deliveries carry the signatures of both."
    })
  }),
  success: Schema.Struct({ webhook: Webhook, ...secretFields }),
  errors: [NotFound, Forbidden, Unauthenticated],
  exposure
})

export const delete_webhook = operation("delete_webhook", {
  route: "DELETE /webhooks/{id}",
  summary: "End a subscription; what it still waits for is not delivered",
  payload: { id: Id },
  success: Schema.Struct({}),
  errors: [NotFound, Forbidden, Unauthenticated],
  exposure
})

export const pause_webhook = operation("pause_webhook", {
  summary: "Stop a subscription until it is resumed; its deliveries wait",
  payload: { id: Id },
  success: Schema.Struct({ webhook: Webhook }),
  errors: [NotFound, Forbidden, Conflict],
  exposure: { consoleOnly: consoleReason, worksWhenSuspended: true }
})

export const rotate_webhook_secret = operation("rotate_webhook_secret", {
  summary: "Replace the signing secret; a pause stays",
  payload: { id: Id },
  success: Schema.Struct({ webhook: Webhook, ...secretFields }),
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
