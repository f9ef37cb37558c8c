import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { asItIs, onRecordInForms, touchedBetween, touchedIn } from "../../../changes/on-record.ts"
import { column, givenRow, namesOf, settingsOf } from "../../../platform/database/columns.ts"
import { brokenConstraint } from "../../../platform/database/constraints.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { selectedOf } from "../../../platform/database/pages.ts"
import { onlyRowOf, rowOf } from "../../../platform/database/rows.ts"
import { savepoint } from "../../../platform/database/savepoint.ts"
import { type OfOperator, type OwnRow, readIdentity, removal } from "../../own-row.ts"
import { propertyKnown } from "../../properties/properties/belonging.ts"
import { Assignee, assigneeAsRead, assigneeOf } from "../staffs/assignment.ts"
import { Level, Task } from "./contract.ts"
import { joined, known, search, shown, TaskRow, type TaskSearch } from "./search.ts"

// The SQL of tasks. A read is one statement; a change is two: one that reads what the rules need, one that changes.

type Sql = SqlClient.SqlClient

/** What the rules need to know before a task is created; `assignee` is null for nobody. */
const Preconditions = Schema.Struct({
  property_known: Schema.Boolean,
  stay_id: Schema.NullOr(Schema.Int),
  stay_property_id: Schema.NullOr(Schema.Int),
  assignee: Schema.NullOr(Assignee)
})

/** The task before a change, and what the rules need to know beside it. */
const ExistingTask = Schema.Struct({
  ...TaskRow.fields,
  property_known: Schema.Boolean,
  stay_property_id: Schema.NullOr(Schema.Int),
  assignee: Schema.NullOr(Assignee)
})

const readPreconditions = onlyRowOf(Preconditions)
const readExisting = rowOf(ExistingTask)

/** The columns an edit sets. */
const EditedTask = Schema.Struct({
  type: column("text", Task.fields.type),
  status: column("text", Task.fields.status),
  level: column("text", Level),
  property_id: column("bigint", Task.fields.property_id),
  staff_id: column("bigint", Task.fields.staff_id),
  expected_date: column("date", Task.fields.expected_date),
  expected_time: column("time", Task.fields.expected_time),
  currency: column("text", Task.fields.currency),
  fee: column("numeric", Schema.String),
  note: column("text", Task.fields.note)
})
/** Undefined stays as it is; null, where there can be none, takes away. */
export type TaskEdit = {
  readonly [Column in keyof typeof EditedTask.Type]: (typeof EditedTask.Type)[Column] | undefined
}

/** The columns a new task fills. */
const GivenTask = Schema.Struct({ ...EditedTask.fields, stay_id: column("bigint", Schema.NullOr(Schema.Int)) })
export type NewTask = typeof GivenTask.Type

/** The columns an edit was judged by; those that are undefined were not looked at. */
export type JudgedBy = Partial<Pick<NewTask, "currency" | "fee" | "property_id" | "staff_id">>

/** What a task is of, and whose. */
interface NamedByTask extends OfOperator {
  readonly property_id: number | undefined
  readonly staff_id: number | undefined
  readonly stay_code: string | undefined
}

const preconditions = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, property_id, staff_id, stay_code }: Givens<NamedByTask>) => sql`
      SELECT ${propertyKnown(sql, operatorId, property_id)} AS property_known,
        stay.id AS stay_id, stay.property_id AS stay_property_id,
        ${staff_id === undefined ? sql`NULL::jsonb` : assigneeOf(sql, operatorId, sql`${staff_id}`)} AS assignee
      FROM (SELECT 1) one
      LEFT JOIN stays stay ON ${
        stay_code === undefined ? sql`false` : sql`stay.operator_id = ${operatorId} AND stay.stay_code = ${stay_code}`
      }`
  )
  return (
    operatorId: number,
    wanted: Pick<TaskSearch, "property_id" | "staff_id"> & { readonly stay_code?: string | undefined }
  ) => {
    const { property_id, staff_id, stay_code } = wanted
    return readPreconditions(statement({ operatorId, property_id, staff_id, stay_code }))
  }
}

interface Created extends OfOperator {
  readonly task: NewTask
  readonly assignee: Assignee | undefined
  readonly now: Date
}

/** Of a stay that went while the task was made for it (its channel dropped the room) there is none. */
const unlessItsStayWent = (sql: Sql) => {
  const refusable = savepoint(sql)
  return <R>(made: Effect.Effect<ReadonlyArray<object>, SqlError, R>) =>
    Effect.catchIf(
      refusable(made),
      (error) => brokenConstraint(error)?.name === "tasks_operator_id_stay_id_fkey",
      () => Effect.succeed<ReadonlyArray<object>>([])
    )
}

/** Answers the new task's id, or undefined when its person or its stay is not as it was read any more. */
const create = (sql: Sql) => {
  const orNone = unlessItsStayWent(sql)
  const statement = onRecordInForms(sql, ({ operatorId, task, assignee, now }: Givens<Created>) => ({
    change: sql`
      ${assigneeAsRead(sql, operatorId, assignee)}, made AS (
        INSERT INTO tasks (operator_id, created_at, updated_at, ${sql.literal(namesOf(GivenTask))})
        SELECT ${operatorId}, ${now}::timestamptz, ${now}::timestamptz, ${sql.literal(namesOf(GivenTask, "given"))}
        FROM assignee, ${givenRow(sql, GivenTask, task)}
        RETURNING operator_id, id
      )`,
    events: [],
    touched: touchedIn(sql, "task", "made"),
    outcome: sql`SELECT id FROM made`
  }))
  return (operatorId: number, task: NewTask, assignee: Assignee | null, now: Date) =>
    readIdentity(orNone(statement({ operatorId, task, assignee: assignee ?? undefined, now })))
}

interface Looked extends OwnRow {
  readonly property_id: number | undefined
  readonly staff_id: number | undefined
}

/** The task; `assignee` is the person asked for, or else who has it, and null when `judged` says that nobody matters. */
const existing = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, id, property_id, staff_id }: Givens<Looked>, assigns: boolean) => sql`
      SELECT ${selectedOf(sql, TaskRow, shown(sql))}, stay.property_id AS stay_property_id,
        ${propertyKnown(sql, operatorId, property_id)} AS property_known,
        ${
          assigns
            ? assigneeOf(sql, operatorId, staff_id === undefined ? sql`page.staff_id` : sql`${staff_id}`)
            : sql`NULL::jsonb`
        } AS assignee
      FROM tasks page ${joined(sql)}
      WHERE page.operator_id = ${operatorId} AND page.id = ${id}`
  )
  return (
    operatorId: number,
    id: number,
    wanted: Omit<Looked, "operatorId" | "id"> & { readonly assigns: boolean }
  ) => {
    const { property_id, staff_id, assigns } = wanted
    return readExisting(statement({ operatorId, id, property_id, staff_id }, assigns))
  }
}

interface Edited extends OwnRow, TaskEdit {
  readonly judged_currency: string | undefined
  readonly judged_fee: string | undefined
  readonly judged_property_id: number | null | undefined
  readonly judged_staff_id: number | null | undefined
  readonly assignee: Assignee | undefined
  readonly now: Date
}

/** Answers the task's id, or undefined when it is gone, or it or its person is no longer what the edit was judged by. */
const update = (sql: Sql) => {
  const statement = onRecordInForms(sql, ({ operatorId, id, assignee, now, ...edit }: Givens<Edited>) => {
    const judged = {
      currency: edit.judged_currency,
      fee: edit.judged_fee,
      property_id: edit.judged_property_id,
      staff_id: edit.judged_staff_id
    }
    const asJudged = Object.entries<Fragment | undefined>(judged).flatMap(([name, value]) =>
      value === undefined ? [] : [sql`before.${sql(name)} IS NOT DISTINCT FROM ${value}`]
    )
    return {
      change: sql`
        ${assigneeAsRead(sql, operatorId, assignee)}, before AS (${asItIs(sql, "tasks", operatorId, id)}),
        after AS (
          UPDATE tasks t SET updated_at = ${now}, ${settingsOf(sql, EditedTask, "t", edit)}
          FROM before
          WHERE ${sql.and([
            sql`t.operator_id = before.operator_id AND t.id = before.id`,
            sql`EXISTS (SELECT FROM assignee)`,
            ...asJudged
          ])}
          RETURNING t.*
        )`,
      events: [],
      touched: touchedBetween(sql, "task"),
      outcome: sql`SELECT id FROM after`
    }
  })
  return (operatorId: number, id: number, edit: TaskEdit, judged: JudgedBy, assignee: Assignee | null, now: Date) =>
    readIdentity(
      statement({
        operatorId,
        id,
        type: edit.type,
        status: edit.status,
        level: edit.level,
        property_id: edit.property_id,
        staff_id: edit.staff_id,
        expected_date: edit.expected_date,
        expected_time: edit.expected_time,
        currency: edit.currency,
        fee: edit.fee,
        note: edit.note,
        judged_currency: judged.currency,
        judged_fee: judged.fee,
        judged_property_id: judged.property_id,
        judged_staff_id: judged.staff_id,
        assignee: assignee ?? undefined,
        now
      })
    )
}

/** Answers the deleted task's id, or undefined when there is none. */
const remove = (sql: Sql) =>
  removal(
    sql,
    "task",
    ({ operatorId, id }) =>
      sql`DELETE FROM tasks WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id`
  )

export class TaskStore extends Context.Service<TaskStore>()("latchkey/resources/TaskStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    search: search(sql),
    known: known(sql),
    preconditions: preconditions(sql),
    create: create(sql),
    existing: existing(sql),
    update: update(sql),
    remove: remove(sql)
  }))
}) {
  static readonly layer = Layer.effect(TaskStore, TaskStore.make)
}
