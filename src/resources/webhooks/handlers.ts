import { DateTime, Effect, Layer, Redacted } from "effect"
import { type Caller, CurrentOperator } from "../../contract/caller.ts"
import { Forbidden, NotFound } from "../../contract/errors.ts"
import { fixedFieldsOf, sendsFixedOf } from "../../contract/fixed-fields.ts"
import { offsetText, wholeSecond } from "../../contract/time.ts"
import { type ReceiverPolicy, receiverPolicy, receiverUrl } from "../../deliveries/receiver-url.ts"
import { generateSecret, generateSecretToken, type SigningSecret } from "../../deliveries/signature.ts"
import { EVENT_NAMES, type EventName } from "../../events/events.ts"
import { change, done, handled, layerHandled } from "../handled.ts"
import { type create_webhook, type delete_webhook, update_webhook, type Webhook, Webhooks } from "./contract.ts"
import { type Application, SubscriptionRow, WebhookStore } from "./store.ts"

export const layerWebhooks = layerHandled(
  Effect.gen(function* () {
    const store = yield* WebhookStore
    const policy = yield* receiverPolicy
    return handled(Webhooks, {
      list_webhooks: listWebhooks(store),
      create_webhook: change(createWebhook(store, policy), SubscriptionRow, (made, _payload, caller) => ({
        webhook: toWebhook(made, applicationOf(caller)),
        ...secretIn(made)
      })),
      update_webhook: change(updateWebhook(store, policy), SubscriptionRow, (made, payload, caller) => ({
        webhook: toWebhook(made, applicationOf(caller)),
        ...(payload.rotate_secret === true ? secretIn(made) : {})
      })),
      delete_webhook: done(deleteWebhook(store))
    })
  })
).pipe(Layer.provide(WebhookStore.layer))

type Store = WebhookStore["Service"]

const listWebhooks = (store: Store) =>
  Effect.fnUntraced(function* () {
    const application = yield* calling
    const rows = yield* store.list(application.operatorId)
    return { webhooks: rows.map((row) => toWebhook(row, application)) }
  })

const createWebhook = (store: Store, policy: ReceiverPolicy) =>
  Effect.fnUntraced(function* ({ url, events }: typeof create_webhook.payloadSchema.Type) {
    const application = yield* calling
    const receiver = yield* receiverAt(url, policy)
    const secret = yield* generateSecret
    const made = { ...receiver, events: inOrder(events ?? EVENT_NAMES), secret }
    const row = yield* store.create(application, made, yield* now)
    return { ...row, secret }
  })

const sendsFixed = sendsFixedOf(update_webhook.payloadSchema)
const fixedFields = fixedFieldsOf(update_webhook.payloadSchema)

/** A record can be sent back whole; it is looked up only when fields came that cannot change. */
const checkFixed = Effect.fnUntraced(function* (
  store: Store,
  application: Application,
  payload: typeof update_webhook.payloadSchema.Type
) {
  if (!sendsFixed(payload)) return
  const row = (yield* store.list(application.operatorId)).find(({ id }) => id === payload.id)
  if (row !== undefined) yield* Effect.fromResult(fixedFields(toWebhook(row, application), payload))
})

const updateWebhook = (store: Store, policy: ReceiverPolicy) =>
  Effect.fnUntraced(function* (payload: typeof update_webhook.payloadSchema.Type) {
    const application = yield* calling
    const { id, url, events, rotate_secret } = payload
    yield* checkFixed(store, application, payload)
    const edit = {
      receiver: url === undefined ? undefined : yield* receiverAt(url, policy),
      events: events === undefined ? undefined : inOrder(events),
      secret: rotate_secret === true ? yield* generateSecret : undefined
    }
    const row = yield* store.update(application, id, edit, yield* now)
    if (row === undefined) return yield* missing(store, application, id)
    return edit.secret === undefined ? row : { ...row, secret: edit.secret }
  })

const deleteWebhook = (store: Store) =>
  Effect.fnUntraced(function* ({ id }: typeof delete_webhook.payloadSchema.Type) {
    const application = yield* calling
    const removed = yield* store.remove(application, id, yield* now)
    return removed === undefined ? yield* missing(store, application, id) : undefined
  })

// Not cut to the second: a change tells what is under way from what waits by the end of its lease.
const now = DateTime.nowAsDate

const receiverAt = Effect.fnUntraced(function* (text: string, policy: ReceiverPolicy) {
  const url = yield* Effect.fromResult(receiverUrl(text, policy))
  return { url, secretToken: yield* generateSecretToken }
})

const missing = Effect.fnUntraced(function* (store: Store, application: Application, id: number) {
  return (yield* store.exists(application.operatorId, id)) ? yield* anothers : yield* noSuchWebhook
})

/** The application a call comes from. Tokens made in the console are one application together. */
const applicationOf = ({ operatorId }: Pick<Caller, "operatorId">): Application => ({ operatorId, application: null })

const calling = Effect.map(CurrentOperator, applicationOf)

const noSuchWebhook = new NotFound({ message: "id: no such webhook." })
const anothers = new Forbidden({ message: "id: another application made this webhook; only it may change it." })

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

const toWebhook = ({ application, secret: _, ...row }: Made, caller: Application): Webhook => ({
  ...row,
  manageable: application === caller.application,
  status: row.paused_at === null ? "active" : "paused",
  paused_at: row.paused_at === null ? null : secondText(row.paused_at),
  created_at: secondText(row.created_at)
})
