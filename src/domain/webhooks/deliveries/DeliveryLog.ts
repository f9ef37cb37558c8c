import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { EVENT_NAMES } from "../../../jobs/events/event-statements.ts"
import { genericPlanParameter } from "../../../platform/database/parameters.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { WEBHOOK_TRIES_SHOWN } from "../../../platform/limits.ts"
import type { DeliveryKey } from "./delivery-message.ts"
import { makeVisibilityQuery, type SubscriptionViewer, viewerCondition } from "./subscription-viewer.ts"

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

/** `attempts` contains the latest {@link WEBHOOK_TRIES_SHOWN}, oldest first. */
export const LoggedDelivery = Schema.Struct({
  operator_id: Schema.Int,
  event_id: Schema.Int,
  subscription_id: Schema.Int,
  url: Schema.String,
  event: Schema.Literals(EVENT_NAMES),
  record: Schema.String,
  queued_at: Schema.Date,
  state: Schema.Literals(["waiting", "delivered", "dead"]),
  paused_reason: Schema.NullOr(Schema.String),
  due_at: Schema.Date,
  attempts: Schema.Array(LoggedAttempt)
})
export type LoggedDelivery = typeof LoggedDelivery.Type

export interface DeliveryFilter {
  readonly key?: DeliveryKey | undefined
  readonly operatorId?: number | undefined
  readonly viewer?: SubscriptionViewer | undefined
  readonly subscriptionId?: number | undefined
  readonly deadLettersOnly?: boolean | undefined
  readonly beforeEventId?: number | undefined
  /** `queuedUntil` is exclusive. */
  readonly queuedFrom?: Date | undefined
  readonly queuedUntil?: Date | undefined
}

const ReplayedDelivery = Schema.Struct({ operator_id: Schema.Int, event_id: Schema.Int, subscription_id: Schema.Int })
type ReplayedDelivery = typeof ReplayedDelivery.Type

const WaitingDelivery = Schema.Struct({ ...ReplayedDelivery.fields, queued_at: Schema.Date })
type WaitingDelivery = typeof WaitingDelivery.Type

const readLoggedDeliveries = makeRowsReader(LoggedDelivery)
const readWaitingDelivery = makeOptionalRowReader(WaitingDelivery)
const readReplayedDeliveries = makeRowsReader(ReplayedDelivery)

/** Refers to delivery `d`, event `e` and subscription `s`. */
const deliveryCondition = (sql: SqlClient.SqlClient, filter: DeliveryFilter): Fragment => {
  const conditions: Array<Fragment> = [sql`true`]
  if (filter.key !== undefined) {
    conditions.push(sql`d.event_id = ${filter.key.event_id} AND d.subscription_id = ${filter.key.subscription_id}`)
  }
  if (filter.operatorId !== undefined)
    conditions.push(sql`d.operator_id = ${genericPlanParameter(sql, "bigint", filter.operatorId)}`)
  if (filter.viewer !== undefined) conditions.push(viewerCondition(sql, filter.viewer))
  if (filter.subscriptionId !== undefined)
    conditions.push(sql`d.subscription_id = ${genericPlanParameter(sql, "bigint", filter.subscriptionId)}`)
  if (filter.deadLettersOnly === true) conditions.push(sql`d.state = 'dead'`)
  if (filter.beforeEventId !== undefined)
    conditions.push(sql`d.event_id < ${genericPlanParameter(sql, "bigint", filter.beforeEventId)}`)
  if (filter.queuedFrom !== undefined) conditions.push(sql`e.queued_at >= ${filter.queuedFrom}`)
  if (filter.queuedUntil !== undefined) conditions.push(sql`e.queued_at < ${filter.queuedUntil}`)
  return sql`${sql.and(conditions)}`
}

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
        ORDER BY attempt DESC LIMIT ${sql.literal(String(WEBHOOK_TRIES_SHOWN))}) a
    ), '[]') AS attempts
  FROM webhook_deliveries d ${deliveryJoins(sql)}
  WHERE ${deliveryCondition(sql, filter)}
  ORDER BY d.event_id DESC, d.subscription_id DESC LIMIT ${genericPlanParameter(sql, "bigint", limit)}`

export const makeListDeliveries =
  (sql: SqlClient.SqlClient) =>
  (filter: DeliveryFilter, limit: number): Effect.Effect<ReadonlyArray<LoggedDelivery>> =>
    readLoggedDeliveries(sql`${latestDeliveriesSql(sql, filter, limit)}`)

const oldestWaitingSql = (sql: SqlClient.SqlClient, filter: DeliveryFilter): Fragment => sql`
  SELECT d.operator_id, d.event_id, d.subscription_id, e.queued_at
  FROM webhook_lanes d ${deliveryJoins(sql)}
  WHERE s.deleted_at IS NULL AND ${deliveryCondition(sql, filter)}
  ORDER BY d.event_id LIMIT 1`

/** Pages by key, so that a delivery that completes again during the replay is not replayed twice. */
const replayPage = (sql: SqlClient.SqlClient, filter: DeliveryFilter, after: ReplayedDelivery, now: Date) =>
  recordChange(sql, {
    change: requeueSql(sql, filter, after, now),
    events: [],
    changedRecords: replayedRecordsSql(sql),
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
    UPDATE webhook_deliveries d SET ${requeuedColumnsSql(sql, now)}
    FROM chosen WHERE d.ctid = chosen.place
    RETURNING d.operator_id, d.event_id, d.subscription_id
  )`

const requeuedColumnsSql = (sql: SqlClient.SqlClient, now: Date): Fragment =>
  sql`state = 'waiting', due_at = ${now}, failures = 0, run = d.run + 1, settled_at = NULL`

const replayOne =
  (sql: SqlClient.SqlClient) =>
  (viewer: SubscriptionViewer, { event_id, subscription_id }: DeliveryKey, now: Date) =>
    Effect.map(
      readReplayedDeliveries(
        recordChange(sql, {
          change: sql`
            replayed AS (
              UPDATE webhook_deliveries d SET ${requeuedColumnsSql(sql, now)} FROM webhook_subscriptions s
              WHERE ${viewerCondition(sql, viewer)} AND d.operator_id = s.operator_id AND d.subscription_id = s.id
                AND d.event_id = ${event_id} AND s.id = ${subscription_id} AND d.settled_at IS NOT NULL
              RETURNING d.operator_id, d.event_id, d.subscription_id
            )`,
          events: [],
          changedRecords: replayedRecordsSql(sql),
          outcome: sql`SELECT * FROM replayed`
        })
      ),
      (replayed) => replayed.length > 0
    )

const replayedRecordsSql = (sql: SqlClient.SqlClient): Fragment => sql`
  SELECT DISTINCT operator_id, 'webhook:' || subscription_id AS record, '{deliveries}'::text[] AS fields FROM replayed`

const makeDeliveryLog = Effect.map(SqlClient.SqlClient, (sql) =>
  DeliveryLog.of({
    list: makeListDeliveries(sql),
    findOldestWaiting: ({ operatorId, subscriptionId }) =>
      readWaitingDelivery(sql`${oldestWaitingSql(sql, { operatorId, subscriptionId })}`),
    isWebhookVisible: makeVisibilityQuery(sql),
    replayOne: replayOne(sql),
    replay: Effect.fnUntraced(function* (filter, now) {
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
  })
)

/** Covers all operators, unless the filter names one. */
export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    readonly list: (filter: DeliveryFilter, limit: number) => Effect.Effect<ReadonlyArray<LoggedDelivery>>
    /** Ignores deleted subscriptions. */
    readonly findOldestWaiting: (
      filter: Pick<DeliveryFilter, "operatorId" | "subscriptionId">
    ) => Effect.Effect<WaitingDelivery | undefined>
    readonly isWebhookVisible: (viewer: SubscriptionViewer, id: number) => Effect.Effect<boolean | undefined>
    /** Returns false if the delivery is pending or its subscription is hidden from the viewer. */
    readonly replayOne: (
      viewer: SubscriptionViewer,
      key: DeliveryKey,
      now: Date
    ) => Effect.Effect<boolean, never, CurrentActor>
    /** Returns the number of replayed deliveries. Skips pending ones and deleted subscriptions. */
    readonly replay: (filter: DeliveryFilter, now: Date) => Effect.Effect<number, never, CurrentActor>
  }
>()("latchkey/domain/webhooks/deliveries/DeliveryLog") {
  static readonly layer = Layer.effect(
    DeliveryLog,
    Effect.suspend(() => makeDeliveryLog)
  )
}
