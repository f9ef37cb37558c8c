import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { TEST_STAYS_MAX } from "../../../platform/limits.ts"

export const TestStay = Schema.Struct({
  stay_code: Schema.String,
  guest_name: Schema.NullOr(Schema.String),
  property_title: Schema.NullOr(Schema.String),
  check_in_date: Schema.String
})
export type TestStay = typeof TestStay.Type

interface TestStaysInput {
  readonly operatorId: number
  readonly today: string
}

export const testStaysSql = (sql: SqlClient, { operatorId, today }: TestStaysInput): Fragment => sql`
  (SELECT coalesce(jsonb_agg(next), '[]') FROM (
    SELECT s.stay_code, s.guest_name, p.title AS property_title, s.check_in_date::text AS check_in_date
    FROM stays s
    JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
    LEFT JOIN properties p ON p.operator_id = s.operator_id AND p.id = s.property_id
    WHERE s.operator_id = ${operatorId} AND s.check_in_date >= ${today}::date AND o.status = 'accepted'
    ORDER BY s.check_in_date, s.id LIMIT ${sql.literal(String(TEST_STAYS_MAX))}) next)`
