import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { prepareRecordedChange } from "../../../changes/recorded-change.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { CUSTOM_FIELDS_MAX, CUSTOM_FIELDS_TEXT_LENGTH } from "../../../platform/limits.ts"
import { setCheckInDetails } from "./check-in-details.ts"
import { CustomFields, type HostStayFields } from "./stay.ts"
import { selectStayForUpdate } from "./stay-lock.ts"
import { recordStayUpdates, stayRecordSql } from "./stay-sql.ts"
import { addTag, changedStayFieldSql, removeTag, type StayKey } from "./stay-tags.ts"

// The SQL of what hosts keep about one stay. Each is one statement and touches none of the columns that changes of the
// order are worked out from (OrderStayFields), so the two never undo each other.

type Sql = SqlClient.SqlClient

const readCustomFields = makeOptionalRowReader(Schema.Struct({ fields: Schema.NullOr(CustomFields) }))
const readSavedCustomFields = makeOptionalRowReader(
  Schema.Struct({ saved: Schema.Boolean, fields: Schema.NullOr(CustomFields) })
)
const readStatus = makeOptionalRowReader(Schema.Struct({ status: Schema.String }))

/** Undefined when there is no such stay. */
const findCustomFields = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, stayCode }: Givens<StayKey>) => sql`
      SELECT custom_fields AS fields FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${stayCode}`
  )
  return (operatorId: number, stayCode: string) => readCustomFields(statement({ operatorId, stayCode }))
}

const characterCountSql = (sql: Sql, fields: Fragment): Fragment =>
  sql`(SELECT coalesce(sum(length(value)), 0) FROM jsonb_each_text(${fields}))`

interface SaveCustomFieldsParameters extends StayKey {
  readonly changes: Readonly<Record<string, string | null>>
  readonly at: Date
}

/**
 * Merges the changes in, null removes; `saved` is false when the stay would have too many, or too much in them. What was
 * too much before there was a limit may stay, and become less.
 */
const saveCustomFields = (sql: Sql) => {
  const countCharacters = (fields: Fragment) => characterCountSql(sql, fields)
  const statement = prepareRecordedChange(sql, ({ changes, at, ...stayKey }: Givens<SaveCustomFieldsParameters>) => ({
    change: sql`
      before AS (${selectStayForUpdate(sql, stayKey)}),
      merged AS (
        SELECT operator_id, id,
          jsonb_strip_nulls(coalesce(before.custom_fields, '{}') || ${jsonParameter(changes)}::jsonb) AS fields
        FROM before
      ), after AS (
        UPDATE stays s SET custom_fields = nullif(merged.fields, '{}')
        FROM merged WHERE s.operator_id = merged.operator_id AND s.id = merged.id
          AND (SELECT count(*) FROM jsonb_object_keys(merged.fields)) <= ${CUSTOM_FIELDS_MAX}
          AND ${countCharacters(sql`merged.fields`)} <= greatest(${CUSTOM_FIELDS_TEXT_LENGTH}, ${countCharacters(sql`s.custom_fields`)})
        RETURNING s.custom_fields
      )`,
    events: [recordStayUpdates(sql, { from: sql`before WHERE EXISTS (SELECT FROM after)`, at })],
    // What is saved as it was is told too (specification, reservation_updated), and so leaves its trail: of no field.
    changedRecords: sql`
      SELECT before.operator_id, ${stayRecordSql(sql)} AS record,
        array_remove(ARRAY[CASE WHEN after.custom_fields IS DISTINCT FROM before.custom_fields THEN 'custom_fields' END],
          NULL) AS fields
      FROM before, after`,
    // With its order's code, by which what is kept of a call is found when the guest is forgotten.
    outcome: sql`
      SELECT EXISTS (SELECT FROM after) AS saved, (SELECT custom_fields FROM after) AS fields, reservation_code FROM before`
  }))
  return (operatorId: number, stayCode: string, changes: Readonly<Record<string, string | null>>, at: Date) =>
    readSavedCustomFields(statement({ operatorId, stayCode, changes, at }))
}

interface SetStayStatusParameters extends StayKey {
  readonly stayStatus: (typeof HostStayFields.Type)["stay_status"]
  readonly at: Date
}

/** Answers the order's status, undefined when there is no such stay; only stays of accepted orders are marked. */
const setStayStatus = (sql: Sql) => {
  const statement = prepareRecordedChange(sql, ({ stayStatus, at, ...stayKey }: Givens<SetStayStatusParameters>) => ({
    change: sql`
      before AS (${selectStayForUpdate(sql, stayKey)}), after AS (
        UPDATE stays s SET stay_status = ${stayStatus}
        FROM before WHERE s.operator_id = before.operator_id AND s.id = before.id
          AND before.status = 'accepted' AND before.stay_status <> ${stayStatus}
        RETURNING s.id
      )`,
    events: [recordStayUpdates(sql, { from: sql`before WHERE EXISTS (SELECT FROM after)`, at })],
    changedRecords: changedStayFieldSql(sql, "stay_status", sql`before WHERE EXISTS (SELECT FROM after)`),
    outcome: sql`SELECT status FROM before`
  }))
  return (operatorId: number, stayCode: string, stayStatus: SetStayStatusParameters["stayStatus"], at: Date) =>
    readStatus(statement({ operatorId, stayCode, stayStatus, at }))
}

export class StayStore extends Context.Service<StayStore>()("latchkey/domain/bookings/stays/StayStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    addTag: addTag(sql),
    removeTag: removeTag(sql),
    findCustomFields: findCustomFields(sql),
    saveCustomFields: saveCustomFields(sql),
    setCheckInDetails: setCheckInDetails(sql),
    setStayStatus: setStayStatus(sql)
  }))
}) {
  static readonly layer = Layer.effect(StayStore, StayStore.make)
}
