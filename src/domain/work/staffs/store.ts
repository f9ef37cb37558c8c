import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import {
  changedRecordsSql,
  createdOrDeletedRecordsSql,
  lockedRowSql,
  recordChange
} from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { Page } from "../../../contract/page.ts"
import { column, columnNames, rowParameterSql, updateAssignments } from "../../../platform/database/columns.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import { genericPlanParameter } from "../../../platform/database/parameters.ts"
import { makeSingleRowReader, type RowPage } from "../../../platform/database/rows.ts"
import {
  deleteFormerVersionsSql,
  insertItemsSql,
  listIdsSql,
  nextVersionAssignment
} from "../../../platform/database/versioned-list.ts"
import type { RowId } from "../../column-schemas.ts"
import { makeDeleteRecord, type OperatorScoped } from "../../operator-rows.ts"
import {
  allReferencesExistCondition,
  type CheckedChange,
  CheckedChangeRow,
  ownershipPreconditionsSql,
  selectCheckedChangeSql
} from "../../properties/properties/ownership.ts"
import { Staff } from "./contract.ts"

type Sql = SqlClient.SqlClient

type StaffFilters = { readonly [Field in "id" | "is_active"]?: Staff[Field] | undefined }

const NewStaffColumns = Schema.Struct({
  name: column("text", Staff.fields.name),
  mobile: column("text", Staff.fields.mobile),
  email: column("text", Staff.fields.email),
  note: column("text", Staff.fields.note)
})
type NewStaff = typeof NewStaffColumns.Type & Pick<Staff, "property_ids">

const EditableStaffColumns = Schema.Struct({
  ...NewStaffColumns.fields,
  is_active: column("boolean", Staff.fields.is_active)
})

type StaffEdit = { readonly [Field in Exclude<keyof Staff, "id">]?: Staff[Field] | undefined }

const PROPERTY_LIST = {
  rows: "staff_properties",
  owner: "staff_id",
  item: "property_id",
  version: "properties_version"
}

export const propertyIdsJson = (sql: Sql): Fragment => listIdsSql(sql, PROPERTY_LIST)

const readCheckedChange = makeSingleRowReader(CheckedChangeRow)

const search = (sql: Sql) => {
  const selectPage = makePageReader(
    sql,
    Staff,
    ({ operatorId, id, is_active }: StaffFilters & OperatorScoped) => {
      const conditions: Array<Fragment> = [sql`operator_id = ${genericPlanParameter(sql, "bigint", operatorId)}`]
      if (id !== undefined) conditions.push(sql`id = ${id}`)
      if (is_active !== undefined) conditions.push(sql`is_active = ${is_active}`)
      return {
        matchingRows: sql`SELECT * FROM staffs WHERE ${sql.and(conditions)}`,
        orderBy: sql`id`
      }
    },
    { property_ids: propertyIdsJson(sql) }
  )
  return (operatorId: number, { id, is_active }: StaffFilters, page: Page) =>
    selectPage({ operatorId, id, is_active }, page)
}

const create = (sql: Sql) => (operatorId: number, staff: NewStaff, now: Date) =>
  readCheckedChange(
    recordChange(sql, {
      change: sql`
        ${ownershipPreconditionsSql(sql, operatorId, { property_ids: staff.property_ids })},
        written AS (
          INSERT INTO staffs (operator_id, created_at, updated_at, ${sql.literal(columnNames(NewStaffColumns))})
          SELECT ${operatorId}, ${now}::timestamptz, ${now}::timestamptz, ${sql.literal(columnNames(NewStaffColumns))}
          FROM preconditions, ${rowParameterSql(sql, NewStaffColumns, staff)} WHERE ${allReferencesExistCondition(sql)}
          RETURNING operator_id, id, properties_version
        ), assigned AS (${insertItemsSql(sql, PROPERTY_LIST, staff.property_ids)})`,
      events: [],
      changedRecords: createdOrDeletedRecordsSql(sql, "staff", "written"),
      outcome: selectCheckedChangeSql(sql)
    })
  )

const update = (sql: Sql) => (operatorId: number, id: number, edit: StaffEdit, now: Date) =>
  readCheckedChange(
    recordChange(sql, {
      change: sql`
        ${ownershipPreconditionsSql(sql, operatorId, edit)},
        before AS (${lockedRowSql(sql, "staffs", operatorId, id)}),
        written AS (
          UPDATE staffs s SET updated_at = ${now}, ${updateAssignments(sql, EditableStaffColumns, "s", edit)},
            ${nextVersionAssignment(sql, PROPERTY_LIST, edit.property_ids, "s")}
          FROM before, preconditions
          WHERE s.operator_id = before.operator_id AND s.id = before.id AND ${allReferencesExistCondition(sql)}
          RETURNING s.*
        ), former AS (${deleteFormerVersionsSql(sql, PROPERTY_LIST)}), assigned AS (${insertItemsSql(sql, PROPERTY_LIST, edit.property_ids)})`,
      events: [],
      changedRecords: changedRecordsSql(sql, "staff", "written"),
      outcome: selectCheckedChangeSql(sql)
    })
  )

const remove = (sql: Sql) =>
  makeDeleteRecord(
    sql,
    "staff",
    ({ operatorId, id }) =>
      sql`DELETE FROM staffs WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id`
  )

export class StaffStore extends Context.Service<
  StaffStore,
  {
    readonly search: (operatorId: number, filters: StaffFilters, page: Page) => Effect.Effect<RowPage<Staff>>
    readonly create: (
      operatorId: number,
      staff: NewStaff,
      now: Date
    ) => Effect.Effect<CheckedChange, never, CurrentActor>
    readonly update: (
      operatorId: number,
      id: number,
      edit: StaffEdit,
      now: Date
    ) => Effect.Effect<CheckedChange, never, CurrentActor>
    /** The tasks of a deleted staff member stay, without an assignee. */
    readonly remove: (
      operatorId: number,
      id: number
    ) => Effect.Effect<typeof RowId.Type | undefined, never, CurrentActor>
  }
>()("latchkey/domain/work/staffs/StaffStore") {
  static readonly layer = Layer.effect(
    StaffStore,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      search: search(sql),
      create: create(sql),
      update: update(sql),
      remove: remove(sql)
    }))
  )
}
