import { DateTime, Effect } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { Conflict, NotFound, RateLimited } from "../../../contract/errors.ts"
import { formatInstantWithOffset } from "../../../contract/time.ts"
import { BUSY_RETRY_SECONDS, PAGE_DEFAULT } from "../../../platform/limits.ts"
import { handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { DeliveryLog, type LoggedDelivery } from "../deliveries/DeliveryLog.ts"
import type { DeliveryAttempt } from "../deliveries/delivery.ts"
import { formatWebhookId, parseWebhookId } from "../deliveries/delivery-message.ts"
import { failUnlessVisible, toSubscriptionViewer, webhookNotFoundError } from "../deliveries/subscription-viewer.ts"
import { TestEvents } from "../deliveries/TestEvents.ts"
import {
  type list_webhook_deliveries,
  type replay_webhook_delivery,
  type test_webhook,
  type WebhookDelivery,
  WebhookDeliveryOperations
} from "./contract.ts"

type Log = DeliveryLog["Service"]

export const layerWebhookDeliveries = layerOperations(
  Effect.gen(function* () {
    const [log, testEvents] = [yield* DeliveryLog, yield* TestEvents]
    return handleOperations(WebhookDeliveryOperations, {
      list_webhook_deliveries: listDeliveries(log),
      test_webhook: testWebhook(log, testEvents),
      replay_webhook_delivery: voidChangeHandler(replayDelivery(log))
    })
  })
)

const requireVisibleWebhook = Effect.fnUntraced(function* (log: Log, id: number) {
  const viewer = toSubscriptionViewer(yield* CurrentCaller)
  yield* failUnlessVisible(yield* log.isWebhookVisible(viewer, id))
})

const listDeliveries = (log: Log) =>
  Effect.fnUntraced(function* ({
    id,
    before,
    limit = PAGE_DEFAULT
  }: typeof list_webhook_deliveries.payloadSchema.Type) {
    const viewer = toSubscriptionViewer(yield* CurrentCaller)
    const last = before === undefined ? undefined : parseWebhookId(before)
    if (before !== undefined && last?.subscription_id !== id) return yield* otherWebhooksDeliveryError
    const rows = yield* log.list({ viewer, subscriptionId: id, beforeEventId: last?.event_id }, limit)
    if (rows.length === 0) yield* requireVisibleWebhook(log, id)
    return { deliveries: rows.map(toDelivery) }
  })

const testWebhook = (log: Log, testEvents: TestEvents["Service"]) =>
  Effect.fnUntraced(function* ({ id }: typeof test_webhook.payloadSchema.Type) {
    const outcome = yield* testEvents.send({ ...toSubscriptionViewer(yield* CurrentCaller), id })
    switch (outcome._tag) {
      case "Tried":
        return toTestResult(outcome)
      case "Gone":
        yield* requireVisibleWebhook(log, id)
        return yield* webhookNotFoundError
      case "Busy":
        return yield* tooManyRunningError
      case "TooMany":
        return yield* tooManyTestsError(outcome.seconds)
    }
  })

const replayDelivery = (log: Log) =>
  Effect.fnUntraced(function* ({ id }: typeof replay_webhook_delivery.payloadSchema.Type) {
    const viewer = toSubscriptionViewer(yield* CurrentCaller)
    const key = parseWebhookId(id)
    if (key === undefined) return yield* deliveryNotFoundError
    if (yield* log.replayOne(viewer, key, yield* DateTime.nowAsDate)) return
    const [delivery] = yield* log.list({ viewer, key }, 1)
    return yield* delivery === undefined ? deliveryNotFoundError : waitingDeliveryError
  })

const otherWebhooksDeliveryError = new NotFound({ message: "before: no such delivery of this webhook." })
const deliveryNotFoundError = new NotFound({ message: "id: no such delivery; delivered ones are kept for 7 days." })
const waitingDeliveryError = new Conflict({ message: "id: is waiting for its next attempt." })

const rateLimitedError = (message: string, seconds: number) =>
  new RateLimited({ message, headers: { "retry-after": String(seconds) } })
const tooManyRunningError = rateLimitedError("Too many test events are under way; try again later.", BUSY_RETRY_SECONDS)
const tooManyTestsError = (seconds: number) =>
  rateLimitedError(`Too many test events; the next may be sent in ${seconds} seconds.`, seconds)

const DELIVERY_STATES = { waiting: "pending", delivered: "delivered", dead: "dead_letter" } as const

const toDelivery = ({
  event,
  record,
  queued_at,
  state,
  due_at,
  attempts,
  ...key
}: LoggedDelivery): WebhookDelivery => ({
  id: formatWebhookId(key),
  event,
  record,
  queued_at: formatInstantWithOffset(queued_at),
  state: DELIVERY_STATES[state],
  next_attempt_at: state === "waiting" ? formatInstantWithOffset(due_at) : null,
  attempts: attempts.map((attempt) => ({ ...attempt, started_at: formatInstantWithOffset(attempt.started_at) }))
})

const toTestResult = ({ startedAt, result }: DeliveryAttempt): typeof test_webhook.successSchema.Type => ({
  sent_at: formatInstantWithOffset(startedAt),
  duration_ms: result.durationMs,
  ...(result.outcome === "answered"
    ? { status: result.status, reason: null, detail: null, first_bytes: result.firstBytes }
    : { status: null, reason: result.reason, detail: result.detail, first_bytes: null })
})
