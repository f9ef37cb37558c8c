import { Schema, Struct } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import { updateAssignments } from "../../../platform/database/columns.ts"
import { makeOptionalRowReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { HostStayFields } from "./stay.ts"
import { selectStayForUpdate } from "./stay-lock.ts"
import { recordStayUpdates, stayRecordSql } from "./stay-sql.ts"
import { changedStayFieldSql, StayMatch } from "./stay-tags.ts"

type Sql = SqlClient.SqlClient

const CheckInDetailsColumns = Schema.Struct(
  Struct.pick(HostStayFields.fields, [
    "lock_code",
    "lock_code_visible_after",
    "arrival_at",
    "departure_at",
    "deposit",
    "id_required"
  ])
)
/** Null removes a value, undefined keeps it. Times are `HH:mm`. */
export type CheckInDetailsChange = {
  readonly [Name in keyof typeof CheckInDetailsColumns.fields]: string | number | null | undefined
}

const CheckInApprovalRow = Schema.Struct({ approved_at: Schema.NullOr(Schema.Date) })
export type CheckInApprovalRow = typeof CheckInApprovalRow.Type

const readIsFound = makeSingleRowReader(StayMatch)
const readApproval = makeOptionalRowReader(CheckInApprovalRow)

export const setCheckInDetails = (sql: Sql) => {
  const anyChanged = (...columns: ReadonlyArray<keyof CheckInDetailsChange>): Fragment =>
    sql.or(columns.map((column) => sql`after.${sql(column)} IS DISTINCT FROM before.${sql(column)}`))
  return (operatorId: number, stayCode: string, change: CheckInDetailsChange, at: Date) => {
    const recordUpdate = (subEvent: string, condition: Fragment): Fragment =>
      recordStayUpdates(sql, {
        from: sql`(SELECT after.* FROM after JOIN before ON before.id = after.id WHERE ${condition}) happened`,
        subEvent: sql.literal(`'${subEvent}'`),
        at
      })
    return readIsFound(
      recordChange(sql, {
        change: sql`
          before AS (${selectStayForUpdate(sql, { operatorId, stayCode })}),
          after AS (
            UPDATE stays s SET ${updateAssignments(sql, CheckInDetailsColumns, "s", change)}
            FROM before WHERE s.operator_id = before.operator_id AND s.id = before.id
            RETURNING s.*, before.reservation_code
          ), compared AS (
            SELECT before.operator_id, before.reservation_code, changed_fields(to_jsonb(before), to_jsonb(after)) AS fields
            FROM before JOIN after ON after.id = before.id
          )`,
        events: [
          recordUpdate("arrival_and_departure_time_updated", anyChanged("arrival_at", "departure_at")),
          recordUpdate("lock_code_updated", sql`after.lock_code IS NOT NULL AND ${anyChanged("lock_code")}`),
          recordUpdate("lock_code_deleted", sql`after.lock_code IS NULL AND ${anyChanged("lock_code")}`),
          recordUpdate("check_in_details_updated", anyChanged("lock_code_visible_after", "deposit", "id_required"))
        ],
        changedRecords: sql`SELECT operator_id, ${stayRecordSql(sql)} AS record, fields FROM compared WHERE fields <> '{}'`,
        outcome: sql`SELECT EXISTS (SELECT FROM before) AS found`
      })
    )
  }
}

export const approveCheckIn = (sql: Sql) => (operatorId: number, stayCode: string, at: Date) =>
  readApproval(
    recordChange(sql, {
      change: sql`
        before AS (${selectStayForUpdate(sql, { operatorId, stayCode })}), after AS (
          UPDATE stays s SET check_in_approved_at = ${at}
          FROM before WHERE s.operator_id = before.operator_id AND s.id = before.id
            AND before.check_in_approved_at IS NULL AND before.id_required = 'required_with_review'
          RETURNING s.check_in_approved_at
        )`,
      events: [
        recordStayUpdates(sql, {
          from: sql`before WHERE EXISTS (SELECT FROM after)`,
          subEvent: sql`'check_in_details_updated'`,
          at
        })
      ],
      changedRecords: changedStayFieldSql(sql, "check_in_approved_at", sql`before WHERE EXISTS (SELECT FROM after)`),
      outcome: sql`
        SELECT coalesce((SELECT check_in_approved_at FROM after), check_in_approved_at) AS approved_at FROM before`
    })
  )
