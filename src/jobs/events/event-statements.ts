import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { traceparentSql } from "../../platform/database/traceparent-sql.ts"
import { nextRowsCondition, type RetentionChange } from "../retention.ts"

/** The fields of each event (specification, Events). `event` and `timestamp` are added on delivery. */
export interface EventFields {
  readonly reservation_created: StayEventFields
  readonly reservation_updated: StayEventFields & { readonly sub_event?: string }
  readonly property_availability_updated: {
    readonly property_id: number
    readonly availabilities: ReadonlyArray<{ readonly date: string; readonly available: boolean }>
  }
  readonly listing_calendar_updated: {
    readonly channel_type: string
    readonly listing_id: string
    readonly start_date: string
    readonly end_date: string
  }
  readonly message_created: { readonly conversation_id: string; readonly message_id: string }
  readonly review_created: StayEventFields
  readonly review_updated: StayEventFields
  readonly transaction_created: { readonly transaction_id: number }
  readonly transaction_updated: { readonly transaction_id: number }
  readonly transaction_deleted: { readonly transaction_id: number }
}

interface StayEventFields {
  readonly reservation_code: string
  readonly stay_code: string
  readonly property_id: number
}

export type EventName = keyof EventFields

/** In the order of the specification. */
export const EVENT_NAMES = [
  "reservation_created",
  "reservation_updated",
  "property_availability_updated",
  "listing_calendar_updated",
  "message_created",
  "review_created",
  "review_updated",
  "transaction_created",
  "transaction_updated",
  "transaction_deleted"
] as const satisfies ReadonlyArray<EventName>

/**
 * Returns an INSERT of events for a CTE of the statement that makes the change. So the event exists exactly if the
 * change does.
 *
 * - `from`: the CTE or table expression of the changed rows, with `operator_id`. Each row gets one event.
 * - `record`: deliveries about one record keep their order.
 *
 * The statement must contain the CTE of {@link traceCteSql} before it.
 */
export const recordEventSql = <Name extends EventName>(
  sql: SqlClient,
  name: Name,
  options: {
    readonly from: Fragment
    readonly record: Fragment
    readonly fields: { readonly [Field in keyof EventFields[Name]]: Fragment }
    readonly at: Date
  }
): Fragment => {
  const fields = Object.entries<Fragment | undefined>(options.fields).flatMap(([field, value]) =>
    value === undefined ? [] : [sql`${sql.literal(`'${field}'`)}, ${value}`]
  )
  return sql`
    INSERT INTO events (operator_id, event, record, payload, queued_at, traceparent)
    SELECT operator_id, ${name}, ${options.record}, jsonb_build_object(${sql.csv(fields)}), ${options.at}::timestamptz,
      ${traceparentSql(sql)}
    FROM ${options.from}`
}

/**
 * `batch` is a CTE with the ctid (`place`) of each event and its number `nth` (1, 2, …). The last condition skips
 * events that another process has dispatched. With `fanned_out_at IS NULL` instead, PostgreSQL could read all
 * undispatched events.
 */
export const dispatchEventsSql = (sql: SqlClient, batch: Fragment, now: Date): Fragment => sql`
  WITH given AS MATERIALIZED (${assignPositionsSql(sql, batch, now)})
  UPDATE events e SET fanned_out_at = ${now}, position = given.before + each.nth
  FROM given, ${batch} each
  WHERE e.ctid = ANY (ARRAY(SELECT place FROM ${batch})) AND each.place = e.ctid
    AND coalesce(e.fanned_out_at, 'infinity') = 'infinity'`

/**
 * Reserves one position per event, after `before`. Only one process at a time may run it. A position is at least the
 * current time in microseconds, so a database restored from an older dump never reuses a position that a consumer has
 * stored.
 */
const assignPositionsSql = (sql: SqlClient, batch: Fragment, now: Date): Fragment => sql`
  SELECT setval('event_positions', events + greatest(
      coalesce(pg_sequence_last_value('event_positions'), 0),
      floor(extract(epoch FROM ${now}::timestamptz) * 1000000)::bigint)) - events AS before
  FROM (SELECT count(*) AS events FROM ${batch}) counted WHERE events > 0`

/** Selects the position up to which retention has deleted events of the operator, or 0. */
export const deletedUpToSql = (sql: SqlClient, operator: Fragment): Fragment =>
  sql`coalesce((SELECT position FROM forgotten_events WHERE operator_id = ${operator}), 0)`

/**
 * Stores the last deleted position per operator, so that a consumer with an earlier position gets an error instead of
 * missing events.
 */
export const oldEventRetention = (sql: SqlClient, cutoff: Date, unneededCondition: Fragment): RetentionChange => ({
  change: sql`
    DELETE FROM events
    WHERE ${nextRowsCondition(
      sql,
      sql`SELECT ctid FROM events WHERE fanned_out_at <= ${cutoff} AND ${unneededCondition} ORDER BY fanned_out_at`
    )}`,
  returning: sql`operator_id, position`,
  sideStatement: sql`
    INSERT INTO forgotten_events AS f (operator_id, position)
    SELECT operator_id, max(position) FROM changed GROUP BY operator_id ORDER BY operator_id
    ON CONFLICT (operator_id) DO UPDATE SET position = excluded.position WHERE f.position < excluded.position`
})

export const undispatchedEventsSql = (sql: SqlClient, limit: number): Fragment =>
  sql`SELECT queued_at FROM events WHERE fanned_out_at IS NULL ORDER BY id LIMIT ${limit}`
