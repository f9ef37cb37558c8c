import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { recordEventSql } from "../../../jobs/events/event-statements.ts"

/** Ignores whether the property is active: see {@link activePropertiesSql}. */
export const isUnavailableCondition = (sql: SqlClient, d: Fragment): Fragment =>
  sql`(${d}.closed OR ${d}.imported > 0 OR ${d}.stay_id IS NOT NULL)`

/**
 * `propertiesSql` selects `operator_id, property_id`. Locks the properties against concurrent (de)activation before it
 * checks `deactivated_at`.
 */
export const activePropertiesSql = (sql: SqlClient, propertiesSql: Fragment): Fragment => sql`
  SELECT operator_id, property_id FROM (
    SELECT p.operator_id, p.id AS property_id, p.deactivated_at
    FROM (SELECT DISTINCT operator_id, property_id FROM (${propertiesSql}) each) named
    JOIN properties p ON p.operator_id = named.operator_id AND p.id = named.property_id
    ORDER BY p.operator_id, p.id OFFSET 0 FOR KEY SHARE OF p
  ) held WHERE deactivated_at IS NULL`

/** The CTE `from` has the columns `operator_id, property_id, availabilities`. */
export const recordAvailabilityEventSql = (sql: SqlClient, from: Fragment, at: Date): Fragment =>
  recordEventSql(sql, "property_availability_updated", {
    from,
    record: sql`'property:' || property_id`,
    fields: { property_id: sql`property_id`, availabilities: sql`availabilities` },
    at
  })

/**
 * Returns CTEs that assign or free nights, and record an event for days whose availability changes. Locks nights in a
 * fixed order to avoid deadlocks.
 *
 * `nightsSql` selects `operator_id, property_id, day, stay_id, taken_from`. A null `stay_id` frees the night.
 * `taken_from` is the stay that gives the night up, or null. The trigger `one_holder_a_night` rejects a night that any
 * other stay has.
 */
export const assignNightsSql = (sql: SqlClient, nightsSql: Fragment, at: Date): Fragment => sql`
  assigned_night AS (
    INSERT INTO calendar_days (operator_id, property_id, day, stay_id, taken_from)
    SELECT operator_id, property_id, day, stay_id, taken_from FROM (${nightsSql}) wanted
    ORDER BY property_id, day
    ON CONFLICT (operator_id, property_id, day)
      DO UPDATE SET stay_id = excluded.stay_id, taken_from = excluded.taken_from
    RETURNING operator_id, property_id, day, closed, imported, stay_id, taken_from
  ), active_property AS MATERIALIZED (${activePropertiesSql(sql, sql`SELECT operator_id, property_id FROM assigned_night`)}),
  availability_change AS (
    SELECT operator_id, property_id,
      jsonb_agg(jsonb_build_object('date', day, 'available', stay_id IS NULL) ORDER BY day) AS availabilities
    FROM assigned_night JOIN active_property USING (operator_id, property_id)
    WHERE NOT closed AND imported = 0 AND taken_from IS NULL GROUP BY operator_id, property_id
  ), availability_event AS (${recordAvailabilityEventSql(sql, sql`availability_change`, at)})`

/**
 * Selects the number of unavailable properties (`rooms`) for each day that has any. `at` counts days from `start`.
 * `end` is inclusive.
 */
export const unavailableCountsSql = (sql: SqlClient, rooms: Fragment, start: Fragment, end: Fragment): Fragment => sql`
  SELECT d.day - ${start} AS at, count(*) AS rooms FROM ${rooms} room
  JOIN calendar_days d ON d.operator_id = room.operator_id AND d.property_id = room.property_id
    AND d.day >= ${start} AND d.day <= ${end}
  WHERE ${isUnavailableCondition(sql, sql`d`)} GROUP BY d.day`

/**
 * Returns CTEs that add or remove imported busy days, and record an event for days from `first` on whose availability
 * changes. `daysSql` selects `operator_id, property_id, day, busy`, each day once.
 */
export const countImportedDaysSql = (
  sql: SqlClient,
  daysSql: Fragment,
  { first, at }: { readonly first: string; readonly at: Date }
): Fragment => sql`
  import_change AS MATERIALIZED (${daysSql}),
  imported_count AS (
    INSERT INTO calendar_days (operator_id, property_id, day, imported)
    SELECT operator_id, property_id, day, busy::integer FROM import_change ORDER BY property_id, day
    ON CONFLICT (operator_id, property_id, day)
      DO UPDATE SET imported = calendar_days.imported + CASE WHEN excluded.imported > 0 THEN 1 ELSE -1 END
    RETURNING operator_id, property_id, day, closed, imported, stay_id
  ), active_property AS MATERIALIZED (${activePropertiesSql(sql, sql`SELECT operator_id, property_id FROM imported_count`)}),
  availability_change AS (
    SELECT operator_id, property_id,
      jsonb_agg(jsonb_build_object('date', day, 'available', NOT busy) ORDER BY day) AS availabilities
    FROM imported_count JOIN import_change USING (operator_id, property_id, day) JOIN active_property USING (operator_id, property_id)
    WHERE imported = busy::integer AND NOT closed AND stay_id IS NULL AND day >= ${first}::date
    GROUP BY operator_id, property_id
  ), availability_event AS (${recordAvailabilityEventSql(sql, sql`availability_change`, at)})`

export const propertiesTouchedByImportSql = (sql: SqlClient): Fragment => sql`
  SELECT DISTINCT operator_id, 'property:' || property_id AS record, '{availabilities}'::text[] AS fields FROM imported_count`

/**
 * Selects `day` and `host` of nights that imported calendars block. Leaves out feedback loops (`echo`), which only
 * repeat our own bookings.
 */
export const importedBusyNightsSql = (
  sql: SqlClient,
  operatorId: number,
  propertyId: number | Fragment,
  days: { readonly from: string | Fragment; readonly before: string | Fragment }
): Fragment => sql`
  SELECT i.day, c.host FROM imported_days i
  JOIN imported_calendars c ON c.operator_id = i.operator_id AND c.id = i.calendar_id
  WHERE i.operator_id = ${operatorId} AND i.property_id = ${propertyId} AND i.day >= ${days.from}::date
    AND i.day < ${days.before}::date AND NOT i.echo`

/** `nights` is a table expression with the alias `nights` and the columns `property_id` and `day`. */
export const nightsHeldByStaysSql = (sql: SqlClient, operatorId: number, nights: Fragment): Fragment => sql`
  SELECT d.property_id, d.day FROM ${nights}
  JOIN calendar_days d ON d.operator_id = ${operatorId} AND d.property_id = nights.property_id AND d.day = nights.day
  WHERE d.stay_id IS NOT NULL`

export const stayIdsHoldingNightsSql = (
  sql: SqlClient,
  operatorId: number,
  propertyId: number,
  days: { readonly from: Fragment; readonly before: Fragment }
): Fragment => sql`
  SELECT DISTINCT d.stay_id FROM calendar_days d
  WHERE d.operator_id = ${operatorId} AND d.property_id = ${propertyId}
    AND d.day >= ${days.from} AND d.day < ${days.before} AND d.stay_id IS NOT NULL`

export const hasConflictingStayCondition = (sql: SqlClient, s: Fragment): Fragment => sql`EXISTS (
  SELECT FROM calendar_days d WHERE d.operator_id = ${s}.operator_id AND d.property_id = ${s}.property_id
    AND d.day >= ${s}.check_in_date AND d.day < ${s}.check_out_date AND d.stay_id <> ${s}.id)`
