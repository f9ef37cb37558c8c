import { Data, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { GuestRecordIds } from "../../domain/guest-data.ts"
import { makeRowsReader } from "../../platform/database/rows.ts"
import { GUEST_COMMAND_ORDERS_MAX } from "../../platform/limits.ts"

// Scans all orders of the operator, which is acceptable for rare administrator commands.

/** Numbers with at least this many digits match with and without a country code. */
const NATIONAL_PHONE_DIGITS = 8

export type GuestQuery =
  | { readonly by: "order"; readonly value: string }
  | { readonly by: "email"; readonly value: string }
  | { readonly by: "phone"; readonly value: string }

export class TooManyGuestRecords extends Data.TaggedError("TooManyGuestRecords") {
  override get message(): string {
    return `--order: is required, because this guest has more than ${GUEST_COMMAND_ORDERS_MAX} orders and conversations.`
  }
}

export interface GuestMatch {
  readonly recordIds: GuestRecordIds
  /** Names of the records in the audit log. */
  readonly records: ReadonlyArray<string>
  /** Stays that are not over and whose order is active. */
  readonly currentStayCodes: ReadonlyArray<string>
}

/** Returns at most the last ten digits, without leading zeros. */
const phoneDigitsSql = (sql: SqlClient.SqlClient, text: Fragment): Fragment =>
  sql`right(ltrim(regexp_replace(${text}, '[^0-9]', '', 'g'), '0'), 10)`

/** The longer number must end with the shorter one. Numbers under NATIONAL_PHONE_DIGITS digits must be equal. */
const samePhoneCondition = (sql: SqlClient.SqlClient, left: Fragment, right: Fragment): Fragment => sql`EXISTS (
  SELECT FROM (SELECT ${phoneDigitsSql(sql, left)} AS a, ${phoneDigitsSql(sql, right)} AS b) two
  WHERE CASE WHEN least(length(a), length(b)) >= ${sql.literal(String(NATIONAL_PHONE_DIGITS))}
    THEN right(a, least(length(a), length(b))) = right(b, least(length(a), length(b)))
    ELSE a <> '' AND a = b END)`

const contactCondition = (
  sql: SqlClient.SqlClient,
  query: GuestQuery,
  columns: Readonly<Record<"email" | "phone", Fragment>>
): Fragment =>
  query.by === "email"
    ? sql`lower(${columns.email}) = lower(${query.value})`
    : samePhoneCondition(sql, columns.phone, sql`${query.value}::text`)

const matchingOrdersSql = (sql: SqlClient.SqlClient, operatorId: number, query: GuestQuery): Fragment =>
  query.by === "order"
    ? sql`SELECT id FROM orders WHERE operator_id = ${operatorId} AND (reservation_code = ${query.value} OR channel_id = ${query.value})`
    : sql`
      SELECT s.order_id AS id FROM stays s
      WHERE s.operator_id = ${operatorId} AND ${contactCondition(sql, query, { email: sql`s.guest_email`, phone: sql`s.guest_phone` })}
      UNION
      SELECT s.order_id FROM guests g JOIN stays s ON s.operator_id = g.operator_id AND s.id = g.stay_id
      WHERE g.operator_id = ${operatorId} AND ${contactCondition(sql, query, { email: sql`g.email`, phone: sql`g.phone` })}`

const matchingConversationsSql = (sql: SqlClient.SqlClient, operatorId: number, query: GuestQuery): Fragment =>
  query.by === "order"
    ? sql`SELECT code FROM conversations WHERE operator_id = ${operatorId} AND code = ${query.value}`
    : sql`
      SELECT c.code FROM conversations c
      WHERE c.operator_id = ${operatorId}
        AND ${contactCondition(sql, query, { email: sql`c.guest_email`, phone: sql`c.guest_phone` })}`

const GuestMatchRow = Schema.Struct({
  order_id: Schema.NullOr(Schema.Int),
  reservation_code: Schema.NullOr(Schema.String),
  conversation_id: Schema.NullOr(Schema.Int),
  conversation_code: Schema.NullOr(Schema.String),
  stay_ids: Schema.Array(Schema.Int),
  current: Schema.Array(Schema.String)
})
const readMatchRows = makeRowsReader(GuestMatchRow)

const toGuestMatch = (operatorId: number, row: typeof GuestMatchRow.Type): GuestMatch => ({
  recordIds: {
    operatorId,
    orderIds: row.order_id === null ? [] : [row.order_id],
    stayIds: row.stay_ids,
    conversationIds: row.conversation_id === null ? [] : [row.conversation_id],
    codes: [row.reservation_code, row.conversation_code].flatMap((code) => (code === null ? [] : [code]))
  },
  records: [
    ...(row.reservation_code === null ? [] : [`reservation:${row.reservation_code}`]),
    ...(row.conversation_code === null ? [] : [`conversation:${row.conversation_code}`])
  ],
  currentStayCodes: row.current
})

const guestMatchesSql = (
  sql: SqlClient.SqlClient,
  operatorId: number,
  { orders, conversations, now }: { readonly orders: Fragment; readonly conversations: Fragment; readonly now: Date }
): Fragment => sql`
  WITH named AS (${orders}), talked AS (${conversations}),
  -- All orders of one conversation belong to the same guest.
  threads AS (
    SELECT code FROM talked
    UNION
    SELECT conversation_id FROM orders
    WHERE operator_id = ${operatorId} AND id IN (SELECT id FROM named) AND conversation_id IS NOT NULL
  ), theirs AS (
    SELECT id FROM named
    UNION
    SELECT id FROM orders WHERE operator_id = ${operatorId} AND conversation_id IN (SELECT code FROM threads)
  )
  SELECT o.id AS order_id, o.reservation_code, c.id AS conversation_id, c.code AS conversation_code,
    ARRAY(SELECT id FROM stays WHERE operator_id = ${operatorId} AND order_id = o.id ORDER BY id) AS stay_ids,
    ARRAY(
      SELECT stay_code FROM stays
      WHERE operator_id = ${operatorId} AND order_id = o.id AND o.status IN ('wait_accept', 'wait_pay', 'accepted')
        AND check_out_date >= (${now}::timestamptz AT TIME ZONE operator.time_zone)::date ORDER BY id) AS current
  FROM theirs JOIN orders o ON o.operator_id = ${operatorId} AND o.id = theirs.id
  JOIN operators operator ON operator.id = ${operatorId}
  LEFT JOIN conversations c ON c.operator_id = ${operatorId} AND c.code = o.conversation_id
  UNION ALL
  SELECT NULL, NULL, c.id, c.code, '{}', '{}' FROM threads JOIN conversations c ON c.operator_id = ${operatorId} AND c.code = threads.code
  WHERE NOT EXISTS (SELECT FROM orders WHERE operator_id = ${operatorId} AND conversation_id = c.code)
  ORDER BY order_id, conversation_id LIMIT ${sql.literal(String(GUEST_COMMAND_ORDERS_MAX + 1))}`

export const findGuest = Effect.fnUntraced(function* (operatorId: number, query: GuestQuery, now: Date) {
  const sql = yield* SqlClient.SqlClient
  const orders = matchingOrdersSql(sql, operatorId, query)
  const conversations = matchingConversationsSql(sql, operatorId, query)
  const rows = yield* readMatchRows(sql`${guestMatchesSql(sql, operatorId, { orders, conversations, now })}`)
  if (rows.length > GUEST_COMMAND_ORDERS_MAX) return yield* new TooManyGuestRecords()
  return rows.map((row) => toGuestMatch(operatorId, row))
})

export const findGuestByConversation = Effect.fnUntraced(function* (operatorId: number, code: string, now: Date) {
  const sql = yield* SqlClient.SqlClient
  const orders = sql`SELECT NULL::bigint AS id WHERE false`
  const conversations = sql`SELECT ${code}::text AS code`
  const rows = yield* readMatchRows(sql`${guestMatchesSql(sql, operatorId, { orders, conversations, now })}`)
  return rows.map((row) => toGuestMatch(operatorId, row))
})

/** Includes other orders of the same conversation. */
export const findGuestByOrder = Effect.fnUntraced(function* (operatorId: number, orderId: number, now: Date) {
  const sql = yield* SqlClient.SqlClient
  const orders = sql`SELECT ${orderId}::bigint AS id`
  const conversations = sql`SELECT NULL::text AS code WHERE false`
  const rows = yield* readMatchRows(sql`${guestMatchesSql(sql, operatorId, { orders, conversations, now })}`)
  return rows.map((row) => toGuestMatch(operatorId, row))
})
