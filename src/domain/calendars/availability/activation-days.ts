import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { isUnavailableCondition, recordAvailabilityEventSql } from "./calendar-days.ts"

/** Both days are inclusive. */
interface SellableDays {
  readonly today: string
  readonly last: string
}

/**
 * Returns the CTE `availability_change`. The statement must have the CTEs `before` and `after` with the property's row.
 */
export const activationDaysSql = (sql: SqlClient, { today, last }: SellableDays, isActive: boolean): Fragment => sql`
  availability_change AS (
    SELECT after.operator_id, after.id AS property_id, count(*) AS days,
      jsonb_agg(jsonb_build_object('date', date::date, 'available', ${isActive}::boolean) ORDER BY date) AS availabilities
    FROM before JOIN after ON after.id = before.id AND (after.deactivated_at IS NULL) <> (before.deactivated_at IS NULL)
    CROSS JOIN generate_series(${today}::date, ${last}::date, interval '1 day') date
    WHERE NOT EXISTS (
      SELECT FROM calendar_days d WHERE d.operator_id = after.operator_id AND d.property_id = after.id
        AND d.day = date::date AND ${isUnavailableCondition(sql, sql`d`)})
    GROUP BY after.operator_id, after.id
  )`

export const recordActivationEventSql = (sql: SqlClient, now: Date): Fragment =>
  recordAvailabilityEventSql(sql, sql`availability_change`, now)
