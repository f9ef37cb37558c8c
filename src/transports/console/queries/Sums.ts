import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import { TransactionDirection } from "../../../domain/money/contract.ts"
import { resolveEntryName, selectDictionaries } from "../../../domain/money/dictionaries.ts"
import { selectEntryShares } from "../../../domain/money/entry-share-query.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { SUMS_SHOWN } from "../../../platform/limits.ts"
import { PropertyChoices, propertyChoicesSql } from "./form-choices.ts"

// A transaction on several properties counts at each of them with its share of the amount.

type Sql = SqlClient.SqlClient

/** Amounts are decimal text. `income_due` and `expense_due` are not paid yet. */
const AmountFields = {
  income: Schema.String,
  expense: Schema.String,
  income_due: Schema.String,
  expense_due: Schema.String,
  /** Paid income less paid expenses. */
  rest: Schema.String
}

const CurrencyTotal = Schema.Struct({ currency: Schema.String, ...AmountFields })
export type CurrencyTotal = typeof CurrencyTotal.Type

/** `property_id` is null for transactions without a property and for unassigned stays. */
const PropertySums = Schema.Struct({
  ...CurrencyTotal.fields,
  property_id: Schema.NullOr(Schema.Int),
  title: Schema.NullOr(Schema.String)
})
export type PropertySums = typeof PropertySums.Type

const CategorySums = Schema.Struct({
  currency: Schema.String,
  direction: TransactionDirection,
  item_id: Schema.Int,
  name: Schema.NullOr(Schema.String),
  paid: Schema.String,
  due: Schema.String
})
export type CategorySums = typeof CategorySums.Type

const TransactionSums = Schema.Struct({
  totals: Schema.Array(CurrencyTotal),
  /** `by_property` and `by_category` have at most {@link SUMS_SHOWN} rows each. */
  by_property: Schema.Array(PropertySums),
  by_category: Schema.Array(CategorySums),
  properties_summed: Schema.Int,
  categories_summed: Schema.Int,
  first: Schema.NullOr(Schema.Date),
  last: Schema.NullOr(Schema.Date),
  properties: PropertyChoices
})
export type TransactionSums = typeof TransactionSums.Type

const readSums = makeSingleRowReader(TransactionSums)

export interface TransactionFilter {
  readonly from: Date | undefined
  readonly until: Date | undefined
  readonly property_id: number | undefined
  readonly order_code: string | undefined
}

const paidSumSql = (sql: Sql, direction: TransactionDirection): Fragment =>
  sql`coalesce(sum(amount) FILTER (WHERE direction = ${sql.literal(`'${direction}'`)} AND status = 'paid'), 0)`

const outstandingSumSql = (sql: Sql, direction: TransactionDirection): Fragment =>
  sql`coalesce(sum(amount) FILTER (WHERE direction = ${sql.literal(`'${direction}'`)} AND status <> 'paid'), 0)`

const amountColumns = (sql: Sql): Fragment => sql`
  ${paidSumSql(sql, "income")}::text AS income, ${paidSumSql(sql, "expense")}::text AS expense,
  ${outstandingSumSql(sql, "income")}::text AS income_due, ${outstandingSumSql(sql, "expense")}::text AS expense_due,
  (${paidSumSql(sql, "income")} - ${paidSumSql(sql, "expense")})::text AS rest`

const rowsJsonSql = (sql: Sql, cte: Fragment, order: Fragment): Fragment => sql`(
  SELECT coalesce(jsonb_agg(to_jsonb(each) ORDER BY ${order}), '[]')
  FROM (SELECT * FROM ${cte} ORDER BY ${order} LIMIT ${sql.literal(String(SUMS_SHOWN))}) each)`

const selectSums = (sql: Sql, { operatorId, ...filter }: TransactionFilter & { readonly operatorId: number }) =>
  sql`
      WITH summed AS MATERIALIZED (
        SELECT currency, property_id, direction, status, item_id, sum(amount) AS amount, min(action_at) AS first, max(action_at) AS last
        FROM (${selectEntryShares(sql, { operatorId, ...filter })}) part GROUP BY 1, 2, 3, 4, 5
      ), total AS (
        SELECT currency, ${amountColumns(sql)} FROM summed GROUP BY currency
      ), of_property AS (
        SELECT summed.currency, summed.property_id, p.title, ${amountColumns(sql)}
        FROM summed LEFT JOIN properties p ON p.operator_id = ${operatorId} AND p.id = summed.property_id
        GROUP BY summed.currency, summed.property_id, p.title
      ), of_category AS (
        SELECT summed.currency, summed.direction, summed.item_id, item.name,
          coalesce(sum(amount) FILTER (WHERE status = 'paid'), 0)::text AS paid,
          coalesce(sum(amount) FILTER (WHERE status <> 'paid'), 0)::text AS due
        FROM summed LEFT JOIN dictionary_entries item ON item.operator_id = ${operatorId} AND item.id = summed.item_id
          AND item.dictionary = summed.direction || '_items'
        GROUP BY summed.currency, summed.direction, summed.item_id, item.name
      )
      SELECT ${rowsJsonSql(sql, sql`total`, sql`currency`)} AS totals,
        ${rowsJsonSql(sql, sql`of_property`, sql`currency, title NULLS LAST, property_id`)} AS by_property,
        ${rowsJsonSql(sql, sql`of_category`, sql`currency, direction DESC, item_id`)} AS by_category,
        (SELECT count(*) FROM of_property) AS properties_summed, (SELECT count(*) FROM of_category) AS categories_summed,
        (SELECT min(first) FROM summed) AS first, (SELECT max(last) FROM summed) AS last,
        ${propertyChoicesSql(sql, operatorId)} AS properties`

const withCategoryName = (row: CategorySums): CategorySums => ({
  ...row,
  name: resolveEntryName(selectDictionaries(row.direction).items, row.item_id, row.name)
})

export class Sums extends Context.Service<Sums>()("latchkey/transports/console/queries/Sums", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    of: Effect.fnUntraced(function* ({ from, until, property_id, order_code }: TransactionFilter) {
      const { operatorId } = yield* CurrentCaller
      const sums = yield* readSums(selectSums(sql, { operatorId, from, until, property_id, order_code }))
      return { ...sums, by_category: sums.by_category.map(withCategoryName) }
    })
  }))
}) {
  static readonly layer = Layer.effect(Sums, Sums.make)
}
