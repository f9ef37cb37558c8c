import { DateTime, Effect, Redacted } from "effect"
import { type Caller, CurrentCaller } from "../../../contract/caller.ts"
import { Conflict, Forbidden } from "../../../contract/errors.ts"
import { makeImmutableFieldCheck, makeImmutableFieldDetector } from "../../../contract/immutable-fields.ts"
import { formatInstantWithOffset, truncateToSecond } from "../../../contract/time.ts"
import { EVENT_NAMES, type EventName } from "../../../jobs/events/event-statements.ts"
import { grantEndedError, toGrantKey } from "../../connection-grants.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { loadReceiverPolicy, parseReceiverUrl, type ReceiverPolicy } from "../deliveries/receiver-url.ts"
import { generateSecretToken, generateSigningSecret, type SigningSecret } from "../deliveries/signature.ts"
import { failUnlessVisible, toSubscriptionViewer, webhookNotFoundError } from "../deliveries/subscription-viewer.ts"
import {
  type create_webhook,
  type delete_webhook,
  type pause_webhook,
  type rotate_webhook_secret,
  update_webhook,
  type Webhook,
  WebhookOperations
} from "./contract.ts"
import { canChangeWebhook } from "./rules.ts"
import { SubscriptionRow, type WebhookChangeScope, WebhookStore } from "./store.ts"

export const layerWebhooks = layerOperations(
  Effect.gen(function* () {
    const store = yield* WebhookStore
    const policy = yield* loadReceiverPolicy
    return handleOperations(WebhookOperations, {
      list_webhooks: listWebhooks(store),
      create_webhook: changeHandler(createWebhook(store, policy), SubscriptionRow, (webhook, _payload, caller) => ({
        webhook: toWebhook(webhook, caller),
        ...toSecretFields(webhook)
      })),
      update_webhook: changeHandler(updateWebhook(store, policy), SubscriptionRow, (webhook, payload, caller) => ({
        webhook: toWebhook(webhook, caller),
        ...(payload.rotate_secret === true ? toSecretFields(webhook) : {})
      })),
      delete_webhook: voidChangeHandler(deleteWebhook(store)),
      pause_webhook: changeHandler(pauseWebhook(store), SubscriptionRow, (webhook, _payload, caller) => ({
        webhook: toWebhook(webhook, caller)
      })),
      rotate_webhook_secret: changeHandler(rotateSecret(store), SubscriptionRow, (webhook, _payload, caller) => ({
        webhook: toWebhook(webhook, caller),
        ...toSecretFields(webhook)
      }))
    })
  })
)

type Store = WebhookStore["Service"]

const listWebhooks = (store: Store) =>
  Effect.fnUntraced(function* () {
    const caller = yield* CurrentCaller
    const rows = yield* store.list(caller.operatorId)
    return { webhooks: rows.map((row) => toWebhook(row, caller)) }
  })

const createWebhook = (store: Store, policy: ReceiverPolicy) =>
  Effect.fnUntraced(function* ({ url, events }: typeof create_webhook.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const receiver = yield* makeReceiver(url, policy)
    const secret = yield* generateSigningSecret
    const subscription = { ...receiver, events: sortEvents(events ?? EVENT_NAMES), secret }
    const creator = { ...toGrantKey(caller), accountId: caller.accountId, application: caller.application }
    const row = yield* store.create(creator, subscription, yield* currentInstant)
    return row === undefined ? yield* grantEndedError : { ...row, secret }
  })

const sendsFixedFields = makeImmutableFieldDetector(update_webhook.payloadSchema)
const checkFixedFields = makeImmutableFieldCheck(update_webhook.payloadSchema)

const loadAndCheckFixedFields = Effect.fnUntraced(function* (
  store: Store,
  caller: Caller,
  payload: typeof update_webhook.payloadSchema.Type
) {
  if (!sendsFixedFields(payload)) return
  const row = (yield* store.list(caller.operatorId)).find(({ id }) => id === payload.id)
  if (row !== undefined) yield* Effect.fromResult(checkFixedFields(toWebhook(row, caller), payload))
})

const updateWebhook = (store: Store, policy: ReceiverPolicy) =>
  Effect.fnUntraced(function* (payload: typeof update_webhook.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const { id, url, events, rotate_secret } = payload
    yield* loadAndCheckFixedFields(store, caller, payload)
    const edit = {
      receiver: url === undefined ? undefined : yield* makeReceiver(url, policy),
      events: events === undefined ? undefined : sortEvents(events),
      secret: rotate_secret === true ? yield* generateSigningSecret : undefined
    }
    const row = yield* store.update(toChangeScope(caller), id, edit, yield* currentInstant)
    if (row === undefined) return yield* explainMissing(store, caller, id)
    return edit.secret === undefined ? row : { ...row, secret: edit.secret }
  })

const deleteWebhook = (store: Store) =>
  Effect.fnUntraced(function* ({ id }: typeof delete_webhook.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const removed = yield* store.remove(toChangeScope(caller), id, yield* currentInstant)
    return removed === undefined ? yield* explainMissing(store, caller, id) : undefined
  })

const pauseWebhook = (store: Store) =>
  Effect.fnUntraced(function* ({ id }: typeof pause_webhook.payloadSchema.Type) {
    const viewer = toSubscriptionViewer(yield* CurrentCaller)
    const paused = yield* store.pause(viewer, id, yield* currentInstant)
    if (paused !== undefined) return paused
    yield* failUnlessVisible(yield* store.isVisible(viewer, id))
    return yield* alreadyPausedError
  })

const rotateSecret = (store: Store) =>
  Effect.fnUntraced(function* ({ id }: typeof rotate_webhook_secret.payloadSchema.Type) {
    const viewer = toSubscriptionViewer(yield* CurrentCaller)
    const secret = yield* generateSigningSecret
    const rotated = yield* store.rotateSecret(viewer, id, secret, yield* currentInstant)
    if (rotated !== undefined) return { ...rotated, secret }
    yield* failUnlessVisible(yield* store.isVisible(viewer, id))
    return yield* webhookNotFoundError
  })

const alreadyPausedError = new Conflict({ message: "id: this webhook is paused already." })

// Not truncated to the second, because resuming compares exact lease ends.
const currentInstant = DateTime.nowAsDate

const makeReceiver = Effect.fnUntraced(function* (text: string, policy: ReceiverPolicy) {
  const url = yield* Effect.fromResult(parseReceiverUrl(text, policy))
  return { url, secretToken: yield* generateSecretToken }
})

const explainMissing = Effect.fnUntraced(function* (store: Store, caller: Caller, id: number) {
  const access = yield* store.findAccess(toChangeScope(caller), id)
  if (access?.granted === false) return yield* grantEndedError
  return yield* access?.there === true ? madeByAnotherApplicationError : webhookNotFoundError
})

const toChangeScope = (caller: Caller): WebhookChangeScope => ({
  ...toGrantKey(caller),
  application: caller.application ?? undefined
})

const madeByAnotherApplicationError = new Forbidden({
  message: "id: only the application that created this webhook, or the host, may change it."
})

const sortEvents = (events: ReadonlyArray<EventName>) => EVENT_NAMES.filter((event) => events.includes(event))

/** `secret` is undefined in a response that is repeated for an idempotency key. */
interface WebhookWithSecret extends SubscriptionRow {
  readonly secret?: SigningSecret
}

const toSecretFields = ({ secret }: WebhookWithSecret) =>
  secret === undefined ? { secret_note: SECRET_NOTE } : { secret: Redacted.value(secret) }

const SECRET_NOTE =
  "The signing secret was shown once, with the first answer; rotate it (rotate_secret) if that answer was lost."

const formatSecond = (instant: Date): string => formatInstantWithOffset(truncateToSecond(instant.getTime()))

const toWebhook = ({ application, secret: _, ...row }: WebhookWithSecret, caller: Caller): Webhook => ({
  ...row,
  manageable: canChangeWebhook(caller.application, application),
  status: row.paused_at === null ? "active" : "paused",
  paused_at: row.paused_at === null ? null : formatSecond(row.paused_at),
  created_at: formatSecond(row.created_at)
})
