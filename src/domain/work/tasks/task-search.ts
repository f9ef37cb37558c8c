import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { DateRange } from "../../../contract/date-range.ts"
import type { Page } from "../../../contract/page.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { AmountColumn } from "../../column-schemas.ts"
import { propertyExists } from "../../properties/properties/ownership.ts"
import { type search_tasks, Task } from "./contract.ts"

// Finding tasks: one statement a page.

/** Which tasks a search means; what is undefined does not narrow it. */
export interface TaskSearch
  extends Pick<typeof search_tasks.payloadSchema.Type, "id" | "staff_id" | "property_id" | "type" | "status"> {
  readonly expected: DateRange | undefined
}

/** A task as it is shown, but for the merchant's clock: its times are still instants. */
export const TaskRow = Schema.Struct({
  ...Task.fields,
  fee: AmountColumn,
  create_time: Schema.Date,
  update_time: Schema.Date
})
export type TaskRow = typeof TaskRow.Type

const readFilterCheck = makeSingleRowReader(Schema.Struct({ property: Schema.Boolean, staff: Schema.Boolean }))

const toSearchValues = (operatorId: number, filters: TaskSearch) => ({
  operatorId,
  id: filters.id,
  start: filters.expected?.start,
  end: filters.expected?.end,
  staff_id: filters.staff_id,
  property_id: filters.property_id,
  type: filters.type,
  status: filters.status
})
type SearchValues = Givens<ReturnType<typeof toSearchValues>>

const conditions = (sql: SqlClient, values: SearchValues): ReadonlyArray<Fragment> => {
  const all: Array<Fragment> = [sql`operator_id = ${values.operatorId}`]
  if (values.id !== undefined) all.push(sql`id = ${values.id}`)
  if (values.start !== undefined) all.push(sql`expected_date >= ${values.start}::date`)
  if (values.end !== undefined) all.push(sql`expected_date <= ${values.end}::date`)
  if (values.staff_id !== undefined) all.push(sql`staff_id = ${values.staff_id}`)
  if (values.property_id !== undefined) all.push(sql`property_id = ${values.property_id}`)
  if (values.type !== undefined) all.push(sql`type = ${values.type}`)
  if (values.status !== undefined) all.push(sql`status = ${values.status}`)
  return all
}

/** What a task in `page` shows of what {@link joined} adds, and under another name than its column's. */
export const taskColumns = (sql: SqlClient) => ({
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

export const taskJoins = (sql: SqlClient): Fragment => sql`
  LEFT JOIN properties property ON property.operator_id = page.operator_id AND property.id = page.property_id
  LEFT JOIN staffs staff ON staff.operator_id = page.operator_id AND staff.id = page.staff_id
  LEFT JOIN stays stay ON stay.operator_id = page.operator_id AND stay.id = page.stay_id`

export const searchTasks = (sql: SqlClient) => {
  const selectPage = makePageReader(sql, TaskRow, (values: SearchValues) => ({
    matching: sql`SELECT * FROM tasks WHERE ${sql.and(conditions(sql, values))}`,
    orderBy: sql`expected_date DESC NULLS FIRST, expected_time DESC NULLS LAST, id DESC`,
    columns: taskColumns(sql),
    joined: taskJoins(sql)
  }))
  return (operatorId: number, filters: TaskSearch, page: Page) => selectPage(toSearchValues(operatorId, filters), page)
}

/** What a search names. */
interface TaskFilterIds {
  readonly operatorId: number
  readonly property_id: number | undefined
  readonly staff_id: number | undefined
}

/** Whether the property and the person a search names exist; asked only when the search found nothing. */
export const checkTaskFilters = (sql: SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId, property_id, staff_id }: Givens<TaskFilterIds>) => sql`
      SELECT ${propertyExists(sql, operatorId, property_id)} AS property,
        ${
          staff_id === undefined
            ? sql`true`
            : sql`EXISTS (SELECT FROM staffs WHERE operator_id = ${operatorId} AND id = ${staff_id})`
        } AS staff`
  )
  return (operatorId: number, { property_id, staff_id }: Pick<TaskSearch, "property_id" | "staff_id">) =>
    readFilterCheck(statement({ operatorId, property_id, staff_id }))
}
