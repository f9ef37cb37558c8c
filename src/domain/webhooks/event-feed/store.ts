import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { ValidationFailed } from "../../../contract/errors.ts"
import { acknowledgeEventsSql, consumerStatusSql, deleteConsumerSql } from "../../../jobs/events/consumer-statements.ts"
import { deletedUpToSql, type EventName } from "../../../jobs/events/event-statements.ts"
import { makeRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { makeOptionalRowReader, makeRowsReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { FEED_EVENTS_SCANNED } from "../../../platform/limits.ts"
import { makeCheckPropertyExists } from "../../properties/properties/ownership.ts"
import type { FeedScan } from "./rules.ts"

const EventRow = Schema.Struct({
  id: Schema.Int,
  event: Schema.String,
  payload: Schema.Record(Schema.String, Schema.Json),
  queued_at: Schema.DateFromString,
  position: Schema.Int
})
export type EventRow = typeof EventRow.Type

const ConsumerRow = Schema.Struct({
  name: Schema.String,
  position: Schema.Int,
  lag: Schema.Int,
  oldest_queued_at: Schema.NullOr(Schema.Date)
})
export type ConsumerRow = typeof ConsumerRow.Type

export interface FeedQuery {
  readonly after: number | undefined
  readonly limit: number
  readonly types: ReadonlyArray<EventName> | undefined
  readonly property_id: number | undefined
}

const readFeedRows = makeRowsReader(
  Schema.Struct({
    forgotten: Schema.Int,
    start: Schema.Int,
    reached: Schema.NullOr(Schema.Int),
    beyond: Schema.Boolean,
    event: Schema.NullOr(EventRow)
  })
)
const EventPosition = Schema.Struct({ forgotten: Schema.Int, position: Schema.NullOr(Schema.Int) })
type EventPosition = typeof EventPosition.Type
const readEventPosition = makeSingleRowReader(EventPosition)
const readConsumers = makeRowsReader(ConsumerRow)
const readConsumerName = makeOptionalRowReader(Schema.Struct({ name: Schema.String }))

const ConsumerJsonRow = Schema.Struct({
  ...ConsumerRow.fields,
  oldest_queued_at: Schema.NullOr(Schema.DateFromString)
})
const PutConsumerRow = Schema.Struct({ forgotten: Schema.Int, consumer: Schema.NullOr(ConsumerJsonRow) })
type PutConsumerRow = typeof PutConsumerRow.Type

export const ConsumerAcknowledgement = Schema.Struct({ consumer: ConsumerJsonRow })

const readPutConsumer = makeRowReaderOrFail(PutConsumerRow, ({ name, detail }) =>
  name === "event_consumer_limit"
    ? new ValidationFailed({ message: `event_consumer_limit: all ${detail} consumers are in use.` })
    : undefined
)

interface FeedQueryParameters extends FeedQuery {
  readonly operatorId: number
}

const scanEndSql = (sql: SqlClient.SqlClient, operatorId: number): Fragment => sql`
  SELECT coalesce(last, (SELECT latest_feed_positions(${operatorId}, start, 1) FROM started), (SELECT start FROM started))
    AS reached, beyond
  FROM (
    SELECT min(position) AS last, count(*) = 2 AS beyond
    FROM started, feed_positions(${operatorId}, start, ${FEED_EVENTS_SCANNED - 1}, 2) position
  ) end_of_scan`

/**
 * A position becomes visible only together with all earlier ones, so a reader never skips an event that commits later.
 */
const feedScanSql = (
  sql: SqlClient.SqlClient,
  { operatorId, after = 0, limit, types, property_id }: FeedQueryParameters
): Fragment => {
  const isNarrowed = types !== undefined || property_id !== undefined
  const property = property_id === undefined ? null : String(property_id)
  const rowLimit = limit + 1
  return sql`
    WITH started AS MATERIALIZED (
      SELECT forgotten, greatest(forgotten, ${after}) AS start
      FROM (SELECT ${deletedUpToSql(sql, sql`${operatorId}`)} AS forgotten) oldest
    ), scanned AS MATERIALIZED (
      ${isNarrowed ? scanEndSql(sql, operatorId) : sql`SELECT NULL::bigint AS reached, false AS beyond`}
    ), found AS (
      SELECT id, event, payload, queued_at, position
      FROM feed_events(${operatorId}, (SELECT start FROM started), ${isNarrowed ? FEED_EVENTS_SCANNED : rowLimit},
        ${types ?? null}::text[], ${property}::text, ${rowLimit})
    )
    SELECT started.forgotten, started.start, scanned.reached, scanned.beyond, to_jsonb(found) AS event
    FROM started CROSS JOIN scanned LEFT JOIN found ON true
    ORDER BY found.position`
}

const toFeedScan = (rows: Effect.Success<ReturnType<typeof readFeedRows>>): FeedScan<EventRow> => {
  const [{ forgotten, start, reached, beyond } = EMPTY_SCAN_ROW] = rows
  return {
    deletedUpTo: forgotten,
    start,
    reachedPosition: reached,
    hasMore: beyond,
    events: rows.flatMap(({ event }) => (event === null ? [] : [event]))
  }
}

// Needed only for the types, because the statement always returns a row.
const EMPTY_SCAN_ROW = { forgotten: 0, start: 0, reached: null, beyond: false }

const scanFeed =
  (sql: SqlClient.SqlClient) =>
  (operatorId: number, { after, limit, types, property_id }: FeedQuery) =>
    Effect.map(readFeedRows(sql`${feedScanSql(sql, { operatorId, after, limit, types, property_id })}`), toFeedScan)

const findEventPosition = (sql: SqlClient.SqlClient) => (operatorId: number, id: number) =>
  readEventPosition(sql`
      SELECT ${deletedUpToSql(sql, sql`${operatorId}`)} AS forgotten,
        (SELECT position FROM events WHERE operator_id = ${operatorId} AND id = ${id}) AS position`)

const listConsumers = (sql: SqlClient.SqlClient) => (operatorId: number) =>
  readConsumers(sql`
      ${consumerStatusSql(sql, operatorId, sql`(SELECT * FROM event_consumers WHERE operator_id = ${operatorId})`)}
      ORDER BY c.name`)

const putConsumer =
  (sql: SqlClient.SqlClient) =>
  (operatorId: number, consumer: { readonly name: string; readonly position: number }, now: Date) => {
    const { name, position } = consumer
    return readPutConsumer(
      recordChange(sql, {
        change: acknowledgeEventsSql(sql, operatorId, { name, position }, now),
        events: [],
        // Consumers acknowledge often, so the audit log records only their creation.
        changedRecords: sql`
          SELECT operator_id, CASE WHEN is_new THEN 'event_consumer:' || name END AS record, '{}'::text[] AS fields
          FROM put`,
        outcome: sql`
          SELECT forgotten.position AS forgotten, to_jsonb(shown) AS consumer
          FROM forgotten LEFT JOIN (${consumerStatusSql(sql, operatorId, sql`put`)}) shown ON true`
      })
    )
  }

const removeConsumer = (sql: SqlClient.SqlClient) => (operatorId: number, name: string) =>
  readConsumerName(
    recordChange(sql, {
      change: deleteConsumerSql(sql, operatorId, name),
      events: [],
      changedRecords: sql`SELECT operator_id, 'event_consumer:' || name AS record, '{}'::text[] AS fields FROM removed`,
      outcome: sql`SELECT name FROM removed`
    })
  )

const makeEventFeedStore = Effect.map(SqlClient.SqlClient, (sql) => ({
  scanFeed: scanFeed(sql),
  findEventPosition: findEventPosition(sql),
  checkPropertyExists: makeCheckPropertyExists(sql),
  listConsumers: listConsumers(sql),
  putConsumer: putConsumer(sql),
  removeConsumer: removeConsumer(sql)
}))

export class EventFeedStore extends Context.Service<
  EventFeedStore,
  {
    readonly scanFeed: (operatorId: number, query: FeedQuery) => Effect.Effect<FeedScan<EventRow>>
    /** `position` is null if there is no such event. Events up to `forgotten` are deleted. */
    readonly findEventPosition: (operatorId: number, id: number) => Effect.Effect<EventPosition>
    readonly checkPropertyExists: (operatorId: number, propertyId: number) => Effect.Effect<boolean>
    readonly listConsumers: (operatorId: number) => Effect.Effect<ReadonlyArray<ConsumerRow>>
    /** `consumer` is null if nothing changed. */
    readonly putConsumer: (
      operatorId: number,
      consumer: { readonly name: string; readonly position: number },
      now: Date
    ) => Effect.Effect<PutConsumerRow, ValidationFailed, CurrentActor>
    readonly removeConsumer: (
      operatorId: number,
      name: string
    ) => Effect.Effect<{ readonly name: string } | undefined, never, CurrentActor>
  }
>()("latchkey/domain/webhooks/event-feed/EventFeedStore") {
  static readonly layer = Layer.effect(EventFeedStore, makeEventFeedStore)
}
