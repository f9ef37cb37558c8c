import { Context, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms, touchedBetween, touchedIn } from "../../../changes/on-record.ts"
import type { DateRange } from "../../../contract/date-range.ts"
import { drawnId } from "../../../platform/database/drawn-id.ts"
import { type Givens, inForms, type Valued } from "../../../platform/database/forms.ts"
import { onlyRowOf, rowOf, rowsOf } from "../../../platform/database/rows.ts"
import { CALENDAR_FEEDS } from "../../../platform/limits.ts"
import { feedToken } from "../../../platform/sealing/places.ts"
import { openedOrTold, Sealing, type Seals } from "../../../platform/sealing/Sealing.ts"
import { addressOwner, digestOfToken, type OwnedAddress } from "../../addresses.ts"
import { inTurn, type OfOperator } from "../../own-row.ts"
import { propertyKnown } from "../../properties/properties/belonging.ts"
import { KnownBusy, TOLD_AGAIN_MS } from "./rules.ts"

type Sql = SqlClient.SqlClient

/** Who reads a property's days: the source of an imported calendar, or undefined: whoever has the property's own feed. */
export interface Reader extends OfOperator {
  readonly propertyId: number
  readonly calendarId: number | undefined
}

const OfFeed = Schema.Struct({ feed_id: Schema.Int, token: Schema.String })

const OpenedRow = Schema.Struct({
  operator_id: Schema.Int,
  id: Schema.Int,
  property_id: Schema.Int,
  calendar_id: Schema.NullOr(Schema.Int),
  time_zone: Schema.String
})

const readFeed = rowOf(OfFeed)

/** Whether a row of feeds is the reader's. */
const isOf = (sql: Sql, { operatorId, propertyId, calendarId }: Valued<Reader>): Fragment => sql`
  operator_id = ${operatorId} AND property_id = ${propertyId}
    AND ${calendarId === undefined ? sql`calendar_id IS NULL` : sql`calendar_id = ${calendarId}`}`

/** One of several that are shown together: `token` is undefined where it does not open. */
const openedBy = (seals: Seals, operatorId: number, { feed_id, token }: typeof OfFeed.Type) =>
  Effect.map(openedOrTold(seals, feedToken(operatorId, feed_id), token), (opened) => ({ feed_id, token: opened }))

/** The feed of a reader as it is kept; undefined when there is none yet. */
const keptOf = (sql: Sql) => {
  const statement = inForms(
    sql,
    (reader: Givens<Reader>) => sql`SELECT id AS feed_id, token FROM property_feeds WHERE ${isOf(sql, reader)}`
  )
  return ({ operatorId, propertyId, calendarId }: Reader) => readFeed(statement({ operatorId, propertyId, calendarId }))
}

/** The same with its token opened. */
const find = (sql: Sql, seals: Seals) => {
  const kept = keptOf(sql)
  return Effect.fnUntraced(function* (reader: Reader) {
    const feed = yield* kept(reader)
    return feed === undefined ? undefined : yield* openedBy(seals, reader.operatorId, feed)
  })
}

const readMade = onlyRowOf(
  Schema.Struct({
    known: Schema.Boolean,
    calendar_known: Schema.Boolean,
    feed_id: Schema.NullOr(Schema.Int),
    token: Schema.NullOr(Schema.String)
  })
)

interface Made extends Reader {
  /** To which the token is sealed. */
  readonly id: number
  /** As it is kept. */
  readonly token: string
  readonly digest: Uint8Array
  readonly now: Date
  readonly most: number
}

/** What a feed for the source of a calendar needs: the calendar, and room. Its own feed a property can always have. */
const forSource = (sql: Sql, { operatorId, propertyId, calendarId, most }: Givens<Made>) => {
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
const create = (sql: Sql, seals: Seals) => {
  const statement = onRecordInForms(sql, (made: Givens<Made>) => {
    const { operatorId, propertyId, calendarId, id, token, digest, now } = made
    const { known, full } = forSource(sql, made)
    return {
      change: sql`
        target AS (
          SELECT ${propertyKnown(sql, operatorId, propertyId)} AS known, ${known} AS calendar_known, ${full} AS is_full
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
      touched: sql`
        ${touchedIn(sql, "property_feed", "made")} WHERE token = ${token}
        UNION ALL ${touchedIn(sql, "property_feed", "forgotten")}`,
      outcome: sql`
        SELECT target.known, target.calendar_known, made.id AS feed_id, made.token
        FROM target LEFT JOIN made ON true`
    }
  })
  const alone = inTurn(sql)
  return ({ operatorId, propertyId, calendarId }: Reader, token: string, now: Date) =>
    Effect.gen(function* () {
      const id = yield* drawnId(sql, "property_feeds")
      const kept = { id, token: seals.seal(feedToken(operatorId, id), token), digest: digestOfToken(token) }
      const made = yield* alone(
        operatorId,
        readMade(statement({ operatorId, propertyId, calendarId, ...kept, now, most: CALENDAR_FEEDS }))
      )
      return made.feed_id === null || made.token === null
        ? made
        : { ...made, ...(yield* openedBy(seals, operatorId, { feed_id: made.feed_id, token: made.token })) }
    })
}

/** Gives the feed of a reader another token; undefined when there is no such feed. */
const renew = (sql: Sql, seals: Seals) => {
  const found = keptOf(sql)
  const statement = onRecordInForms(sql, (renewed: Givens<Reader & Pick<Made, "id" | "token" | "digest">>) => ({
    change: sql`
      before AS (SELECT * FROM property_feeds WHERE ${isOf(sql, renewed)} AND id = ${renewed.id} FOR NO KEY UPDATE),
      after AS (
        UPDATE property_feeds f SET token = ${renewed.token}, token_digest = ${renewed.digest}
        FROM before WHERE f.operator_id = before.operator_id AND f.id = before.id
        RETURNING f.*
      )`,
    events: [],
    touched: touchedBetween(sql, "property_feed"),
    outcome: sql`SELECT id AS feed_id, token FROM after`
  }))
  return ({ operatorId, propertyId, calendarId }: Reader, token: string) =>
    Effect.gen(function* () {
      const before = yield* found({ operatorId, propertyId, calendarId })
      if (before === undefined) return undefined
      const id = before.feed_id
      const kept = { id, token: seals.seal(feedToken(operatorId, id), token), digest: digestOfToken(token) }
      const renewed = yield* readFeed(statement({ operatorId, propertyId, calendarId, ...kept }))
      return renewed === undefined ? undefined : yield* openedBy(seals, operatorId, renewed)
    })
}

const readCalendars = rowsOf(Schema.Struct({ calendar_id: Schema.Int, host: Schema.NullOr(Schema.String) }))

interface OfProperty extends OfOperator {
  readonly propertyId: number
}

/** The calendars of a property whose sources have a feed, or are to have one: imported ones, and those that were. */
const calendars = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, propertyId, most }: Givens<OfProperty & { readonly most: number }>) => sql`
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
    readCalendars(statement({ operatorId, propertyId, most: CALENDAR_FEEDS }))
}

const readOpened = rowOf(OpenedRow)

/** The feed that has a token; undefined when there is none, or the account behind it is banned or closed. */
const open = (sql: Sql) => {
  const ownerOf = addressOwner(sql)
  const statement = inForms(
    sql,
    ({ operatorId, id, digest }: Givens<OwnedAddress>) => sql`
      SELECT f.operator_id, f.id, f.property_id, f.calendar_id, operator.time_zone
      FROM property_feeds f JOIN operators operator ON operator.id = f.operator_id
      WHERE f.operator_id = ${operatorId} AND f.id = ${id} AND f.token_digest = ${digest} AND operator.status = 'active'`
  )
  return (token: string) =>
    Effect.flatMap(ownerOf(token), (owned) => (owned === undefined ? Effect.undefined : readOpened(statement(owned))))
}

interface AskedFeed extends OfOperator, DateRange {
  readonly id: number
  /** Undefined where the feed is the property's own, which has nothing that was imported. */
  readonly calendarId: number | undefined
  readonly today: string
  readonly now: Date
  /** Told before that, it is written down again. */
  readonly toldAgain: Date
}

const readBusy = rowOf(KnownBusy)

/**
 * What is busy in a feed. The source of a calendar hears what the others say, never what it said itself, and of nobody what
 * that only repeats. Nor does it hear from others what it says as well: two that have both sold a night would each repeat it
 * for the other's sake, also when both have given it up. Undefined when the feed is gone meanwhile.
 */
const busy = (sql: Sql) => {
  const statement = inForms(sql, (asked: Givens<AskedFeed>) => {
    const { operatorId, id, calendarId, start, end, today, now, toldAgain } = asked
    const saidByOthers =
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
            ${saidByOthers}
          ) each ORDER BY 1
        ) AS closed,
        (f.told * datemultirange(daterange(${today}::date, NULL)))::text AS told,
        coalesce(f.told_at > ${toldAgain} AND f.told_at <= ${now}, false) AS told_lately
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
    { operator_id: operatorId, id, calendar_id }: typeof OpenedRow.Type,
    today: string,
    { start, end }: DateRange,
    now: Date
  ) => {
    const toldAgain = new Date(now.getTime() - TOLD_AGAIN_MS)
    const calendarId = calendar_id ?? undefined
    return readBusy(statement({ operatorId, id, calendarId, start, end, today, now, toldAgain }))
  }
}

const readNothing = rowsOf(Schema.Struct({}))

interface Told extends OfOperator {
  readonly id: number
  readonly told: string
  readonly now: Date
}

/** Writes down what is told to whoever reads the feed now. */
const tell = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, id, told, now }: Givens<Told>) => sql`
      UPDATE property_feeds SET told = ${told}::datemultirange, told_at = ${now}
      WHERE operator_id = ${operatorId} AND id = ${id}`
  )
  return ({ operatorId, id, told, now }: Told) => Effect.asVoid(readNothing(statement({ operatorId, id, told, now })))
}

/** The SQL of feeds. What is told is no change of a record: it notes what a stranger has read. */
export class FeedStore extends Context.Service<FeedStore>()("latchkey/resources/FeedStore", {
  make: Effect.map(Effect.all([SqlClient.SqlClient, Sealing]), ([sql, seals]) => ({
    find: find(sql, seals),
    create: create(sql, seals),
    renew: renew(sql, seals),
    calendars: calendars(sql),
    open: open(sql),
    busy: busy(sql),
    tell: tell(sql)
  }))
}) {}
