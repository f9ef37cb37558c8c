import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { importedBusyNightsSql } from "../../../domain/calendars/availability/calendar-days.ts"
import { CONFLICTING_STAYS_MAX, PROPERTIES_OFFERED_MAX } from "../../../platform/limits.ts"

// These queries only warn the host. Conflicts are decided when the change is made.

const ConflictingStay = Schema.Struct({
  stay_code: Schema.String,
  guest_name: Schema.NullOr(Schema.String),
  check_in_date: Schema.String,
  check_out_date: Schema.String
})

export const OfferedProperty = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  deactivated: Schema.Boolean,
  currency: Schema.String,
  /** Earliest first. A row beyond {@link CONFLICTING_STAYS_MAX} means that further stays exist. */
  stays: Schema.Array(ConflictingStay),
  closed: Schema.Int,
  /** URL hosts of the imported calendars that block a night. */
  elsewhere: Schema.Array(Schema.String)
})
export type OfferedProperty = typeof OfferedProperty.Type

interface RequestedNights {
  readonly from: string | Fragment
  readonly before: string | Fragment
  /** Id of the stay to move, which is no conflict for itself. */
  readonly exceptStayId?: Fragment
}

/** Columns of the property in row `p`. */
export const conflictColumns = (
  sql: SqlClient,
  operatorId: number,
  { from, before, exceptStayId }: RequestedNights
): Fragment => {
  const days = sql`FROM calendar_days d WHERE d.operator_id = ${operatorId} AND d.property_id = p.id
    AND d.day >= ${from}::date AND d.day < ${before}::date`
  return sql`
    (SELECT coalesce(jsonb_agg(holding ORDER BY holding.check_in_date), '[]') FROM (
      -- OFFSET 0 makes PostgreSQL start with the nights. Otherwise it could scan all stays of the operator by check_in_date.
      SELECT s.* FROM (
        SELECT DISTINCT d.stay_id ${days} AND d.stay_id IS NOT NULL${exceptStayId === undefined ? sql`` : sql` AND d.stay_id <> ${exceptStayId}`} OFFSET 0) held
      CROSS JOIN LATERAL (
        SELECT s.stay_code, s.guest_name, s.check_in_date, s.check_out_date FROM stays s
        WHERE s.operator_id = ${operatorId} AND s.id = held.stay_id OFFSET 0) s
      ORDER BY s.check_in_date LIMIT ${sql.literal(String(CONFLICTING_STAYS_MAX + 1))}) holding) AS stays,
    (SELECT count(*) ${days} AND d.closed) AS closed,
    (SELECT coalesce(jsonb_agg(DISTINCT busy.host), '[]')
      FROM (${importedBusyNightsSql(sql, operatorId, sql`p.id`, { from, before })}) busy) AS elsewhere`
}

const NO_CONFLICT_COLUMNS = "'[]'::jsonb AS stays, 0 AS closed, '[]'::jsonb AS elsewhere"

/** A row beyond {@link PROPERTIES_OFFERED_MAX} means that further properties exist. */
export const offeredPropertiesSql = (
  sql: SqlClient,
  operatorId: number,
  nights: RequestedNights | undefined
): Fragment => sql`
  SELECT p.id, p.title, p.deactivated_at IS NOT NULL AS deactivated, coalesce(p.currency, o.currency) AS currency,
    ${nights === undefined ? sql.literal(NO_CONFLICT_COLUMNS) : conflictColumns(sql, operatorId, nights)}
  FROM (
    SELECT id, operator_id, title, deactivated_at, currency FROM properties WHERE operator_id = ${operatorId}
    ORDER BY title, id LIMIT ${sql.literal(String(PROPERTIES_OFFERED_MAX + 1))}) p
  JOIN operators o ON o.id = p.operator_id
  ORDER BY p.title, p.id`
