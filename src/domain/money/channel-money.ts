import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { onRecordInForms, touchedIn } from "../../changes/on-record.ts"
import { fourDecimals } from "../../contract/money.ts"
import { givenRow, namesOf } from "../../platform/database/columns.ts"
import { type Givens, inForms } from "../../platform/database/forms.ts"
import { onlyRowOf, rowOf } from "../../platform/database/rows.ts"
import { CHANNEL_MONEY_WAITING } from "../../platform/limits.ts"
import { Status } from "../bookings/orders/order.ts"
import { orderAsRead } from "../bookings/orders/table.ts"
import { GivenTransaction, type NewTransaction, recorded, type Split, sharesInto } from "./changes.ts"
import { BOOKING_SITE_PAYMENTS, PAID_BY_TRANSFER, RECEIVED_BY_TRANSFER, REFUND, ROOM_FEE } from "./dictionaries.ts"
import { splitOver } from "./shares.ts"
import { type ChannelMoney, columns, given, type Kept } from "./told-money.ts"
import { giveUp, wait, waitingAfter, waitingFor } from "./waiting-money.ts"

// Money that channels tell of: each payment and each refund becomes one entry of its order, however often it is told.

type Sql = SqlClient.SqlClient

const OrderOfMoney = Schema.Struct({
  id: Schema.Int,
  reservation_code: Schema.String,
  /** It is another account's than the one that tells, and neither of them is disconnected: then the host has connected anew. */
  is_anothers: Schema.Boolean,
  status: Status,
  currency: Schema.String,
  stays: Schema.Array(Schema.Struct({ id: Schema.Int, revenue: Schema.String }))
})
/** The order that money belongs to. */
export type OrderOfMoney = typeof OrderOfMoney.Type

const KnownMoney = Schema.Struct({
  channel_id: Schema.String,
  kind: Schema.String,
  amount: Schema.String,
  currency: Schema.String,
  settled: Schema.Boolean
})

/** What is known when money is told of. */
const Found = Schema.Struct({
  order: Schema.NullOr(OrderOfMoney),
  /** The same payment, told before; by another account of the channel, where it is an entry of the order already. */
  money: Schema.NullOr(KnownMoney),
  waiting: Schema.Int
})
export type FoundMoney = typeof Found.Type

const readFound = onlyRowOf(Schema.toCodecJson(Found))

const find = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, accountId, channelType, paymentId, channelId }: Givens<Omit<ChannelMoney, Told>>) => sql`
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
          LIMIT ${CHANNEL_MONEY_WAITING}) waiting) AS waiting`
  )
  return ({ operatorId, accountId, channelType, paymentId, channelId }: ChannelMoney) =>
    readFound(statement({ operatorId, accountId, channelType, paymentId, channelId }))
}

/** What is told of money beside how it is found. */
type Told = "kind" | "amount" | "currency" | "paidAt"

interface Settled extends Omit<Kept, "channelType">, Split {
  readonly entry: Omit<typeof GivenTransaction.Type, "order_id"> & { readonly order_id: number }
}

/** `as_read` is false where the order had changed since; then nothing was written. `id`: the entry; null, it was there. */
const readSettled = onlyRowOf(Schema.Struct({ as_read: Schema.Boolean, id: Schema.NullOr(Schema.Int) }))

/** Who is said to have created it. */
const SYSTEM = "System"

/** The entry that money of a channel is: what a guest paid came in for the room, what the guest got back went out as a refund. */
export const entryOf = (
  { kind, channelType, amount, currency, paidAt }: ChannelMoney,
  now: Date
): Omit<NewTransaction, "property_id"> & { readonly property_id: null } => ({
  direction: kind === "payment" ? "income" : "expense",
  amount,
  currency,
  item_id: kind === "payment" ? ROOM_FEE : REFUND,
  payment_method_id:
    kind === "refund"
      ? PAID_BY_TRANSFER
      : channelType === "booking_site"
        ? BOOKING_SITE_PAYMENTS
        : RECEIVED_BY_TRANSFER,
  // It has been paid: a channel whose clock is ahead of ours does not make it outstanding.
  action_at: (paidAt < now ? paidAt : now).toISOString(),
  status: "paid",
  note: "",
  property_id: null,
  operator_name: SYSTEM
})

/** Makes the entry, once: the payment is settled by the statement that makes it. */
const settle = (sql: Sql) => {
  const statement = onRecordInForms(sql, ({ entry, order, shares, ...money }: Givens<Settled>) => ({
    change: sql`
      ${orderAsRead(sql, money.operatorId, order)}, payment AS (
        INSERT INTO channel_payments AS p (${sql.literal(columns)}, settled_at)
        SELECT ${given(sql, money)}, ${money.now}::timestamptz FROM as_read
        ON CONFLICT (operator_id, account_id, payment_id) DO UPDATE SET settled_at = excluded.settled_at
          WHERE p.settled_at IS NULL
        RETURNING p.operator_id
      ), entry AS (
        INSERT INTO transactions (operator_id, created_at, updated_at, ${sql.literal(namesOf(GivenTransaction))})
        SELECT payment.operator_id, ${money.now}::timestamptz, ${money.now}::timestamptz,
          ${sql.literal(namesOf(GivenTransaction, "given"))}
        FROM payment, ${givenRow(sql, GivenTransaction, entry)}
        RETURNING operator_id, id
      ), shares AS (${sharesInto(sql, shares)})`,
    events: [recorded(sql, "created", money.now)],
    touched: touchedIn(sql, "transaction", "entry"),
    outcome: sql`SELECT EXISTS (SELECT FROM as_read) AS as_read, (SELECT id FROM entry) AS id`
  }))
  return (money: ChannelMoney, order: OrderOfMoney, now: Date) => {
    const { operatorId, accountId, paymentId, channelId, kind, amount, currency, paidAt } = money
    const stays = order.stays.map(({ id, revenue }) => ({ id, accommodation_revenue: revenue }))
    return readSettled(
      statement({
        operatorId,
        accountId,
        paymentId,
        channelId,
        kind,
        amount,
        currency,
        paidAt,
        now,
        entry: { ...entryOf(money, now), order_id: order.id },
        order: { id: order.id, currency: order.currency, stays: order.stays, status: order.status },
        shares: splitOver(amount, currency, stays)
      })
    )
  }
}

const readPaid = rowOf(Schema.Struct({ reservation_code: Schema.String }))

/** The order, if it waits for a payment that is an entry of it already. */
const paidBefore = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({
      operatorId,
      channelType,
      channelId
    }: Givens<Pick<ChannelMoney, "operatorId" | "channelType" | "channelId">>) => sql`
      SELECT o.reservation_code FROM orders o
      WHERE o.operator_id = ${operatorId} AND o.channel_id = ${channelId} AND o.channel_type = ${channelType}
        AND o.status = 'wait_pay'
        AND EXISTS (SELECT FROM transactions t
          WHERE t.operator_id = o.operator_id AND t.order_id = o.id AND t.direction = 'income'
            AND t.item_id = ${ROOM_FEE} AND t.operator_name = ${SYSTEM})`
  )
  return (operatorId: number, channelType: string, channelId: string) =>
    readPaid(statement({ operatorId, channelType, channelId }))
}

/** Whether two tellings of one payment say the same. */
export const isSameMoney = (known: typeof KnownMoney.Type, told: ChannelMoney): boolean =>
  known.channel_id === told.channelId &&
  known.kind === told.kind &&
  known.currency === told.currency &&
  fourDecimals(known.amount) === fourDecimals(told.amount)

export class ChannelMoneyStore extends Context.Service<ChannelMoneyStore>()("latchkey/resources/ChannelMoneyStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    find: find(sql),
    wait: wait(sql),
    giveUp: giveUp(sql),
    settle: settle(sql),
    paidBefore: paidBefore(sql),
    waitingFor: waitingFor(sql),
    waitingAfter: waitingAfter(sql)
  }))
}) {
  static readonly layer = Layer.effect(ChannelMoneyStore, ChannelMoneyStore.make)
}
