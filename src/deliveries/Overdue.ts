import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { again } from "../background/again.ts"
import { rowsOf } from "../database/rows.ts"
import {
  WEBHOOK_OVERDUE_COUNTED,
  WEBHOOK_OVERDUE_LINES,
  WEBHOOK_OVERDUE_LOOK_MS,
  WEBHOOK_OVERDUE_MS
} from "../limits.ts"
import { withWork } from "./with-work.ts"

const OverdueSubscription = Schema.Struct({
  operatorId: Schema.Int,
  subscriptionId: Schema.Int,
  /** Since when its oldest due delivery could have gone. */
  dueAt: Schema.Date,
  /** All that waits for it, held back or not; counted up to WEBHOOK_OVERDUE_COUNTED. */
  waiting: Schema.Int
})

const readOverdue = rowsOf(OverdueSubscription)

/**
 * Subscriptions that fall behind: something is due for WEBHOOK_OVERDUE_MS and has not gone. Either more happens than the
 * receiver keeps up with, or no worker gets to it. One that rests or is paused is left out: it waits by design.
 */
export class Overdue extends Context.Service<
  Overdue,
  {
    /** The ones that are furthest behind, up to WEBHOOK_OVERDUE_LINES. */
    readonly find: (now: Date) => Effect.Effect<ReadonlyArray<typeof OverdueSubscription.Type>>
  }
>()("latchkey/deliveries/Overdue") {
  static readonly layer = Layer.effect(
    Overdue,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const find = (now: Date) =>
        readOverdue(sql`
          WITH RECURSIVE ${withWork(sql)}, overdue AS MATERIALIZED (
            SELECT s.operator_id, s.id, oldest.due_at
            FROM with_work
            JOIN webhook_subscriptions s ON s.operator_id = with_work.operator_id AND s.id = with_work.subscription_id
            CROSS JOIN LATERAL (
              SELECT due_at FROM webhook_lanes
              WHERE operator_id = s.operator_id AND subscription_id = s.id AND event_id > 0
              ORDER BY due_at, event_id LIMIT 1) oldest
            WHERE s.deleted_at IS NULL AND s.health->>'state' IN ('healthy', 'failing')
              AND oldest.due_at <= ${new Date(now.getTime() - WEBHOOK_OVERDUE_MS)}
            ORDER BY oldest.due_at LIMIT ${WEBHOOK_OVERDUE_LINES}
          )
          SELECT operator_id AS "operatorId", id AS "subscriptionId", due_at AS "dueAt", (
            SELECT count(*) FROM (
              SELECT FROM webhook_deliveries d
              WHERE d.operator_id = overdue.operator_id AND d.subscription_id = overdue.id AND d.state = 'waiting'
              LIMIT ${WEBHOOK_OVERDUE_COUNTED}) counted) AS waiting
          FROM overdue ORDER BY due_at`)
      return { find }
    })
  )
}

/** One warning for each subscription that is behind. */
export const warnOverdue = Effect.gen(function* () {
  const { find } = yield* Overdue
  const now = yield* Clock.currentTimeMillis
  for (const { operatorId, subscriptionId, dueAt, waiting } of yield* find(new Date(now))) {
    const age = Math.floor((now - dueAt.getTime()) / 1000)
    yield* Effect.logWarning("webhook deliveries are overdue").pipe(
      Effect.annotateLogs({ operator_id: operatorId, webhook_id: subscriptionId, age_seconds: age, waiting })
    )
  }
})

/** Warns from time to time, until the scope closes. */
export const watching = Effect.forkScoped(
  again("looking for what is overdue", Effect.andThen(Effect.sleep(WEBHOOK_OVERDUE_LOOK_MS), warnOverdue))
)
