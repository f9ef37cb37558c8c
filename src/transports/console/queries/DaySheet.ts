import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import { TaskLevel, TaskStatus, TaskType } from "../../../domain/work/tasks/contract.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { DAY_SHEET_TASKS_MAX } from "../../../platform/limits.ts"

type Sql = SqlClient.SqlClient

const DaySheetTask = Schema.Struct({
  id: Schema.Int,
  type: TaskType,
  status: TaskStatus,
  level: TaskLevel,
  time: Schema.NullOr(Schema.String),
  staff_id: Schema.NullOr(Schema.Int),
  staff_name: Schema.NullOr(Schema.String),
  property_id: Schema.NullOr(Schema.Int),
  property_title: Schema.NullOr(Schema.String),
  address: Schema.NullOr(Schema.String),
  note: Schema.String
})
export type DaySheetTask = typeof DaySheetTask.Type

const GuestMovement = Schema.Struct({
  property_id: Schema.Int,
  arrives: Schema.Boolean,
  guest_name: Schema.NullOr(Schema.String),
  number_of_guests: Schema.Int,
  /** `HH:MM`. The guest's time, or else the property's default. */
  time: Schema.String
})
export type GuestMovement = typeof GuestMovement.Type

const DaySheetData = Schema.Struct({
  /** Sorted by person and time, without cancelled tasks, at most {@link DAY_SHEET_TASKS_MAX}. */
  tasks: Schema.Array(DaySheetTask),
  total: Schema.Int,
  /** Arrivals and departures at the properties of these tasks. */
  passing: Schema.Array(GuestMovement)
})
export type DaySheetData = typeof DaySheetData.Type

const readDaySheet = makeSingleRowReader(DaySheetData)

interface DaySheetInput {
  readonly operatorId: number
  readonly day: string
  readonly staff_id: number | undefined
}

const guestMovementsSql = (sql: Sql, { operatorId, day }: DaySheetInput, arrives: boolean): Fragment => {
  const [date, announcedTime, usualTime] = arrives
    ? ([sql`s.check_in_date`, sql`s.arrival_at`, sql`coalesce(p.checkin_time, o.default_checkin_time)`] as const)
    : ([sql`s.check_out_date`, sql`s.departure_at`, sql`coalesce(p.checkout_time, o.default_checkout_time)`] as const)
  return sql`
    SELECT s.property_id, ${arrives ? sql`true` : sql`false`} AS arrives, s.guest_name, s.number_of_guests,
      to_char(coalesce(${announcedTime}, ${usualTime}), 'HH24:MI') AS time
    FROM stays s
    JOIN orders ON orders.operator_id = s.operator_id AND orders.id = s.order_id AND orders.status = 'accepted'
    JOIN properties p ON p.operator_id = s.operator_id AND p.id = s.property_id
    JOIN operators o ON o.id = s.operator_id
    WHERE s.operator_id = ${operatorId} AND ${date} = ${day}::date AND s.property_id IN (SELECT property_id FROM task)`
}

const selectDaySheet = (sql: Sql, input: DaySheetInput) => {
  const { operatorId, day, staff_id } = input
  const staffCondition = staff_id === undefined ? sql`true` : sql`t.staff_id = ${staff_id}`
  return sql`
      WITH due AS MATERIALIZED (
        SELECT t.* FROM tasks t
        WHERE t.operator_id = ${operatorId} AND t.expected_date = ${day}::date AND t.status <> 'cancelled' AND ${staffCondition}
      ), task AS MATERIALIZED (
        SELECT t.id, t.type, t.status, t.level, to_char(t.expected_time, 'HH24:MI') AS time, t.staff_id, s.name AS staff_name,
          t.property_id, p.title AS property_title, p.address, t.note,
          row_number() OVER (ORDER BY s.name NULLS LAST, s.id, t.expected_time NULLS FIRST, p.title, t.id) AS place
        FROM due t
        LEFT JOIN properties p ON p.operator_id = t.operator_id AND p.id = t.property_id
        LEFT JOIN staffs s ON s.operator_id = t.operator_id AND s.id = t.staff_id
        ORDER BY place LIMIT ${sql.literal(String(DAY_SHEET_TASKS_MAX))}
      )
      SELECT (SELECT coalesce(jsonb_agg(to_jsonb(task) - 'place' ORDER BY place), '[]') FROM task) AS tasks,
        (SELECT count(*) FROM due) AS total, (
          SELECT coalesce(jsonb_agg(to_jsonb(each) ORDER BY arrives, time), '[]')
          FROM (${guestMovementsSql(sql, input, false)} UNION ALL ${guestMovementsSql(sql, input, true)}) each) AS passing`
}

export class DaySheet extends Context.Service<DaySheet>()("latchkey/transports/console/queries/DaySheet", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    of: (day: string, staff_id: number | undefined) =>
      CurrentCaller.use(({ operatorId }) => readDaySheet(selectDaySheet(sql, { operatorId, day, staff_id })))
  }))
}) {
  static readonly layer = Layer.effect(DaySheet, DaySheet.make)
}
