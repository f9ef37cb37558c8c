import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { asItIs, onRecordInForms, touchedBetween, touchedIn } from "../../changes/on-record.ts"
import type { DateRange } from "../../contract/date-range.ts"
import type { Page } from "../../contract/page.ts"
import { column, givenRow, namesOf, settingsOf } from "../../database/columns.ts"
import { type Givens, inForms } from "../../database/forms.ts"
import { pagesOf, selectedOf } from "../../database/pages.ts"
import { onlyRowOf, rowOf } from "../../database/rows.ts"
import { propertyKnown } from "../properties/belonging.ts"
import { Amount, Identity } from "../row-fields.ts"
import { Assignee, assigneeAsRead, assigneeOf } from "../staffs/assignment.ts"
import { Level, type search_tasks, Task } from "./contract.ts"

// The SQL of tasks. A read is one statement; a change is two: one that reads what the rules need, one that changes.

type Sql = SqlClient.SqlClient

interface OfOperator {
  readonly operatorId: number
}

/** Which tasks a search means; what is undefined does not narrow it. */
export interface TaskSearch
  extends Pick<typeof search_tasks.payloadSchema.Type, "id" | "staff_id" | "property_id" | "type" | "status"> {
  readonly expected: DateRange | undefined
}

/** A task as it is shown, but for the merchant's clock: its times are still instants. */
const TaskRow = Schema.Struct({ ...Task.fields, fee: Amount, create_time: Schema.Date, update_time: Schema.Date })
export type TaskRow = typeof TaskRow.Type

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
const readIdentity = rowOf(Identity)
const readKnown = onlyRowOf(Schema.Struct({ property: Schema.Boolean, staff: Schema.Boolean }))

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
  readonly [Column in keyof typeof EditedTask.Type]?: (typeof EditedTask.Type)[Column] | undefined
}

/** The columns a new task fills. */
const GivenTask = Schema.Struct({ ...EditedTask.fields, stay_id: column("bigint", Schema.NullOr(Schema.Int)) })
export type NewTask = typeof GivenTask.Type

/** The columns an edit was judged by; those that are undefined were not looked at. */
export type JudgedBy = Partial<Pick<NewTask, "currency" | "fee" | "property_id" | "staff_id">>

const valuesOf = (operatorId: number, wanted: TaskSearch) => ({
  operatorId,
  id: wanted.id,
  start: wanted.expected?.start,
  end: wanted.expected?.end,
  staff_id: wanted.staff_id,
  property_id: wanted.property_id,
  type: wanted.type,
  status: wanted.status
})
type SearchValues = Givens<ReturnType<typeof valuesOf>>

const conditions = (sql: Sql, wanted: SearchValues): ReadonlyArray<Fragment> => {
  const all: Array<Fragment> = [sql`operator_id = ${wanted.operatorId}`]
  if (wanted.id !== undefined) all.push(sql`id = ${wanted.id}`)
  if (wanted.start !== undefined) all.push(sql`expected_date >= ${wanted.start}::date`)
  if (wanted.end !== undefined) all.push(sql`expected_date <= ${wanted.end}::date`)
  if (wanted.staff_id !== undefined) all.push(sql`staff_id = ${wanted.staff_id}`)
  if (wanted.property_id !== undefined) all.push(sql`property_id = ${wanted.property_id}`)
  if (wanted.type !== undefined) all.push(sql`type = ${wanted.type}`)
  if (wanted.status !== undefined) all.push(sql`status = ${wanted.status}`)
  return all
}

/** What a task in `page` shows of what {@link joined} adds, and under another name than its column's. */
const shown = (sql: Sql) => ({
  task_id: sql`page.id`,
  level: sql`CASE WHEN page.type = 'cleaning' THEN page.level END`,
  property_title: sql`property.title`,
  stay_code: sql`stay.stay_code`,
  staff_name: sql`staff.name`,
  expected_time: sql`page.expected_time::text`,
  expected: sql`page.expected_date || ' ' || coalesce(page.expected_time, time '00:00')::text`,
  create_time: sql`page.created_at`,
  update_time: sql`page.updated_at`
})

const joined = (sql: Sql): Fragment => sql`
  LEFT JOIN properties property ON property.operator_id = page.operator_id AND property.id = page.property_id
  LEFT JOIN staffs staff ON staff.operator_id = page.operator_id AND staff.id = page.staff_id
  LEFT JOIN stays stay ON stay.operator_id = page.operator_id AND stay.id = page.stay_id`

const search = (sql: Sql) => {
  const page = pagesOf(sql, TaskRow, (wanted: SearchValues) => ({
    matching: sql`SELECT * FROM tasks WHERE ${sql.and(conditions(sql, wanted))}`,
    orderBy: sql`expected_date DESC NULLS FIRST, expected_time DESC NULLS LAST, id DESC`,
    columns: shown(sql),
    joined: joined(sql)
  }))
  return (operatorId: number, wanted: TaskSearch, asked: Page) => page(valuesOf(operatorId, wanted), asked)
}

/** Whether the property and the person a search names exist; asked only when the search found nothing. */
const known = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, property_id, staff_id }: Givens<NamedByTask>) => sql`
      SELECT ${propertyKnown(sql, operatorId, property_id)} AS property,
        ${
          staff_id === undefined
            ? sql`true`
            : sql`EXISTS (SELECT FROM staffs WHERE operator_id = ${operatorId} AND id = ${staff_id})`
        } AS staff`
  )
  return (operatorId: number, { property_id, staff_id }: Pick<TaskSearch, "property_id" | "staff_id">) =>
    readKnown(statement({ operatorId, property_id, staff_id, stay_code: undefined }))
}

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

/** Answers the new task's id, or undefined when its person is not as they were read any more. */
const create = (sql: Sql) => {
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
    readIdentity(statement({ operatorId, task, assignee: assignee ?? undefined, now }))
}

interface Looked extends OfOperator {
  readonly id: number
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

interface Edited extends OfOperator, TaskEdit {
  readonly id: number
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
        ...edit,
        operatorId,
        id,
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
const remove = (sql: Sql) => {
  const statement = onRecordInForms(sql, ({ operatorId, id }: Givens<OfOperator & { readonly id: number }>) => ({
    change: sql`
      deleted AS (DELETE FROM tasks WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id)`,
    events: [],
    touched: touchedIn(sql, "task", "deleted"),
    outcome: sql`SELECT id FROM deleted`
  }))
  return (operatorId: number, id: number) => readIdentity(statement({ operatorId, id }))
}

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
