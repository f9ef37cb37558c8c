import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { DateRange } from "../../../contract/date-range.ts"
import type { Page } from "../../../contract/page.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import { genericPlanParameter } from "../../../platform/database/parameters.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { AmountColumn } from "../../column-schemas.ts"
import type { OperatorScoped } from "../../operator-rows.ts"
import { propertyExistsCondition } from "../../properties/properties/ownership.ts"
import { type search_tasks, Task } from "./contract.ts"

export interface TaskFilters
  extends Pick<typeof search_tasks.payloadSchema.Type, "id" | "staff_id" | "property_id" | "type" | "status"> {
  readonly expectedDates: DateRange | undefined
}

export const TaskRow = Schema.Struct({
  ...Task.fields,
  fee: AmountColumn,
  create_time: Schema.Date,
  update_time: Schema.Date
})
export type TaskRow = typeof TaskRow.Type

const TaskFilterCheck = Schema.Struct({ property: Schema.Boolean, staff: Schema.Boolean })
export type TaskFilterCheck = typeof TaskFilterCheck.Type

const readFilterCheck = makeSingleRowReader(TaskFilterCheck)

type SearchParameters = OperatorScoped & TaskFilters

const buildFilterConditions = (sql: SqlClient, parameters: SearchParameters): ReadonlyArray<Fragment> => {
  const conditions: Array<Fragment> = [sql`operator_id = ${genericPlanParameter(sql, "bigint", parameters.operatorId)}`]
  if (parameters.id !== undefined) conditions.push(sql`id = ${parameters.id}`)
  if (parameters.expectedDates?.start !== undefined)
    conditions.push(sql`expected_date >= ${genericPlanParameter(sql, "date", parameters.expectedDates?.start)}`)
  if (parameters.expectedDates?.end !== undefined)
    conditions.push(sql`expected_date <= ${genericPlanParameter(sql, "date", parameters.expectedDates?.end)}`)
  if (parameters.staff_id !== undefined) conditions.push(sql`staff_id = ${parameters.staff_id}`)
  if (parameters.property_id !== undefined) conditions.push(sql`property_id = ${parameters.property_id}`)
  if (parameters.type !== undefined) conditions.push(sql`type = ${parameters.type}`)
  if (parameters.status !== undefined) conditions.push(sql`status = ${parameters.status}`)
  return conditions
}

export const taskColumns = (sql: SqlClient) => ({
  task_id: sql`page.id`,
  level: sql`CASE WHEN page.type = 'cleaning' THEN page.level END`,
  property_title: sql`property.title`,
  stay_code: sql`stay.stay_code`,
  staff_name: sql`staff.name`,
  expected_time: sql`page.expected_time::text`,
  expected: sql`page.expected_date || ' ' || coalesce(page.expected_time, time '00:00')::text`,
  arrival_same_day: sql`EXISTS (
    SELECT FROM stays arriving JOIN orders o ON o.operator_id = arriving.operator_id AND o.id = arriving.order_id
    WHERE arriving.operator_id = page.operator_id AND arriving.property_id = page.property_id
      AND arriving.check_in_date = page.expected_date AND arriving.id IS DISTINCT FROM page.stay_id
      AND o.status = 'accepted')`,
  create_time: sql`page.created_at`,
  update_time: sql`page.updated_at`
})

export const taskJoins = (sql: SqlClient): Fragment => sql`
  LEFT JOIN properties property ON property.operator_id = page.operator_id AND property.id = page.property_id
  LEFT JOIN staffs staff ON staff.operator_id = page.operator_id AND staff.id = page.staff_id
  LEFT JOIN stays stay ON stay.operator_id = page.operator_id AND stay.id = page.stay_id`

export const searchTasks = (sql: SqlClient) => {
  const selectPage = makePageReader(
    sql,
    TaskRow,
    (parameters: SearchParameters) => ({
      matchingRows: sql`SELECT * FROM tasks WHERE ${sql.and(buildFilterConditions(sql, parameters))}`,
      orderBy: sql`expected_date DESC NULLS FIRST, expected_time DESC NULLS LAST, id DESC`,
      joins: taskJoins(sql)
    }),
    taskColumns(sql)
  )
  return (operatorId: number, filters: TaskFilters, page: Page) => selectPage({ ...filters, operatorId }, page)
}

export const checkTaskFilters =
  (sql: SqlClient) =>
  (operatorId: number, { property_id, staff_id }: Pick<TaskFilters, "property_id" | "staff_id">) =>
    readFilterCheck(sql`
      SELECT ${propertyExistsCondition(sql, operatorId, property_id)} AS property,
        ${
          staff_id === undefined
            ? sql`true`
            : sql`EXISTS (SELECT FROM staffs WHERE operator_id = ${operatorId} AND id = ${staff_id})`
        } AS staff`)
