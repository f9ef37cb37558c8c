import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { nextRowsCondition } from "../../jobs/retention.ts"
import { makeRowsReader } from "../../platform/database/rows.ts"
import { PENDING_CHANNEL_PAYMENTS_MAX } from "../../platform/limits.ts"
import { CHANNEL_PAYMENT_COLUMNS, type ChannelPayment, channelPaymentValuesSql } from "./channel-payment.ts"

// A channel may report money before its order. The payment is kept until the order arrives or the waiting time ends.

type Sql = SqlClient.SqlClient

export const makeStorePending = (sql: Sql) => (payment: ChannelPayment, now: Date) =>
  Effect.asVoid(
    Effect.orDie(sql`
      INSERT INTO channel_payments (${sql.literal(CHANNEL_PAYMENT_COLUMNS)}) SELECT ${channelPaymentValuesSql(sql, { ...payment, now })} ON CONFLICT DO NOTHING`)
  )

export const makeDiscardPending =
  (sql: Sql) =>
  ({ operatorId, accountId, paymentId }: ChannelPayment) =>
    Effect.asVoid(
      Effect.orDie(sql`
        DELETE FROM channel_payments
        WHERE operator_id = ${operatorId} AND account_id = ${accountId} AND payment_id = ${paymentId} AND settled_at IS NULL`)
    )

const PendingPaymentRow = Schema.Struct({
  operatorId: Schema.Int,
  accountId: Schema.Int,
  channelType: Schema.String,
  paymentId: Schema.String,
  channelId: Schema.String,
  kind: Schema.Literals(["payment", "refund"]),
  amount: Schema.String,
  currency: Schema.String,
  paidAt: Schema.Date
})
export type PendingPaymentRow = typeof PendingPaymentRow.Type

const readPendingPayments = makeRowsReader(PendingPaymentRow)

export interface PendingPaymentCursor {
  readonly operatorId: number
  readonly accountId: number
  readonly channelId: string
  readonly paymentId: string
}

const selectPendingPayments = (sql: Sql): Fragment => sql`
  SELECT p.operator_id AS "operatorId", p.account_id AS "accountId", a.channel_type AS "channelType",
    p.payment_id AS "paymentId", p.channel_id AS "channelId", p.kind, p.amount::text AS amount, p.currency, p.paid_at AS "paidAt"
  FROM channel_payments p
  JOIN channel_accounts a ON a.operator_id = p.operator_id AND a.id = p.account_id`

export const makeListPendingOfOrder =
  (sql: Sql) =>
  ({ operatorId, accountId, channelId }: Omit<PendingPaymentCursor, "paymentId">) =>
    readPendingPayments(sql`
      ${selectPendingPayments(sql)}
      WHERE p.operator_id = ${operatorId} AND p.account_id = ${accountId} AND p.channel_id = ${channelId}
        AND p.settled_at IS NULL
      ORDER BY p.payment_id LIMIT ${PENDING_CHANNEL_PAYMENTS_MAX}`)

export const makeListPendingAfter =
  (sql: Sql) =>
  ({ operatorId, accountId, channelId, paymentId }: PendingPaymentCursor, limit: number) =>
    readPendingPayments(sql`
      ${selectPendingPayments(sql)}
      WHERE p.settled_at IS NULL
        AND (p.operator_id, p.account_id, p.channel_id, p.payment_id) > (${operatorId}::bigint, ${accountId}::bigint, ${channelId}::text, ${paymentId}::text)
        AND EXISTS (SELECT FROM orders o
          WHERE o.operator_id = p.operator_id AND o.channel_id = p.channel_id AND o.channel_type = a.channel_type)
      ORDER BY p.operator_id, p.account_id, p.channel_id, p.payment_id LIMIT ${limit}`)

export const deleteExpiredPendingPaymentsSql = (sql: Sql, createdUntil: Date): Fragment => sql`
  DELETE FROM channel_payments
  WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM channel_payments WHERE settled_at IS NULL AND created_at <= ${createdUntil}`)}`
