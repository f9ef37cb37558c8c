import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { WEBHOOK_TRIES_SHOWN } from "../../../platform/limits.ts"
import type { DeliveryKey } from "./delivery-message.ts"

/** Deliveries one statement of a replay queues again. */
export const REPLAY_BATCH_ROWS = 1_000

const LoggedAttempt = Schema.Struct({
  attempt: Schema.Int,
  started_at: Schema.DateFromString,
  duration_ms: Schema.Int,
  status: Schema.NullOr(Schema.Int),
  reason: Schema.NullOr(Schema.String),
  detail: Schema.NullOr(Schema.String),
  first_bytes: Schema.NullOr(Schema.String)
})

/** A delivery and what became of each of its tries, the latest {@link WEBHOOK_TRIES_SHOWN} of them, the first one first. */
export const LoggedDelivery = Schema.Struct({
  operator_id: Schema.Int,
  event_id: Schema.Int,
  subscription_id: Schema.Int,
  url: Schema.String,
  event: Schema.String,
  record: Schema.String,
  queued_at: Schema.Date,
  state: Schema.Literals(["waiting", "delivered", "dead"]),
  /** The reason for which the subscription is paused, or null. */
  paused_reason: Schema.NullOr(Schema.String),
  /** When a waiting one may go next. */
  due_at: Schema.Date,
  attempts: Schema.Array(LoggedAttempt)
})
export type LoggedDelivery = typeof LoggedDelivery.Type

/** Which deliveries are meant; what is undefined does not narrow it. */
export interface DeliveryFilter {
  readonly key?: DeliveryKey | undefined
  readonly operatorId?: number | undefined
  readonly subscriptionId?: number | undefined
  /** Dead letters only. */
  readonly deadLettersOnly?: boolean | undefined
  /** Of events before this one, by its id: the next page of a list. */
  readonly beforeEventId?: number | undefined
  /** Of events queued from `from` on and before `until`. */
  readonly queuedFrom?: Date | undefined
  readonly queuedUntil?: Date | undefined
}

const ReplayedDelivery = Schema.Struct({ operator_id: Schema.Int, event_id: Schema.Int, subscription_id: Schema.Int })
type ReplayedDelivery = typeof ReplayedDelivery.Type

const WaitingDelivery = Schema.Struct({ ...ReplayedDelivery.fields, queued_at: Schema.Date })

const readLoggedDeliveries = makeRowsReader(LoggedDelivery)
const readWaitingDelivery = makeOptionalRowReader(WaitingDelivery)
const readReplayedDeliveries = makeRowsReader(ReplayedDelivery)

/** Conditions on delivery `d` and its event `e`. */
const deliveryCondition = (sql: SqlClient.SqlClient, filter: DeliveryFilter): Fragment => {
  const conditions = [sql`true`]
  if (filter.key !== undefined) {
    conditions.push(sql`d.event_id = ${filter.key.event_id} AND d.subscription_id = ${filter.key.subscription_id}`)
  }
  if (filter.operatorId !== undefined) conditions.push(sql`d.operator_id = ${filter.operatorId}`)
  if (filter.subscriptionId !== undefined) conditions.push(sql`d.subscription_id = ${filter.subscriptionId}`)
  if (filter.deadLettersOnly === true) conditions.push(sql`d.state = 'dead'`)
  if (filter.beforeEventId !== undefined) conditions.push(sql`d.event_id < ${filter.beforeEventId}`)
  if (filter.queuedFrom !== undefined) conditions.push(sql`e.queued_at >= ${filter.queuedFrom}`)
  if (filter.queuedUntil !== undefined) conditions.push(sql`e.queued_at < ${filter.queuedUntil}`)
  return sql`${sql.and(conditions)}`
}

/** The event `e` and the subscription `s` of delivery `d`. */
const deliveryJoins = (sql: SqlClient.SqlClient): Fragment => sql`
  JOIN events e ON e.operator_id = d.operator_id AND e.id = d.event_id
  JOIN webhook_subscriptions s ON s.operator_id = d.operator_id AND s.id = d.subscription_id`

const latestDeliveriesSql = (sql: SqlClient.SqlClient, filter: DeliveryFilter, limit: number): Fragment => sql`
  SELECT d.operator_id, d.event_id, d.subscription_id, s.url, s.paused_reason, e.event, d.record, e.queued_at, d.state,
    d.due_at,
    coalesce((
      SELECT jsonb_agg(to_jsonb(a) ORDER BY a.attempt) FROM (
        SELECT * FROM webhook_attempts
        WHERE operator_id = d.operator_id AND event_id = d.event_id AND subscription_id = d.subscription_id
        ORDER BY attempt DESC LIMIT ${WEBHOOK_TRIES_SHOWN}) a
    ), '[]') AS attempts
  FROM webhook_deliveries d ${deliveryJoins(sql)}
  WHERE ${deliveryCondition(sql, filter)}
  ORDER BY d.event_id DESC, d.subscription_id DESC LIMIT ${limit}`

const oldestWaitingSql = (sql: SqlClient.SqlClient, filter: DeliveryFilter): Fragment => sql`
  SELECT d.operator_id, d.event_id, d.subscription_id, e.queued_at
  FROM webhook_lanes d ${deliveryJoins(sql)}
  WHERE s.deleted_at IS NULL AND ${deliveryCondition(sql, filter)}
  ORDER BY d.event_id LIMIT 1`

/** One page of a replay: the keys in order after the last one's, so that what is delivered meanwhile stays so. */
const replayPage = (sql: SqlClient.SqlClient, filter: DeliveryFilter, after: ReplayedDelivery, now: Date) =>
  recordChange(sql, {
    change: requeueSql(sql, filter, after, now),
    events: [],
    changedRecords: sql`
      SELECT DISTINCT operator_id, 'webhook:' || subscription_id AS record, '{deliveries}'::text[] AS fields
      FROM replayed`,
    outcome: sql`SELECT * FROM replayed ORDER BY operator_id, event_id, subscription_id`
  })

const requeueSql = (
  sql: SqlClient.SqlClient,
  filter: DeliveryFilter,
  after: ReplayedDelivery,
  now: Date
): Fragment => sql`
  chosen AS (
    SELECT d.ctid AS place FROM webhook_deliveries d ${deliveryJoins(sql)}
    WHERE d.settled_at IS NOT NULL AND s.deleted_at IS NULL AND ${deliveryCondition(sql, filter)}
      AND (d.operator_id, d.event_id, d.subscription_id) > (${after.operator_id}::bigint, ${after.event_id}::bigint,
        ${after.subscription_id}::bigint)
    ORDER BY d.operator_id, d.event_id, d.subscription_id LIMIT ${REPLAY_BATCH_ROWS} FOR UPDATE OF d
  ), replayed AS (
    UPDATE webhook_deliveries d
    SET state = 'waiting', due_at = ${now}, failures = 0, run = d.run + 1, settled_at = NULL
    FROM chosen WHERE d.ctid = chosen.place
    RETURNING d.operator_id, d.event_id, d.subscription_id
  )`

/** What whoever runs the service, and a host of their own, see of deliveries and send again. All operators', unless one is named. */
export class DeliveryLog extends Context.Service<DeliveryLog>()("latchkey/domain/webhooks/deliveries/DeliveryLog", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** The latest `limit`, the latest first. */
    list: (filter: DeliveryFilter, limit: number) =>
      readLoggedDeliveries(sql`${latestDeliveriesSql(sql, filter, limit)}`),

    /** What happened first of all that waits for a subscription, unless that was deleted. It is the head of its lane. */
    findOldestWaiting: ({ operatorId, subscriptionId }: DeliveryFilter) =>
      readWaitingDelivery(sql`${oldestWaitingSql(sql, { operatorId, subscriptionId })}`),

    /**
     * Sends settled deliveries again, each under the id it had, and answers how many. What still waits goes anyway;
     * what belongs to a deleted subscription goes nowhere.
     */
    replay: Effect.fnUntraced(function* (filter: DeliveryFilter, now: Date) {
      let count = 0
      let lastReplayed: ReplayedDelivery | undefined = { operator_id: 0, event_id: 0, subscription_id: 0 }
      while (lastReplayed !== undefined) {
        const page: ReadonlyArray<ReplayedDelivery> = yield* readReplayedDeliveries(
          replayPage(sql, filter, lastReplayed, now)
        )
        count += page.length
        lastReplayed = page.length < REPLAY_BATCH_ROWS ? undefined : page.at(-1)
      }
      return count
    })
  }))
}) {
  static readonly layer = Layer.effect(DeliveryLog, DeliveryLog.make)
}
