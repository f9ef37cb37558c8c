import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { nextRows } from "../../background/retention.ts"
import { onRecordInForms, touchedIn } from "../../changes/on-record.ts"
import { fourDecimals } from "../../contract/money.ts"
import { givenRow, namesOf } from "../../database/columns.ts"
import { type Givens, inForms } from "../../database/forms.ts"
import { onlyRowOf, rowOf, rowsOf } from "../../database/rows.ts"
import { CHANNEL_MONEY_WAITING } from "../../limits.ts"
import { Status } from "../orders/order.ts"
import { orderAsRead } from "../orders/table.ts"
import { GivenTransaction, type NewTransaction, recorded, type Split, sharesInto } from "./changes.ts"
import { splitOver } from "./shares.ts"

// Money that channels tell of: each payment and each refund becomes one entry of its order, however often it is told. What
// is told before its order is kept until that is known.

type Sql = SqlClient.SqlClient

/** A payment of a guest to a channel, or what the guest got back, by the channel's own id of it. */
export interface ChannelMoney {
  readonly operatorId: number
  readonly accountId: number
  readonly channelType: string
  readonly paymentId: string
  /** The channel's own id of the order. */
  readonly channelId: string
  readonly kind: "payment" | "refund"
  /** Decimal text, major units. */
  readonly amount: string
  readonly currency: string
  readonly paidAt: Date
}

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

interface Kept extends ChannelMoney {
  readonly now: Date
}

const columns = "operator_id, account_id, payment_id, channel_id, kind, amount, currency, paid_at, created_at"
const given = (sql: Sql, money: Givens<Omit<Kept, "channelType">>): Fragment => sql`
  ${money.operatorId}::bigint, ${money.accountId}::bigint, ${money.paymentId}::text, ${money.channelId}::text,
  ${money.kind}::text, ${money.amount}::numeric, ${money.currency}::text, ${money.paidAt}::timestamptz, ${money.now}::timestamptz`

/** Keeps what was told before its order. */
const wait = (sql: Sql) => {
  const statement = inForms(
    sql,
    (money: Givens<Omit<Kept, "channelType">>) => sql`
      INSERT INTO channel_payments (${sql.literal(columns)}) SELECT ${given(sql, money)} ON CONFLICT DO NOTHING`
  )
  return (money: ChannelMoney, now: Date) => {
    const { operatorId, accountId, paymentId, channelId, kind, amount, currency, paidAt } = money
    return Effect.asVoid(
      Effect.orDie(statement({ operatorId, accountId, paymentId, channelId, kind, amount, currency, paidAt, now }))
    )
  }
}

/** Gives up what waited and cannot become an entry of the order that came. */
const giveUp = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, accountId, paymentId }: Givens<Pick<ChannelMoney, "operatorId" | "accountId" | "paymentId">>) => sql`
      DELETE FROM channel_payments
      WHERE operator_id = ${operatorId} AND account_id = ${accountId} AND payment_id = ${paymentId} AND settled_at IS NULL`
  )
  return ({ operatorId, accountId, paymentId }: ChannelMoney) =>
    Effect.asVoid(Effect.orDie(statement({ operatorId, accountId, paymentId })))
}

interface Settled extends Omit<Kept, "channelType">, Split {
  readonly entry: Omit<typeof GivenTransaction.Type, "order_id"> & { readonly order_id: number }
}

/** `as_read` is false where the order had changed since; then nothing was written. `id`: the entry; null, it was there. */
const readSettled = onlyRowOf(Schema.Struct({ as_read: Schema.Boolean, id: Schema.NullOr(Schema.Int) }))

/** What the guest paid is room fee; what was given back is a refund (dictionaries.ts). */
const SYSTEM = "System"
const ROOM_FEE = 11
const REFUND = 58
const BOOKING_SITE_PAYMENTS = 27
const RECEIVED_BY_TRANSFER = 36
const PAID_BY_TRANSFER = 302

/** The entry that money of a channel is: what a guest paid came in, what the guest got back went out. */
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
  action_at: paidAt < now ? paidAt : now,
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
        order: { id: order.id, currency: order.currency, stays: order.stays },
        shares: splitOver(amount, currency, stays)
      })
    )
  }
}

const Waiting = Schema.Struct({
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
const readWaiting = rowsOf(Waiting)

/** Where a look through all that waits has come. */
export interface WaitingAfter {
  readonly operatorId: number
  readonly accountId: number
  readonly channelId: string
  readonly paymentId: string
}

const waitingRow = (sql: Sql): Fragment => sql`
  SELECT p.operator_id AS "operatorId", p.account_id AS "accountId", a.channel_type AS "channelType",
    p.payment_id AS "paymentId", p.channel_id AS "channelId", p.kind, p.amount::text AS amount, p.currency, p.paid_at AS "paidAt"
  FROM channel_payments p
  JOIN channel_accounts a ON a.operator_id = p.operator_id AND a.id = p.account_id`

/** What waits for one order. */
const waitingFor = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, accountId, channelId }: Givens<Omit<WaitingAfter, "paymentId">>) => sql`
      ${waitingRow(sql)}
      WHERE p.operator_id = ${operatorId} AND p.account_id = ${accountId} AND p.channel_id = ${channelId}
        AND p.settled_at IS NULL
      ORDER BY p.payment_id LIMIT ${CHANNEL_MONEY_WAITING}`
  )
  return ({ operatorId, accountId, channelId }: Omit<WaitingAfter, "paymentId">) =>
    readWaiting(statement({ operatorId, accountId, channelId }))
}

/** The next of all that waits and whose order is known by now. */
const waitingAfter = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, accountId, channelId, paymentId, most }: Givens<WaitingAfter & { readonly most: number }>) => sql`
      ${waitingRow(sql)}
      WHERE p.settled_at IS NULL
        AND (p.operator_id, p.account_id, p.channel_id, p.payment_id) > (${operatorId}::bigint, ${accountId}::bigint, ${channelId}::text, ${paymentId}::text)
        AND EXISTS (SELECT FROM orders o
          WHERE o.operator_id = p.operator_id AND o.channel_id = p.channel_id AND o.channel_type = a.channel_type)
      ORDER BY p.operator_id, p.account_id, p.channel_id, p.payment_id LIMIT ${most}`
  )
  return ({ operatorId, accountId, channelId, paymentId }: WaitingAfter, most: number) =>
    readWaiting(statement({ operatorId, accountId, channelId, paymentId, most }))
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

/** Forgets what has waited since before `then`: its order never came. */
export const forgettingWaiting = (sql: Sql, then: Date): Fragment => sql`
  DELETE FROM channel_payments
  WHERE ${nextRows(sql, sql`SELECT ctid FROM channel_payments WHERE settled_at IS NULL AND created_at <= ${then}`)}`

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
