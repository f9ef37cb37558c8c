import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { DateRange } from "../../../contract/date-range.ts"
import { dateInZone, daysInRange } from "../../../contract/time.ts"
import { idsParameter } from "../../../platform/database/parameters.ts"
import { makeRowsReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { retryOnLockConflict } from "../../../platform/database/statement-retry.ts"
import { unknownPropertiesSql } from "../../properties/properties/ownership.ts"
import { activePropertiesSql, isUnavailableCondition, recordAvailabilityEventSql } from "./calendar-days.ts"
import { PropertyDays } from "./rules.ts"

interface AvailabilityChange {
  readonly property_ids: ReadonlyArray<number>
  readonly days: ReadonlyArray<string>
  readonly available: boolean
}

const readPropertyDays = makeRowsReader(
  Schema.Struct({
    id: Schema.Int,
    ...Struct.omit(PropertyDays.fields, ["not_let_from"]),
    deactivated_at: Schema.NullOr(Schema.Date),
    time_zone: Schema.String
  })
)

interface PropertyDaysById extends PropertyDays {
  readonly id: number
}

const UnknownPropertiesRow = Schema.Struct({ unknown_properties: Schema.Array(Schema.Int) })
type UnknownPropertiesRow = typeof UnknownPropertiesRow.Type

const readUnknownProperties = makeSingleRowReader(UnknownPropertiesRow)

/** Selects days as numbers, because dates in JSON block the embedded database four times as long. */
const listDays =
  (sql: SqlClient.SqlClient): AvailabilityStore["Service"]["listDays"] =>
  (operatorId, propertyIds, { start, end }) =>
    Effect.map(
      readPropertyDays(sql`
        SELECT p.id, coalesce(known.taken, '{}') AS taken, coalesce(known.remarks, '{}') AS remarks,
          coalesce(elsewhere.days, '{}') AS elsewhere, p.deactivated_at, o.time_zone
        FROM properties p JOIN operators o ON o.id = p.operator_id
        CROSS JOIN LATERAL (
          SELECT array_agg(d.day - ${start}::date) FILTER (WHERE ${isUnavailableCondition(sql, sql`d`)}) AS taken,
            jsonb_object_agg(d.day - ${start}::date, d.remarks) FILTER (WHERE d.remarks <> '') AS remarks
          FROM calendar_days d
          WHERE d.operator_id = p.operator_id AND d.property_id = p.id AND d.day BETWEEN ${start} AND ${end}
        ) known
        CROSS JOIN LATERAL (
          SELECT jsonb_object_agg(host, days) AS days FROM (
            SELECT c.host, array_agg(DISTINCT i.day - ${start}::date) AS days
            FROM imported_days i JOIN imported_calendars c ON c.operator_id = i.operator_id AND c.id = i.calendar_id
            WHERE i.operator_id = p.operator_id AND i.property_id = p.id AND i.day BETWEEN ${start} AND ${end}
            GROUP BY c.host
          ) of_host
        ) elsewhere
        WHERE p.operator_id = ${operatorId} AND p.id = ANY(${idsParameter(propertyIds)}::bigint[])`),
      (rows) =>
        rows.map(({ deactivated_at, time_zone, ...propertyDays }) => ({
          ...propertyDays,
          not_let_from:
            deactivated_at === null ? null : daysInRange(start, dateInZone(deactivated_at.getTime(), time_zone)) - 1
        }))
    )

const blockDaysSql = (sql: SqlClient.SqlClient, operatorId: number): Fragment => sql`
  INSERT INTO calendar_days (operator_id, property_id, day, closed)
  SELECT ${operatorId}, property_id, day, true FROM requested_day
  ORDER BY property_id, day
  ON CONFLICT (operator_id, property_id, day) DO UPDATE SET closed = true WHERE NOT calendar_days.closed
  RETURNING operator_id, property_id, day, imported, stay_id`

const unblockDaysSql = (sql: SqlClient.SqlClient, operatorId: number): Fragment => sql`
  UPDATE calendar_days d SET closed = false FROM (
    SELECT property_id, day FROM calendar_days JOIN requested_day USING (property_id, day)
    WHERE operator_id = ${operatorId} AND closed
    ORDER BY property_id, day FOR UPDATE OF calendar_days
  ) known
  WHERE d.operator_id = ${operatorId} AND d.property_id = known.property_id AND d.day = known.day AND d.closed
  RETURNING d.operator_id, d.property_id, d.day, d.imported, d.stay_id`

/** Locks rows in a fixed order to avoid deadlocks. The event has only days whose availability changed. */
const changeDays =
  (sql: SqlClient.SqlClient): AvailabilityStore["Service"]["changeDays"] =>
  (operatorId, { property_ids, days, available }, now) =>
    readUnknownProperties(
      retryOnLockConflict(
        recordChange(sql, {
          change: sql`
            preconditions AS (SELECT ${unknownPropertiesSql(sql, operatorId, property_ids)} AS unknown_properties),
            requested_day AS (
              SELECT DISTINCT property_id, day
              FROM preconditions, unnest(${idsParameter(property_ids)}::bigint[]) property_id, unnest(${days}::date[]) day
              WHERE preconditions.unknown_properties = '{}'
            ), changed AS (${available ? unblockDaysSql(sql, operatorId) : blockDaysSql(sql, operatorId)}),
            active_property AS MATERIALIZED (${activePropertiesSql(sql, sql`SELECT operator_id, property_id FROM changed`)}),
            availability_change AS (
              SELECT operator_id, property_id,
                jsonb_agg(jsonb_build_object('date', day, 'available', ${available}::boolean) ORDER BY day) AS availabilities
              FROM changed JOIN active_property USING (operator_id, property_id)
              WHERE imported = 0 AND stay_id IS NULL GROUP BY operator_id, property_id
            )`,
          events: [recordAvailabilityEventSql(sql, sql`availability_change`, now)],
          changedRecords: sql`
            SELECT DISTINCT operator_id, 'property:' || property_id AS record, '{availabilities}'::text[] AS fields
            FROM changed`,
          outcome: sql`SELECT unknown_properties FROM preconditions`
        })
      )
    )

export class AvailabilityStore extends Context.Service<
  AvailabilityStore,
  {
    /** Omits unknown properties. The order is undefined. */
    readonly listDays: (
      operatorId: number,
      propertyIds: ReadonlyArray<number>,
      range: DateRange
    ) => Effect.Effect<ReadonlyArray<PropertyDaysById>>
    /** Changes all properties, or none if one of them is unknown. */
    readonly changeDays: (
      operatorId: number,
      change: AvailabilityChange,
      now: Date
    ) => Effect.Effect<UnknownPropertiesRow, never, CurrentActor>
  }
>()("latchkey/domain/calendars/availability/AvailabilityStore") {
  static readonly layer = Layer.effect(
    AvailabilityStore,
    Effect.map(SqlClient.SqlClient, (sql) =>
      AvailabilityStore.of({ listDays: listDays(sql), changeDays: changeDays(sql) })
    )
  )
}
