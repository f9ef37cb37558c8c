import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import { addDays, dateOfWallClock, daysBefore } from "../../../contract/time.ts"
import { computeShownStayStatus } from "../../../domain/bookings/stays/rules.ts"
import { StayStatus } from "../../../domain/bookings/stays/stay.ts"
import { hostReviewChannelCondition } from "../../../domain/guests/reviews/channel-conditions.ts"
import { checkOutTimeSql } from "../../../domain/properties/properties/check-out-time.ts"
import { PAUSED_BY_HOST } from "../../../domain/webhooks/deliveries/subscription-statements.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import {
  OVERVIEW_DAYS_FAILED,
  OVERVIEW_NAMES_MAX,
  OVERVIEW_REQUESTS_MAX,
  OVERVIEW_ROWS_MAX,
  REVIEW_SEARCH_DAYS,
  SEARCH_DAYS
} from "../../../platform/limits.ts"
import { awaitsReviewCondition } from "./check-in-review.ts"
import { recentConversationsStart, unansweredConversationsSql } from "./unanswered-conversations.ts"
import { unpaidOrdersSql } from "./unpaid-orders.ts"

type Sql = SqlClient.SqlClient

const OverviewStay = Schema.Struct({
  stay_code: Schema.String,
  guest_name: Schema.NullOr(Schema.String),
  property_title: Schema.NullOr(Schema.String),
  check_in_date: Schema.String,
  day: Schema.String,
  number_of_guests: Schema.Int,
  /** `HH:mm` in the operator's time zone. */
  check_out_time: Schema.String,
  stay_status: StayStatus,
  arrival_at: Schema.NullOr(Schema.String)
})
export type OverviewStay = typeof OverviewStay.Type

const OverviewRequest = Schema.Struct({
  stay_code: Schema.String,
  guest_name: Schema.NullOr(Schema.String),
  property_title: Schema.NullOr(Schema.String),
  check_in_date: Schema.String,
  check_out_date: Schema.String,
  number_of_guests: Schema.Int,
  channel_type: Schema.String,
  expires_at: Schema.NullOr(Schema.String)
})
export type OverviewRequest = typeof OverviewRequest.Type

/** At most {@link OVERVIEW_NAMES_MAX} names of failing records. */
const FailingNames = Schema.Array(Schema.String)

const OverviewData = Schema.Struct({
  has_property: Schema.Boolean,
  /** At most {@link OVERVIEW_REQUESTS_MAX} booking requests, latest first. `requests` is the number of all. */
  latest_requests: Schema.Array(OverviewRequest),
  /** At most {@link OVERVIEW_ROWS_MAX} arrivals and as many departures, of today and tomorrow. */
  arrivals: Schema.Array(OverviewStay),
  departures: Schema.Array(OverviewStay),
  /** Number of all arrivals today and tomorrow. `leaving` is the number of departures. */
  arriving: Schema.Int,
  leaving: Schema.Int,
  /** Accepted orders with a balance and a check-out at most {@link SEARCH_DAYS} days before or after today. */
  unpaid: Schema.Int,
  requests: Schema.Int,
  messages: Schema.Int,
  /** Reviews that the host can still write. Their stays ended less than {@link REVIEW_SEARCH_DAYS} days ago. */
  reviews: Schema.Int,
  check_ins: Schema.Int,
  boxed: Schema.Int,
  webhooks: Schema.Int,
  calendars: Schema.Int,
  accounts: Schema.Int,
  pushes: Schema.Int,
  /** Hosts of the addresses, because the rest of an address may be a secret. */
  webhook_names: FailingNames,
  calendar_names: FailingNames,
  account_names: FailingNames
})
export type OverviewData = typeof OverviewData.Type

const readOverview = makeSingleRowReader(OverviewData)

interface OverviewInput {
  readonly operatorId: number
  readonly today: string
  readonly tomorrow: string
  readonly from: string
  readonly until: string
  readonly failedSince: Date
  readonly conversationsSince: Date
  readonly reviewedFrom: string
}

/** `OFFSET 0` makes PostgreSQL look up the order of each stay. A plain join would scan all orders of the operator. */
const acceptedOrderJoin = (sql: Sql): Fragment => sql`CROSS JOIN LATERAL (
    SELECT o.status FROM orders o
    WHERE o.operator_id = s.operator_id AND o.id = s.order_id AND o.status = 'accepted' OFFSET 0) o`

const staysByDaySql = (
  sql: Sql,
  { operatorId, today, tomorrow }: OverviewInput,
  column: "check_in_date" | "check_out_date"
) =>
  sql`
    SELECT s.stay_code, s.guest_name, p.title AS property_title, s.check_in_date::text AS check_in_date, s.${sql(column)}::text AS day, s.number_of_guests,
      s.stay_status, to_char(s.arrival_at, 'HH24:MI') AS arrival_at, ${checkOutTimeSql(sql, sql`s`)} AS check_out_time
    FROM stays s ${acceptedOrderJoin(sql)}
    LEFT JOIN properties p ON p.operator_id = s.operator_id AND p.id = s.property_id
    WHERE s.operator_id = ${operatorId} AND s.${sql(column)} IN (${today}::date, ${tomorrow}::date)
    ORDER BY s.${sql(column)}, p.title, s.id`

const rowsJsonSql = (sql: Sql, query: Fragment): Fragment =>
  sql`(SELECT coalesce(jsonb_agg(row), '[]') FROM (SELECT * FROM ${query} each LIMIT ${sql.literal(String(OVERVIEW_ROWS_MAX))}) row)`

const countSql = (sql: Sql, query: Fragment): Fragment => sql`(SELECT count(*) FROM ${query})`

const checkInsToReviewSql = (sql: Sql, { operatorId, today }: OverviewInput): Fragment => sql`
  stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
  WHERE s.operator_id = ${operatorId} AND ${awaitsReviewCondition(sql, today)}`

const unassignedStaysSql = (sql: Sql, { operatorId, today, until }: OverviewInput): Fragment => sql`
  stays s ${acceptedOrderJoin(sql)}
  WHERE s.operator_id = ${operatorId} AND s.property_id IS NULL
    AND s.check_out_date >= ${today}::date AND s.check_out_date <= ${until}::date`

const latestRequestsSql = (sql: Sql, operatorId: number): Fragment => sql`(
  SELECT coalesce(jsonb_agg(row), '[]') FROM (
    SELECT s.stay_code, s.guest_name, s.property_title, s.check_in_date, s.check_out_date, s.number_of_guests,
      o.channel_type, o.expires_at
    FROM (
      SELECT operator_id, id, channel_type, expires_at, booked_at FROM orders
      WHERE operator_id = ${operatorId} AND status = 'wait_accept'
      ORDER BY booked_at DESC, id DESC LIMIT ${sql.literal(String(OVERVIEW_REQUESTS_MAX))}) o
    CROSS JOIN LATERAL (
      SELECT s.stay_code, s.guest_name, p.title AS property_title, s.check_in_date, s.check_out_date, s.number_of_guests
      FROM stays s LEFT JOIN properties p ON p.operator_id = s.operator_id AND p.id = s.property_id
      WHERE s.operator_id = o.operator_id AND s.order_id = o.id ORDER BY s.id LIMIT 1) s
    ORDER BY o.booked_at DESC, o.id DESC) row)`

const failingWebhooksSql = (sql: Sql, operatorId: number): Fragment =>
  sql`webhook_subscriptions WHERE operator_id = ${operatorId} AND deleted_at IS NULL AND health->>'state' <> 'healthy'
    AND paused_reason IS DISTINCT FROM ${PAUSED_BY_HOST}`

const failingCalendarsSql = (sql: Sql, operatorId: number): Fragment =>
  sql`imported_calendars WHERE operator_id = ${operatorId} AND error IS NOT NULL`

const failingAccountsSql = (sql: Sql, operatorId: number): Fragment =>
  sql`channel_accounts WHERE operator_id = ${operatorId} AND auth_status <> 'active'`

const namesSql = (sql: Sql, name: string, rows: Fragment): Fragment => sql`(
  SELECT coalesce(jsonb_agg(name ORDER BY name), '[]') FROM (
    SELECT DISTINCT ${sql.literal(name)} AS name FROM ${rows} ORDER BY 1
    LIMIT ${sql.literal(String(OVERVIEW_NAMES_MAX))}) each)`

const selectOverview = (sql: Sql, input: OverviewInput) => {
  const { operatorId, from, until, failedSince, today, reviewedFrom } = input
  return sql`
    WITH arriving AS MATERIALIZED (${staysByDaySql(sql, input, "check_in_date")}),
      leaving AS MATERIALIZED (${staysByDaySql(sql, input, "check_out_date")})
    SELECT EXISTS (SELECT FROM properties WHERE operator_id = ${operatorId}) AS has_property,
      ${latestRequestsSql(sql, operatorId)} AS latest_requests, ${rowsJsonSql(sql, sql`arriving`)} AS arrivals, ${rowsJsonSql(sql, sql`leaving`)} AS departures,
      ${countSql(sql, sql`arriving`)} AS arriving, ${countSql(sql, sql`leaving`)} AS leaving,
      ${countSql(sql, sql`(${unpaidOrdersSql(sql, { operatorId, from, until })}) each`)} AS unpaid,
      ${countSql(sql, sql`orders WHERE operator_id = ${operatorId} AND status = 'wait_accept'`)} AS requests,
      ${countSql(sql, unansweredConversationsSql(sql, input))} AS messages,
      ${countSql(sql, sql`reviews r WHERE r.operator_id = ${operatorId} AND NOT r.host_wrote AND ${hostReviewChannelCondition(sql, sql`r.channel_type`)} AND r.check_out_date >= ${reviewedFrom}::date AND r.check_out_date <= ${today}::date`)} AS reviews,
      ${countSql(sql, checkInsToReviewSql(sql, input))} AS check_ins,
      ${countSql(sql, unassignedStaysSql(sql, input))} AS boxed,
      ${countSql(sql, failingWebhooksSql(sql, operatorId))} AS webhooks,
      ${countSql(sql, failingCalendarsSql(sql, operatorId))} AS calendars,
      ${countSql(sql, failingAccountsSql(sql, operatorId))} AS accounts,
      ${countSql(sql, sql`listing_pushes WHERE operator_id = ${operatorId} AND state IN ('refused', 'dead') AND settled_at >= ${failedSince}`)} AS pushes,
      ${namesSql(sql, "split_part(url, '/', 3)", failingWebhooksSql(sql, operatorId))} AS webhook_names,
      ${namesSql(sql, "host", failingCalendarsSql(sql, operatorId))} AS calendar_names,
      ${namesSql(sql, "username", failingAccountsSql(sql, operatorId))} AS account_names`
}

export class Overview extends Context.Service<Overview>()("latchkey/transports/console/queries/Overview", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** `clock` is `now` in the operator's local time, `YYYY-MM-DD HH:mm:ss`. */
    of: Effect.fnUntraced(function* (clock: string, now: Date) {
      const { operatorId } = yield* CurrentCaller
      const today = dateOfWallClock(clock)
      const withCurrentStatus = (stay: OverviewStay): OverviewStay => ({
        ...stay,
        stay_status: computeShownStayStatus({ ...stay, status: "accepted", check_out_date: stay.day }, clock)
      })
      const data = yield* readOverview(
        selectOverview(sql, {
          operatorId,
          today,
          tomorrow: addDays(today, 1),
          from: addDays(today, -SEARCH_DAYS),
          until: addDays(today, SEARCH_DAYS),
          failedSince: daysBefore(now, OVERVIEW_DAYS_FAILED),
          conversationsSince: recentConversationsStart(now),
          reviewedFrom: addDays(today, 1 - REVIEW_SEARCH_DAYS)
        })
      )
      return { ...data, departures: data.departures.map(withCurrentStatus) }
    })
  }))
}) {
  static readonly layer = Layer.effect(Overview, Overview.make)
}
