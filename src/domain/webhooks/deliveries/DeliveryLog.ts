import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecord } from "../../../changes/on-record.ts"
import { rowOf, rowsOf } from "../../../platform/database/rows.ts"
import { WEBHOOK_TRIES_SHOWN } from "../../../platform/limits.ts"
import type { DeliveryKey } from "./message.ts"

/** Deliveries one statement of a replay queues again. */
export const REPLAY_ROWS = 1_000

const LoggedTry = Schema.Struct({
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
  attempts: Schema.Array(LoggedTry)
})
export type LoggedDelivery = typeof LoggedDelivery.Type

/** Which deliveries are meant; what is undefined does not narrow it. */
export interface Wanted {
  readonly key?: DeliveryKey | undefined
  readonly operatorId?: number | undefined
  readonly subscriptionId?: number | undefined
  /** Dead letters only. */
  readonly dead?: boolean | undefined
  /** Of events before this one, by its id: the next page of a list. */
  readonly before?: number | undefined
  /** Of events queued from `from` on and before `until`. */
  readonly from?: Date | undefined
  readonly until?: Date | undefined
}

const Replayed = Schema.Struct({ operator_id: Schema.Int, event_id: Schema.Int, subscription_id: Schema.Int })
type Replayed = typeof Replayed.Type

const WaitingDelivery = Schema.Struct({ ...Replayed.fields, queued_at: Schema.Date })

const readLogged = rowsOf(LoggedDelivery)
const readWaiting = rowOf(WaitingDelivery)
const readReplayed = rowsOf(Replayed)

/** Conditions on delivery `d` and its event `e`. */
const isWanted = (sql: SqlClient.SqlClient, wanted: Wanted): Fragment => {
  const all = [sql`true`]
  if (wanted.key !== undefined) {
    all.push(sql`d.event_id = ${wanted.key.event_id} AND d.subscription_id = ${wanted.key.subscription_id}`)
  }
  if (wanted.operatorId !== undefined) all.push(sql`d.operator_id = ${wanted.operatorId}`)
  if (wanted.subscriptionId !== undefined) all.push(sql`d.subscription_id = ${wanted.subscriptionId}`)
  if (wanted.dead === true) all.push(sql`d.state = 'dead'`)
  if (wanted.before !== undefined) all.push(sql`d.event_id < ${wanted.before}`)
  if (wanted.from !== undefined) all.push(sql`e.queued_at >= ${wanted.from}`)
  if (wanted.until !== undefined) all.push(sql`e.queued_at < ${wanted.until}`)
  return sql`${sql.and(all)}`
}

/** The event `e` and the subscription `s` of delivery `d`. */
const joined = (sql: SqlClient.SqlClient): Fragment => sql`
  JOIN events e ON e.operator_id = d.operator_id AND e.id = d.event_id
  JOIN webhook_subscriptions s ON s.operator_id = d.operator_id AND s.id = d.subscription_id`

const latest = (sql: SqlClient.SqlClient, wanted: Wanted, most: number): Fragment => sql`
  SELECT d.operator_id, d.event_id, d.subscription_id, s.url, s.paused_reason, e.event, d.record, e.queued_at, d.state,
    d.due_at,
    coalesce((
      SELECT jsonb_agg(to_jsonb(a) ORDER BY a.attempt) FROM (
        SELECT * FROM webhook_attempts
        WHERE operator_id = d.operator_id AND event_id = d.event_id AND subscription_id = d.subscription_id
        ORDER BY attempt DESC LIMIT ${WEBHOOK_TRIES_SHOWN}) a
    ), '[]') AS attempts
  FROM webhook_deliveries d ${joined(sql)}
  WHERE ${isWanted(sql, wanted)}
  ORDER BY d.event_id DESC, d.subscription_id DESC LIMIT ${most}`

const oldest = (sql: SqlClient.SqlClient, wanted: Wanted): Fragment => sql`
  SELECT d.operator_id, d.event_id, d.subscription_id, e.queued_at
  FROM webhook_lanes d ${joined(sql)}
  WHERE s.deleted_at IS NULL AND ${isWanted(sql, wanted)}
  ORDER BY d.event_id LIMIT 1`

/** One page of a replay: the keys in order after the last one's, so that what is delivered meanwhile stays so. */
const replaying = (sql: SqlClient.SqlClient, wanted: Wanted, after: Replayed, now: Date) =>
  onRecord(sql, {
    change: queuedAgain(sql, wanted, after, now),
    events: [],
    touched: sql`
      SELECT DISTINCT operator_id, 'webhook:' || subscription_id AS record, '{deliveries}'::text[] AS fields
      FROM replayed`,
    outcome: sql`SELECT * FROM replayed ORDER BY operator_id, event_id, subscription_id`
  })

const queuedAgain = (sql: SqlClient.SqlClient, wanted: Wanted, after: Replayed, now: Date): Fragment => sql`
  chosen AS (
    SELECT d.ctid AS place FROM webhook_deliveries d ${joined(sql)}
    WHERE d.settled_at IS NOT NULL AND s.deleted_at IS NULL AND ${isWanted(sql, wanted)}
      AND (d.operator_id, d.event_id, d.subscription_id) > (${after.operator_id}::bigint, ${after.event_id}::bigint,
        ${after.subscription_id}::bigint)
    ORDER BY d.operator_id, d.event_id, d.subscription_id LIMIT ${REPLAY_ROWS} FOR UPDATE OF d
  ), replayed AS (
    UPDATE webhook_deliveries d
    SET state = 'waiting', due_at = ${now}, failures = 0, run = d.run + 1, settled_at = NULL
    FROM chosen WHERE d.ctid = chosen.place
    RETURNING d.operator_id, d.event_id, d.subscription_id
  )`

/** What whoever runs the service, and a host of their own, see of deliveries and send again. All operators', unless one is named. */
export class DeliveryLog extends Context.Service<DeliveryLog>()("latchkey/deliveries/DeliveryLog", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** The latest `most`, the latest first. */
    list: (wanted: Wanted, most: number) => readLogged(sql`${latest(sql, wanted, most)}`),

    /** What happened first of all that waits for a subscription, unless that was deleted. It is the head of its lane. */
    oldestWaiting: ({ operatorId, subscriptionId }: Wanted) =>
      readWaiting(sql`${oldest(sql, { operatorId, subscriptionId })}`),

    /**
     * Sends settled deliveries again, each under the id it had, and answers how many. What still waits goes anyway;
     * what belongs to a deleted subscription goes nowhere.
     */
    replay: Effect.fnUntraced(function* (wanted: Wanted, now: Date) {
      let count = 0
      let last: Replayed | undefined = { operator_id: 0, event_id: 0, subscription_id: 0 }
      while (last !== undefined) {
        const page: ReadonlyArray<Replayed> = yield* readReplayed(replaying(sql, wanted, last, now))
        count += page.length
        last = page.length < REPLAY_ROWS ? undefined : page.at(-1)
      }
      return count
    })
  }))
}) {
  static readonly layer = Layer.effect(DeliveryLog, DeliveryLog.make)
}
