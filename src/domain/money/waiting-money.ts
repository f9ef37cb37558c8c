import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { nextRows } from "../../jobs/retention.ts"
import { type Givens, inForms } from "../../platform/database/forms.ts"
import { rowsOf } from "../../platform/database/rows.ts"
import { CHANNEL_MONEY_WAITING } from "../../platform/limits.ts"
import { type ChannelMoney, columns, given, type Kept } from "./told-money.ts"

// Money that channels told of before its order: it is kept until that is known, or until it has waited too long.

type Sql = SqlClient.SqlClient

/** Keeps what was told before its order. */
export const wait = (sql: Sql) => {
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
export const giveUp = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, accountId, paymentId }: Givens<Pick<ChannelMoney, "operatorId" | "accountId" | "paymentId">>) => sql`
      DELETE FROM channel_payments
      WHERE operator_id = ${operatorId} AND account_id = ${accountId} AND payment_id = ${paymentId} AND settled_at IS NULL`
  )
  return ({ operatorId, accountId, paymentId }: ChannelMoney) =>
    Effect.asVoid(Effect.orDie(statement({ operatorId, accountId, paymentId })))
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
export const waitingFor = (sql: Sql) => {
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
export const waitingAfter = (sql: Sql) => {
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

/** Forgets what has waited since before `then`: its order never came. */
export const forgettingWaiting = (sql: Sql, then: Date): Fragment => sql`
  DELETE FROM channel_payments
  WHERE ${nextRows(sql, sql`SELECT ctid FROM channel_payments WHERE settled_at IS NULL AND created_at <= ${then}`)}`
