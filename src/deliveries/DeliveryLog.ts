import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { rowOf, rowsOf } from "../database/rows.ts"
import { WEBHOOK_REPLAY_ROWS } from "../limits.ts"
import type { DeliveryKey } from "./message.ts"

const LoggedAttempt = Schema.Struct({
  attempt: Schema.Int,
  startedAt: Schema.String,
  durationMs: Schema.Int,
  status: Schema.NullOr(Schema.Int),
  reason: Schema.NullOr(Schema.String),
  detail: Schema.NullOr(Schema.String),
  firstBytes: Schema.NullOr(Schema.String)
})

/** A delivery and what became of each of its tries, the first one first. */
export const LoggedDelivery = Schema.Struct({
  operatorId: Schema.Int,
  eventId: Schema.Int,
  subscriptionId: Schema.Int,
  url: Schema.String,
  event: Schema.String,
  record: Schema.String,
  queuedAt: Schema.Date,
  state: Schema.Literals(["waiting", "delivered", "dead"]),
  /** When a waiting one may go next. */
  dueAt: Schema.Date,
  attempts: Schema.Array(LoggedAttempt)
})
export type LoggedDelivery = typeof LoggedDelivery.Type

/** Which deliveries are meant; what is undefined does not narrow it. */
export interface Deliveries {
  readonly key?: DeliveryKey | undefined
  readonly operatorId?: number | undefined
  readonly subscriptionId?: number | undefined
  /** Dead letters only. */
  readonly dead?: boolean | undefined
  /** Of events queued from `from` on and before `until`. */
  readonly from?: Date | undefined
  readonly until?: Date | undefined
}

const WaitingDelivery = Schema.Struct({
  operatorId: Schema.Int,
  eventId: Schema.Int,
  subscriptionId: Schema.Int,
  queuedAt: Schema.Date
})

const ReplayedRow = Schema.Struct({ operatorId: Schema.Int, eventId: Schema.Int, subscriptionId: Schema.Int })

const readLogged = rowsOf(LoggedDelivery)
const readWaiting = rowOf(WaitingDelivery)
const readReplayed = rowsOf(ReplayedRow)

/** What whoever runs the service sees of deliveries, and sends again. All operators', unless one is named. */
export class DeliveryLog extends Context.Service<DeliveryLog>()("latchkey/deliveries/DeliveryLog", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Conditions on delivery `d` and its event `e`. */
    const conditions = (wanted: Deliveries): Fragment => {
      const all = [sql`true`]
      if (wanted.key !== undefined) {
        all.push(sql`d.event_id = ${wanted.key.eventId} AND d.subscription_id = ${wanted.key.subscriptionId}`)
      }
      if (wanted.operatorId !== undefined) all.push(sql`d.operator_id = ${wanted.operatorId}`)
      if (wanted.subscriptionId !== undefined) all.push(sql`d.subscription_id = ${wanted.subscriptionId}`)
      if (wanted.dead === true) all.push(sql`d.state = 'dead'`)
      if (wanted.from !== undefined) all.push(sql`e.queued_at >= ${wanted.from}`)
      if (wanted.until !== undefined) all.push(sql`e.queued_at < ${wanted.until}`)
      return sql`${sql.and(all)}`
    }

    /** The latest `most`, the latest first. */
    const list = (wanted: Deliveries, most: number) =>
      readLogged(sql`
        SELECT d.operator_id AS "operatorId", d.event_id AS "eventId", d.subscription_id AS "subscriptionId", s.url, e.event,
          d.record, e.queued_at AS "queuedAt", d.state, d.due_at AS "dueAt", coalesce((
            SELECT jsonb_agg(jsonb_build_object('attempt', a.attempt, 'startedAt', a.started_at, 'durationMs', a.duration_ms,
              'status', a.status, 'reason', a.reason, 'detail', a.detail, 'firstBytes', a.first_bytes) ORDER BY a.attempt)
            FROM webhook_attempts a
            WHERE a.operator_id = d.operator_id AND a.event_id = d.event_id AND a.subscription_id = d.subscription_id
          ), '[]') AS attempts
        FROM webhook_deliveries d
        JOIN events e ON e.operator_id = d.operator_id AND e.id = d.event_id
        JOIN webhook_subscriptions s ON s.operator_id = d.operator_id AND s.id = d.subscription_id
        WHERE ${conditions(wanted)}
        ORDER BY d.event_id DESC, d.subscription_id DESC LIMIT ${most}`)

    /** What happened first of all that waits for a subscription, unless that was deleted. It is the head of its lane. */
    const oldestWaiting = ({ operatorId, subscriptionId }: Deliveries) =>
      readWaiting(sql`
        SELECT d.operator_id AS "operatorId", d.event_id AS "eventId", d.subscription_id AS "subscriptionId",
          e.queued_at AS "queuedAt"
        FROM webhook_lanes d
        JOIN events e ON e.operator_id = d.operator_id AND e.id = d.event_id
        JOIN webhook_subscriptions s ON s.operator_id = d.operator_id AND s.id = d.subscription_id
        WHERE s.deleted_at IS NULL AND ${conditions({ operatorId, subscriptionId })}
        ORDER BY d.event_id LIMIT 1`)

    /** One page of a replay: the keys in order after the last one's, so that what is delivered meanwhile stays so. */
    const replayPage = (wanted: Deliveries, after: typeof ReplayedRow.Type, now: Date) =>
      readReplayed(sql`
        WITH chosen AS (
          SELECT d.ctid AS place FROM webhook_deliveries d
          JOIN events e ON e.operator_id = d.operator_id AND e.id = d.event_id
          JOIN webhook_subscriptions s ON s.operator_id = d.operator_id AND s.id = d.subscription_id
          WHERE d.settled_at IS NOT NULL AND s.deleted_at IS NULL AND ${conditions(wanted)}
            AND (d.operator_id, d.event_id, d.subscription_id) > (${after.operatorId}::bigint, ${after.eventId}::bigint,
              ${after.subscriptionId}::bigint)
          ORDER BY d.operator_id, d.event_id, d.subscription_id LIMIT ${WEBHOOK_REPLAY_ROWS} FOR UPDATE OF d
        ), replayed AS (
          UPDATE webhook_deliveries d
          SET state = 'waiting', due_at = ${now}, failures = 0, run = d.run + 1, settled_at = NULL
          FROM chosen WHERE d.ctid = chosen.place
          RETURNING d.operator_id, d.event_id, d.subscription_id
        )
        SELECT operator_id AS "operatorId", event_id AS "eventId", subscription_id AS "subscriptionId" FROM replayed
        ORDER BY operator_id, event_id, subscription_id`)

    /**
     * Sends settled deliveries again, each under the id it had, and answers how many. What still waits goes anyway;
     * what belongs to a deleted subscription goes nowhere.
     */
    const replay = Effect.fnUntraced(function* (wanted: Deliveries, now: Date) {
      let count = 0
      let last: typeof ReplayedRow.Type | undefined = { operatorId: 0, eventId: 0, subscriptionId: 0 }
      while (last !== undefined) {
        const page: ReadonlyArray<typeof ReplayedRow.Type> = yield* replayPage(wanted, last, now)
        count += page.length
        last = page.length < WEBHOOK_REPLAY_ROWS ? undefined : page.at(-1)
      }
      return count
    })

    return { list, oldestWaiting, replay }
  })
}) {
  static readonly layer = Layer.effect(DeliveryLog, DeliveryLog.make)
}
