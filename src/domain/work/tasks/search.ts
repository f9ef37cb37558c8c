import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { DateRange } from "../../../contract/date-range.ts"
import type { Page } from "../../../contract/page.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { pagesOf } from "../../../platform/database/pages.ts"
import { onlyRowOf } from "../../../platform/database/rows.ts"
import { propertyKnown } from "../../properties/properties/belonging.ts"
import { Amount } from "../../row-fields.ts"
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
  fee: Amount,
  create_time: Schema.Date,
  update_time: Schema.Date
})
export type TaskRow = typeof TaskRow.Type

const readKnown = onlyRowOf(Schema.Struct({ property: Schema.Boolean, staff: Schema.Boolean }))

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

const conditions = (sql: SqlClient, wanted: SearchValues): ReadonlyArray<Fragment> => {
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
export const shown = (sql: SqlClient) => ({
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

export const joined = (sql: SqlClient): Fragment => sql`
  LEFT JOIN properties property ON property.operator_id = page.operator_id AND property.id = page.property_id
  LEFT JOIN staffs staff ON staff.operator_id = page.operator_id AND staff.id = page.staff_id
  LEFT JOIN stays stay ON stay.operator_id = page.operator_id AND stay.id = page.stay_id`

export const search = (sql: SqlClient) => {
  const page = pagesOf(sql, TaskRow, (wanted: SearchValues) => ({
    matching: sql`SELECT * FROM tasks WHERE ${sql.and(conditions(sql, wanted))}`,
    orderBy: sql`expected_date DESC NULLS FIRST, expected_time DESC NULLS LAST, id DESC`,
    columns: shown(sql),
    joined: joined(sql)
  }))
  return (operatorId: number, wanted: TaskSearch, asked: Page) => page(valuesOf(operatorId, wanted), asked)
}

/** What a search names. */
interface NamedBySearch {
  readonly operatorId: number
  readonly property_id: number | undefined
  readonly staff_id: number | undefined
}

/** Whether the property and the person a search names exist; asked only when the search found nothing. */
export const known = (sql: SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId, property_id, staff_id }: Givens<NamedBySearch>) => sql`
      SELECT ${propertyKnown(sql, operatorId, property_id)} AS property,
        ${
          staff_id === undefined
            ? sql`true`
            : sql`EXISTS (SELECT FROM staffs WHERE operator_id = ${operatorId} AND id = ${staff_id})`
        } AS staff`
  )
  return (operatorId: number, { property_id, staff_id }: Pick<TaskSearch, "property_id" | "staff_id">) =>
    readKnown(statement({ operatorId, property_id, staff_id }))
}
