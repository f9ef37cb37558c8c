import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import { addDays } from "../../../contract/time.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import {
  MONTH_PROPERTIES_MAX,
  MONTH_STAYS_MAX,
  MONTH_UNASSIGNED_STAYS_MAX,
  STAY_NIGHTS
} from "../../../platform/limits.ts"

type Sql = SqlClient.SqlClient

const MonthStay = Schema.Struct({
  stay_code: Schema.String,
  guest_name: Schema.NullOr(Schema.String),
  check_in_date: Schema.String,
  check_out_date: Schema.String,
  /** False for a request or an unpaid order, which does not hold its nights yet. */
  accepted: Schema.Boolean
})
export type MonthStay = typeof MonthStay.Type

const MonthProperty = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  deactivated: Schema.Boolean,
  stays: Schema.Array(MonthStay),
  closed: Schema.Array(Schema.String),
  /** Busy days of imported calendars. */
  elsewhere: Schema.Array(Schema.String)
})
export type MonthProperty = typeof MonthProperty.Type

const MonthView = Schema.Struct({
  /** Sorted by title, at most {@link MONTH_PROPERTIES_MAX}. */
  properties: Schema.Array(MonthProperty),
  total: Schema.Int,
  /** Unassigned stays, at most {@link MONTH_UNASSIGNED_STAYS_MAX}. */
  boxed: Schema.Array(MonthStay),
  more: Schema.Boolean
})
export type MonthView = typeof MonthView.Type

const readMonthView = makeSingleRowReader(MonthView)

interface MonthInput {
  readonly operatorId: number
  readonly first: string
  readonly last: string
  /** Stays with an earlier check-in end before `first`, because stays have a maximum length. */
  readonly earliestCheckIn: string
  readonly offset: number
  readonly propertyId: number | undefined
}

const stayJsonSql = (sql: Sql): Fragment => sql`
  jsonb_build_object('stay_code', s.stay_code, 'guest_name', s.guest_name, 'check_in_date', s.check_in_date,
    'check_out_date', s.check_out_date, 'accepted', o.status = 'accepted')`

const staysInRangeSql = (
  sql: Sql,
  { operatorId, first, last, earliestCheckIn }: MonthInput,
  where: Fragment
): Fragment => sql`
  FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
  WHERE s.operator_id = ${operatorId} AND s.check_in_date >= ${earliestCheckIn}::date AND s.check_in_date <= ${last}::date
    AND s.check_out_date > ${first}::date AND o.status IN ('accepted', 'wait_accept', 'wait_pay') AND ${where}`

const selectMonth = (sql: Sql, input: MonthInput) => {
  const { operatorId, first, last, offset, propertyId } = input
  const propertyCondition =
    propertyId === undefined
      ? sql`operator_id = ${operatorId}`
      : sql`operator_id = ${operatorId} AND id = ${propertyId}`
  return sql`
    WITH shown AS MATERIALIZED (
      SELECT id, title, deactivated_at IS NOT NULL AS deactivated FROM properties WHERE ${propertyCondition}
      ORDER BY title, id LIMIT ${sql.literal(String(MONTH_PROPERTIES_MAX))} OFFSET ${offset}
    ), held AS MATERIALIZED (
      SELECT s.property_id, ${stayJsonSql(sql)} AS stay
      ${staysInRangeSql(sql, input, sql`s.property_id IN (SELECT id FROM shown)`)}
      ORDER BY s.check_in_date, s.id LIMIT ${sql.literal(String(MONTH_STAYS_MAX + 1))}
    ), boxed AS MATERIALIZED (
      SELECT ${stayJsonSql(sql)} AS stay ${staysInRangeSql(sql, input, sql`s.property_id IS NULL`)}
      ORDER BY s.check_in_date, s.id LIMIT ${sql.literal(String(MONTH_UNASSIGNED_STAYS_MAX + 1))}
    ), stays_of AS (
      SELECT property_id, jsonb_agg(stay) AS stays FROM held GROUP BY property_id
    ), days_of AS (
      SELECT d.property_id, jsonb_agg(d.day) FILTER (WHERE d.closed) AS closed,
        jsonb_agg(d.day) FILTER (WHERE d.imported > 0) AS elsewhere
      FROM calendar_days d
      WHERE d.operator_id = ${operatorId} AND d.property_id IN (SELECT id FROM shown)
        AND d.day >= ${first}::date AND d.day <= ${last}::date AND (d.closed OR d.imported > 0)
      GROUP BY d.property_id
    )
    SELECT (SELECT count(*) FROM properties WHERE ${propertyCondition}) AS total,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'title', p.title, 'deactivated', p.deactivated,
        'stays', coalesce(stays_of.stays, '[]'), 'closed', coalesce(days_of.closed, '[]'),
        'elsewhere', coalesce(days_of.elsewhere, '[]')) ORDER BY p.title, p.id), '[]')
      FROM shown p LEFT JOIN stays_of ON stays_of.property_id = p.id LEFT JOIN days_of ON days_of.property_id = p.id
      ) AS properties,
      (SELECT coalesce(jsonb_agg(stay), '[]') FROM (
        SELECT stay FROM boxed LIMIT ${sql.literal(String(MONTH_UNASSIGNED_STAYS_MAX))}) each) AS boxed,
      (SELECT count(*) FROM held) > ${sql.literal(String(MONTH_STAYS_MAX))}
        OR (SELECT count(*) FROM boxed) > ${sql.literal(String(MONTH_UNASSIGNED_STAYS_MAX))} AS more`
}

export interface CalendarSpan {
  /** `first` and `last` are both included. */
  readonly first: string
  readonly last: string
}

export class Month extends Context.Service<Month>()("latchkey/transports/console/queries/Month", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const readMonth = ({ first, last }: CalendarSpan, offset: number, propertyId: number | undefined) =>
      CurrentCaller.use(({ operatorId }) =>
        readMonthView(
          selectMonth(sql, {
            operatorId,
            first,
            last,
            earliestCheckIn: addDays(first, -STAY_NIGHTS),
            offset,
            propertyId
          })
        )
      )
    return {
      of: (span: CalendarSpan, offset: number) => readMonth(span, offset, undefined),

      ofProperty: (span: CalendarSpan, propertyId: number) => readMonth(span, 0, propertyId)
    }
  })
}) {
  static readonly layer = Layer.effect(Month, Month.make)
}
