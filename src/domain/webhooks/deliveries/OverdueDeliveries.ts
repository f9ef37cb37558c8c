import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { repeatPeriodically } from "../../../jobs/WorkSchedule.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { dueSubscriptionsSql } from "./due-subscriptions.ts"
import { subscriptionActiveCondition } from "./subscription-statements.ts"

export const OVERDUE_AFTER_MS = 60_000
export const OVERDUE_POLL_MS = 60_000
export const MAX_OVERDUE_WARNINGS = 20
export const OVERDUE_COUNT_LIMIT = 1_000

const OverdueSubscription = Schema.Struct({
  operator_id: Schema.Int,
  subscription_id: Schema.Int,
  due_at: Schema.Date,
  /** Counted up to {@link OVERDUE_COUNT_LIMIT}. */
  waiting: Schema.Int
})

const readOverdueSubscriptions = makeRowsReader(OverdueSubscription)

/** Excludes subscriptions that are paused or in cooldown. */
export class OverdueDeliveries extends Context.Service<
  OverdueDeliveries,
  {
    /** At most {@link MAX_OVERDUE_WARNINGS}, oldest first. */
    readonly findOverdueSubscriptions: (now: Date) => Effect.Effect<ReadonlyArray<typeof OverdueSubscription.Type>>
  }
>()("latchkey/domain/webhooks/deliveries/OverdueDeliveries") {
  static readonly layer = Layer.effect(
    OverdueDeliveries,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      findOverdueSubscriptions: (now) => readOverdueSubscriptions(overdueSubscriptionsSql(sql, now))
    }))
  )
}

const overdueSubscriptionsSql = (sql: SqlClient.SqlClient, now: Date) => sql`
  WITH RECURSIVE ${dueSubscriptionsSql(sql)}, overdue AS MATERIALIZED (
    SELECT with_work.operator_id, with_work.subscription_id, oldest.due_at
    FROM with_work
    JOIN webhook_subscriptions s ON s.operator_id = with_work.operator_id AND s.id = with_work.subscription_id
    CROSS JOIN LATERAL (
      SELECT due_at FROM webhook_lanes
      WHERE operator_id = s.operator_id AND subscription_id = s.id AND event_id > 0
      ORDER BY due_at, event_id LIMIT 1) oldest
    WHERE s.deleted_at IS NULL AND ${subscriptionActiveCondition(sql)} AND oldest.due_at <= ${new Date(now.getTime() - OVERDUE_AFTER_MS)}
    ORDER BY oldest.due_at LIMIT ${MAX_OVERDUE_WARNINGS}
  )
  SELECT operator_id, subscription_id, due_at, (
    SELECT count(*) FROM (
      SELECT FROM webhook_deliveries d
      WHERE d.operator_id = overdue.operator_id AND d.subscription_id = overdue.subscription_id AND d.state = 'waiting'
      LIMIT ${OVERDUE_COUNT_LIMIT}) counted) AS waiting
  FROM overdue ORDER BY due_at`

export const warnOfOverdueDeliveries = Effect.fnUntraced(function* (now: Date) {
  const { findOverdueSubscriptions } = yield* OverdueDeliveries
  for (const { operator_id, subscription_id, due_at, waiting } of yield* findOverdueSubscriptions(now)) {
    const age = Math.floor((now.getTime() - due_at.getTime()) / 1000)
    yield* Effect.logWarning("webhook deliveries are overdue").pipe(
      Effect.annotateLogs({ operator_id, webhook_id: subscription_id, age_seconds: age, waiting })
    )
  }
})

export const watchOverdueDeliveries = repeatPeriodically(
  "looking for overdue deliveries",
  OVERDUE_POLL_MS,
  warnOfOverdueDeliveries
)
