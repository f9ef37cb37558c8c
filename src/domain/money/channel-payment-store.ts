import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createdOrDeletedRecordsSql, recordChange } from "../../changes/recorded-change.ts"
import type { CurrentActor } from "../../contract/actor.ts"
import { padToFourDecimals } from "../../contract/money.ts"
import { columnNames, rowParameterSql } from "../../platform/database/columns.ts"
import { makeOptionalRowReader, makeSingleRowReader } from "../../platform/database/rows.ts"
import { PENDING_CHANNEL_PAYMENTS_MAX } from "../../platform/limits.ts"
import { OrderStatus } from "../bookings/orders/order.ts"
import { lockUnchangedOrder } from "../bookings/orders/order-sql.ts"
import { CHANNEL_PAYMENT_COLUMNS, type ChannelPayment, channelPaymentValuesSql } from "./channel-payment.ts"
import {
  BOOKING_SITE_METHOD,
  EXPENSE_TRANSFER_METHOD,
  INCOME_TRANSFER_METHOD,
  REFUND_ITEM,
  ROOM_FEE_ITEM
} from "./dictionaries.ts"
import {
  makeDiscardPending,
  makeListPendingAfter,
  makeListPendingOfOrder,
  makeStorePending,
  type PendingPaymentCursor,
  type PendingPaymentRow
} from "./pending-payments.ts"
import {
  type NewTransaction,
  NewTransactionColumns,
  recordEntryEvent,
  writeEntryShares
} from "./transaction-changes.ts"
import { splitAmountOverStays } from "./transaction-shares.ts"

// A channel may repeat a payment, but the order gets one transaction for it.

type Sql = SqlClient.SqlClient

const OrderOfPayment = Schema.Struct({
  id: Schema.Int,
  reservation_code: Schema.String,
  /**
   * True if the order belongs to another account of the channel and neither account is disconnected. A disconnected
   * account counts as replaced by the other one.
   */
  is_anothers: Schema.Boolean,
  status: OrderStatus,
  currency: Schema.String,
  stays: Schema.Array(Schema.Struct({ id: Schema.Int, revenue: Schema.String }))
})
export type OrderOfPayment = typeof OrderOfPayment.Type

const RecordedPayment = Schema.Struct({
  channel_id: Schema.String,
  kind: Schema.String,
  amount: Schema.String,
  currency: Schema.String,
  settled: Schema.Boolean
})

const PaymentContextRow = Schema.Struct({
  order: Schema.NullOr(OrderOfPayment),
  /** The payment as it was recorded earlier, possibly for another account of the channel. */
  money: Schema.NullOr(RecordedPayment),
  waiting: Schema.Int
})
export type PaymentContext = typeof PaymentContextRow.Type

const readPaymentContext = makeSingleRowReader(Schema.toCodecJson(PaymentContextRow))

const findPaymentContext =
  (sql: Sql): ChannelPaymentStore["Service"]["findContext"] =>
  ({ operatorId, accountId, channelType, paymentId, channelId }) =>
    readPaymentContext(sql`
      SELECT
        (SELECT jsonb_build_object('id', o.id, 'reservation_code', o.reservation_code,
            'is_anothers', o.channel_account_id IS NOT NULL AND o.channel_account_id <> ${accountId} AND NOT EXISTS (
              SELECT FROM channel_accounts a WHERE a.operator_id = o.operator_id AND a.auth_status = 'disconnected'
                AND a.id IN (o.channel_account_id, ${accountId})),
            'status', o.status, 'currency', o.currency, 'stays', (
              SELECT coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'revenue', s.accommodation_revenue::text) ORDER BY s.id), '[]')
              FROM stays s WHERE s.operator_id = o.operator_id AND s.order_id = o.id))
          FROM orders o
          WHERE o.operator_id = ${operatorId} AND o.channel_id = ${channelId} AND o.channel_type = ${channelType}) AS "order",
        (SELECT jsonb_build_object('channel_id', p.channel_id, 'kind', p.kind, 'amount', p.amount::text,
            'currency', p.currency, 'settled', p.settled_at IS NOT NULL)
          FROM channel_accounts a
          JOIN channel_payments p ON p.operator_id = a.operator_id AND p.account_id = a.id AND p.payment_id = ${paymentId}
          WHERE a.operator_id = ${operatorId} AND a.channel_type = ${channelType}
            AND (a.id = ${accountId} OR (p.channel_id = ${channelId} AND p.settled_at IS NOT NULL))
          ORDER BY p.channel_id = ${channelId} AND p.settled_at IS NOT NULL DESC, a.id = ${accountId} DESC
          LIMIT 1) AS money,
        (SELECT count(*)::int FROM (SELECT FROM channel_payments p
          WHERE p.operator_id = ${operatorId} AND p.account_id = ${accountId} AND p.settled_at IS NULL
          LIMIT ${PENDING_CHANNEL_PAYMENTS_MAX}) waiting) AS waiting`)

const PaymentSettlement = Schema.Struct({
  /** False, with nothing written, if the order changed after it was loaded. */
  as_read: Schema.Boolean,
  id: Schema.NullOr(Schema.Int)
})
type PaymentSettlement = typeof PaymentSettlement.Type

const readSettlementResult = makeSingleRowReader(PaymentSettlement)

const SYSTEM_NAME = "System"

export const toTransaction = (
  { kind, channelType, amount, currency, paidAt }: ChannelPayment,
  now: Date
): Omit<NewTransaction, "property_id"> & { readonly property_id: null } => ({
  direction: kind === "payment" ? "income" : "expense",
  amount,
  currency,
  item_id: kind === "payment" ? ROOM_FEE_ITEM : REFUND_ITEM,
  payment_method_id:
    kind === "refund"
      ? EXPENSE_TRANSFER_METHOD
      : channelType === "booking_site"
        ? BOOKING_SITE_METHOD
        : INCOME_TRANSFER_METHOD,
  // Even if the channel's clock is ahead, the time of a paid transaction must not be in the future.
  action_at: (paidAt < now ? paidAt : now).toISOString(),
  status: "paid",
  note: "",
  property_id: null,
  operator_name: SYSTEM_NAME
})

const settlePayment =
  (sql: Sql): ChannelPaymentStore["Service"]["settlePayment"] =>
  (payment, order, now) => {
    const stays = order.stays.map(({ id, revenue }) => ({ id, accommodation_revenue: revenue }))
    const shares = splitAmountOverStays(payment.amount, payment.currency, stays)
    return readSettlementResult(
      recordChange(sql, {
        change: sql`
          ${lockUnchangedOrder(sql, payment.operatorId, order)}, payment AS (
            INSERT INTO channel_payments AS p (${sql.literal(CHANNEL_PAYMENT_COLUMNS)}, settled_at)
            SELECT ${channelPaymentValuesSql(sql, { ...payment, now })}, ${now}::timestamptz FROM as_read
            ON CONFLICT (operator_id, account_id, payment_id) DO UPDATE SET settled_at = excluded.settled_at
              WHERE p.settled_at IS NULL
            RETURNING p.operator_id
          ), entry AS (
            INSERT INTO transactions (operator_id, created_at, updated_at, ${sql.literal(columnNames(NewTransactionColumns))})
            SELECT payment.operator_id, ${now}::timestamptz, ${now}::timestamptz,
              ${sql.literal(columnNames(NewTransactionColumns, "given"))}
            FROM payment, ${rowParameterSql(sql, NewTransactionColumns, { ...toTransaction(payment, now), order_id: order.id })}
            RETURNING operator_id, id
          ), shares AS (${writeEntryShares(sql, shares)})`,
        events: [recordEntryEvent(sql, "created", now)],
        changedRecords: createdOrDeletedRecordsSql(sql, "transaction", "entry"),
        outcome: sql`SELECT EXISTS (SELECT FROM as_read) AS as_read, (SELECT id FROM entry) AS id`
      })
    )
  }

const PaidOrderRow = Schema.Struct({ reservation_code: Schema.String })
type PaidOrderRow = typeof PaidOrderRow.Type

const readPaidOrder = makeOptionalRowReader(PaidOrderRow)

const findPaidOrder =
  (sql: Sql): ChannelPaymentStore["Service"]["findPaidOrder"] =>
  (operatorId, channelType, channelId) =>
    readPaidOrder(sql`
      SELECT o.reservation_code FROM orders o
      WHERE o.operator_id = ${operatorId} AND o.channel_id = ${channelId} AND o.channel_type = ${channelType}
        AND o.status = 'wait_pay'
        AND EXISTS (SELECT FROM transactions t
          WHERE t.operator_id = o.operator_id AND t.order_id = o.id AND t.direction = 'income'
            AND t.item_id = ${ROOM_FEE_ITEM} AND t.operator_name = ${SYSTEM_NAME})`)

export const isSamePayment = (recorded: typeof RecordedPayment.Type, payment: ChannelPayment): boolean =>
  recorded.channel_id === payment.channelId &&
  recorded.kind === payment.kind &&
  recorded.currency === payment.currency &&
  padToFourDecimals(recorded.amount) === padToFourDecimals(payment.amount)

export class ChannelPaymentStore extends Context.Service<
  ChannelPaymentStore,
  {
    readonly findContext: (payment: ChannelPayment) => Effect.Effect<PaymentContext>
    /** Idempotent. */
    readonly storePending: (payment: ChannelPayment, now: Date) => Effect.Effect<void>
    /** Does not delete a settled payment. */
    readonly discardPending: (payment: ChannelPayment) => Effect.Effect<void>
    /** One statement creates the transaction and settles the payment. Idempotent. */
    readonly settlePayment: (
      payment: ChannelPayment,
      order: OrderOfPayment,
      now: Date
    ) => Effect.Effect<PaymentSettlement, never, CurrentActor>
    /** Returns the order if it is `wait_pay` although its payment is recorded. */
    readonly findPaidOrder: (
      operatorId: number,
      channelType: string,
      channelId: string
    ) => Effect.Effect<PaidOrderRow | undefined>
    /** Returns at most {@link PENDING_CHANNEL_PAYMENTS_MAX} payments. */
    readonly listPendingOfOrder: (
      order: Omit<PendingPaymentCursor, "paymentId">
    ) => Effect.Effect<ReadonlyArray<PendingPaymentRow>>
    /** Returns pending payments of all operators whose order exists by now, in cursor order. */
    readonly listPendingAfter: (
      cursor: PendingPaymentCursor,
      limit: number
    ) => Effect.Effect<ReadonlyArray<PendingPaymentRow>>
  }
>()("latchkey/domain/money/ChannelPaymentStore") {
  static readonly layer = Layer.effect(
    ChannelPaymentStore,
    Effect.map(SqlClient.SqlClient, (sql) =>
      ChannelPaymentStore.of({
        findContext: findPaymentContext(sql),
        storePending: makeStorePending(sql),
        discardPending: makeDiscardPending(sql),
        settlePayment: settlePayment(sql),
        findPaidOrder: findPaidOrder(sql),
        listPendingOfOrder: makeListPendingOfOrder(sql),
        listPendingAfter: makeListPendingAfter(sql)
      })
    )
  )
}
