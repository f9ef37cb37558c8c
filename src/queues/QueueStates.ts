import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { type Givens, inForms } from "../database/forms.ts"
import { rowsOf } from "../database/rows.ts"
import { withWork } from "../deliveries/loose-index-scan.ts"
import { isActive } from "../deliveries/subscriptions.ts"

/** Due rows of one queue that a look counts: of more it says this many. */
export const QUEUE_COUNTED = 10_000

/** The queues there are, each with what stands in it. */
export const QUEUES = {
  events: "what happened, to be handed to the feed, webhooks and whoever follows it",
  webhooks: "deliveries to receivers that neither rest nor are paused",
  pushes: "listings whose channel is to be told of days, prices or rules",
  messages: "conversations with a message to a guest that its channel is to be told",
  plans: "messages of rules",
  reviews: "reviews of rules",
  stays: "stays whose plans are to be worked out",
  answers: "conversations with a question that rules may answer",
  calendars: "calendars elsewhere that are to be fetched",
  comparisons: "listings whose calendar is to be compared with the channel's",
  knowledge: "knowledge bases that are to be prepared for search"
} as const

const KINDS = Struct.keys(QUEUES)

export type QueueKind = keyof typeof QUEUES

const QueueState = Schema.Struct({
  kind: Schema.Literals(KINDS),
  /** Rows that are due and in nobody's hands, counted up to {@link QUEUE_COUNTED}. */
  due: Schema.Int,
  /** Seconds the oldest of them has been due; null where none is. Of more than are counted, the oldest of those. */
  oldest_seconds: Schema.NullOr(Schema.Finite)
})
export type QueueState = typeof QueueState.Type

const read = rowsOf(QueueState)

/**
 * How much work waits that could be done now, and for how long: of every queue, in one statement. What a worker has in its
 * hands is not due until its lease ends, and what is tried again later is not due before. Nor does it count what nobody is to
 * do now: for receivers that rest, or hosts whose account is banned.
 */
export class QueueStates extends Context.Service<
  QueueStates,
  {
    /** One of each kind, in the order of {@link QUEUES}. */
    readonly look: (now: Date) => Effect.Effect<ReadonlyArray<QueueState>>
  }
>()("latchkey/queues/QueueStates") {
  static readonly layer = Layer.effect(
    QueueStates,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const statement = inForms(sql, (given: Givens<Look>) => looking(sql, given))
      return { look: (now) => read(statement({ now })) }
    })
  )
}

interface Look {
  readonly now: Date
}

const looking = (sql: SqlClient.SqlClient, { now }: Givens<Look>): Fragment => {
  const most = sql.literal(String(QUEUE_COUNTED))
  const due = (table: string, waits: Fragment, order = sql``) =>
    sql`SELECT due_at AS since FROM ${sql(table)} q WHERE due_at <= ${now}::timestamptz AND ${waits} ${order} LIMIT ${most}`
  const byTime = sql`ORDER BY due_at`
  const ofActive = sql`(SELECT o.status FROM operators o WHERE o.id = q.operator_id) = 'active'`
  const plans = (kind: "send_message" | "review") =>
    due("automation_plans", sql`state = 'waiting' AND kind = ${sql.literal(`'${kind}'`)} AND ${ofActive}`, byTime)
  const queues: Record<QueueKind, Fragment> = {
    events: sql`SELECT queued_at AS since FROM events WHERE fanned_out_at IS NULL ORDER BY id LIMIT ${most}`,
    webhooks: sql`
      SELECT lane.due_at AS since FROM with_work
      JOIN webhook_subscriptions s ON s.operator_id = with_work.operator_id AND s.id = with_work.subscription_id
      CROSS JOIN LATERAL (
        SELECT due_at FROM webhook_lanes
        WHERE operator_id = s.operator_id AND subscription_id = s.id AND due_at <= ${now}::timestamptz AND event_id > 0
        ORDER BY due_at, event_id LIMIT ${most}) lane
      WHERE s.deleted_at IS NULL AND ${isActive(sql)} LIMIT ${most}`,
    pushes: due("listing_lanes", sql`waiting > 0`),
    messages: due("message_lanes", sql`waiting > 0`),
    plans: plans("send_message"),
    reviews: plans("review"),
    stays: due("automation_stays", sql`true`, byTime),
    answers: due("answer_lanes", sql`waiting > 0 AND ${ofActive}`),
    calendars: due("imported_calendars", ofActive),
    comparisons: due(
      "listing_comparisons",
      sql`NOT EXISTS (SELECT FROM channel_accounts c
        WHERE c.operator_id = q.operator_id AND c.id = q.account_id AND c.auth_status = 'disconnected')`
    ),
    knowledge: due("knowledge_bases", sql`due_at < 'infinity'`)
  }
  const counted = KINDS.map(
    (kind, at) => sql`
      SELECT ${sql.literal(String(at))} AS at, ${sql.literal(`'${kind}'`)} AS kind, count(*) AS due,
        CASE WHEN count(*) > 0 THEN greatest(extract(epoch FROM ${now}::timestamptz - min(since)), 0) END::float8 AS oldest_seconds
      FROM (${queues[kind]}) due`
  )
  return sql`
    WITH RECURSIVE ${withWork(sql)}
    SELECT kind, due, oldest_seconds FROM (${sql.join(" UNION ALL ", false)(counted)}) counted ORDER BY at`
}
