import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Page } from "../../contract/page.ts"
import { DAY_MS } from "../../contract/time.ts"
import { makePageReader } from "../../platform/database/list-pages.ts"
import { genericPlanParameter, normalizeForSearch, normalizeSearchKeyword } from "../../platform/database/parameters.ts"
import { makeSingleRowReader } from "../../platform/database/rows.ts"
import { SHARED_READ_DAYS } from "../../platform/limits.ts"
import { AmountColumn, InstantColumn, MicrosecondInstantColumn } from "../column-schemas.ts"
import type { OperatorScoped } from "../operator-rows.ts"
import { propertyExistsCondition } from "../properties/properties/ownership.ts"
import { type search_transactions, Transaction } from "./contract.ts"

type TransactionFilterName =
  | "id"
  | "property_id"
  | "direction"
  | "item_id"
  | "payment_method_id"
  | "currency"
  | "status"
  | "keyword"

export interface TransactionFilters extends Pick<typeof search_transactions.payloadSchema.Type, TransactionFilterName> {
  readonly instants: { readonly from: Date; readonly until: Date } | undefined
  /** Code of the order or of any of its stays. */
  readonly order_code: string | undefined
}

export const TransactionRow = Schema.Struct({
  ...Transaction.fields,
  amount: AmountColumn,
  action_at: MicrosecondInstantColumn,
  created_at: InstantColumn,
  updated_at: InstantColumn
})

const TransactionFilterCheck = Schema.Struct({ property: Schema.Boolean, order: Schema.Boolean })
export type TransactionFilterCheck = typeof TransactionFilterCheck.Type

const readFilterCheck = makeSingleRowReader(TransactionFilterCheck)

export const selectOrderIds = (sql: SqlClient, operatorId: number, code: string): Fragment => sql`(
  SELECT id FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${code}
  UNION SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${code})`

type SearchParameters = OperatorScoped & TransactionFilters

const buildFilterConditions = (
  sql: SqlClient,
  { operatorId, ...parameters }: SearchParameters
): ReadonlyArray<Fragment> => {
  const isLookUp = parameters.id !== undefined || parameters.order_code !== undefined
  const operator = isLookUp ? sql`${operatorId}` : genericPlanParameter(sql, "bigint", operatorId)
  const conditions: Array<Fragment> = [sql`t.operator_id = ${operator}`]
  if (parameters.id !== undefined) conditions.push(sql`t.id = ${parameters.id}`)
  if (parameters.instants?.from !== undefined)
    conditions.push(sql`t.action_at >= ${genericPlanParameter(sql, "timestamptz", parameters.instants?.from)}`)
  if (parameters.instants?.until !== undefined)
    conditions.push(sql`t.action_at < ${genericPlanParameter(sql, "timestamptz", parameters.instants?.until)}`)
  if (parameters.property_id !== undefined) {
    const property = genericPlanParameter(sql, "bigint", parameters.property_id)
    conditions.push(sql`(t.property_id = ${property} OR t.order_id IN (
      SELECT order_id FROM stays WHERE operator_id = ${operator} AND property_id = ${property}))`)
  }
  if (parameters.order_code !== undefined)
    conditions.push(sql`t.order_id IN ${selectOrderIds(sql, operatorId, parameters.order_code)}`)
  if (parameters.direction !== undefined) conditions.push(sql`t.direction = ${parameters.direction}`)
  if (parameters.item_id !== undefined) conditions.push(sql`t.item_id = ${parameters.item_id}`)
  if (parameters.payment_method_id !== undefined)
    conditions.push(sql`t.payment_method_id = ${parameters.payment_method_id}`)
  if (parameters.currency !== undefined) conditions.push(sql`t.currency = ${parameters.currency}`)
  if (parameters.status !== undefined) conditions.push(sql`t.status = ${parameters.status}`)
  if (parameters.keyword !== undefined) {
    conditions.push(
      sql`position(${normalizeSearchKeyword(sql, parameters.keyword)} in ${normalizeForSearch(sql, sql`t.note`)}) > 0`
    )
  }
  return conditions
}

/** A join would hash the dictionary entries of all operators while the table is small, so this is a subquery. */
const dictionaryNameSql = (sql: SqlClient, dictionary: Fragment, id: Fragment): Fragment => sql`(
  SELECT name FROM dictionary_entries
  WHERE operator_id = page.operator_id AND dictionary = ${dictionary} AND id = ${id})`

/** Needs {@link transactionJoins}. */
export const transactionColumns = (sql: SqlClient) => ({
  action_at: sql`to_char(page.action_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  item_name: dictionaryNameSql(sql, sql`page.direction || '_items'`, sql`page.item_id`),
  payment_method_name: dictionaryNameSql(sql, sql`page.direction || '_methods'`, sql`page.payment_method_id`),
  link_type: sql`CASE WHEN page.order_id IS NOT NULL THEN 'reservation' WHEN page.property_id IS NOT NULL THEN 'property'
    ELSE 'operator' END`,
  property_id: sql`property.id`,
  property_title: sql`property.title`,
  reservation_code: sql`orders.reservation_code`,
  stay_code: sql`orders.reservation_code`,
  shares: sql`coalesce(split.shares, '[]')`
})

export const transactionJoins = (sql: SqlClient): Fragment => sql`
  LEFT JOIN orders ON orders.operator_id = page.operator_id AND orders.id = page.order_id
  LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object('property_id', stay.property_id, 'amount', share.amount) ORDER BY stay.id) AS shares,
      CASE WHEN min(stay.property_id) = max(stay.property_id) AND count(*) = count(stay.property_id)
        THEN min(stay.property_id) END AS property_id
    FROM transaction_shares share
    JOIN stays stay ON stay.operator_id = share.operator_id AND stay.id = share.stay_id
    WHERE share.operator_id = page.operator_id AND share.transaction_id = page.id
  ) split ON page.order_id IS NOT NULL
  LEFT JOIN properties property
    ON property.operator_id = page.operator_id AND property.id = coalesce(page.property_id, split.property_id)`

export const searchTransactions = (sql: SqlClient) => {
  const selectPage = makePageReader(
    sql,
    TransactionRow,
    (parameters: SearchParameters) => ({
      matchingRows: sql`SELECT t.* FROM transactions t WHERE ${sql.and(buildFilterConditions(sql, parameters))}`,
      orderBy: sql`action_at DESC, id DESC`,
      joins: transactionJoins(sql)
    }),
    transactionColumns(sql)
  )
  return (operatorId: number, filters: TransactionFilters, page: Page) => selectPage({ ...filters, operatorId }, page)
}

export const isShortTransactionSearch = (
  _operatorId: number,
  { id, order_code, instants, keyword }: TransactionFilters
): boolean =>
  keyword === undefined &&
  (id !== undefined ||
    order_code !== undefined ||
    (instants !== undefined && instants.until.getTime() - instants.from.getTime() <= SHARED_READ_DAYS * DAY_MS))

export interface TransactionFilterIds {
  readonly operatorId: number
  readonly property_id: number | undefined
  readonly order_code: string | undefined
}

export const checkTransactionFilters =
  (sql: SqlClient) =>
  (operatorId: number, { property_id, order_code }: Pick<TransactionFilters, "property_id" | "order_code">) =>
    readFilterCheck(sql`
      SELECT ${propertyExistsCondition(sql, operatorId, property_id)} AS property,
        ${order_code === undefined ? sql`true` : sql`EXISTS ${selectOrderIds(sql, operatorId, order_code)}`} AS "order"`)
