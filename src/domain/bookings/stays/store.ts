import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms } from "../../../changes/on-record.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import { rowOf } from "../../../platform/database/rows.ts"
import { CUSTOM_FIELDS, CUSTOM_FIELDS_TEXT } from "../../../platform/limits.ts"
import { setCheckIn } from "./checking-in.ts"
import { locked } from "./locked.ts"
import { CustomFields, type StayKeeping } from "./stay.ts"
import { recordStayUpdates, stayRecord } from "./table.ts"
import { addTag, removeTag, type Sought, touchedField } from "./tagging.ts"

// The SQL of what hosts keep about one stay. Each is one statement and touches none of the columns that changes of the
// order are worked out from (StayTerms), so the two never undo each other.

type Sql = SqlClient.SqlClient

const readFields = rowOf(Schema.Struct({ fields: Schema.NullOr(CustomFields) }))
const readSaved = rowOf(Schema.Struct({ saved: Schema.Boolean, fields: Schema.NullOr(CustomFields) }))
const readStatus = rowOf(Schema.Struct({ status: Schema.String }))

/** Undefined when there is no such stay. */
const customFields = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, stayCode }: Givens<Sought>) => sql`
      SELECT custom_fields AS fields FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${stayCode}`
  )
  return (operatorId: number, stayCode: string) => readFields(statement({ operatorId, stayCode }))
}

const charactersIn = (sql: Sql, fields: Fragment): Fragment =>
  sql`(SELECT coalesce(sum(length(value)), 0) FROM jsonb_each_text(${fields}))`

interface Saved extends Sought {
  readonly changes: Readonly<Record<string, string | null>>
  readonly at: Date
}

/**
 * Merges the changes in, null removes; `saved` is false when the stay would have too many, or too much in them. What was
 * too much before there was a limit may stay, and become less.
 */
const saveCustomFields = (sql: Sql) => {
  const characters = (fields: Fragment) => charactersIn(sql, fields)
  const statement = onRecordInForms(sql, ({ changes, at, ...sought }: Givens<Saved>) => ({
    change: sql`
      before AS (${locked(sql, sought)}),
      merged AS (
        SELECT operator_id, id,
          jsonb_strip_nulls(coalesce(before.custom_fields, '{}') || ${jsonParameter(changes)}::jsonb) AS fields
        FROM before
      ), after AS (
        UPDATE stays s SET custom_fields = nullif(merged.fields, '{}')
        FROM merged WHERE s.operator_id = merged.operator_id AND s.id = merged.id
          AND (SELECT count(*) FROM jsonb_object_keys(merged.fields)) <= ${CUSTOM_FIELDS}
          AND ${characters(sql`merged.fields`)} <= greatest(${CUSTOM_FIELDS_TEXT}, ${characters(sql`s.custom_fields`)})
        RETURNING s.custom_fields
      )`,
    events: [recordStayUpdates(sql, { from: sql`before WHERE EXISTS (SELECT FROM after)`, at })],
    // What is saved as it was is told too (specification, reservation_updated), and so leaves its trail: of no field.
    touched: sql`
      SELECT before.operator_id, ${stayRecord(sql)} AS record,
        array_remove(ARRAY[CASE WHEN after.custom_fields IS DISTINCT FROM before.custom_fields THEN 'custom_fields' END],
          NULL) AS fields
      FROM before, after`,
    // With its order's code, by which what is kept of a call is found when the guest is forgotten.
    outcome: sql`
      SELECT EXISTS (SELECT FROM after) AS saved, (SELECT custom_fields FROM after) AS fields, reservation_code FROM before`
  }))
  return (operatorId: number, stayCode: string, changes: Readonly<Record<string, string | null>>, at: Date) =>
    readSaved(statement({ operatorId, stayCode, changes, at }))
}

interface Marked extends Sought {
  readonly stayStatus: (typeof StayKeeping.Type)["stay_status"]
  readonly at: Date
}

/** Answers the order's status, undefined when there is no such stay; only stays of accepted orders are marked. */
const setStayStatus = (sql: Sql) => {
  const statement = onRecordInForms(sql, ({ stayStatus, at, ...sought }: Givens<Marked>) => ({
    change: sql`
      before AS (${locked(sql, sought)}), after AS (
        UPDATE stays s SET stay_status = ${stayStatus}
        FROM before WHERE s.operator_id = before.operator_id AND s.id = before.id
          AND before.status = 'accepted' AND before.stay_status <> ${stayStatus}
        RETURNING s.id
      )`,
    events: [recordStayUpdates(sql, { from: sql`before WHERE EXISTS (SELECT FROM after)`, at })],
    touched: touchedField(sql, "stay_status", sql`before WHERE EXISTS (SELECT FROM after)`),
    outcome: sql`SELECT status FROM before`
  }))
  return (operatorId: number, stayCode: string, stayStatus: Marked["stayStatus"], at: Date) =>
    readStatus(statement({ operatorId, stayCode, stayStatus, at }))
}

export class StayStore extends Context.Service<StayStore>()("latchkey/resources/StayStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    addTag: addTag(sql),
    removeTag: removeTag(sql),
    customFields: customFields(sql),
    saveCustomFields: saveCustomFields(sql),
    setCheckIn: setCheckIn(sql),
    setStayStatus: setStayStatus(sql)
  }))
}) {
  static readonly layer = Layer.effect(StayStore, StayStore.make)
}
