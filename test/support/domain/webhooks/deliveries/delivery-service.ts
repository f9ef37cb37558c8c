import { Clock, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AllowedReceivers, parseAllowedHosts } from "../../../../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { DeliveryQueue } from "../../../../../src/domain/webhooks/deliveries/DeliveryQueue.ts"
import type { ClaimedDelivery } from "../../../../../src/domain/webhooks/deliveries/delivery.ts"
import { deliveryJobs } from "../../../../../src/domain/webhooks/deliveries/delivery-attempt.ts"
import type { makeDeliveryPolls } from "../../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { EventDispatcher } from "../../../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { EVENT_NAMES, type EventName } from "../../../../../src/jobs/events/event-statements.ts"
import { runJob } from "../../../../../src/jobs/job-runner.ts"
import { jsonParameter } from "../../../../../src/platform/database/parameters.ts"
import {
  createOperator,
  layerServiceWithOutbound,
  type TestOperator,
  typedClient,
  withToken
} from "../../../harness.ts"
import { layerOwnDatabase } from "../../../own-database.ts"
import { layerLocalOutbound } from "./outbound-requests.ts"

// Events, subscribers and workers whose every look is called by the test, so that nothing happens by chance.

/** Failed tries after which an event no longer holds back later events of its record (migration 0009_webhook_lanes). */
export const HOLDING_FAILURES = 3

const layerDeliveryWorkers = Layer.mergeAll(EventDispatcher.layer, DeliveryQueue.layer)

/** The service and all a worker needs, over a database of its own; receivers on 127.0.0.1 are allowed. */
export const layerDeliveryService = layerDeliveryWorkers.pipe(
  Layer.provideMerge(layerServiceWithOutbound(layerOwnDatabase)),
  Layer.provideMerge(layerLocalOutbound),
  Layer.provide(Layer.succeed(AllowedReceivers, Result.getOrThrow(parseAllowedHosts("127.0.0.1"))))
)

/** Nothing of the tests before is left to be delivered, and the clock shows the present: receivers look at it. */
export const emptyDeliveryTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`TRUNCATE webhook_attempts, webhook_deliveries, webhook_subscriptions, events`
  yield* TestClock.setTime(Date.now())
}).pipe(Effect.orDie)

export interface TestSubscription {
  readonly operator: TestOperator
  readonly id: number
  readonly url: string
  readonly secret: string
}

/** A subscription made as anyone makes one; of a new operator unless it is told whose. */
export const createSubscription = Effect.fnUntraced(function* (
  port: number,
  options: { readonly operator?: TestOperator; readonly events?: ReadonlyArray<EventName>; readonly path?: string } = {}
) {
  const api = yield* typedClient
  const operator = options.operator ?? (yield* createOperator())
  const url = `http://127.0.0.1:${port}${options.path ?? "/"}`
  const events = options.events ?? EVENT_NAMES
  const { webhook, secret = "" } = yield* api.create_webhook({ url, events }).pipe(withToken(operator.token))
  return { operator, id: webhook.id, url, secret } satisfies TestSubscription
}, Effect.orDie)

/** Events as a change records them, in this order; answers their ids. */
export const recordEvents = Effect.fnUntraced(function* (
  operator: TestOperator,
  events: ReadonlyArray<{ readonly event?: EventName; readonly record?: string; readonly payload?: object }>
) {
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* Clock.currentTimeMillis)
  const rows = events.map(
    ({ event = "transaction_updated", record = "transaction:1", payload = { transaction_id: 1 } }) => ({
      event,
      record,
      payload
    })
  )
  const inserted = yield* sql<{ id: number }>`
    INSERT INTO events (operator_id, event, record, payload, queued_at)
    SELECT ${operator.operatorId}, event, record, payload, ${now}::timestamptz
    FROM jsonb_to_recordset(${jsonParameter(rows)}::jsonb) AS row (event text, record text, payload jsonb) RETURNING id`
  return inserted.map(({ id }) => id)
}, Effect.orDie)

/** One event of one record, `count` times. */
export const makeRepeatedEvents = (count: number, record = "transaction:1") =>
  Array.from({ length: count }, (_, index) => ({ record, payload: { transaction_id: index + 1 } }))

export type DeliveryPolls = Effect.Success<typeof makeDeliveryPolls>

/** Hands out and delivers until nothing more goes at this time of the clock. */
export const deliverAllDue = Effect.fnUntraced(function* (polls: DeliveryPolls) {
  while ((yield* polls.dispatchEvents).events > 0) {}
  let attempts = yield* countAttempts
  while (true) {
    yield* polls.claimDue
    yield* polls.endCooldowns
    yield* polls.awaitIdle
    const attemptsNow = yield* countAttempts
    if (attemptsNow === attempts) return
    attempts = attemptsNow
  }
})

/** How many tries have begun. */
export const countAttempts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    tries: number
  }>`SELECT coalesce(sum(attempts), 0)::bigint AS tries FROM webhook_deliveries`
  return row?.tries ?? 0
}).pipe(Effect.orDie)

export interface DeliveryState {
  readonly event_id: number
  readonly state: string
  readonly attempts: number
  readonly failures: number
  readonly due_at: Date
}

/** What waits, what was delivered and what is dead, in the order of events. */
export const loadDeliveries = Effect.fnUntraced(function* (subscription: TestSubscription) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<DeliveryState>`
    SELECT event_id , state, attempts, failures, due_at  FROM webhook_deliveries
    WHERE subscription_id = ${subscription.id} ORDER BY event_id`
}, Effect.orDie)

/** Every try that was written down, with how it ended. */
export const loadAttempts = Effect.fnUntraced(function* (subscription: TestSubscription) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ attempt: number; status: number | null; reason: string | null; first_bytes: string | null }>`
    SELECT attempt, status, reason, first_bytes  FROM webhook_attempts
    WHERE subscription_id = ${subscription.id} ORDER BY event_id, attempt`
}, Effect.orDie)

/** Makes one attempt of a claimed delivery. */
export const sendClaimedDelivery = (delivery: ClaimedDelivery) => runJob(deliveryJobs, delivery)
