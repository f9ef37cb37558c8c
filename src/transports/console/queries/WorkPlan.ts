import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import { addDays } from "../../../contract/time.ts"
import { TaskLevel, TaskStatus, TaskType } from "../../../domain/work/tasks/contract.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { SEARCH_DAYS, TASKS_SHOWN } from "../../../platform/limits.ts"
import {
  type FormSubject,
  PropertyChoices,
  propertyChoicesSql,
  StaffChoices,
  staffChoicesSql,
  subjectCurrencySql
} from "./form-choices.ts"

type Sql = SqlClient.SqlClient

const PlannedTask = Schema.Struct({
  id: Schema.Int,
  type: TaskType,
  status: TaskStatus,
  level: TaskLevel,
  /** Null if the task may be done on any day. */
  day: Schema.NullOr(Schema.String),
  /** `HH:MM`. Null if the task may be done at any time. */
  time: Schema.NullOr(Schema.String),
  property_title: Schema.NullOr(Schema.String),
  /** Distinguishes people with the same name. */
  staff_id: Schema.NullOr(Schema.Int),
  staff_name: Schema.NullOr(Schema.String),
  stay_code: Schema.NullOr(Schema.String),
  note: Schema.String,
  fee: Schema.String,
  currency: Schema.String
})
export type PlannedTask = typeof PlannedTask.Type

const WorkPlanData = Schema.Struct({
  /** Sorted by day and person, at most {@link TASKS_SHOWN}. Tasks without a day come last. */
  tasks: Schema.Array(PlannedTask),
  total: Schema.Int,
  /** Number of open tasks of the {@link SEARCH_DAYS} days before the first day of the plan. */
  left_over: Schema.Int,
  people: StaffChoices
})
export type WorkPlanData = typeof WorkPlanData.Type

const readWorkPlan = makeSingleRowReader(WorkPlanData)

const TaskChoicesRow = Schema.Struct({ properties: PropertyChoices, people: StaffChoices })
export type TaskChoices = typeof TaskChoicesRow.Type

const readChoices = makeSingleRowReader(TaskChoicesRow)
const readCurrency = makeSingleRowReader(Schema.Struct({ currency: Schema.String }))

interface WorkPlanInput {
  readonly operatorId: number
  readonly from: string
  readonly to: string
  readonly overdueSince: string
  readonly staff_id: number | undefined
  readonly offset: number
}

const openTaskCondition = (sql: Sql): Fragment => sql`t.status IN ('pending', 'in_progress')`

const operatorAndStaffCondition = (sql: Sql, { operatorId, staff_id }: WorkPlanInput): Fragment =>
  staff_id === undefined
    ? sql`t.operator_id = ${operatorId}`
    : sql`t.operator_id = ${operatorId} AND t.staff_id = ${staff_id}`

const plannedTasksSql = (sql: Sql, input: WorkPlanInput): Fragment => sql`
  SELECT t.* FROM tasks t WHERE ${operatorAndStaffCondition(sql, input)} AND t.expected_date >= ${input.from}::date AND t.expected_date <= ${input.to}::date
  UNION ALL
  SELECT t.* FROM tasks t WHERE ${operatorAndStaffCondition(sql, input)} AND t.expected_date IS NULL AND ${openTaskCondition(sql)}`

const selectWorkPlan = (sql: Sql, input: WorkPlanInput) =>
  sql`
      WITH planned AS MATERIALIZED (${plannedTasksSql(sql, input)}), page AS (
        SELECT t.id, t.type, t.status, t.level, t.expected_date::text AS day, to_char(t.expected_time, 'HH24:MI') AS time,
          p.title AS property_title, s.id AS staff_id, s.name AS staff_name, stay.stay_code, t.note, t.fee::text AS fee, t.currency,
          row_number() OVER (ORDER BY t.expected_date NULLS LAST, s.name NULLS FIRST, s.id, t.expected_time NULLS FIRST, p.title, t.id) AS place
        FROM planned t
        LEFT JOIN properties p ON p.operator_id = t.operator_id AND p.id = t.property_id
        LEFT JOIN staffs s ON s.operator_id = t.operator_id AND s.id = t.staff_id
        LEFT JOIN stays stay ON stay.operator_id = t.operator_id AND stay.id = t.stay_id
        ORDER BY place LIMIT ${sql.literal(String(TASKS_SHOWN))} OFFSET ${input.offset}
      )
      SELECT (SELECT coalesce(jsonb_agg(to_jsonb(page) - 'place' ORDER BY place), '[]') FROM page) AS tasks,
        (SELECT count(*) FROM planned) AS total,
        (SELECT count(*) FROM tasks t WHERE ${operatorAndStaffCondition(sql, input)} AND t.expected_date >= ${input.overdueSince}::date
          AND t.expected_date < ${input.from}::date AND ${openTaskCondition(sql)}) AS left_over,
        ${staffChoicesSql(sql, input.operatorId)} AS people`

export class WorkPlan extends Context.Service<WorkPlan>()("latchkey/transports/console/queries/WorkPlan", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    of: ({
      from,
      to,
      staff: staff_id,
      offset
    }: {
      readonly from: string
      readonly to: string
      readonly staff: number | undefined
      readonly offset: number
    }) =>
      CurrentCaller.use(({ operatorId }) =>
        readWorkPlan(
          selectWorkPlan(sql, { operatorId, from, to, overdueSince: addDays(from, -SEARCH_DAYS), staff_id, offset })
        )
      ),
    choices: CurrentCaller.use(({ operatorId }) =>
      readChoices(
        sql`SELECT ${propertyChoicesSql(sql, operatorId)} AS properties, ${staffChoicesSql(sql, operatorId)} AS people`
      )
    ),
    /** Returns the currency in which a task's fee is entered. */
    currencyOf: Effect.fnUntraced(function* (subject: FormSubject) {
      const { operatorId, currency } = yield* CurrentCaller
      if (subject.property === undefined && subject.stayCode === undefined) return currency
      return (yield* readCurrency(sql`SELECT ${subjectCurrencySql(sql, operatorId, subject)} AS currency`)).currency
    })
  }))
}) {
  static readonly layer = Layer.effect(WorkPlan, WorkPlan.make)
}
