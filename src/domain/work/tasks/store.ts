import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import {
  changedRecordsSql,
  createdOrDeletedRecordsSql,
  lockedRowSql,
  recordChange
} from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { Page } from "../../../contract/page.ts"
import { column, columnNames, rowParameterSql, updateAssignments } from "../../../platform/database/columns.ts"
import { findConstraintViolation } from "../../../platform/database/constraint-violations.ts"
import { selectedColumnsSql } from "../../../platform/database/list-pages.ts"
import { makeOptionalRowReader, makeSingleRowReader, type RowPage } from "../../../platform/database/rows.ts"
import { withSavepoint } from "../../../platform/database/savepoint.ts"
import type { RowId } from "../../column-schemas.ts"
import { makeDeleteRecord, readRowId } from "../../operator-rows.ts"
import { propertyExistsCondition } from "../../properties/properties/ownership.ts"
import { Assignee, assigneeJson, lockUnchangedAssignee } from "../staffs/assignment.ts"
import { Task, TaskLevel } from "./contract.ts"
import {
  checkTaskFilters,
  searchTasks,
  type TaskFilterCheck,
  type TaskFilters,
  TaskRow,
  taskColumns,
  taskJoins
} from "./task-search.ts"

type Sql = SqlClient.SqlClient

const TaskPreconditions = Schema.Struct({
  property_known: Schema.Boolean,
  stay_id: Schema.NullOr(Schema.Int),
  stay_property_id: Schema.NullOr(Schema.Int),
  assignee: Schema.NullOr(Assignee)
})

const ExistingTask = Schema.Struct({
  ...TaskRow.fields,
  property_known: Schema.Boolean,
  stay_property_id: Schema.NullOr(Schema.Int),
  assignee: Schema.NullOr(Assignee)
})

type TaskPreconditions = typeof TaskPreconditions.Type
type ExistingTask = typeof ExistingTask.Type

interface NewTaskReferences extends Pick<TaskFilters, "property_id" | "staff_id"> {
  readonly stay_code?: string | undefined
}

interface EditedTaskReferences {
  readonly property_id: number | undefined
  readonly staff_id: number | undefined
  readonly assigns: boolean
}

const readPreconditions = makeSingleRowReader(TaskPreconditions)
const readTask = makeOptionalRowReader(ExistingTask)

const EditableTaskColumns = Schema.Struct({
  type: column("text", Task.fields.type),
  status: column("text", Task.fields.status),
  level: column("text", TaskLevel),
  property_id: column("bigint", Task.fields.property_id),
  staff_id: column("bigint", Task.fields.staff_id),
  expected_date: column("date", Task.fields.expected_date),
  expected_time: column("time", Task.fields.expected_time),
  currency: column("text", Task.fields.currency),
  fee: column("numeric", Schema.String),
  note: column("text", Task.fields.note)
})
/** Undefined leaves a column unchanged, and null clears it. */
type TaskEdit = {
  readonly [Column in keyof typeof EditableTaskColumns.Type]: (typeof EditableTaskColumns.Type)[Column] | undefined
}

const NewTaskColumns = Schema.Struct({
  ...EditableTaskColumns.fields,
  stay_id: column("bigint", Schema.NullOr(Schema.Int))
})
export type NewTask = typeof NewTaskColumns.Type

const EXPECTED_TASK_COLUMNS = ["currency", "fee", "property_id", "staff_id"] as const
/** Present values on which the edit depends. Undefined columns are not compared. */
export type ExpectedTaskColumns = Partial<Pick<NewTask, (typeof EXPECTED_TASK_COLUMNS)[number]>>

const findPreconditions = (sql: Sql) => (operatorId: number, references: NewTaskReferences) => {
  const { property_id, staff_id, stay_code } = references
  return readPreconditions(sql`
      SELECT ${propertyExistsCondition(sql, operatorId, property_id)} AS property_known,
        stay.id AS stay_id, stay.property_id AS stay_property_id,
        ${staff_id === undefined ? sql`NULL::jsonb` : assigneeJson(sql, operatorId, sql`${staff_id}`)} AS assignee
      FROM (SELECT 1) one
      LEFT JOIN stays stay ON ${
        stay_code === undefined ? sql`false` : sql`stay.operator_id = ${operatorId} AND stay.stay_code = ${stay_code}`
      }`)
}

/** No task is created if a channel removes the stay at the same time. */
const makeCatchDeletedStay = (sql: Sql) => {
  const inSavepoint = withSavepoint(sql)
  return <R>(insert: Effect.Effect<ReadonlyArray<object>, SqlError, R>) =>
    Effect.catchIf(
      inSavepoint(insert),
      (error) => findConstraintViolation(error)?.name === "tasks_operator_id_stay_id_fkey",
      () => Effect.succeed<ReadonlyArray<object>>([])
    )
}

const create = (sql: Sql) => {
  const catchDeletedStay = makeCatchDeletedStay(sql)
  return (operatorId: number, task: NewTask, assignee: Assignee | null, now: Date) =>
    readRowId(
      catchDeletedStay(
        recordChange(sql, {
          change: sql`
            ${lockUnchangedAssignee(sql, operatorId, assignee ?? undefined)}, made AS (
              INSERT INTO tasks (operator_id, created_at, updated_at, ${sql.literal(columnNames(NewTaskColumns))})
              SELECT ${operatorId}, ${now}::timestamptz, ${now}::timestamptz, ${sql.literal(columnNames(NewTaskColumns, "given"))}
              FROM assignee, ${rowParameterSql(sql, NewTaskColumns, task)}
              RETURNING operator_id, id
            )`,
          events: [],
          changedRecords: createdOrDeletedRecordsSql(sql, "task", "made"),
          outcome: sql`SELECT id FROM made`
        })
      )
    )
}

/**
 * With `assigns`, `assignee` is the requested staff member, or the current one if none is requested. Otherwise it is
 * null.
 */
const findTask = (sql: Sql) => (operatorId: number, id: number, references: EditedTaskReferences) => {
  const { property_id, staff_id, assigns } = references
  return readTask(sql`
      SELECT ${selectedColumnsSql(sql, TaskRow, taskColumns(sql))}, stay.property_id AS stay_property_id,
        ${propertyExistsCondition(sql, operatorId, property_id)} AS property_known,
        ${
          assigns
            ? assigneeJson(sql, operatorId, staff_id === undefined ? sql`page.staff_id` : sql`${staff_id}`)
            : sql`NULL::jsonb`
        } AS assignee
      FROM tasks page ${taskJoins(sql)}
      WHERE page.operator_id = ${operatorId} AND page.id = ${id}`)
}

const update =
  (sql: Sql) =>
  (
    operatorId: number,
    id: number,
    edit: TaskEdit,
    expected: ExpectedTaskColumns,
    assignee: Assignee | null,
    now: Date
  ) => {
    const expectedConditions = EXPECTED_TASK_COLUMNS.flatMap((name) =>
      expected[name] === undefined ? [] : [sql`before.${sql(name)} IS NOT DISTINCT FROM ${expected[name]}`]
    )
    return readRowId(
      recordChange(sql, {
        change: sql`
          ${lockUnchangedAssignee(sql, operatorId, assignee ?? undefined)}, before AS (${lockedRowSql(sql, "tasks", operatorId, id)}),
          after AS (
            UPDATE tasks t SET updated_at = ${now}, ${updateAssignments(sql, EditableTaskColumns, "t", edit)}
            FROM before
            WHERE ${sql.and([
              sql`t.operator_id = before.operator_id AND t.id = before.id`,
              sql`EXISTS (SELECT FROM assignee)`,
              ...expectedConditions
            ])}
            RETURNING t.*
          )`,
        events: [],
        changedRecords: changedRecordsSql(sql, "task"),
        outcome: sql`SELECT id FROM after`
      })
    )
  }

const remove = (sql: Sql) =>
  makeDeleteRecord(
    sql,
    "task",
    ({ operatorId, id }) =>
      sql`DELETE FROM tasks WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id`
  )

export class TaskStore extends Context.Service<
  TaskStore,
  {
    readonly search: (operatorId: number, filters: TaskFilters, page: Page) => Effect.Effect<RowPage<TaskRow>>
    readonly checkFilters: (
      operatorId: number,
      filters: Pick<TaskFilters, "property_id" | "staff_id">
    ) => Effect.Effect<TaskFilterCheck>
    readonly findPreconditions: (operatorId: number, references: NewTaskReferences) => Effect.Effect<TaskPreconditions>
    /** Returns undefined if the staff member has changed since the read, or the stay was removed. */
    readonly create: (
      operatorId: number,
      task: NewTask,
      assignee: Assignee | null,
      now: Date
    ) => Effect.Effect<typeof RowId.Type | undefined, never, CurrentActor>
    readonly findTask: (
      operatorId: number,
      id: number,
      references: EditedTaskReferences
    ) => Effect.Effect<ExistingTask | undefined>
    /**
     * Returns undefined if the task was deleted or no longer has the `expected` values, or if `assignee` changed since
     * the read.
     */
    readonly update: (
      operatorId: number,
      id: number,
      edit: TaskEdit,
      expected: ExpectedTaskColumns,
      assignee: Assignee | null,
      now: Date
    ) => Effect.Effect<typeof RowId.Type | undefined, never, CurrentActor>
    readonly remove: (
      operatorId: number,
      id: number
    ) => Effect.Effect<typeof RowId.Type | undefined, never, CurrentActor>
  }
>()("latchkey/domain/work/tasks/TaskStore") {
  static readonly layer = Layer.effect(
    TaskStore,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      search: searchTasks(sql),
      checkFilters: checkTaskFilters(sql),
      findPreconditions: findPreconditions(sql),
      create: create(sql),
      findTask: findTask(sql),
      update: update(sql),
      remove: remove(sql)
    }))
  )
}
