import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { changedRecordsSql, createdOrDeletedRecordsSql, recordChange } from "../../changes/recorded-change.ts"
import { recordEventSql } from "../../jobs/events/event-statements.ts"
import { column, columnNames, rowParameterSql, updateAssignments } from "../../platform/database/columns.ts"
import { jsonParameter } from "../../platform/database/parameters.ts"
import { lockUnchangedOrder, type OrderSnapshot } from "../bookings/orders/order-sql.ts"
import { readRowId } from "../operator-rows.ts"
import { Transaction } from "./contract.ts"
import type { EntryShare } from "./rules.ts"
import { writeShares } from "./transaction-shares.ts"

const EditableTransactionColumns = Schema.Struct({
  amount: column("numeric", Schema.String),
  item_id: column("bigint", Transaction.fields.item_id),
  payment_method_id: column("bigint", Transaction.fields.payment_method_id),
  /** ISO 8601 in UTC. A Date would lose the microseconds. */
  action_at: column("timestamptz", Schema.String),
  status: column("text", Transaction.fields.status),
  note: column("text", Transaction.fields.note)
})
export type TransactionEdit = {
  readonly [Column in keyof typeof EditableTransactionColumns.Type]:
    | (typeof EditableTransactionColumns.Type)[Column]
    | undefined
}

export const NewTransactionColumns = Schema.Struct({
  ...EditableTransactionColumns.fields,
  direction: column("text", Transaction.fields.direction),
  currency: column("text", Transaction.fields.currency),
  property_id: column("bigint", Transaction.fields.property_id),
  order_id: column("bigint", Schema.NullOr(Schema.Int)),
  operator_name: column("text", Transaction.fields.operator_name)
})
export type NewTransaction = Omit<typeof NewTransactionColumns.Type, "order_id">

/** Without an order, the shares stay unchanged. */
export interface EntrySplit {
  readonly order: OrderSnapshot | undefined
  readonly shares: ReadonlyArray<EntryShare>
}

export const writeEntryShares = (sql: SqlClient, shares: ReadonlyArray<EntryShare>): Fragment =>
  writeShares(
    sql,
    sql`SELECT entry.operator_id, entry.id AS transaction_id, share.stay_id, share.amount
      FROM entry, jsonb_to_recordset(${jsonParameter(shares)}::jsonb) AS share (stay_id bigint, amount numeric)`
  )

export const recordEntryEvent = (sql: SqlClient, change: "created" | "updated" | "deleted", at: Date): Fragment =>
  recordEventSql(sql, `transaction_${change}`, {
    from: sql`entry`,
    record: sql`'transaction:' || id`,
    fields: { transaction_id: sql`id` },
    at
  })

export const createTransaction =
  (sql: SqlClient) =>
  (operatorId: number, entry: NewTransaction, { order, shares }: EntrySplit, now: Date) =>
    readRowId(
      recordChange(sql, {
        change: sql`
          ${lockUnchangedOrder(sql, operatorId, order)}, entry AS (
            INSERT INTO transactions (operator_id, created_at, updated_at, ${sql.literal(columnNames(NewTransactionColumns))})
            SELECT ${operatorId}, ${now}::timestamptz, ${now}::timestamptz, ${sql.literal(columnNames(NewTransactionColumns))}
            FROM as_read, ${rowParameterSql(sql, NewTransactionColumns, { ...entry, order_id: order?.id ?? null })}
            RETURNING operator_id, id
          ), shares AS (${writeEntryShares(sql, shares)})`,
        events: [recordEntryEvent(sql, "created", now)],
        changedRecords: createdOrDeletedRecordsSql(sql, "transaction", "entry"),
        outcome: sql`SELECT id FROM entry`
      })
    )

/** Locks the order before the transaction, as order changes do. */
export const updateTransaction =
  (sql: SqlClient) =>
  (operatorId: number, id: number, edit: TransactionEdit, { order, shares }: EntrySplit, now: Date) =>
    readRowId(
      recordChange(sql, {
        change: sql`
          ${lockUnchangedOrder(sql, operatorId, order)}, before AS (
            SELECT * FROM transactions WHERE operator_id = ${operatorId} AND id = ${id} AND EXISTS (SELECT FROM as_read)
            FOR NO KEY UPDATE
          ), entry AS (
            UPDATE transactions t SET updated_at = ${now}, ${updateAssignments(sql, EditableTransactionColumns, "t", edit)}
            FROM before WHERE t.operator_id = before.operator_id AND t.id = before.id
            RETURNING t.*
          ), shares AS (${writeEntryShares(sql, shares)})`,
        events: [recordEntryEvent(sql, "updated", now)],
        changedRecords: changedRecordsSql(sql, "transaction", "entry"),
        outcome: sql`SELECT id FROM entry`
      })
    )

export const deleteTransaction = (sql: SqlClient) => (operatorId: number, id: number, now: Date) =>
  readRowId(
    recordChange(sql, {
      change: sql`
        entry AS (
          DELETE FROM transactions WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id)`,
      events: [recordEntryEvent(sql, "deleted", now)],
      changedRecords: createdOrDeletedRecordsSql(sql, "transaction", "entry"),
      outcome: sql`SELECT id FROM entry`
    })
  )
