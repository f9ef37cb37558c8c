import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { CurrentActor } from "../../contract/actor.ts"
import type { Page } from "../../contract/page.ts"
import { selectedColumnsSql } from "../../platform/database/list-pages.ts"
import { genericPlanParameter } from "../../platform/database/parameters.ts"
import {
  makeOptionalRowReader,
  makeRowsReader,
  makeSingleRowReader,
  type RowPage
} from "../../platform/database/rows.ts"
import { makeReadClientChooser } from "../../platform/database/SharedReads.ts"
import type { RowId } from "../column-schemas.ts"
import { propertyExistsCondition } from "../properties/properties/ownership.ts"
import { ListedDictionaryEntry } from "./contract.ts"
import type { DictionaryName } from "./dictionaries.ts"
import { isListedByOperatorSql } from "./dictionary-sql.ts"
import {
  createTransaction,
  deleteTransaction,
  type EntrySplit,
  type NewTransaction,
  type TransactionEdit,
  updateTransaction
} from "./transaction-changes.ts"
import {
  checkTransactionFilters,
  isShortTransactionSearch,
  searchTransactions,
  selectOrderIds,
  type TransactionFilterCheck,
  type TransactionFilterIds,
  type TransactionFilters,
  TransactionRow,
  transactionColumns,
  transactionJoins
} from "./transaction-search.ts"

type Sql = SqlClient.SqlClient

const StayWeights = Schema.Array(Schema.Struct({ id: Schema.Int, revenue: Schema.String }))

/** Null means that the built-in list decides. False means that the operator's entry is retired. */
const listedFlags = {
  item_listed: Schema.NullOr(Schema.Boolean),
  method_listed: Schema.NullOr(Schema.Boolean)
}

const TransactionPreconditions = Schema.Struct({
  property_known: Schema.Boolean,
  ...listedFlags,
  order_id: Schema.NullOr(Schema.Int),
  order_currency: Schema.NullOr(Schema.String),
  stays: StayWeights
})

const ExistingTransaction = Schema.Struct({
  ...TransactionRow.fields,
  ...listedFlags,
  order_id: Schema.NullOr(Schema.Int),
  stays: StayWeights
})

type TransactionPreconditions = typeof TransactionPreconditions.Type
type ExistingTransaction = typeof ExistingTransaction.Type

const readPreconditions = makeSingleRowReader(TransactionPreconditions)
const readTransaction = makeOptionalRowReader(ExistingTransaction)
const DictionaryRow = Schema.Struct({ ...ListedDictionaryEntry.fields, retired: Schema.Boolean })
type DictionaryRow = typeof DictionaryRow.Type

const readDictionary = makeRowsReader(DictionaryRow)

interface DictionaryEntryId {
  readonly dictionary: DictionaryName
  readonly id: number
}

const stayWeightsJson = (sql: Sql): Fragment => sql`coalesce((
  SELECT jsonb_agg(jsonb_build_object('id', stay.id, 'revenue', stay.accommodation_revenue::text) ORDER BY stay.id)
  FROM stays stay WHERE stay.operator_id = orders.operator_id AND stay.order_id = orders.id), '[]')`

interface NewTransactionReferences extends TransactionFilterIds {
  readonly item: DictionaryEntryId
  readonly method: DictionaryEntryId
}

const findPreconditions =
  (sql: Sql) =>
  ({ operatorId, property_id, order_code, item, method }: NewTransactionReferences) =>
    readPreconditions(sql`
      SELECT
        ${propertyExistsCondition(sql, operatorId, property_id)} AS property_known,
        ${isListedEntrySql(sql, operatorId, item)} AS item_listed, ${isListedEntrySql(sql, operatorId, method)} AS method_listed,
        orders.id AS order_id, orders.currency AS order_currency, ${stayWeightsJson(sql)} AS stays
      FROM (SELECT 1) one
      LEFT JOIN orders ON ${
        order_code === undefined
          ? sql`false`
          : sql`orders.operator_id = ${operatorId} AND orders.id IN ${selectOrderIds(sql, operatorId, order_code)}`
      }`)

const isListedEntrySql = (sql: Sql, operatorId: number, entry: DictionaryEntryId): Fragment =>
  isListedByOperatorSql(sql, operatorId, sql`${entry.dictionary}`, entry.id)

const isListedIfSentSql = (sql: Sql, operatorId: number, dictionary: Fragment, id: number | undefined): Fragment =>
  id === undefined ? sql`NULL::boolean` : isListedByOperatorSql(sql, operatorId, dictionary, id)

const findTransaction =
  (sql: Sql) =>
  (
    operatorId: number,
    id: number,
    { item_id, payment_method_id }: { readonly item_id?: number; readonly payment_method_id?: number }
  ) =>
    readTransaction(sql`
      SELECT ${selectedColumnsSql(sql, TransactionRow, transactionColumns(sql))}, page.order_id, ${stayWeightsJson(sql)} AS stays,
        ${isListedIfSentSql(sql, operatorId, sql`page.direction || '_items'`, item_id)} AS item_listed,
        ${isListedIfSentSql(sql, operatorId, sql`page.direction || '_methods'`, payment_method_id)} AS method_listed
      FROM transactions page ${transactionJoins(sql)}
      WHERE page.operator_id = ${operatorId} AND page.id = ${id}`)

const listDictionary = (sql: Sql) => (operatorId: number, name: DictionaryName) =>
  readDictionary(sql`
      SELECT id, name, retired_at IS NOT NULL AS retired
      FROM dictionary_entries WHERE operator_id = ${genericPlanParameter(sql, "bigint", operatorId)} AND dictionary = ${genericPlanParameter(sql, "text", name)}`)

export class TransactionStore extends Context.Service<
  TransactionStore,
  {
    readonly search: (
      operatorId: number,
      filters: TransactionFilters,
      page: Page
    ) => Effect.Effect<RowPage<typeof TransactionRow.Type>>
    readonly checkFilters: (
      operatorId: number,
      filters: Pick<TransactionFilters, "property_id" | "order_code">
    ) => Effect.Effect<TransactionFilterCheck>
    readonly findPreconditions: (references: NewTransactionReferences) => Effect.Effect<TransactionPreconditions>
    /** Returns undefined if the order changed after it was loaded. */
    readonly create: (
      operatorId: number,
      entry: NewTransaction,
      split: EntrySplit,
      now: Date
    ) => Effect.Effect<typeof RowId.Type | undefined, never, CurrentActor>
    readonly findTransaction: (
      operatorId: number,
      id: number,
      names: { readonly item_id?: number; readonly payment_method_id?: number }
    ) => Effect.Effect<ExistingTransaction | undefined>
    /** Returns undefined if the transaction was deleted or its order changed after it was loaded. */
    readonly update: (
      operatorId: number,
      id: number,
      edit: TransactionEdit,
      split: EntrySplit,
      now: Date
    ) => Effect.Effect<typeof RowId.Type | undefined, never, CurrentActor>
    readonly remove: (
      operatorId: number,
      id: number,
      now: Date
    ) => Effect.Effect<typeof RowId.Type | undefined, never, CurrentActor>
    readonly listDictionary: (operatorId: number, name: DictionaryName) => Effect.Effect<ReadonlyArray<DictionaryRow>>
  }
>()("latchkey/domain/money/TransactionStore") {
  static readonly layer = Layer.effect(
    TransactionStore,
    Effect.gen(function* () {
      const [sql, read] = [yield* SqlClient.SqlClient, yield* makeReadClientChooser]
      return {
        search: read(searchTransactions, isShortTransactionSearch),
        checkFilters: checkTransactionFilters(sql),
        findPreconditions: read(findPreconditions),
        create: createTransaction(sql),
        findTransaction: read(findTransaction),
        update: updateTransaction(sql),
        remove: deleteTransaction(sql),
        listDictionary: listDictionary(sql)
      }
    })
  )
}
