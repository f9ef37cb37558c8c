import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { asItIs, onRecord, touchedBetween, touchedIn } from "../../changes/on-record.ts"
import type { DateRange } from "../../contract/date-range.ts"
import type { Page } from "../../contract/page.ts"
import { column, givenRow, namesOf, settingsOf } from "../../database/columns.ts"
import { onlyRowOf, paged, pageRowsOf, rowOf } from "../../database/rows.ts"
import { propertyKnown } from "../properties/belonging.ts"
import { Amount, Identity } from "../row-fields.ts"
import { Assignee, assigneeAsRead, assigneeOf } from "../staffs/assignment.ts"
import { Level, type search_tasks, Task } from "./contract.ts"

// The SQL of tasks. A read is one statement; a change is two: one that reads what the rules need, one that changes.

type Sql = SqlClient.SqlClient

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

const readPage = pageRowsOf(TaskRow)
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

const conditions = (sql: Sql, operatorId: number, wanted: TaskSearch): ReadonlyArray<Fragment> => {
  const all: Array<Fragment> = [sql`operator_id = ${operatorId}`]
  if (wanted.id !== undefined) all.push(sql`id = ${wanted.id}`)
  if (wanted.expected !== undefined) {
    all.push(sql`expected_date BETWEEN ${wanted.expected.start}::date AND ${wanted.expected.end}::date`)
  }
  if (wanted.staff_id !== undefined) all.push(sql`staff_id = ${wanted.staff_id}`)
  if (wanted.property_id !== undefined) all.push(sql`property_id = ${wanted.property_id}`)
  if (wanted.type !== undefined) all.push(sql`type = ${wanted.type}`)
  if (wanted.status !== undefined) all.push(sql`status = ${wanted.status}`)
  return all
}

/** The columns of a {@link TaskRow}, of the task in `page` with what {@link joined} adds. */
const selected = (sql: Sql): Fragment => sql`
  page.id AS task_id, page.id, page.type, page.status, CASE WHEN page.type = 'cleaning' THEN page.level END AS level,
  page.property_id, property.title AS property_title, stay.stay_code, page.staff_id, staff.name AS staff_name,
  page.expected_date, page.expected_time::text,
  page.expected_date || ' ' || coalesce(page.expected_time, time '00:00')::text AS expected,
  page.currency, page.fee, page.note, page.created_at AS create_time, page.updated_at AS update_time`

const joined = (sql: Sql): Fragment => sql`
  LEFT JOIN properties property ON property.operator_id = page.operator_id AND property.id = page.property_id
  LEFT JOIN staffs staff ON staff.operator_id = page.operator_id AND staff.id = page.staff_id
  LEFT JOIN stays stay ON stay.operator_id = page.operator_id AND stay.id = page.stay_id`

const search = (sql: Sql) => (operatorId: number, wanted: TaskSearch, page: Page) =>
  readPage(sql`${paged(sql, {
    matching: sql`SELECT * FROM tasks WHERE ${sql.and(conditions(sql, operatorId, wanted))}`,
    orderBy: sql`expected_date DESC NULLS FIRST, expected_time DESC NULLS LAST, id DESC`,
    ...page
  })}
    SELECT counted.total, page.position, ${selected(sql)}
    FROM counted LEFT JOIN page ON true ${joined(sql)}
    ORDER BY page.position`)

/** Whether the property and the person a search names exist; asked only when the search found nothing. */
const known = (sql: Sql) => (operatorId: number, wanted: Pick<TaskSearch, "property_id" | "staff_id">) =>
  readKnown(sql`SELECT ${propertyKnown(sql, operatorId, wanted.property_id)} AS property,
    ${
      wanted.staff_id === undefined
        ? sql`true`
        : sql`EXISTS (SELECT FROM staffs WHERE operator_id = ${operatorId} AND id = ${wanted.staff_id})`
    } AS staff`)

const preconditions =
  (sql: Sql) =>
  (
    operatorId: number,
    wanted: Pick<TaskSearch, "property_id" | "staff_id"> & { readonly stay_code?: string | undefined }
  ) =>
    readPreconditions(sql`
      SELECT ${propertyKnown(sql, operatorId, wanted.property_id)} AS property_known,
        stay.id AS stay_id, stay.property_id AS stay_property_id,
        ${assigneeOf(sql, operatorId, sql`${wanted.staff_id ?? null}`)} AS assignee
      FROM (SELECT 1) one
      LEFT JOIN stays stay ON ${
        wanted.stay_code === undefined
          ? sql`false`
          : sql`stay.operator_id = ${operatorId} AND stay.stay_code = ${wanted.stay_code}`
      }`)

/** Answers the new task's id, or undefined when its person is not as they were read any more. */
const create = (sql: Sql) => (operatorId: number, task: NewTask, assignee: Assignee | null, now: Date) =>
  readIdentity(
    onRecord(sql, {
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
    })
  )

/** The task; `assignee` is the person asked for, or else who has it, and null when `judged` says that nobody matters. */
const existing =
  (sql: Sql) =>
  (
    operatorId: number,
    id: number,
    wanted: {
      readonly property_id: number | undefined
      readonly staff_id: number | undefined
      readonly assigns: boolean
    }
  ) =>
    readExisting(sql`
      SELECT ${selected(sql)}, stay.property_id AS stay_property_id,
        ${propertyKnown(sql, operatorId, wanted.property_id)} AS property_known,
        ${
          wanted.assigns
            ? assigneeOf(sql, operatorId, wanted.staff_id === undefined ? sql`page.staff_id` : sql`${wanted.staff_id}`)
            : sql`NULL::jsonb`
        } AS assignee
      FROM tasks page ${joined(sql)}
      WHERE page.operator_id = ${operatorId} AND page.id = ${id}`)

/** Answers the task's id, or undefined when it is gone, or it or its person is no longer what the edit was judged by. */
const update =
  (sql: Sql) =>
  (operatorId: number, id: number, edit: TaskEdit, judged: JudgedBy, assignee: Assignee | null, now: Date) => {
    const asJudged = Object.entries(judged).map(
      ([name, value]) => sql`before.${sql(name)} IS NOT DISTINCT FROM ${value}`
    )
    return readIdentity(
      onRecord(sql, {
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
      })
    )
  }

/** Answers the deleted task's id, or undefined when there is none. */
const remove = (sql: Sql) => (operatorId: number, id: number) =>
  readIdentity(
    onRecord(sql, {
      change: sql`
        deleted AS (DELETE FROM tasks WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id)`,
      events: [],
      touched: touchedIn(sql, "task", "deleted"),
      outcome: sql`SELECT id FROM deleted`
    })
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
