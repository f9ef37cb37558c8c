import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { type Givens, inForms, partOf, type Value } from "../../platform/database/forms.ts"
import { selectedColumnsSql } from "../../platform/database/list-pages.ts"
import { makeOptionalRowReader, makeRowsReader, makeSingleRowReader } from "../../platform/database/rows.ts"
import { propertyExistsCondition } from "../properties/properties/ownership.ts"
import { ListedDictionaryEntry } from "./contract.ts"
import type { DictionaryName } from "./dictionaries.ts"
import { isListedByOperatorSql } from "./dictionary-sql.ts"
import { createTransaction, deleteTransaction, updateTransaction } from "./transaction-changes.ts"
import {
  checkTransactionFilters,
  searchTransactions,
  selectOrderIds,
  type TransactionFilterIds,
  TransactionRow,
  transactionColumns,
  transactionJoins
} from "./transaction-search.ts"

// The SQL of income and expense entries. A read is one statement; a change is two: one that reads what the rules need,
// which is here, and one that changes.

type Sql = SqlClient.SqlClient

const StayWeights = Schema.Array(Schema.Struct({ id: Schema.Int, revenue: Schema.String }))

/** Whether the account's own dictionaries list what a call names; null: they say nothing of it. */
const listedFlags = {
  item_listed: Schema.NullOr(Schema.Boolean),
  method_listed: Schema.NullOr(Schema.Boolean)
}

/** What the rules need to know before an entry is created. */
const TransactionPreconditions = Schema.Struct({
  property_known: Schema.Boolean,
  ...listedFlags,
  order_id: Schema.NullOr(Schema.Int),
  order_currency: Schema.NullOr(Schema.String),
  stays: StayWeights
})

/** The entry before a change, and what the rules need to know beside it. */
const ExistingTransaction = Schema.Struct({
  ...TransactionRow.fields,
  ...listedFlags,
  order_id: Schema.NullOr(Schema.Int),
  stays: StayWeights
})

const readPreconditions = makeSingleRowReader(TransactionPreconditions)
const readTransaction = makeOptionalRowReader(ExistingTransaction)
const readDictionary = makeRowsReader(Schema.Struct({ ...ListedDictionaryEntry.fields, retired: Schema.Boolean }))

/** An entry of one of the dictionaries. */
interface DictionaryEntryId {
  readonly dictionary: DictionaryName
  readonly id: number
}

/** The stays of the row `orders`, as what weighs their shares. */
const stayWeightsJson = (sql: Sql): Fragment => sql`coalesce((
  SELECT jsonb_agg(jsonb_build_object('id', stay.id, 'revenue', stay.accommodation_revenue::text) ORDER BY stay.id)
  FROM stays stay WHERE stay.operator_id = orders.operator_id AND stay.order_id = orders.id), '[]')`

/** What a new entry names. */
interface NewTransactionReferences extends TransactionFilterIds {
  readonly item: DictionaryEntryId
  readonly method: DictionaryEntryId
}

const findPreconditions = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, property_id, order_code, item, method }: Givens<NewTransactionReferences>) => sql`
      SELECT
        ${propertyExistsCondition(sql, operatorId, property_id)} AS property_known,
        ${isListedEntrySql(sql, operatorId, item)} AS item_listed, ${isListedEntrySql(sql, operatorId, method)} AS method_listed,
        orders.id AS order_id, orders.currency AS order_currency, ${stayWeightsJson(sql)} AS stays
      FROM (SELECT 1) one
      LEFT JOIN orders ON ${
        order_code === undefined
          ? sql`false`
          : sql`orders.operator_id = ${operatorId} AND orders.id IN ${selectOrderIds(sql, operatorId, order_code)}`
      }`
  )
  return ({ operatorId, property_id, order_code, item, method }: NewTransactionReferences) =>
    readPreconditions(statement({ operatorId, property_id, order_code, item, method }))
}

const isListedEntrySql = (sql: Sql, operatorId: Value<number>, entry: Value<DictionaryEntryId>): Fragment =>
  isListedByOperatorSql(
    sql,
    operatorId,
    sql`${partOf(entry, ({ dictionary }) => dictionary)}`,
    partOf(entry, ({ id }) => id)
  )

/** Of what an edit names; what it does not is asked nothing of. */
const isListedIfSentSql = (
  sql: Sql,
  operatorId: Value<number>,
  dictionary: Fragment,
  id: Value<number> | undefined
): Fragment => (id === undefined ? sql`NULL::boolean` : isListedByOperatorSql(sql, operatorId, dictionary, id))

interface FindTransactionParameters {
  readonly operatorId: number
  readonly id: number
  readonly item_id: number | undefined
  readonly payment_method_id: number | undefined
}

const findTransaction = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, id, item_id, payment_method_id }: Givens<FindTransactionParameters>) => sql`
      SELECT ${selectedColumnsSql(sql, TransactionRow, transactionColumns(sql))}, page.order_id, ${stayWeightsJson(sql)} AS stays,
        ${isListedIfSentSql(sql, operatorId, sql`page.direction || '_items'`, item_id)} AS item_listed,
        ${isListedIfSentSql(sql, operatorId, sql`page.direction || '_methods'`, payment_method_id)} AS method_listed
      FROM transactions page ${transactionJoins(sql)}
      WHERE page.operator_id = ${operatorId} AND page.id = ${id}`
  )
  return (
    operatorId: number,
    id: number,
    { item_id, payment_method_id }: { readonly item_id?: number; readonly payment_method_id?: number }
  ) => readTransaction(statement({ operatorId, id, item_id, payment_method_id }))
}

const listDictionary = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, name }: Givens<{ readonly operatorId: number; readonly name: DictionaryName }>) => sql`
      SELECT id, name, retired_at IS NOT NULL AS retired
      FROM dictionary_entries WHERE operator_id = ${operatorId} AND dictionary = ${name}`
  )
  return (operatorId: number, name: DictionaryName) => readDictionary(statement({ operatorId, name }))
}

export class TransactionStore extends Context.Service<TransactionStore>()("latchkey/domain/money/TransactionStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    search: searchTransactions(sql),
    checkFilters: checkTransactionFilters(sql),
    findPreconditions: findPreconditions(sql),
    create: createTransaction(sql),
    findTransaction: findTransaction(sql),
    update: updateTransaction(sql),
    remove: deleteTransaction(sql),
    listDictionary: listDictionary(sql)
  }))
}) {
  static readonly layer = Layer.effect(TransactionStore, TransactionStore.make)
}
