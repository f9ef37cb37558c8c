import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Value } from "../../platform/database/forms.ts"
import { traceparentSql } from "../../platform/database/traceparent-sql.ts"
import { nextRowsCondition, type RetentionChange } from "../retention.ts"

/** The ten events and their own fields (specification, Events). `event` and `timestamp` are added on delivery. */
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

/** All ten, in the order of the specification: what a subscription without a list of its own means. */
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
 * The part of a changing statement that records what happened, to be put in a CTE beside the change: the event
 * exists exactly if the change does, without a round trip or a transaction of its own.
 *
 * `from` names the CTE (or table expression) whose rows are the changes, with `operator_id` among its columns; one
 * event a row. `fields` are SQL expressions over those rows, one for each of the event's own fields; `record` tells
 * which record it is about, so that deliveries about one record keep their order. The statement has the CTE of
 * {@link traceCteSql} before.
 */
export const recordEventSql = <Name extends EventName>(
  sql: SqlClient,
  name: Name,
  options: {
    readonly from: Fragment
    readonly record: Fragment
    readonly fields: { readonly [Field in keyof EventFields[Name]]: Fragment }
    readonly at: Value<Date>
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
 * Marks events as handed out that are not yet, by where they lie, and gives each its position. `batch` names a CTE with
 * their places and their `nth` of 1, 2, …: the order they get positions in. It is worded so that no plan reads all that
 * waits for the second half, which holds on the row as it is now: another process may have been faster.
 */
export const dispatchEventsSql = (sql: SqlClient, batch: Fragment, now: Value<Date>): Fragment => sql`
  WITH given AS MATERIALIZED (${assignPositionsSql(sql, batch)})
  UPDATE events e SET fanned_out_at = ${now}, position = given.before + each.nth
  FROM given, ${batch} each
  WHERE e.ctid = ANY (ARRAY(SELECT place FROM ${batch})) AND each.place = e.ctid
    AND coalesce(e.fanned_out_at, 'infinity') = 'infinity'`

/**
 * As many positions as the batch has events: those after `before`. They are above all that were given up to now, and not
 * below the microseconds that the database's clock has counted since 1970: so a database that was restored from an older
 * dump gives none that somebody may hold already. Nothing is written for an empty batch. Only where one process at a time
 * runs it.
 */
const assignPositionsSql = (sql: SqlClient, batch: Fragment): Fragment => sql`
  SELECT setval('event_positions', events + greatest(
      coalesce(pg_sequence_last_value('event_positions'), 0),
      floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint)) - events AS before
  FROM (SELECT count(*) AS events FROM ${batch}) counted WHERE events > 0`

/** Up to which position events of the operator were removed, as an expression: the feed begins after it. */
export const deletedUpToSql = (sql: SqlClient, operator: Fragment): Fragment =>
  sql`coalesce((SELECT position FROM forgotten_events WHERE operator_id = ${operator}), 0)`

/**
 * Forgets events that were handed out by `cutoff`, the oldest first, and that nobody needs any more: `unneededCondition` is asked of
 * each. Beside it, up to which position they were: whoever has not read so far has missed some.
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

/** Events that are recorded and not handed out, up to `limit`, oldest first: when each was queued. */
export const undispatchedEventsSql = (sql: SqlClient, limit: number): Fragment =>
  sql`SELECT queued_at FROM events WHERE fanned_out_at IS NULL ORDER BY id LIMIT ${limit}`
