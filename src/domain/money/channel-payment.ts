import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"

export interface ChannelPayment {
  readonly operatorId: number
  readonly accountId: number
  readonly channelType: string
  readonly paymentId: string
  /** The channel's id of the order. */
  readonly channelId: string
  readonly kind: "payment" | "refund"
  /** Decimal text in major units. */
  readonly amount: string
  readonly currency: string
  readonly paidAt: Date
}

interface TimestampedChannelPayment extends ChannelPayment {
  readonly now: Date
}

export const CHANNEL_PAYMENT_COLUMNS =
  "operator_id, account_id, payment_id, channel_id, kind, amount, currency, paid_at, created_at"
export const channelPaymentValuesSql = (
  sql: SqlClient.SqlClient,
  payment: Omit<TimestampedChannelPayment, "channelType">
): Fragment => sql`
  ${payment.operatorId}::bigint, ${payment.accountId}::bigint, ${payment.paymentId}::text, ${payment.channelId}::text,
  ${payment.kind}::text, ${payment.amount}::numeric, ${payment.currency}::text, ${payment.paidAt}::timestamptz, ${payment.now}::timestamptz`
