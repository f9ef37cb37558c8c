import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import { makeOptionalRowReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { retryOnLockConflict } from "../../../platform/database/statement-retry.ts"
import { OrderStatus } from "../../bookings/orders/order.ts"
import type { StayLink } from "./stay-link.ts"

const LinkedStayRow = Schema.Struct({
  reservation_code: Schema.String,
  uid_digest: Schema.String,
  generation: Schema.Int,
  check_in_date: Schema.String,
  check_out_date: Schema.String,
  state: Schema.Literals(["following", "cancelled", "detached"]),
  missing_since: Schema.NullOr(Schema.Date),
  canBeTakenOver: Schema.Boolean,
  stay: Schema.NullOr(
    Schema.Struct({
      status: OrderStatus,
      check_in_date: Schema.String,
      check_out_date: Schema.String,
      property_id: Schema.NullOr(Schema.Int),
      guest_name: Schema.NullOr(Schema.String),
      channel_remarks: Schema.String,
      isFromAccount: Schema.Boolean,
      channel_id: Schema.String
    })
  )
})

const StayContext = Schema.Struct({
  links: Schema.Array(LinkedStayRow),
  /** Days that the marketplace blocks only because it has read them in our feed. */
  repeated_days: Schema.Array(Schema.String),
  currency: Schema.String,
  has_account: Schema.Boolean
})
export type StayContext = typeof StayContext.Type

export interface CalendarKey {
  readonly operatorId: number
  readonly calendarId: number
  /** Identifies the fetch. */
  readonly attempts: number
}

interface StayContextQuery extends CalendarKey {
  readonly propertyId: number
  readonly channelType: string | undefined
}

interface LinkChange {
  readonly links: ReadonlyArray<StayLink>
  readonly removedCodes: ReadonlyArray<string>
}

const SavedLinks = Schema.Struct({
  /** False if another fetch has begun. Then nothing was written. */
  is_current: Schema.Boolean,
  /** Codes of links that this calendar does not follow: the host detached them, or another calendar took them over. */
  unfollowed_codes: Schema.Array(Schema.String)
})
type SavedLinks = typeof SavedLinks.Type

const LINK_COLUMNS = `reservation_code text, uid_digest text, generation integer, check_in_date date, check_out_date date,
  state text, missing_since timestamptz`

const makeLoadContext = (sql: SqlClient.SqlClient): CalendarStayStore["Service"]["loadContext"] => {
  const read = makeOptionalRowReader(Schema.toCodecJson(StayContext))
  return ({ operatorId, calendarId, attempts, propertyId, channelType }) =>
    read(sql`
      SELECT
        (SELECT coalesce(jsonb_agg(jsonb_build_object('reservation_code', l.reservation_code, 'uid_digest', l.uid_digest,
            'generation', l.generation, 'check_in_date', l.check_in_date, 'check_out_date', l.check_out_date,
            'state', l.state, 'missing_since', to_char(l.missing_since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'canBeTakenOver', l.calendar_id IS NULL,
            'stay', CASE WHEN s.id IS NOT NULL THEN jsonb_build_object('status', o.status, 'check_in_date', s.check_in_date,
              'check_out_date', s.check_out_date, 'property_id', s.property_id, 'guest_name', s.guest_name,
              'channel_remarks', s.channel_remarks, 'isFromAccount', o.channel_account_id IS NOT NULL,
              'channel_id', o.channel_id) END)
            ORDER BY l.calendar_id, l.check_in_date, l.reservation_code), '[]')
          FROM calendar_stays l
          LEFT JOIN stays s ON s.operator_id = l.operator_id AND s.stay_code = l.reservation_code
          LEFT JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
          -- Links of the calendar, and links of removed calendars of the same property and channel. The first condition
          -- lets PostgreSQL use the index.
          WHERE l.operator_id = c.operator_id AND (l.calendar_id = c.id OR l.calendar_id IS NULL)
            AND (l.calendar_id = c.id
              OR (s.property_id = c.property_id AND o.channel_type = ${channelType ?? null}::text))) AS links,
        (SELECT coalesce(jsonb_agg(d.day ORDER BY d.day), '[]') FROM imported_days d
          WHERE d.operator_id = c.operator_id AND d.calendar_id = c.id AND d.echo) AS repeated_days,
        coalesce(p.currency, o.currency) AS currency,
        EXISTS (
          SELECT FROM listings l
          JOIN channel_accounts a ON a.operator_id = l.operator_id AND a.id = l.account_id
          WHERE l.operator_id = c.operator_id AND l.channel_type = ${channelType ?? null}::text
            AND a.auth_status <> 'disconnected'
            AND (l.property_id = c.property_id OR EXISTS (
              SELECT FROM room_type_properties r
              WHERE r.operator_id = l.operator_id AND r.room_type_id = l.room_type_id AND r.property_id = c.property_id))
        ) AS has_account
      FROM imported_calendars c
      JOIN operators o ON o.id = c.operator_id
      JOIN properties p ON p.operator_id = c.operator_id AND p.id = c.property_id
      WHERE c.operator_id = ${operatorId} AND c.id = ${calendarId} AND c.attempts = ${attempts}
        AND c.property_id = ${propertyId} AND c.events = 'stay'`)
}

const makeSaveLinks = (sql: SqlClient.SqlClient): CalendarStayStore["Service"]["saveLinks"] => {
  const read = makeSingleRowReader(SavedLinks)
  return ({ operatorId, calendarId, attempts }, { links, removedCodes }) =>
    read(
      retryOnLockConflict(sql`
          WITH calendar AS (
            SELECT operator_id, id FROM imported_calendars
            WHERE operator_id = ${operatorId} AND id = ${calendarId} AND attempts = ${attempts} AND events = 'stay'
            FOR NO KEY UPDATE
          ), removed AS (
            DELETE FROM calendar_stays l USING calendar c
            WHERE l.operator_id = c.operator_id AND (l.calendar_id = c.id OR l.calendar_id IS NULL)
              AND l.reservation_code = ANY (${removedCodes}::text[])
          ), link AS (
            SELECT * FROM jsonb_to_recordset(${jsonParameter(links)}::jsonb) AS link (${sql.literal(LINK_COLUMNS)})
          ), saved AS (
            INSERT INTO calendar_stays AS l (operator_id, calendar_id, reservation_code, uid_digest, generation,
              check_in_date, check_out_date, state, missing_since)
            SELECT c.operator_id, c.id, link.reservation_code, link.uid_digest, link.generation, link.check_in_date,
              link.check_out_date, link.state, link.missing_since
            FROM calendar c, link
            ON CONFLICT (operator_id, reservation_code) DO UPDATE SET calendar_id = excluded.calendar_id,
              uid_digest = excluded.uid_digest, check_in_date = excluded.check_in_date,
              check_out_date = excluded.check_out_date, missing_since = excluded.missing_since,
              state = CASE WHEN l.state = 'detached' THEN l.state ELSE excluded.state END
            WHERE l.calendar_id IS NULL OR l.calendar_id = excluded.calendar_id
            RETURNING l.reservation_code, l.state
          )
          SELECT EXISTS (SELECT FROM calendar) AS is_current,
            ARRAY(SELECT reservation_code FROM link
              EXCEPT SELECT reservation_code FROM saved WHERE state <> 'detached') AS unfollowed_codes`)
    )
}

const makeDetachStay = (sql: SqlClient.SqlClient): CalendarStayStore["Service"]["detachStay"] => {
  const read = makeSingleRowReader(Schema.Struct({ has_stay: Schema.Boolean }))
  return (operatorId, stayCode) =>
    Effect.map(
      read(
        recordChange(sql, {
          change: sql`
            stay AS (
              SELECT o.operator_id, o.reservation_code FROM orders o
              WHERE o.operator_id = ${operatorId} AND o.reservation_code = ${stayCode}
            ), detached AS (
              UPDATE calendar_stays l SET state = 'detached', missing_since = NULL FROM stay
              WHERE l.operator_id = stay.operator_id AND l.reservation_code = stay.reservation_code
                AND l.state = 'following'
              RETURNING l.operator_id, l.reservation_code
            )`,
          events: [],
          changedRecords: sql`
            SELECT operator_id, 'reservation:' || reservation_code AS record, '{calendar}'::text[] AS fields FROM detached`,
          outcome: sql`SELECT EXISTS (SELECT FROM stay) AS has_stay`
        })
      ),
      ({ has_stay }) => has_stay
    )
}

/** The links between the bookings of imported calendars and their stays. */
export class CalendarStayStore extends Context.Service<
  CalendarStayStore,
  {
    /** Returns undefined if another fetch has begun, or if the bookings of the calendar only block days. */
    readonly loadContext: (query: StayContextQuery) => Effect.Effect<StayContext | undefined>
    /**
     * A link that the host has detached since it was read stays detached. A link of a removed calendar is taken over. A
     * link of another calendar stays unchanged.
     */
    readonly saveLinks: (calendar: CalendarKey, change: LinkChange) => Effect.Effect<SavedLinks>
    /** Ends the link of a reservation. Idempotent. Returns false if there is no such reservation. */
    readonly detachStay: (operatorId: number, stayCode: string) => Effect.Effect<boolean, never, CurrentActor>
  }
>()("latchkey/domain/calendars/calendar-stays/CalendarStayStore") {
  static readonly layer = Layer.effect(
    CalendarStayStore,
    Effect.map(SqlClient.SqlClient, (sql) =>
      CalendarStayStore.of({
        loadContext: makeLoadContext(sql),
        saveLinks: makeSaveLinks(sql),
        detachStay: makeDetachStay(sql)
      })
    )
  )
}
