import { Context, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import {
  changedRecordsSql,
  createdOrDeletedRecordsSql,
  prepareRecordedChange
} from "../../../changes/recorded-change.ts"
import type { DateRange } from "../../../contract/date-range.ts"
import { type Givens, inForms, type Valued } from "../../../platform/database/forms.ts"
import { reserveId } from "../../../platform/database/reserved-id.ts"
import { makeOptionalRowReader, makeRowsReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { CALENDAR_FEEDS_MAX } from "../../../platform/limits.ts"
import { CurrentSealer, openOrWarn, type SecretSealer } from "../../../platform/sealing/CurrentSealer.ts"
import { feedTokenBinding } from "../../../platform/sealing/sealed-columns.ts"
import { type OperatorScoped, withOperatorLock } from "../../operator-rows.ts"
import { propertyExistsCondition } from "../../properties/properties/ownership.ts"
import { findSecretUrlOwner, hashToken, type SecretUrlOwner } from "../../secret-urls.ts"
import { BusyDaysRow, READ_RECORD_INTERVAL_MS } from "./rules.ts"

type Sql = SqlClient.SqlClient

/** Who reads a property's days: the source of an imported calendar, or undefined: whoever has the property's own feed. */
export interface FeedRecipient extends OperatorScoped {
  readonly propertyId: number
  readonly calendarId: number | undefined
}

const FeedRow = Schema.Struct({ feed_id: Schema.Int, token: Schema.String })

const FeedByTokenRow = Schema.Struct({
  operator_id: Schema.Int,
  id: Schema.Int,
  property_id: Schema.Int,
  calendar_id: Schema.NullOr(Schema.Int),
  time_zone: Schema.String
})

const readFeed = makeOptionalRowReader(FeedRow)

/** Whether a row of feeds is the reader's. */
const feedOfRecipientCondition = (
  sql: Sql,
  { operatorId, propertyId, calendarId }: Valued<FeedRecipient>
): Fragment => sql`
  operator_id = ${operatorId} AND property_id = ${propertyId}
    AND ${calendarId === undefined ? sql`calendar_id IS NULL` : sql`calendar_id = ${calendarId}`}`

/** One of several that are shown together: `token` is undefined where it does not open. */
const openFeedToken = (seals: SecretSealer, operatorId: number, { feed_id, token }: typeof FeedRow.Type) =>
  Effect.map(openOrWarn(seals, feedTokenBinding(operatorId, feed_id), token), (opened) => ({ feed_id, token: opened }))

/** The feed of a reader as it is kept; undefined when there is none yet. */
const selectFeed = (sql: Sql) => {
  const statement = inForms(
    sql,
    (recipient: Givens<FeedRecipient>) =>
      sql`SELECT id AS feed_id, token FROM property_feeds WHERE ${feedOfRecipientCondition(sql, recipient)}`
  )
  return ({ operatorId, propertyId, calendarId }: FeedRecipient) =>
    readFeed(statement({ operatorId, propertyId, calendarId }))
}

/** The same with its token opened. */
const findFeed = (sql: Sql, seals: SecretSealer) => {
  const select = selectFeed(sql)
  return Effect.fnUntraced(function* (recipient: FeedRecipient) {
    const feed = yield* select(recipient)
    return feed === undefined ? undefined : yield* openFeedToken(seals, recipient.operatorId, feed)
  })
}

const readCreatedFeed = makeSingleRowReader(
  Schema.Struct({
    known: Schema.Boolean,
    calendar_known: Schema.Boolean,
    feed_id: Schema.NullOr(Schema.Int),
    token: Schema.NullOr(Schema.String)
  })
)

interface CreateFeedParameters extends FeedRecipient {
  /** To which the token is sealed. */
  readonly id: number
  /** As it is kept. */
  readonly token: string
  readonly digest: Uint8Array
  readonly now: Date
  readonly most: number
}

/** What a feed for the source of a calendar needs: the calendar, and room. Its own feed a property can always have. */
const sourceFeedConditions = (sql: Sql, { operatorId, propertyId, calendarId, most }: Givens<CreateFeedParameters>) => {
  if (calendarId === undefined) return { known: sql`true`, full: sql`false` }
  return {
    known: sql`EXISTS (
      SELECT FROM imported_calendars
      WHERE operator_id = ${operatorId} AND id = ${calendarId} AND property_id = ${propertyId})`,
    full: sql`(
      SELECT count(*) >= ${most}::bigint AND count(*) FILTER (WHERE calendar_id = ${calendarId}) = 0 FROM property_feeds
      WHERE operator_id = ${operatorId} AND property_id = ${propertyId} AND calendar_id IS NOT NULL)`
  }
}

/**
 * The feed of a reader, made now unless it exists; null where property or calendar are not `known`, or the property has as
 * many for calendars as may be. Then the oldest whose calendar is imported no more makes room. To be run in turn.
 */
const createFeed = (sql: Sql, seals: SecretSealer) => {
  const statement = prepareRecordedChange(sql, (parameters: Givens<CreateFeedParameters>) => {
    const { operatorId, propertyId, calendarId, id, token, digest, now } = parameters
    const { known, full } = sourceFeedConditions(sql, parameters)
    return {
      change: sql`
        target AS (
          SELECT ${propertyExistsCondition(sql, operatorId, propertyId)} AS known, ${known} AS calendar_known, ${full} AS is_full
        ), forgotten AS (
          DELETE FROM property_feeds WHERE operator_id = ${operatorId}
            AND EXISTS (SELECT FROM target WHERE known AND calendar_known AND is_full)
            AND id = (
              SELECT f.id FROM property_feeds f
              WHERE f.operator_id = ${operatorId} AND f.property_id = ${propertyId} AND f.calendar_id IS NOT NULL
                AND NOT EXISTS (
                  SELECT FROM imported_calendars c WHERE c.operator_id = f.operator_id AND c.id = f.calendar_id)
              ORDER BY f.id LIMIT 1)
          RETURNING operator_id, id
        ), made AS (
          INSERT INTO property_feeds (operator_id, id, property_id, calendar_id, token, token_digest, created_at)
          OVERRIDING SYSTEM VALUE
          SELECT ${operatorId}::bigint, ${id}::bigint, ${propertyId}::bigint, ${calendarId ?? null}::bigint, ${token}::text,
            ${digest}::bytea, ${now}::timestamptz
          FROM target WHERE known AND calendar_known AND (NOT is_full OR EXISTS (SELECT FROM forgotten))
          ON CONFLICT ON CONSTRAINT property_feeds_reader DO UPDATE SET token = property_feeds.token
          RETURNING operator_id, id, token
        )`,
      events: [],
      changedRecords: sql`
        ${createdOrDeletedRecordsSql(sql, "property_feed", "made")} WHERE token = ${token}
        UNION ALL ${createdOrDeletedRecordsSql(sql, "property_feed", "forgotten")}`,
      outcome: sql`
        SELECT target.known, target.calendar_known, made.id AS feed_id, made.token
        FROM target LEFT JOIN made ON true`
    }
  })
  const runWithLock = withOperatorLock(sql)
  return ({ operatorId, propertyId, calendarId }: FeedRecipient, token: string, now: Date) =>
    Effect.gen(function* () {
      const id = yield* reserveId(sql, "property_feeds")
      const sealedToken = { id, token: seals.seal(feedTokenBinding(operatorId, id), token), digest: hashToken(token) }
      const created = yield* runWithLock(
        operatorId,
        readCreatedFeed(
          statement({ operatorId, propertyId, calendarId, ...sealedToken, now, most: CALENDAR_FEEDS_MAX })
        )
      )
      return created.feed_id === null || created.token === null
        ? created
        : {
            ...created,
            ...(yield* openFeedToken(seals, operatorId, { feed_id: created.feed_id, token: created.token }))
          }
    })
}

/** Gives the feed of a reader another token; undefined when there is no such feed. */
const renewToken = (sql: Sql, seals: SecretSealer) => {
  const select = selectFeed(sql)
  const statement = prepareRecordedChange(
    sql,
    (parameters: Givens<FeedRecipient & Pick<CreateFeedParameters, "id" | "token" | "digest">>) => ({
      change: sql`
      before AS (SELECT * FROM property_feeds WHERE ${feedOfRecipientCondition(sql, parameters)} AND id = ${parameters.id} FOR NO KEY UPDATE),
      after AS (
        UPDATE property_feeds f SET token = ${parameters.token}, token_digest = ${parameters.digest}
        FROM before WHERE f.operator_id = before.operator_id AND f.id = before.id
        RETURNING f.*
      )`,
      events: [],
      changedRecords: changedRecordsSql(sql, "property_feed"),
      outcome: sql`SELECT id AS feed_id, token FROM after`
    })
  )
  return ({ operatorId, propertyId, calendarId }: FeedRecipient, token: string) =>
    Effect.gen(function* () {
      const before = yield* select({ operatorId, propertyId, calendarId })
      if (before === undefined) return undefined
      const id = before.feed_id
      const sealedToken = { id, token: seals.seal(feedTokenBinding(operatorId, id), token), digest: hashToken(token) }
      const row = yield* readFeed(statement({ operatorId, propertyId, calendarId, ...sealedToken }))
      return row === undefined ? undefined : yield* openFeedToken(seals, operatorId, row)
    })
}

const readCalendars = makeRowsReader(Schema.Struct({ calendar_id: Schema.Int, host: Schema.NullOr(Schema.String) }))

interface PropertyScoped extends OperatorScoped {
  readonly propertyId: number
}

/** The calendars of a property whose sources have a feed, or are to have one: imported ones, and those that were. */
const listCalendars = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, propertyId, most }: Givens<PropertyScoped & { readonly most: number }>) => sql`
      SELECT each.calendar_id, c.host FROM (
        SELECT calendar_id FROM property_feeds
        WHERE operator_id = ${operatorId} AND property_id = ${propertyId} AND calendar_id IS NOT NULL
        UNION
        SELECT id FROM imported_calendars WHERE operator_id = ${operatorId} AND property_id = ${propertyId}
        ORDER BY calendar_id LIMIT ${most}) each
      LEFT JOIN imported_calendars c ON c.operator_id = ${operatorId} AND c.id = each.calendar_id
      ORDER BY each.calendar_id`
  )
  return (operatorId: number, propertyId: number) =>
    readCalendars(statement({ operatorId, propertyId, most: CALENDAR_FEEDS_MAX }))
}

const readFeedByToken = makeOptionalRowReader(FeedByTokenRow)

/** The feed that has a token; undefined when there is none, or the account behind it is banned or closed. */
const findByToken = (sql: Sql) => {
  const findOwner = findSecretUrlOwner(sql)
  const statement = inForms(
    sql,
    ({ operatorId, id, digest }: Givens<SecretUrlOwner>) => sql`
      SELECT f.operator_id, f.id, f.property_id, f.calendar_id, operator.time_zone
      FROM property_feeds f JOIN operators operator ON operator.id = f.operator_id
      WHERE f.operator_id = ${operatorId} AND f.id = ${id} AND f.token_digest = ${digest} AND operator.status = 'active'`
  )
  return (token: string) =>
    Effect.flatMap(findOwner(token), (owner) =>
      owner === undefined ? Effect.undefined : readFeedByToken(statement(owner))
    )
}

interface BusyDaysParameters extends OperatorScoped, DateRange {
  readonly id: number
  /** Undefined where the feed is the property's own, which has nothing that was imported. */
  readonly calendarId: number | undefined
  readonly today: string
  readonly now: Date
  /** Told before that, it is written down again. */
  readonly recordedAfter: Date
}

const readBusyDays = makeOptionalRowReader(BusyDaysRow)

/**
 * What is busy in a feed. The source of a calendar hears what the others say, never what it said itself, and of nobody what
 * that only repeats. Nor does it hear from others what it says as well: two that have both sold a night would each repeat it
 * for the other's sake, also when both have given it up. Undefined when the feed is gone meanwhile.
 */
const findBusyDays = (sql: Sql) => {
  const statement = inForms(sql, (parameters: Givens<BusyDaysParameters>) => {
    const { operatorId, id, calendarId, start, end, today, now, recordedAfter } = parameters
    const importedDays =
      calendarId === undefined
        ? sql``
        : sql`
          UNION SELECT i.day FROM imported_days i
          WHERE i.operator_id = f.operator_id AND i.property_id = f.property_id AND i.day BETWEEN ${start} AND ${end}
            AND NOT i.echo AND i.calendar_id <> ${calendarId}
            AND i.calendar_id <= coalesce(f.last_calendar_id, i.calendar_id)
            AND NOT EXISTS (
              SELECT FROM imported_days own WHERE own.operator_id = i.operator_id
                AND own.calendar_id = ${calendarId} AND own.day = i.day AND NOT own.echo)
            AND NOT EXISTS (
              SELECT FROM calendar_days held WHERE held.operator_id = i.operator_id
                AND held.property_id = i.property_id AND held.day = i.day AND held.stay_id IS NOT NULL)`
    return sql`
      SELECT p.deactivated_at IS NULL AS is_let, coalesce(stays.held, '{}') AS held,
        coalesce(stays.holders, '{}') AS holders, ARRAY(
          SELECT each.day - ${start}::date FROM (
            SELECT d.day FROM calendar_days d
            WHERE d.operator_id = f.operator_id AND d.property_id = f.property_id AND d.day BETWEEN ${start} AND ${end}
              AND d.closed AND d.stay_id IS NULL
            ${importedDays}
          ) each ORDER BY 1
        ) AS closed,
        (f.told * datemultirange(daterange(${today}::date, NULL)))::text AS told,
        coalesce(f.told_at > ${recordedAfter} AND f.told_at <= ${now}, false) AS told_lately
      FROM property_feeds f
      JOIN properties p ON p.operator_id = f.operator_id AND p.id = f.property_id
      CROSS JOIN LATERAL (
        SELECT array_agg(d.day - ${start}::date ORDER BY d.day) AS held, array_agg(d.stay_id ORDER BY d.day) AS holders
        FROM calendar_days d
        WHERE d.operator_id = f.operator_id AND d.property_id = f.property_id AND d.day BETWEEN ${start} AND ${end}
          AND d.stay_id IS NOT NULL
      ) stays
      WHERE f.operator_id = ${operatorId} AND f.id = ${id}`
  })
  return (
    { operator_id: operatorId, id, calendar_id }: typeof FeedByTokenRow.Type,
    today: string,
    { start, end }: DateRange,
    now: Date
  ) => {
    const recordedAfter = new Date(now.getTime() - READ_RECORD_INTERVAL_MS)
    const calendarId = calendar_id ?? undefined
    return readBusyDays(statement({ operatorId, id, calendarId, start, end, today, now, recordedAfter }))
  }
}

const readNoRows = makeRowsReader(Schema.Struct({}))

interface RecordReadParameters extends OperatorScoped {
  readonly id: number
  readonly busyDays: string
  readonly now: Date
}

/** Writes down what is told to whoever reads the feed now. */
const recordRead = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, id, busyDays, now }: Givens<RecordReadParameters>) => sql`
      UPDATE property_feeds SET told = ${busyDays}::datemultirange, told_at = ${now}
      WHERE operator_id = ${operatorId} AND id = ${id}`
  )
  return ({ operatorId, id, busyDays, now }: RecordReadParameters) =>
    Effect.asVoid(readNoRows(statement({ operatorId, id, busyDays, now })))
}

/** The SQL of feeds. What is told is no change of a record: it notes what a stranger has read. */
export class PropertyFeedStore extends Context.Service<PropertyFeedStore>()(
  "latchkey/domain/calendars/property-feeds/PropertyFeedStore",
  {
    make: Effect.map(Effect.all([SqlClient.SqlClient, CurrentSealer]), ([sql, seals]) => ({
      find: findFeed(sql, seals),
      create: createFeed(sql, seals),
      renew: renewToken(sql, seals),
      listCalendars: listCalendars(sql),
      findByToken: findByToken(sql),
      findBusyDays: findBusyDays(sql),
      recordRead: recordRead(sql)
    }))
  }
) {}
