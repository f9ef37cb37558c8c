import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { BACKLOG_COUNT_LIMIT } from "../../../jobs/backlog-statements.ts"
import { dispatchEventsSql, undispatchedEventsSql } from "../../../jobs/events/event-statements.ts"
import { type InternalSubscriber, InternalSubscribers } from "../../../jobs/events/internal-subscribers.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"

export const eventBacklog = [
  {
    kind: "events" as const,
    statement: (sql: SqlClient.SqlClient) => sql`
      SELECT count(*) AS due, min(queued_at) AS oldest_at
      FROM (${undispatchedEventsSql(sql, BACKLOG_COUNT_LIMIT + 1)}) waiting`
  }
]

export const DISPATCH_BATCH_EVENTS = 200
/** Must be unique among the database's advisory locks. */
const DISPATCH_LOCK_KEY = 7_012_027

const DispatchResult = Schema.Struct({
  events: Schema.Int,
  deliveries: Schema.Int,
  followed: Schema.Int,
  operators: Schema.Array(Schema.Int)
})
/** `followed` counts the jobs that internal subscribers created. */
type DispatchResult = typeof DispatchResult.Type

const readDispatchResult = makeOptionalRowReader(DispatchResult)

const NOTHING_DISPATCHED: DispatchResult = { events: 0, deliveries: 0, followed: 0, operators: [] }

/**
 * One statement dispatches events to the feed, webhook subscriptions and internal subscribers. So a crash loses or
 * repeats nothing.
 *
 * Only one process dispatches at a time, which keeps the events of a record in order. The others dispatch nothing and
 * poll again.
 */
export class EventDispatcher extends Context.Service<
  EventDispatcher,
  {
    readonly dispatchNext: (now: Date) => Effect.Effect<DispatchResult>
  }
>()("latchkey/domain/webhooks/deliveries/EventDispatcher") {
  static readonly layer = Layer.effect(
    EventDispatcher,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const subscribers = yield* InternalSubscribers
      return {
        dispatchNext: (now) =>
          Effect.map(
            readDispatchResult(sql`${dispatchToAllSql(sql, now, subscribers)}`),
            (row) => row ?? NOTHING_DISPATCHED
          )
      }
    })
  )
}

// The statement's snapshot may be older than its lock, so the update checks again that an event is undispatched.
const dispatchToAllSql = (
  sql: SqlClient.SqlClient,
  now: Date,
  subscribers: ReadonlyArray<InternalSubscriber>
): Fragment => {
  const projections = subscribers.map((makeSubscriberSql, index) => ({
    name: sql.literal(`following_${index}`),
    statement: makeSubscriberSql(sql, sql`fanned`, now)
  }))
  const ctes = projections.map(({ name, statement }) => sql`, ${name} AS (${statement})`)
  const projectionCounts = projections.map(({ name }) => sql` + (SELECT count(*) FROM ${name})`)
  return sql`
    WITH turn AS MATERIALIZED (
      SELECT pg_try_advisory_xact_lock(${DISPATCH_LOCK_KEY}) AS mine
    ), batch AS MATERIALIZED (
      SELECT place, row_number() OVER (ORDER BY id) AS nth
      FROM (
        SELECT ctid AS place, id FROM events
        WHERE fanned_out_at IS NULL AND (SELECT mine FROM turn)
        ORDER BY id LIMIT ${DISPATCH_BATCH_EVENTS}
      ) oldest
    ), fanned AS (
      ${dispatchEventsSql(sql, sql`batch`, now)} RETURNING e.operator_id, e.id, e.event, e.record, e.payload,
        e.traceparent
    ), queued AS (
      INSERT INTO webhook_deliveries (operator_id, event_id, subscription_id, record, due_at)
      SELECT fanned.operator_id, fanned.id, s.id, fanned.record, ${now}::timestamptz
      FROM fanned
      JOIN webhook_subscriptions s ON s.operator_id = fanned.operator_id AND s.deleted_at IS NULL
        AND fanned.event = ANY (s.events) AND fanned.id <> ALL (s.older_events)
      ON CONFLICT DO NOTHING
      RETURNING 1
    )${sql.join("", false)(ctes)}
    SELECT (SELECT count(*) FROM fanned) AS events, (SELECT count(*) FROM queued) AS deliveries,
      0${sql.join("", false)(projectionCounts)} AS followed, ARRAY(SELECT DISTINCT operator_id FROM fanned) AS operators`
}
