import { DateTime, Effect, Layer, Redacted } from "effect"
import { type Caller, CurrentOperator } from "../../../contract/caller.ts"
import { Forbidden, NotFound, Unauthenticated } from "../../../contract/errors.ts"
import { fixedFieldsOf, sendsFixedOf } from "../../../contract/fixed-fields.ts"
import { offsetText, wholeSecond } from "../../../contract/time.ts"
import { EVENT_NAMES, type EventName } from "../../../jobs/events/events.ts"
import { change, done, handled, layerHandled } from "../../handled.ts"
import { type ReceiverPolicy, receiverPolicy, receiverUrl } from "../deliveries/receiver-url.ts"
import { generateSecret, generateSecretToken, type SigningSecret } from "../deliveries/signature.ts"
import { type create_webhook, type delete_webhook, update_webhook, type Webhook, Webhooks } from "./contract.ts"
import { mayChange } from "./rules.ts"
import { type Changing, SubscriptionRow, WebhookStore } from "./store.ts"

export const layerWebhooks = layerHandled(
  Effect.gen(function* () {
    const store = yield* WebhookStore
    const policy = yield* receiverPolicy
    return handled(Webhooks, {
      list_webhooks: listWebhooks(store),
      create_webhook: change(createWebhook(store, policy), SubscriptionRow, (made, _payload, caller) => ({
        webhook: toWebhook(made, caller),
        ...secretIn(made)
      })),
      update_webhook: change(updateWebhook(store, policy), SubscriptionRow, (made, payload, caller) => ({
        webhook: toWebhook(made, caller),
        ...(payload.rotate_secret === true ? secretIn(made) : {})
      })),
      delete_webhook: done(deleteWebhook(store))
    })
  })
).pipe(Layer.provide(WebhookStore.layer))

type Store = WebhookStore["Service"]

const listWebhooks = (store: Store) =>
  Effect.fnUntraced(function* () {
    const caller = yield* CurrentOperator
    const rows = yield* store.list(caller.operatorId)
    return { webhooks: rows.map((row) => toWebhook(row, caller)) }
  })

const createWebhook = (store: Store, policy: ReceiverPolicy) =>
  Effect.fnUntraced(function* ({ url, events }: typeof create_webhook.payloadSchema.Type) {
    const { operatorId, accountId, application, grantId } = yield* CurrentOperator
    const receiver = yield* receiverAt(url, policy)
    const secret = yield* generateSecret
    const made = { ...receiver, events: inOrder(events ?? EVENT_NAMES), secret }
    const maker = { operatorId, accountId, application, grantId: grantId ?? undefined }
    const row = yield* store.create(maker, made, yield* now)
    return row === undefined ? yield* ended : { ...row, secret }
  })

const sendsFixed = sendsFixedOf(update_webhook.payloadSchema)
const fixedFields = fixedFieldsOf(update_webhook.payloadSchema)

/** A record can be sent back whole; it is looked up only when fields came that cannot change. */
const checkFixed = Effect.fnUntraced(function* (
  store: Store,
  caller: Caller,
  payload: typeof update_webhook.payloadSchema.Type
) {
  if (!sendsFixed(payload)) return
  const row = (yield* store.list(caller.operatorId)).find(({ id }) => id === payload.id)
  if (row !== undefined) yield* Effect.fromResult(fixedFields(toWebhook(row, caller), payload))
})

const updateWebhook = (store: Store, policy: ReceiverPolicy) =>
  Effect.fnUntraced(function* (payload: typeof update_webhook.payloadSchema.Type) {
    const caller = yield* CurrentOperator
    const { id, url, events, rotate_secret } = payload
    yield* checkFixed(store, caller, payload)
    const edit = {
      receiver: url === undefined ? undefined : yield* receiverAt(url, policy),
      events: events === undefined ? undefined : inOrder(events),
      secret: rotate_secret === true ? yield* generateSecret : undefined
    }
    const row = yield* store.update(changing(caller), id, edit, yield* now)
    if (row === undefined) return yield* missing(store, caller, id)
    return edit.secret === undefined ? row : { ...row, secret: edit.secret }
  })

const deleteWebhook = (store: Store) =>
  Effect.fnUntraced(function* ({ id }: typeof delete_webhook.payloadSchema.Type) {
    const caller = yield* CurrentOperator
    const removed = yield* store.remove(changing(caller), id, yield* now)
    return removed === undefined ? yield* missing(store, caller, id) : undefined
  })

// Not cut to the second: a change tells what is under way from what waits by the end of its lease.
const now = DateTime.nowAsDate

const receiverAt = Effect.fnUntraced(function* (text: string, policy: ReceiverPolicy) {
  const url = yield* Effect.fromResult(receiverUrl(text, policy))
  return { url, secretToken: yield* generateSecretToken }
})

const missing = Effect.fnUntraced(function* (store: Store, caller: Caller, id: number) {
  const standing = yield* store.standing(changing(caller), id)
  if (standing?.granted === false) return yield* ended
  return yield* standing?.there === true ? anothers : noSuchWebhook
})

/** Whose subscriptions a call may change. */
const changing = ({ operatorId, application, grantId }: Caller): Changing => ({
  operatorId,
  application: application ?? undefined,
  grantId: grantId ?? undefined
})

const noSuchWebhook = new NotFound({ message: "id: no such webhook." })
const anothers = new Forbidden({
  message: "id: only the application that created this webhook, or the host, may change it."
})
/** The host has disconnected the application while it called: as its next call is answered. */
const ended = new Unauthenticated({ message: "Invalid access token" })

const inOrder = (events: ReadonlyArray<EventName>) => EVENT_NAMES.filter((event) => events.includes(event))

/** What came of a change: with the secret that it made, unless a key kept it, which keeps no secret. */
interface Made extends SubscriptionRow {
  readonly secret?: SigningSecret
}

const secretIn = ({ secret }: Made) =>
  secret === undefined ? { secret_note: SECRET_NOTE } : { secret: Redacted.value(secret) }

const SECRET_NOTE =
  "The signing secret was shown once, with the first answer; rotate it (rotate_secret) if that answer was lost."

const secondText = (instant: Date): string => offsetText(wholeSecond(instant.getTime()))

const toWebhook = ({ application, secret: _, ...row }: Made, caller: Caller): Webhook => ({
  ...row,
  manageable: mayChange(caller.application, application),
  status: row.paused_at === null ? "active" : "paused",
  paused_at: row.paused_at === null ? null : secondText(row.paused_at),
  created_at: secondText(row.created_at)
})
