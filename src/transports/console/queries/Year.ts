import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import { startOfDay } from "../../../contract/time.ts"
import { selectEntryShares } from "../../../domain/money/entry-share-query.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { REPORT_PROPERTIES_MAX } from "../../../platform/limits.ts"
import { PropertyChoices, propertyChoicesSql } from "./form-choices.ts"

// `open` counts nights from the creation of a property, or its first sold night if earlier, to its deactivation.
// Blocked nights and busy nights of imported calendars do not count. Sold nights always count.

type Sql = SqlClient.SqlClient

const IncomeSum = Schema.Struct({ currency: Schema.String, amount: Schema.String })
export type IncomeSum = typeof IncomeSum.Type

const NightFields = { sold: Schema.Int, open: Schema.Int }

const MonthOfYear = Schema.Struct({ month: Schema.Int, ...NightFields, income: Schema.Array(IncomeSum) })
export type MonthOfYear = typeof MonthOfYear.Type

const PropertyOfYear = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  ...NightFields,
  months: Schema.Array(Schema.Struct(NightFields)),
  income: Schema.Array(IncomeSum)
})
export type PropertyOfYear = typeof PropertyOfYear.Type

/** `month` is null in the totals of the year. Amounts are decimal text. */
const PeriodTotal = Schema.Struct({
  month: Schema.NullOr(Schema.Int),
  currency: Schema.String,
  income: Schema.String,
  expense: Schema.String,
  net: Schema.String
})
export type PeriodTotal = typeof PeriodTotal.Type

const YearReport = Schema.Struct({
  months: Schema.Array(MonthOfYear),
  totals: Schema.Array(PeriodTotal),
  /** Sorted by title, at most {@link REPORT_PROPERTIES_MAX}. `total` counts all. */
  properties: Schema.Array(PropertyOfYear),
  total: Schema.Int,
  /** Income that belongs to no property. */
  elsewhere: Schema.Array(IncomeSum),
  choices: PropertyChoices
})
export type YearReport = typeof YearReport.Type

const readYearReport = makeSingleRowReader(YearReport)

interface YearReportInput {
  readonly operatorId: number
  readonly timeZone: string
  readonly first: string
  readonly next: string
  readonly from: Date
  readonly until: Date
  /**
   * Start of each month, as a PostgreSQL array. A time zone conversion for each transaction would double the query's
   * time.
   */
  readonly monthStarts: string
  readonly property_id: number | undefined
  /** Undefined sums the income of a property over the year. */
  readonly month: number | undefined
}

const propertiesSql = (sql: Sql, { operatorId, timeZone, property_id }: YearReportInput): Fragment => sql`
  SELECT p.id, p.title, (p.deactivated_at AT TIME ZONE ${timeZone})::date AS before,
    least((p.created_at AT TIME ZONE ${timeZone})::date, sold.day) AS since
  FROM properties p
  LEFT JOIN LATERAL (
    SELECT d.day FROM calendar_days d
    WHERE d.operator_id = p.operator_id AND d.property_id = p.id AND d.stay_id IS NOT NULL ORDER BY d.day LIMIT 1) sold ON true
  WHERE p.operator_id = ${operatorId} AND ${property_id === undefined ? sql`true` : sql`p.id = ${property_id}`}`

/** One subquery for each property is fast, because the days of a property are stored together. */
const calendarDaysSql = (sql: Sql, { operatorId, first, next }: YearReportInput): Fragment => sql`
  SELECT p.id, each.month, each.sold, each.sold_later, each.shut
  FROM property p CROSS JOIN LATERAL (
    SELECT date_part('month', d.day)::int AS month, count(*) FILTER (WHERE d.stay_id IS NOT NULL) AS sold,
      count(*) FILTER (WHERE d.stay_id IS NOT NULL AND d.day >= p.before) AS sold_later,
      count(*) FILTER (WHERE d.stay_id IS NULL AND (d.closed OR d.imported > 0) AND d.day >= p.since
        AND (p.before IS NULL OR d.day < p.before)) AS shut
    FROM calendar_days d
    WHERE d.operator_id = ${operatorId} AND d.property_id = p.id AND d.day >= ${first}::date AND d.day < ${next}::date
    GROUP BY 1) each`

const incomeJsonSql = (sql: Sql, groupColumn: "month" | "property_id", month?: number): Fragment => sql`
  SELECT ${sql(groupColumn)}, jsonb_agg(jsonb_build_object('currency', currency, 'amount', amount::text) ORDER BY currency) AS income
  FROM (
    SELECT ${sql(groupColumn)}, currency, sum(amount) AS amount FROM paid
    WHERE direction = 'income' AND ${month === undefined ? sql`true` : sql`month = ${month}`} GROUP BY 1, 2) each GROUP BY 1`

const totalsSql = (sql: Sql): Fragment => sql`
  SELECT month, currency, income::text, expense::text, (income - expense)::text AS net
  FROM (
    SELECT month, currency, coalesce(sum(amount) FILTER (WHERE direction = 'income'), 0) AS income,
      coalesce(sum(amount) FILTER (WHERE direction = 'expense'), 0) AS expense
    FROM paid GROUP BY GROUPING SETS ((month, currency), (currency))) each`

const selectYearReport = (sql: Sql, input: YearReportInput) => {
  const { operatorId, first, from, until, monthStarts, property_id, month } = input
  return sql`
      WITH property AS MATERIALIZED (${propertiesSql(sql, input)}), counted AS MATERIALIZED (${calendarDaysSql(sql, input)}),
      month AS (
        SELECT n AS month, (${first}::date + make_interval(months => n - 1))::date AS first,
          (${first}::date + make_interval(months => n))::date AS next
        FROM generate_series(1, 12) n
      ), cell AS MATERIALIZED (
        SELECT p.id, p.title, m.month, coalesce(c.sold, 0) AS sold,
          greatest(0, least(m.next, p.before) - greatest(m.first, p.since)) - coalesce(c.shut, 0) + coalesce(c.sold_later, 0) AS open
        FROM property p CROSS JOIN month m LEFT JOIN counted c ON c.id = p.id AND c.month = m.month
      ), paid AS MATERIALIZED (
        SELECT property_id, width_bucket(action_at, ${monthStarts}::timestamptz[]) AS month, currency, direction, sum(amount) AS amount
        FROM (${selectEntryShares(sql, { operatorId, from, until, property_id })}) part
        WHERE status = 'paid' GROUP BY 1, 2, 3, 4
      ), of_property AS (
        SELECT id, title, sum(sold) AS sold, sum(open) AS open,
          jsonb_agg(jsonb_build_object('sold', sold, 'open', open) ORDER BY month) AS months
        FROM cell GROUP BY id, title ORDER BY title, id LIMIT ${sql.literal(String(REPORT_PROPERTIES_MAX))}
      ), of_income AS MATERIALIZED (${incomeJsonSql(sql, "property_id", month)})
      SELECT (
          SELECT jsonb_agg(jsonb_build_object('month', m.month, 'sold', coalesce(c.sold, 0), 'open', coalesce(c.open, 0),
            'income', coalesce(i.income, '[]')) ORDER BY m.month)
          FROM month m
          LEFT JOIN (SELECT month, sum(sold) AS sold, sum(open) AS open FROM cell GROUP BY month) c ON c.month = m.month
          LEFT JOIN (${incomeJsonSql(sql, "month")}) i ON i.month = m.month
        ) AS months, (
          SELECT coalesce(jsonb_agg(to_jsonb(p) || jsonb_build_object('income', coalesce(i.income, '[]')) ORDER BY p.title, p.id), '[]')
          FROM of_property p LEFT JOIN of_income i ON i.property_id = p.id
        ) AS properties, (SELECT count(*) FROM property) AS total,
        coalesce((SELECT income FROM of_income WHERE property_id IS NULL), '[]') AS elsewhere,
        (SELECT coalesce(jsonb_agg(to_jsonb(each) ORDER BY each.month, each.currency), '[]') FROM (${totalsSql(sql)}) each) AS totals,
        ${propertyChoicesSql(sql, operatorId)} AS choices`
}

const listMonthStarts = (year: number): ReadonlyArray<string> =>
  Array.from({ length: 12 }, (_, index) => `${year}-${String(index + 1).padStart(2, "0")}-01`)

export class Year extends Context.Service<Year>()("latchkey/transports/console/queries/Year", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    of: Effect.fnUntraced(function* (year: number, property_id?: number, month?: number) {
      const { operatorId, timeZone } = yield* CurrentCaller
      const [first, next] = [`${year}-01-01`, `${year + 1}-01-01`]
      const [from, until] = [startOfDay(first, timeZone), startOfDay(next, timeZone)]
      const monthStarts = `{${listMonthStarts(year)
        .map((day) => startOfDay(day, timeZone).toISOString())
        .join(",")}}`
      return yield* readYearReport(
        selectYearReport(sql, { operatorId, timeZone, first, next, from, until, monthStarts, property_id, month })
      )
    })
  }))
}) {
  static readonly layer = Layer.effect(Year, Year.make)
}
