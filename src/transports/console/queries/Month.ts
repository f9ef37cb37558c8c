import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import { addDays } from "../../../contract/time.ts"
import { effectiveBasePricesSql, propertyTargetSql } from "../../../domain/calendars/base-prices/effective-prices.ts"
import {
  selectIdsWithTagSql,
  selectPropertyIdsInGroupSql
} from "../../../domain/properties/properties/groups-and-tags.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import {
  MONTH_PROPERTIES_MAX,
  MONTH_STAYS_MAX,
  MONTH_UNASSIGNED_STAYS_MAX,
  SCOPE_CHOICES_MAX,
  STAY_NIGHTS
} from "../../../platform/limits.ts"
import { NamedRecord, namedRecordsSql } from "./named-records.ts"
import { titleCondition } from "./property-picker.ts"

type Sql = SqlClient.SqlClient

const MonthStay = Schema.Struct({
  stay_code: Schema.String,
  guest_name: Schema.NullOr(Schema.String),
  check_in_date: Schema.String,
  check_out_date: Schema.String,
  channel_type: Schema.String,
  /** Only an accepted stay holds its nights. */
  status: Schema.Literals(["accepted", "wait_accept", "wait_pay"])
})
export type MonthStay = typeof MonthStay.Type

const MonthProperty = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  deactivated: Schema.Boolean,
  currency: Schema.String,
  /** One entry for each day, separated by commas. An entry is empty if the day has no value. */
  prices: Schema.String,
  minimum_stays: Schema.String,
  stays: Schema.Array(MonthStay),
  closed: Schema.Array(Schema.String),
  /** Busy days of imported calendars. */
  elsewhere: Schema.Array(Schema.String)
})
export type MonthProperty = typeof MonthProperty.Type

const MonthView = Schema.Struct({
  /** Sorted by title, at most {@link MONTH_PROPERTIES_MAX}. */
  properties: Schema.Array(MonthProperty),
  /** Number of properties that match the filter. */
  total: Schema.Int,
  /** At most {@link MONTH_UNASSIGNED_STAYS_MAX}. */
  unassigned: Schema.Array(MonthStay),
  more: Schema.Boolean,
  groups: Schema.Array(NamedRecord),
  tags: Schema.Array(NamedRecord)
})
export type MonthView = typeof MonthView.Type

const readMonthView = makeSingleRowReader(MonthView)

export interface CalendarSpan {
  /** `first` and `last` are both included. */
  readonly first: string
  readonly last: string
}

export interface PropertyFilter {
  readonly q: string | undefined
  readonly group: number | undefined
  readonly tag: number | undefined
}

interface MonthInput extends CalendarSpan {
  readonly operatorId: number
  readonly offset: number
  readonly filter: PropertyFilter
}

const stayJsonSql = (sql: Sql): Fragment => sql`
  jsonb_build_object('stay_code', s.stay_code, 'guest_name', s.guest_name, 'check_in_date', s.check_in_date,
    'check_out_date', s.check_out_date, 'channel_type', o.channel_type, 'status', o.status)`

/** Includes stays that end on the first day. Their length is limited, so the check-in has a lower bound. */
const staysInRangeSql = (sql: Sql, { operatorId, first, last }: MonthInput, where: Fragment): Fragment => sql`
  FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
  WHERE s.operator_id = ${operatorId} AND s.check_in_date >= ${addDays(first, -STAY_NIGHTS)}::date
    AND s.check_in_date <= ${last}::date AND s.check_out_date >= ${first}::date
    AND o.status IN ('accepted', 'wait_accept', 'wait_pay') AND ${where}`

const filterCondition = (sql: Sql, { operatorId, filter: { q, group, tag } }: MonthInput): Fragment => sql`
  p.operator_id = ${operatorId} AND ${titleCondition(sql, sql`p.title`, q)}
  AND ${group === undefined ? sql`true` : sql`p.id IN (${selectPropertyIdsInGroupSql(sql, operatorId, group)})`}
  AND ${tag === undefined ? sql`true` : sql`p.id IN (${selectIdsWithTagSql(sql, "property", operatorId, tag)})`}`

const pricesSql = (sql: Sql, { operatorId, first, last }: MonthInput): Fragment => sql`
  SELECT target.property_id, target.currency,
    string_agg(coalesce(day.price::text, ''), ',' ORDER BY day.date) AS prices,
    string_agg(coalesce(day.minimum_stay::text, ''), ',' ORDER BY day.date) AS minimum_stays
  FROM shown
  CROSS JOIN LATERAL (${propertyTargetSql(sql, sql`${operatorId}`, sql`shown.id`)}) target
  CROSS JOIN LATERAL (${effectiveBasePricesSql(sql, sql`(SELECT target.*)`, {
    start: sql`${first}::date`,
    end: sql`${last}::date`
  })}) day
  GROUP BY target.property_id, target.currency`

const tagsJsonSql = (sql: Sql, operatorId: number): Fragment => sql`
  (SELECT coalesce(jsonb_agg(each), '[]') FROM (
    SELECT id, name FROM property_tags WHERE operator_id = ${operatorId} AND deleted_at IS NULL
    ORDER BY name, id LIMIT ${sql.literal(String(SCOPE_CHOICES_MAX))}) each)`

const selectMonth = (sql: Sql, input: MonthInput) => {
  const { operatorId, first, last, offset } = input
  return sql`
    WITH shown AS MATERIALIZED (
      SELECT p.id, p.title, p.deactivated_at IS NOT NULL AS deactivated FROM properties p
      WHERE ${filterCondition(sql, input)}
      ORDER BY p.title, p.id LIMIT ${sql.literal(String(MONTH_PROPERTIES_MAX))} OFFSET ${offset}
    ), held AS MATERIALIZED (
      SELECT s.property_id, ${stayJsonSql(sql)} AS stay
      ${staysInRangeSql(sql, input, sql`s.property_id IN (SELECT id FROM shown)`)}
      ORDER BY s.check_in_date, s.id LIMIT ${sql.literal(String(MONTH_STAYS_MAX + 1))}
    ), unassigned AS MATERIALIZED (
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
    ), prices_of AS (${pricesSql(sql, input)})
    SELECT (SELECT count(*) FROM properties p WHERE ${filterCondition(sql, input)}) AS total,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'title', p.title, 'deactivated', p.deactivated,
        'currency', prices_of.currency, 'prices', prices_of.prices, 'minimum_stays', prices_of.minimum_stays,
        'stays', coalesce(stays_of.stays, '[]'), 'closed', coalesce(days_of.closed, '[]'),
        'elsewhere', coalesce(days_of.elsewhere, '[]')) ORDER BY p.title, p.id), '[]')
      FROM shown p JOIN prices_of ON prices_of.property_id = p.id
      LEFT JOIN stays_of ON stays_of.property_id = p.id LEFT JOIN days_of ON days_of.property_id = p.id
      ) AS properties,
      (SELECT coalesce(jsonb_agg(stay), '[]') FROM (
        SELECT stay FROM unassigned LIMIT ${sql.literal(String(MONTH_UNASSIGNED_STAYS_MAX))}) each) AS unassigned,
      (SELECT count(*) FROM held) > ${sql.literal(String(MONTH_STAYS_MAX))}
        OR (SELECT count(*) FROM unassigned) > ${sql.literal(String(MONTH_UNASSIGNED_STAYS_MAX))} AS more,
      ${namedRecordsSql(sql, "property_groups", operatorId)} AS groups, ${tagsJsonSql(sql, operatorId)} AS tags`
}

export class Month extends Context.Service<Month>()("latchkey/transports/console/queries/Month", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    of: (span: CalendarSpan, offset: number, filter: PropertyFilter) =>
      CurrentCaller.use(({ operatorId }) => readMonthView(selectMonth(sql, { ...span, operatorId, offset, filter })))
  }))
}) {
  static readonly layer = Layer.effect(Month, Month.make)
}
