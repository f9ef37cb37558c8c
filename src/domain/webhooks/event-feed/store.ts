import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms } from "../../../changes/on-record.ts"
import { ValidationFailed } from "../../../contract/errors.ts"
import { acknowledging, removingConsumer, showingConsumers } from "../../../jobs/events/consumers.ts"
import { type EventName, forgottenUpTo } from "../../../jobs/events/events.ts"
import { rowUnless } from "../../../platform/database/constraints.ts"
import { type Givens, inForms, partOf, type Value, type Valued } from "../../../platform/database/forms.ts"
import { onlyRowOf, rowOf, rowsOf } from "../../../platform/database/rows.ts"
import { FEED_SCAN } from "../../../platform/limits.ts"
import type { OfOperator, OwnRow } from "../../own-row.ts"
import { knowsProperty } from "../../properties/properties/belonging.ts"
import type { Read } from "./rules.ts"

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

/** What is asked of the feed; what is undefined does not narrow it. */
export interface Wanted {
  readonly after: number | undefined
  readonly limit: number
  readonly types: ReadonlyArray<EventName> | undefined
  readonly property_id: number | undefined
}

const readFeed = rowsOf(
  Schema.Struct({
    forgotten: Schema.Int,
    start: Schema.Int,
    reached: Schema.NullOr(Schema.Int),
    beyond: Schema.Boolean,
    event: Schema.NullOr(EventRow)
  })
)
const readPlace = onlyRowOf(Schema.Struct({ forgotten: Schema.Int, position: Schema.NullOr(Schema.Int) }))
const readConsumers = rowsOf(ConsumerRow)
const readName = rowOf(Schema.Struct({ name: Schema.String }))

/** As the database writes it as JSON. */
const PutConsumer = Schema.Struct({
  ...ConsumerRow.fields,
  oldest_queued_at: Schema.NullOr(Schema.DateFromString)
})
const Put = Schema.Struct({ forgotten: Schema.Int, consumer: Schema.NullOr(PutConsumer) })

/** What came of an acknowledgement. */
export const Acknowledged = Schema.Struct({ consumer: PutConsumer })

const readPut = rowUnless(Put, ({ name, detail }) =>
  name === "event_consumer_limit"
    ? new ValidationFailed({ message: `event_consumer_limit: all ${detail} consumers are in use.` })
    : undefined
)

/** What is asked of whose feed; what is undefined does not narrow it. */
interface AskedFeed extends Wanted {
  readonly operatorId: number
}

/** How far a narrowed reading looks: FEED_SCAN events, or all there are. */
const reaching = (sql: SqlClient.SqlClient, operatorId: Value<number>): Fragment => sql`
  SELECT coalesce(last, (SELECT latest_feed_positions(${operatorId}, start, 1) FROM started), (SELECT start FROM started))
    AS reached, beyond
  FROM (
    SELECT min(position) AS last, count(*) = 2 AS beyond
    FROM started, feed_positions(${operatorId}, start, ${FEED_SCAN - 1}, 2) position
  ) end_of_scan`

/**
 * One more than fit on the page of what is asked for. A position is visible only with all that are before it, so no
 * reading passes over an event that is committed later.
 */
const reading = (
  sql: SqlClient.SqlClient,
  { operatorId, after = 0, limit, types, property_id }: Valued<AskedFeed>
): Fragment => {
  const isNarrowed = types !== undefined || property_id !== undefined
  const property = property_id === undefined ? null : partOf(property_id, String)
  const enough = partOf(limit, (rows) => rows + 1)
  return sql`
    WITH started AS MATERIALIZED (
      SELECT forgotten, greatest(forgotten, ${after}) AS start
      FROM (SELECT ${forgottenUpTo(sql, sql`${operatorId}`)} AS forgotten) oldest
    ), scanned AS MATERIALIZED (
      ${isNarrowed ? reaching(sql, operatorId) : sql`SELECT NULL::bigint AS reached, false AS beyond`}
    ), found AS (
      SELECT id, event, payload, queued_at, position
      FROM feed_events(${operatorId}, (SELECT start FROM started), ${isNarrowed ? FEED_SCAN : enough},
        ${types ?? null}::text[], ${property}::text, ${enough})
    )
    SELECT started.forgotten, started.start, scanned.reached, scanned.beyond, to_jsonb(found) AS event
    FROM started CROSS JOIN scanned LEFT JOIN found ON true
    ORDER BY found.position`
}

const toRead = (rows: Effect.Success<ReturnType<typeof readFeed>>): Read<EventRow> => {
  const [{ forgotten, start, reached, beyond } = NOTHING] = rows
  return { forgotten, start, reached, beyond, events: rows.flatMap(({ event }) => (event === null ? [] : [event])) }
}

// The statement always answers a row.
const NOTHING = { forgotten: 0, start: 0, reached: null, beyond: false }

const read = (sql: SqlClient.SqlClient) => {
  const statement = inForms(sql, (wanted: Givens<AskedFeed>) => reading(sql, wanted))
  return (operatorId: number, { after, limit, types, property_id }: Wanted) =>
    Effect.map(readFeed(statement({ operatorId, after, limit, types, property_id })), toRead)
}

/** The position of an event, null where there is none, and up to which position events were removed. */
const placeOfEvent = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId, id }: Givens<OwnRow>) => sql`
      SELECT ${forgottenUpTo(sql, sql`${operatorId}`)} AS forgotten,
        (SELECT position FROM events WHERE operator_id = ${operatorId} AND id = ${id}) AS position`
  )
  return (operatorId: number, id: number) => readPlace(statement({ operatorId, id }))
}

const consumers = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId }: Givens<OfOperator>) => sql`
      ${showingConsumers(sql, operatorId, sql`(SELECT * FROM event_consumers WHERE operator_id = ${operatorId})`)}
      ORDER BY c.name`
  )
  return (operatorId: number) => readConsumers(statement({ operatorId }))
}

interface Acknowledging extends OfOperator {
  readonly name: string
  readonly position: number
  readonly now: Date
}

/** Without a consumer nothing was changed: see `acknowledging`. Fails when the operator has no room for another. */
const put = (sql: SqlClient.SqlClient) => {
  const statement = onRecordInForms(sql, ({ operatorId, name, position, now }: Givens<Acknowledging>) => ({
    change: acknowledging(sql, operatorId, { name, position }, now),
    events: [],
    // An acknowledgement is read once and written for every page: the trail tells who made the consumer.
    touched: sql`
      SELECT operator_id, CASE WHEN is_new THEN 'event_consumer:' || name END AS record, '{}'::text[] AS fields
      FROM put`,
    outcome: sql`
      SELECT forgotten.position AS forgotten, to_jsonb(shown) AS consumer
      FROM forgotten LEFT JOIN (${showingConsumers(sql, operatorId, sql`put`)}) shown ON true`
  }))
  return (operatorId: number, consumer: { readonly name: string; readonly position: number }, now: Date) => {
    const { name, position } = consumer
    return readPut(statement({ operatorId, name, position, now }))
  }
}

const remove = (sql: SqlClient.SqlClient) => {
  const statement = onRecordInForms(sql, ({ operatorId, name }: Givens<OfOperator & { readonly name: string }>) => ({
    change: removingConsumer(sql, operatorId, name),
    events: [],
    touched: sql`SELECT operator_id, 'event_consumer:' || name AS record, '{}'::text[] AS fields FROM removed`,
    outcome: sql`SELECT name FROM removed`
  }))
  return (operatorId: number, name: string) => readName(statement({ operatorId, name }))
}

/** How the family reads the feed and keeps its consumers; the statements that write are src/jobs/events/consumers.ts. */
export class FeedStore extends Context.Service<FeedStore>()("latchkey/resources/FeedStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    read: read(sql),
    placeOfEvent: placeOfEvent(sql),
    knowsProperty: knowsProperty(sql),
    consumers: consumers(sql),
    put: put(sql),
    remove: remove(sql)
  }))
}) {
  static readonly layer = Layer.effect(FeedStore, FeedStore.make)
}
