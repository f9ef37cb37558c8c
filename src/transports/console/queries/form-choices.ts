import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { FORM_CHOICES_MAX } from "../../../platform/limits.ts"

/** At most {@link FORM_CHOICES_MAX} properties. */
export const PropertyChoices = Schema.Array(Schema.Struct({ id: Schema.Int, title: Schema.String }))
export type PropertyChoices = typeof PropertyChoices.Type

export const propertyChoicesSql = (sql: SqlClient, operatorId: number): Fragment => sql`(
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'title', title) ORDER BY title, id), '[]') FROM (
    SELECT id, title FROM properties WHERE operator_id = ${operatorId}
    ORDER BY title, id LIMIT ${sql.literal(String(FORM_CHOICES_MAX))}) property)`

/** What a form is about: a property, or the property of a stay. */
export interface FormSubject {
  readonly property: number | undefined
  readonly stayCode?: string | undefined
}

/** Computes the currency of the property, otherwise that of the operator. */
export const subjectCurrencySql = (
  sql: SqlClient,
  operatorId: number,
  { property, stayCode }: FormSubject
): Fragment => sql`(
  SELECT coalesce((
    SELECT p.currency FROM properties p WHERE p.operator_id = o.id AND p.id = coalesce(${property ?? null}::bigint, (
      SELECT s.property_id FROM stays s WHERE s.operator_id = o.id AND s.stay_code = ${stayCode ?? null}::text))), o.currency)
  FROM operators o WHERE o.id = ${operatorId})`

/** `properties` counts the properties that the person is limited to; 0 means no limit. */
export const StaffChoices = Schema.Array(
  Schema.Struct({ id: Schema.Int, name: Schema.String, properties: Schema.Int, is_active: Schema.Boolean })
)
export type StaffChoices = typeof StaffChoices.Type

export const staffChoicesSql = (sql: SqlClient, operatorId: number): Fragment => sql`(
  SELECT coalesce(jsonb_agg(to_jsonb(person) ORDER BY NOT is_active, name, id), '[]') FROM (
    SELECT s.id, s.name, s.is_active, (
      SELECT count(*) FROM staff_properties each WHERE each.operator_id = s.operator_id AND each.staff_id = s.id
        AND each.version = s.properties_version) AS properties
    FROM staffs s WHERE s.operator_id = ${operatorId}
    ORDER BY NOT s.is_active, s.name, s.id LIMIT ${sql.literal(String(FORM_CHOICES_MAX))}) person)`
