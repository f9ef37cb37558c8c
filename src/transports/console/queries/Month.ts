import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { addDays } from "../../../contract/time.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { onlyRowOf } from "../../../platform/database/rows.ts"
import { MONTH_BOXED, MONTH_PROPERTIES, MONTH_STAYS, STAY_NIGHTS } from "../../../platform/limits.ts"

// What holds which night of which property, from one day to another, in one statement however many properties there are.

type Sql = SqlClient.SqlClient

/** A stay that holds nights, or asks for them. */
const MonthStay = Schema.Struct({
  stay_code: Schema.String,
  guest_name: Schema.NullOr(Schema.String),
  check_in_date: Schema.String,
  check_out_date: Schema.String,
  /** False: it is asked for, or waits for money, and holds no night yet. */
  accepted: Schema.Boolean
})
export type MonthStay = typeof MonthStay.Type

const MonthProperty = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  deactivated: Schema.Boolean,
  stays: Schema.Array(MonthStay),
  /** Days the host closed. */
  closed: Schema.Array(Schema.String),
  /** Days that a calendar of elsewhere says are busy. */
  elsewhere: Schema.Array(Schema.String)
})
export type MonthProperty = typeof MonthProperty.Type

const Shown = Schema.Struct({
  /** By title, {@link MONTH_PROPERTIES} at most, from the one that was asked for on. */
  properties: Schema.Array(MonthProperty),
  total: Schema.Int,
  /** Those in no property, {@link MONTH_BOXED} at most. */
  boxed: Schema.Array(MonthStay),
  /** Whether there are more stays than are shown. */
  more: Schema.Boolean
})
export type Shown = typeof Shown.Type

const read = onlyRowOf(Shown)

interface Asked {
  readonly operatorId: number
  readonly first: string
  readonly last: string
  /** No stay is longer: one that began before cannot reach into the month. */
  readonly earliest: string
  readonly offset: number
  /** This one alone; undefined: all. */
  readonly propertyId: number | undefined
}

const stay = (sql: Sql): Fragment => sql`
  jsonb_build_object('stay_code', s.stay_code, 'guest_name', s.guest_name, 'check_in_date', s.check_in_date,
    'check_out_date', s.check_out_date, 'accepted', o.status = 'accepted')`

/** Stays of orders that are not over, with a night from the first day to the last. */
const staying = (sql: Sql, { operatorId, first, last, earliest }: Givens<Asked>, where: Fragment): Fragment => sql`
  FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
  WHERE s.operator_id = ${operatorId} AND s.check_in_date >= ${earliest}::date AND s.check_in_date <= ${last}::date
    AND s.check_out_date > ${first}::date AND o.status IN ('accepted', 'wait_accept', 'wait_pay') AND ${where}`

const month = (sql: Sql) =>
  inForms(sql, (given: Givens<Asked>) => {
    const { operatorId, first, last, offset, propertyId } = given
    const meant =
      propertyId === undefined
        ? sql`operator_id = ${operatorId}`
        : sql`operator_id = ${operatorId} AND id = ${propertyId}`
    return sql`
    WITH shown AS MATERIALIZED (
      SELECT id, title, deactivated_at IS NOT NULL AS deactivated FROM properties WHERE ${meant}
      ORDER BY title, id LIMIT ${sql.literal(String(MONTH_PROPERTIES))} OFFSET ${offset}
    ), held AS MATERIALIZED (
      SELECT s.property_id, ${stay(sql)} AS stay
      ${staying(sql, given, sql`s.property_id IN (SELECT id FROM shown)`)}
      ORDER BY s.check_in_date, s.id LIMIT ${sql.literal(String(MONTH_STAYS + 1))}
    ), boxed AS MATERIALIZED (
      SELECT ${stay(sql)} AS stay ${staying(sql, given, sql`s.property_id IS NULL`)}
      ORDER BY s.check_in_date, s.id LIMIT ${sql.literal(String(MONTH_BOXED + 1))}
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
    SELECT (SELECT count(*) FROM properties WHERE ${meant}) AS total,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'title', p.title, 'deactivated', p.deactivated,
        'stays', coalesce(stays_of.stays, '[]'), 'closed', coalesce(days_of.closed, '[]'),
        'elsewhere', coalesce(days_of.elsewhere, '[]')) ORDER BY p.title, p.id), '[]')
      FROM shown p LEFT JOIN stays_of ON stays_of.property_id = p.id LEFT JOIN days_of ON days_of.property_id = p.id
      ) AS properties,
      (SELECT coalesce(jsonb_agg(stay), '[]') FROM (
        SELECT stay FROM boxed LIMIT ${sql.literal(String(MONTH_BOXED))}) each) AS boxed,
      (SELECT count(*) FROM held) > ${sql.literal(String(MONTH_STAYS))}
        OR (SELECT count(*) FROM boxed) > ${sql.literal(String(MONTH_BOXED))} AS more`
  })

export interface Span {
  /** Both included. */
  readonly first: string
  readonly last: string
}

/** The calendar of an operator's properties. */
export class Month extends Context.Service<
  Month,
  {
    /** Of all properties, from the `offset`th by title on. */
    readonly of: (operatorId: number, span: Span, offset: number) => Effect.Effect<Shown>
    /** Of one; no property where the operator has no such. */
    readonly ofProperty: (operatorId: number, span: Span, propertyId: number) => Effect.Effect<Shown>
  }
>()("latchkey/desk/Month") {
  static readonly layer = Layer.effect(
    Month,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const statement = month(sql)
      const asked = (operatorId: number, { first, last }: Span, offset: number, propertyId: number | undefined) =>
        read(statement({ operatorId, first, last, earliest: addDays(first, -STAY_NIGHTS), offset, propertyId }))
      return Month.of({
        of: (operatorId, span, offset) => asked(operatorId, span, offset, undefined),
        ofProperty: (operatorId, span, propertyId) => asked(operatorId, span, 0, propertyId)
      })
    })
  )
}
